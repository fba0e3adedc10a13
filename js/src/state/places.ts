// Where in the transcript an event is shown. Many events have no row of their own: a success shows in its reply, a call's result
// in its call.
import type { LogRecord } from "../wire/names";
import type { Row } from "./rows";

/** The place of the row that shows the record at a position, or the nearest one behind it, else before it; -1 without rows. */
export function rowOf(rows: readonly Row[], records: readonly LogRecord[], position: number): number {
  const places = new Map(rows.flatMap((row, place) => idsOf(row).map((id) => [id, place] as const)));
  for (let at = position; at < records.length; at += 1) {
    const place = places.get(records[at]?.id ?? "");
    if (place !== undefined) return place;
  }
  for (let at = position - 1; at >= 0; at -= 1) {
    const place = places.get(records[at]?.id ?? "");
    if (place !== undefined) return place;
  }
  return -1;
}

function idsOf(row: Row): readonly string[] {
  if (row.type !== "calls") return [row.key];
  return [row.key.replace(/^calls-/, ""), ...row.calls.flatMap(({ id, result }) => (result ? [id, result.id] : [id]))];
}
