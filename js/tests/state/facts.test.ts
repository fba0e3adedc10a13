import { expect, test } from "vitest";
import type { StoppedRow } from "../../src/state/rows";
import { find, textOfRow } from "../../src/state/search";
import { hasPrice, NOTHING_SPENT, plus } from "../../src/state/spent";
import { transcript } from "../../src/state/transcript";
import type { LogRecord } from "../../src/wire/names";
import { agentMessage, everything, failure, firstReset, interrupt, response, userMessage } from "../samples";

function priced(cost: number | null) {
  const record = response("x");
  return { ...record, usage: { ...record.usage, cost } };
}

test("R-ACC-3: what nobody reported is counted, and never added as zero", () => {
  const spent = [priced(0.25), priced(null), failure("cancelled")].reduce(plus, NOTHING_SPENT);
  expect(spent).toMatchObject({
    requests: 3,
    input: { reported: 30, unknown: 0 },
    output: { reported: 2, unknown: 1 },
    cost: { reported: 0.25, unknown: 2 },
  });
  expect(hasPrice(spent)).toBe(true);
  expect(hasPrice([priced(null)].reduce(plus, NOTHING_SPENT))).toBe(false);
  expect(hasPrice(NOTHING_SPENT)).toBe(false);
});

test("R-ACC-4: totals go on across a reset, and begin anew at a fork", () => {
  const answers = firstReset.filter(({ kind }) => kind === "ResponseEvent" || kind === "UsageEvent");
  expect(transcript(firstReset).facts.spent.requests).toBe(answers.length);
  const fork = everything.findIndex(({ kind }) => kind === "ForkEvent");
  expect(transcript(everything.slice(0, fork)).facts.spent.requests).toBeGreaterThan(0);
  expect(transcript(everything.slice(0, fork + 1)).facts.spent.requests).toBe(0);
});

test("R-WARN-10: a warning is pending until a success has carried it, and after a reset there is none", () => {
  const at = firstReset.findIndex(({ kind }) => kind === "ContextWarningEvent");
  const success = firstReset.findIndex(({ kind }, i) => i > at && kind === "ResponseEvent");
  const pending = (end: number) => transcript(firstReset.slice(0, end)).facts.pending;
  expect(pending(at)).toEqual([]);
  expect(pending(at + 1)).toEqual([0.75]);
  expect(pending(success)).toEqual([0.75]);
  expect(pending(success + 1)).toEqual([]);
  expect(transcript(firstReset.slice(0, success + 1)).facts.fired).toEqual([0.75]);
});

function stopped(...records: LogRecord[]): StoppedRow {
  const row = transcript(records).rows.find(({ type }) => type === "stopped");
  if (row?.type !== "stopped") throw new Error("nothing was stopped");
  return row;
}

test("a stop says what it kept: results, unread messages, and whether a reply was lost", () => {
  const [first, second] = [userMessage("first"), userMessage("second")];
  expect(stopped(first, second, failure("cancelled"), interrupt())).toMatchObject({
    unread: 2,
    replyLost: true,
    results: 0,
  });
  expect(stopped(first, response(first.id), second, interrupt())).toMatchObject({ unread: 1, replyLost: false });
  const at = firstReset.findIndex(({ kind }) => kind === "ObservationEvent");
  expect(stopped(...firstReset.slice(0, at + 1), interrupt())).toMatchObject({ results: 1, interrupted: 0, unread: 0 });
});

test("R-STOP-3: a tool that was broken off counts as that, with whatever it had put out", () => {
  const at = firstReset.findIndex(({ kind }) => kind === "ObservationEvent");
  const [result] = firstReset.slice(at, at + 1);
  if (result?.kind !== "ObservationEvent") throw new Error("no result");
  const ending = (text: string, is_error: boolean) => {
    const content = [{ type: "text" as const, text }];
    const ended = { ...result, observation: { ...result.observation, content, is_error } } as LogRecord;
    const { results, interrupted } = stopped(...firstReset.slice(0, at), ended, interrupt());
    return [results, interrupted];
  };
  expect(ending("tick 3\n[interrupted: the user stopped this call]", true)).toEqual([0, 1]);
  expect(ending("[interrupted: no] but it said more", true)).toEqual([1, 0]);
  expect(ending("[interrupted: a file may say so]", false)).toEqual([1, 0]);
});

test("a lost reply of an earlier request is not told of at a later stop", () => {
  const message = userMessage("first");
  const records = [message, failure("cancelled"), interrupt(), response(message.id), agentMessage("done"), interrupt()];
  expect(transcript(records).rows.filter(({ type }) => type === "stopped")).toMatchObject([
    { replyLost: true },
    { replyLost: false },
  ]);
});

test("words are found in every kind of row, folded ones too, in any case", () => {
  const { rows } = transcript(everything);
  for (const [place, row] of rows.entries()) {
    const word = /\p{L}{4,}/u.exec(textOfRow(row))?.[0];
    if (word !== undefined) expect(find(rows, ` ${word.toUpperCase()} `)).toContain(place);
  }
  expect(find(rows, "  ")).toEqual([]);
  expect(find(rows, "no such words stand here")).toEqual([]);
});

test("the words of a call's input are found without the quotes and escapes around them", () => {
  const { rows } = transcript(everything);
  const code = everything.find((record) => record.kind === "ActionEvent" && record.action?.kind === "RunPythonAction");
  if (code?.kind !== "ActionEvent" || code.action?.kind !== "RunPythonAction") throw new Error("no code");
  expect(find(rows, code.action.code.split("\n")[0] ?? "").length).toBeGreaterThan(0);
});
