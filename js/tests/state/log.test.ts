import { expect, test } from "vitest";
import { accept, EMPTY, isWhole, type Log } from "../../src/state/log";
import type { LogRecord } from "../../src/wire/names";
import { firstReset } from "../samples";

function batch(start: number, end: number, records: readonly LogRecord[] = firstReset) {
  const events = records.slice(start, end) as never[];
  return { kind: "events" as const, conversation_id: "c", start, events, left_out: [] };
}

function after(...batches: ReturnType<typeof batch>[]): Log {
  return batches.reduce(accept, EMPTY);
}

test("batches in order make the log", () => {
  expect(after(batch(0, 3), batch(3, 7)).records).toEqual(firstReset.slice(0, 7));
});

test("what is known already changes nothing, not even the identity of the list", () => {
  const log = after(batch(0, 7));
  expect(accept(log, batch(2, 5)).records).toBe(log.records);
});

test("of a batch that overlaps only the new part is taken", () => {
  expect(after(batch(0, 5), batch(3, 9)).records).toEqual(firstReset.slice(0, 9));
});

test("a batch behind a gap is not taken, but the page knows that something is missing", () => {
  const log = after(batch(0, 3), batch(5, 9));
  expect(log.records).toEqual(firstReset.slice(0, 3));
  expect(isWhole(log)).toBe(false);
  expect(isWhole(accept(log, batch(3, 9)))).toBe(true);
});

test("another record at a known position means that the log was replaced", () => {
  const other = firstReset.map((record, i) => (i < 4 ? record : ({ ...record, id: `other-${i}` } as LogRecord)));
  const log = accept(after(batch(0, 9)), batch(2, 6, other));
  expect(log.records).toEqual(other.slice(0, 6));
  expect(isWhole(log)).toBe(true);
});

test("large texts that were left out are kept by position, and go with a log that was replaced", () => {
  const leftOut = [{ position: 4, path: ["observation", "output"], sha256: "a".repeat(64), chars: 90_000 }];
  const log = after(batch(0, 3), { ...batch(3, 6), left_out: leftOut as never[] });
  expect(log.leftOut.get(4)).toEqual(leftOut);
  const other = firstReset.map((record) => ({ ...record, id: `other-${record.id}` }) as LogRecord);
  expect(accept(log, batch(0, 6, other)).leftOut.size).toBe(0);
});
