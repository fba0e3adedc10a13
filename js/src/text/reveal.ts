// Characters that a reader cannot see, or that change how others are shown, as visible escapes: what is approved must be what
// is read.

/** Controls (but tab and line feed), format and direction marks, line separators, and all that is drawn as nothing. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export interface Segment {
  readonly text: string;
  /** Whether this is the escape of a hidden character, and not text as it was. */
  readonly hidden: boolean;
}

export function reveal(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  const plain = text.replace(/\r\n/g, "\n");
  let end = 0;
  for (const match of plain.matchAll(HIDDEN)) {
    if (match.index > end) segments.push({ text: plain.slice(end, match.index), hidden: false });
    segments.push({ text: escaped(match[0]), hidden: true });
    end = match.index + match[0].length;
  }
  if (end < plain.length) segments.push({ text: plain.slice(end), hidden: false });
  return segments;
}

function escaped(character: string): string {
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
