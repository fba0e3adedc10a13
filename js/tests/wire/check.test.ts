import { expect, test } from "vitest";
import { readTrait, readUpdate } from "../../src/wire/check";
import type { LogRecord } from "../../src/wire/names";
import { everything, firstReset } from "../samples";

function throughTheWire(...events: unknown[]): LogRecord[] {
  const update = readUpdate({ kind: "events", conversation_id: "c", start: 0, events, left_out: [] });
  if (update?.kind !== "events") throw new Error("the batch was not taken");
  return update.events;
}

test("every record of the sample logs is taken as it is", () => {
  expect(throughTheWire(...firstReset)).toEqual(firstReset);
  expect(throughTheWire(...everything)).toEqual(everything);
});

test("a field that is missing, or of another type, makes that one record unreadable and no other", () => {
  for (const record of everything.filter((one) => one.kind !== "UnknownRecord")) {
    const fields = Object.keys(record).filter((name) => name !== "kind");
    for (const name of fields) {
      const without = { ...record } as Record<string, unknown>;
      delete without[name];
      const wrong = { ...record, [name]: () => "no JSON value" };
      const [first, second, third] = throughTheWire(without, wrong, record);
      expect(first).toMatchObject({ kind: "UnknownRecord", reason: "unreadable", record_kind: record.kind });
      expect(second).toMatchObject({ kind: "UnknownRecord", record_kind: record.kind });
      expect(third).toEqual(record);
    }
  }
});

test.each([null, 0, "text", [], {}, { kind: "constructor" }, { kind: "toString", id: "x" }, { kind: 5, id: 5 }])(
  "what is no record at all is shown as unreadable: %j",
  (value) => {
    expect(throughTheWire(value)).toMatchObject([{ kind: "UnknownRecord", reason: "unreadable" }]);
  },
);

test("F-18: a value nested ten thousand deep, an endless number and a lone surrogate are answered, not followed", () => {
  let deep: unknown = "bottom";
  for (let i = 0; i < 10_000; i += 1) deep = { action: deep, content: [deep] };
  const [action] = everything.filter((record) => record.kind === "ActionEvent");
  expect(throughTheWire({ ...action, action: deep })).toMatchObject([{ kind: "UnknownRecord" }]);
  expect(readTrait("budget", { tokens: Number.POSITIVE_INFINITY }, null as never)).toBeNull();
  expect(readTrait("title", "\ud83d", "")).toBe("\ud83d");
});

test("a field that a newer kernel adds does no harm", () => {
  const [record] = firstReset;
  expect(throughTheWire({ ...record, colour: "blue" })).toMatchObject([{ kind: "ConversationStartEvent" }]);
});

test.each(["ack", "refused", "output", "approvals", "chunk", "problem", "delta", "request"])(
  "an update without its fields is not taken: %s",
  (kind) => {
    expect(readUpdate({ kind })).toBeUndefined();
  },
);
