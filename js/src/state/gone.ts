// Which rows a reset took out of the context.
import type { Row } from "./rows";

/** The ids under which a row stands in the view; none if it never does. */
function entriesOf(row: Row): readonly string[] {
  switch (row.type) {
    case "message":
    case "reply":
    case "remark":
      return [row.key];
    case "calls":
      return row.calls.map((call) => call.id);
    case "reset":
      return [`${row.key}-notice`, `${row.key}-summary`];
    default:
      return [];
  }
}

/** Rows that never stand in the view, such as marks, go with what is above them. */
export function markGone(rows: readonly Row[], forgotten: ReadonlySet<string>): Row[] {
  let above = true;
  return rows.map((row) => {
    const entries = entriesOf(row);
    if (entries.length > 0) above = row.gone || entries.some((id) => forgotten.has(id));
    return above && !row.gone ? { ...row, gone: true } : row;
  });
}
