// Terminal colours as styled pieces of text. Only SGR sequences mean something here; all other control sequences are dropped.

export interface Piece {
  readonly text: string;
  readonly style: Style;
}

/** Colours are the names of our CSS classes for the 16 basic ones, else `rgb(…)`. */
export interface Style {
  readonly fg?: string;
  readonly bg?: string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
}

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// CSI sequences, OSC strings up to their end on the same line, and other two-character escapes.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?/g;

export function parseAnsi(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let style: Style = {};
  let end = 0;
  const push = (piece: string) => {
    if (piece !== "") pieces.push({ text: piece, style });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1] !== undefined) style = apply(style, match[1].split(/[;:]/).map(Number));
  }
  push(text.slice(end));
  return pieces;
}

/** The text alone. */
export function withoutAnsi(text: string): string {
  return text.replace(SEQUENCE, "");
}

function apply(style: Style, codes: readonly number[]): Style {
  let next: Style = style;
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 0) next = {};
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 3) next = { ...next, italic: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next = { ...next, italic: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code === 38 || code === 48) {
      const [color, used] = extended(codes.slice(i + 1));
      i += used;
      if (color !== undefined) next = code === 38 ? { ...next, fg: color } : { ...next, bg: color };
    } else if (code === 39) next = without(next, "fg");
    else if (code === 49) next = without(next, "bg");
    else {
      const name = NAMES[code % 10];
      const ground = Math.floor(code / 10);
      if (name === undefined) continue;
      if (ground === 3 || ground === 9) next = { ...next, fg: name };
      else if (ground === 4 || ground === 10) next = { ...next, bg: name };
    }
  }
  return next;
}

/** A colour of the 256, or a true colour, and how many codes it took. */
function extended([mode, ...rest]: readonly number[]): [string | undefined, number] {
  if (mode === 2) return [`rgb(${rest.slice(0, 3).map(channel).join(" ")})`, 4];
  if (mode !== 5) return [undefined, 0];
  const index = channel(rest[0] ?? 0);
  if (index < 16) return [NAMES[index % 8], 2];
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [`rgb(${grey} ${grey} ${grey})`, 2];
  }
  const level = (n: number) => (n === 0 ? 0 : 55 + 40 * n);
  const cube = index - 16;
  return [`rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`, 2];
}

function channel(value: number): number {
  return Number.isFinite(value) ? Math.min(255, Math.max(0, Math.trunc(value))) : 0;
}

function without(style: Style, key: "fg" | "bg"): Style {
  const { [key]: _, ...rest } = style;
  return rest;
}
