// Finding words in the transcript: what a row says, and which rows say it.
import { withoutAnsi } from "../text/ansi";
import { textOf } from "./calls";
import type { Row } from "./rows";

/** All words of a row, folded ones too. */
export function textOfRow(row: Row): string {
  switch (row.type) {
    case "message":
    case "reply":
      return textOf(row.blocks);
    case "calls":
      return [
        row.thought,
        ...row.calls.flatMap(({ tool, summary, raw, result }) => [
          tool,
          summary,
          written(raw),
          result === null ? "" : withoutAnsi(textOf(result.blocks)),
        ]),
      ].join("\n");
    case "reset":
      return [row.message, row.summary, row.notice].filter((text) => text !== null).join("\n");
    case "summary":
      return row.failure?.text ?? "";
    case "unknown":
      return row.record;
    case "stopped":
      return "";
    default:
      return row.text;
  }
}

/** The texts of an argument object, without its quotes and escapes. */
function written(raw: string): string {
  try {
    const value: unknown = JSON.parse(raw);
    if (typeof value === "object" && value !== null) return Object.values(value).map(String).join("\n");
  } catch {} // what the model wrote need not be JSON
  return raw;
}

/** The places of the rows that hold these words; upper and lower case are the same. */
export function find(rows: readonly Row[], words: string): readonly number[] {
  const wanted = folded(words.trim());
  if (wanted === "") return [];
  return rows.flatMap((row, place) => (folded(textOfRow(row)).includes(wanted) ? [place] : []));
}

export function folded(text: string): string {
  return text.toLocaleLowerCase();
}
