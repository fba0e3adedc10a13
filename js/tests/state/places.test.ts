import { expect, test } from "vitest";
import { rowOf } from "../../src/state/places";
import { transcript } from "../../src/state/transcript";
import { everything, firstReset } from "../samples";

test.each([
  ["first reset", firstReset],
  ["everything", everything],
])("every record of a log leads to a row: %s", (_, records) => {
  const { rows } = transcript(records);
  for (const [position, record] of records.entries()) {
    const place = rowOf(rows, records, position);
    expect(rows[place]).toBeDefined();
    const row = rows[place];
    if (record.kind === "ObservationEvent" && row?.type === "calls")
      expect(row.calls.map(({ result }) => result?.id)).toContain(record.id);
  }
});

test("a success leads to its reply, and a call to the row of its batch", () => {
  const { rows } = transcript(firstReset);
  firstReset.forEach((record, position) => {
    if (record.kind !== "ResponseEvent") return;
    const row = rows[rowOf(rows, firstReset, position)];
    const next = firstReset[position + 1];
    if (row?.type === "calls") expect(row.key).toBe(`calls-${record.id}`);
    else if (row?.type === "reply") expect(row.key).toBe(next?.id);
    else expect(row?.type).toBe("reset"); // the divider stands for the call that asked for it
  });
});

test("without rows there is no place", () => {
  expect(rowOf([], [], 3)).toBe(-1);
});
