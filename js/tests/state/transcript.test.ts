import { describe, expect, test } from "vitest";
import type { Row } from "../../src/state/rows";
import { TranscriptFold, transcript } from "../../src/state/transcript";
import type { LogRecord } from "../../src/wire/names";
import { agentMessage, everything, firstReset, response, userMessage } from "../samples";

function rowsOf<T extends Row["type"]>(records: readonly LogRecord[], type: T): Extract<Row, { type: T }>[] {
  return transcript(records).rows.filter((row): row is Extract<Row, { type: T }> => row.type === type);
}

function upTo(records: readonly LogRecord[], kind: LogRecord["kind"], n = 1): LogRecord[] {
  const places = records.flatMap((record, i) => (record.kind === kind ? [i] : []));
  return records.slice(0, (places[n - 1] ?? Number.NaN) + 1);
}

describe.each([
  ["first_reset", firstReset],
  ["everything", everything],
])("the log %s", (_, records) => {
  test("gives the same rows whole and step by step, and leaves what does not change as it is", () => {
    const fold = new TranscriptFold();
    let before: readonly Row[] = [];
    records.forEach((record, i) => {
      fold.add(record);
      const { rows } = fold.snapshot();
      expect(rows).toEqual(transcript(records.slice(0, i + 1)).rows);
      if (record.kind !== "Condensation") {
        const changed = rows.filter((row) => !before.includes(row));
        expect(changed.length).toBeLessThanOrEqual(record.kind === "ResponseEvent" ? 3 : 1);
      }
      before = rows;
    });
  });

  test("has rows with keys of their own", () => {
    const keys = transcript(records).rows.map((row) => row.key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test("the sample with everything gives every type of row", () => {
  const types = new Set(transcript(everything).rows.map((row) => row.type));
  expect([...types].sort()).toEqual(
    [
      "calls",
      "error",
      "mark",
      "message",
      "remark",
      "reply",
      "reset",
      "stopped",
      "summary",
      "unknown",
      "warning",
    ].sort(),
  );
});

test("R-VIEW-4: a message is unread until a success whose boundary is at or behind it", () => {
  const [one, two] = [userMessage("one"), userMessage("two")];
  const state = (...records: LogRecord[]) => rowsOf(records, "message").map((row) => row.state);
  expect(state(one, two)).toEqual(["unread", "unread"]);
  expect(state(one, two, response(one.id))).toEqual(["read", "unread"]);
  expect(state(one, two, response(two.id))).toEqual(["read", "read"]);
  expect(state(one, two, response("nobody knows"))).toEqual(["unread", "unread"]);
});

test("only a message that came while the agent was at work is told as queued", () => {
  const [one, two, three] = [userMessage("one"), userMessage("two"), userMessage("three")];
  const records = [one, two, response(two.id), agentMessage("done"), three];
  expect(rowsOf(records, "message").map((row) => row.queued)).toEqual([false, true, false]);
});

test("R-VIEW-16: a withdrawn message stays, marked, and later successes do not change it", () => {
  const records = upTo(everything, "MessageWithdrawnEvent");
  expect(rowsOf(records, "message").at(-1)?.state).toBe("withdrawn");
  expect(rowsOf(everything, "message").filter((row) => row.state === "withdrawn")).toHaveLength(1);
});

test("all calls of one reply stand in one row, with the words beside them", () => {
  const [first, second] = rowsOf(everything, "calls");
  expect(first?.thought).toBe("I look first.");
  expect(first?.calls.map((call) => call.tool)).toEqual(["search_files", "read_file", "delete_file", "lookup"]);
  expect(second?.calls).toHaveLength(1);
});

test("a call says in a few words what it is about", () => {
  const calls = rowsOf(everything, "calls").flatMap((row) => row.calls);
  const summaries = Object.fromEntries(calls.map((call) => [call.tool, call.summary]));
  expect(summaries.search_files).toBe("“amount” in data");
  expect(summaries.edit_file).toBe("report.md");
  expect(summaries.delete_file).toBe('{"path": "data/old.csv"}');
  expect(calls.find((call) => call.tool === "run_python")?.summary).toBe('frame = load("data/east.csv")');
  expect(summaries.conversation_history).toBe("refund");
});

test("every outcome of a call has its name", () => {
  const outcomes = rowsOf(everything, "calls").flatMap((row) => row.calls.map((call) => call.result?.outcome));
  expect(new Set(outcomes)).toEqual(new Set(["done", "failed", "rejected", "interrupted", "not_run", "unknown"]));
});

test("R-VIEW-8: the first result of a call wins, and a result for nobody does nothing", () => {
  const records = upTo(firstReset, "ObservationEvent");
  const result = records[records.length - 1];
  if (result?.kind !== "ObservationEvent") throw new Error("the sample has changed");
  const again: LogRecord = { ...result, id: "again", observation: { ...result.observation, is_error: true } };
  const stray: LogRecord = { ...result, id: "stray", action_id: "nobody" };
  const [row] = rowsOf([...records, again, stray], "calls");
  expect(row?.calls[0]?.result?.outcome).toBe("done");
});

test("a call keeps when it started, and how it was allowed", () => {
  const calls = rowsOf(everything, "calls").flatMap((row) => row.calls);
  expect(calls.filter((call) => call.approval !== null).map((call) => call.approval)).toEqual(["run", "covered"]);
  expect(calls.filter((call) => call.started !== null)).toHaveLength(4);
});

test("an output of which the model saw a part carries both, and the size", () => {
  const result = rowsOf(everything, "calls").flatMap((row) => row.calls)[5]?.result;
  expect(result?.bytes).toBe(result?.output?.length);
  expect(result?.blocks.map((block) => block.type)).toEqual(["text", "image"]);
});

test("a warning is the environment's, never a message", () => {
  const records = upTo(firstReset, "ContextWarningEvent");
  expect(rowsOf(records, "warning")).toMatchObject([
    { threshold: 0.75, tokens: 6_204, limit: 8_000, counted: "measured" },
  ]);
  expect(rowsOf(records, "message")).toHaveLength(1);
  expect(transcript(records).facts.fired).toEqual([0.75]);
});

describe("a reset by the agent", () => {
  const records = upTo(firstReset, "Condensation");
  const { rows, facts } = transcript(records);

  test("is a divider with the message to the future self, in the place of the call", () => {
    expect(rows.at(-1)).toMatchObject({ type: "reset", number: 1, trigger: "agent", summary: null });
    expect(rows.at(-1)).toMatchObject({ message: expect.stringContaining("Three of six files") });
    expect(
      rowsOf(records, "calls")
        .flatMap((row) => row.calls)
        .some((call) => call.tool === "condense"),
    ).toBe(false);
  });

  test("leaves everything above it in place and marked as gone", () => {
    const above = rows.slice(0, -1);
    expect(above.length).toBeGreaterThan(5);
    expect(above.every((row) => row.gone)).toBe(true);
    expect(rows.at(-1)?.gone).toBe(false);
  });

  test("rearms the warnings", () => {
    expect(facts).toMatchObject({ resets: 1, fired: [] });
  });

  test("touches nothing that comes after it", () => {
    const later = transcript(firstReset).rows;
    const at = later.findIndex((row) => row.type === "reset");
    expect(later.slice(at).every((row) => !row.gone)).toBe(true);
  });

  test("takes no message that the model has not read", () => {
    const waiting = userMessage("still here");
    const cut = records.findIndex((record) => record.kind === "ObservationEvent" && record.tool_name === "condense");
    const with_ = [...records.slice(0, cut), waiting, ...records.slice(cut)];
    expect(rowsOf(with_, "message").at(-1)).toMatchObject({ state: "unread", gone: false });
  });

  test("a second one takes the first divider with it", () => {
    const condensation = records.at(-1);
    if (condensation?.kind !== "Condensation") throw new Error("the sample has changed");
    const second: LogRecord = { ...condensation, id: "second", forgotten_event_ids: [`${condensation.id}-notice`] };
    const resets = rowsOf([...records, second], "reset");
    expect(resets.map((row) => [row.number, row.gone])).toEqual([
      [1, true],
      [2, false],
    ]);
  });
});

test("R-VIEW-7: a condensation that forgets and inserts nothing is no reset", () => {
  const empty = { ...upTo(firstReset, "Condensation").at(-1), id: "empty", forgotten_event_ids: [], notice: null };
  expect(transcript([...firstReset, empty as LogRecord]).facts.resets).toBe(1);
});

test("a paid summary shows while it is made, then fails in its place or becomes the divider", () => {
  const asked = upTo(everything, "CondensationRequest");
  expect(rowsOf(asked, "summary")).toMatchObject([{ failure: null, trigger: "provider_context_window" }]);
  const failed = upTo(everything, "CondensationFailureEvent");
  expect(rowsOf(failed, "summary")).toMatchObject([{ failure: { code: "summary_blank" } }]);
  const committed = upTo(everything, "Condensation");
  expect(rowsOf(committed, "summary")).toHaveLength(1);
  expect(rowsOf(committed, "reset")).toMatchObject([
    { trigger: "capacity", summary: expect.stringContaining("archive") },
  ]);
});

test("the end of a run says what happened and whether it can go on", () => {
  expect(rowsOf(everything, "error")).toMatchObject([{ code: "context_rescue_failed", recoverable: true }]);
});

test("R-STOP-10: only a pause holds what is sent, until it is resumed", () => {
  expect(transcript(upTo(everything, "InterruptEvent")).facts.held).toBe(false);
  expect(transcript(upTo(everything, "PauseEvent")).facts.held).toBe(true);
  expect(transcript(upTo(everything, "ResumeEvent", 2)).facts.held).toBe(false);
});

test("F-18: a record that this version does not know is shown as unknown", () => {
  expect(rowsOf(everything, "unknown")).toMatchObject([{ record: "HologramEvent", reason: "unknown" }]);
});
