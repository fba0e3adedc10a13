// The page's copy of the log: a list that grows by numbered batches, whatever is lost, doubled or out of order on the way.
import type { LeftOut, LogRecord, UpdateOf } from "../wire/names";

export interface Log {
  readonly records: readonly LogRecord[];
  /** Large texts of a record, by its position, of which the page has only the beginning. */
  readonly leftOut: ReadonlyMap<number, readonly LeftOut[]>;
  /** How many records there are, as far as this page has heard. */
  readonly known: number;
}

export const EMPTY: Log = { records: [], leftOut: new Map(), known: 0 };

/** The log with what is new in a batch. A batch beyond the end adds nothing but the news that something is missing. */
export function accept(log: Log, { start, events, left_out }: UpdateOf<"events">): Log {
  const end = start + events.length;
  const known = Math.max(log.known, end);
  if (start < 0 || start > log.records.length) return { ...log, known };
  const overlap = log.records.slice(start, end);
  const differs = overlap.findIndex((record, i) => record.id !== events[i]?.id);
  // The same position with another record: the log was replaced, and what the kernel says now is true.
  const keep = differs < 0 ? Math.max(log.records.length, start) : start + differs;
  const fresh = events.slice(keep - start);
  if (fresh.length === 0) return { ...log, known };
  const leftOut = new Map([...log.leftOut].filter(([position]) => position < keep));
  for (const one of left_out)
    if (one.position >= keep && one.position < end)
      leftOut.set(one.position, [...(leftOut.get(one.position) ?? []), one]);
  return { records: [...log.records.slice(0, keep), ...fresh], leftOut, known: differs < 0 ? known : end };
}

export function isWhole(log: Log): boolean {
  return log.records.length >= log.known;
}
