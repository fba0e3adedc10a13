// Markdown line by line: headings, paragraphs, lists, quotes, code, tables. A line is read once for each quote and list that
// it stands in, and these nest only so deep.
import type { Align, Block, Item } from "./nodes";

/** Quotes and lists that are nested deeper are shown as they are. */
const DEEPEST = 24;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const MARKER = /^( *)([-+*]|\d{1,9}[.)])(?:( +)|$)/;
const TASK = /^\[([ xX])\] +/;
const CELL_RULE = /^:?-+:?$/;

export function parseBlocks(text: string): readonly Block[] {
  return blocksOf(text.replace(/\r\n?/g, "\n").split("\n").map(spaced), 0);
}

/** Tabs at the beginning, as the spaces that they stand for. */
function spaced(line: string): string {
  const [start = ""] = /^[ \t]*/.exec(line) ?? [];
  if (!start.includes("\t")) return line;
  let wide = "";
  for (const char of start) wide += char === "\t" ? " ".repeat(4 - (wide.length % 4)) : " ";
  return wide + line.slice(start.length);
}

function blocksOf(lines: readonly string[], depth: number): readonly Block[] {
  if (depth > DEEPEST) return [{ type: "plain", text: lines.join("\n") }];
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (isBlank(line)) {
      at += 1;
      continue;
    }
    const [block, next] = blockAt(lines, at, line, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

type Read = readonly [block: Block, next: number];

function blockAt(lines: readonly string[], at: number, line: string, depth: number): Read {
  if (indentOf(line) >= 4) return indented(lines, at);
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const text = line.slice(heading[0].length).trim();
    return [{ type: "heading", level: heading[1]?.length ?? 1, text: withoutClosing(text) }, at + 1];
  }
  const fence = FENCE.exec(line);
  if (fence !== null && isFence(fence)) return fenced(lines, at, fence[1] ?? "```");
  if (RULE.test(line)) return [{ type: "rule" }, at + 1];
  if (QUOTE.test(line)) return quote(lines, at, depth);
  if (MARKER.test(line)) return list(lines, at, depth);
  return table(lines, at) ?? paragraph(lines, at);
}

/** `## Title ##` is `Title`. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  return end === 0 ? "" : text[end - 1] === " " ? text.slice(0, end).trimEnd() : text;
}

function isFence([, mark = "", info = ""]: readonly string[]): boolean {
  return mark.startsWith("~") || !info.includes("`");
}

function fenced(lines: readonly string[], start: number, mark: string): Read {
  const indent = indentOf(lines[start] ?? "");
  const code: string[] = [];
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const end = FENCE.exec(line);
    if (end?.[1]?.startsWith(mark) && end[2]?.trim() === "") break;
    code.push(line.slice(Math.min(indent, indentOf(line))));
  }
  return [{ type: "code", text: code.join("\n") }, at + 1];
}

function indented(lines: readonly string[], start: number): Read {
  let at = start;
  while (at < lines.length && (isBlank(lines[at] ?? "") || indentOf(lines[at] ?? "") >= 4)) at += 1;
  const code = lines.slice(start, at).map((line) => line.slice(4));
  return [{ type: "code", text: code.join("\n").trimEnd() }, at];
}

function quote(lines: readonly string[], start: number, depth: number): Read {
  const inside: string[] = [];
  let at = start;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (QUOTE.test(line)) inside.push(line.replace(QUOTE, ""));
    else if (isBlank(line) || isBlank(inside[inside.length - 1] ?? "") || interrupts(line)) break;
    else inside.push(line);
  }
  return [{ type: "quote", blocks: blocksOf(inside, depth + 1) }, at];
}

function list(lines: readonly string[], start: number, depth: number): Read {
  const kind = kindOf(lines[start] ?? "");
  const number = Number.parseInt(MARKER.exec(lines[start] ?? "")?.[2] ?? "", 10);
  const items: Item[] = [];
  let tight = true;
  let at = start;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const marker = MARKER.exec(line);
    if (marker === null || RULE.test(line) || kindOf(line) !== kind) break;
    const [inside, next] = itemLines(lines, at, marker);
    const blank = inside.findIndex((one, i) => i > 0 && isBlank(one));
    const more = next < lines.length && kindOf(lines[next] ?? "") === kind;
    if (blank >= 0 && (more || inside.slice(blank).some((one) => !isBlank(one) && indentOf(one) === 0))) tight = false;
    const task = TASK.exec(inside[0] ?? "");
    if (task !== null) inside[0] = (inside[0] ?? "").slice(task[0].length);
    items.push({ done: task === null ? null : task[1] !== " ", blocks: blocksOf(inside, depth + 1) });
    at = next;
  }
  return [{ type: "list", start: Number.isNaN(number) ? null : number, tight, items }, at];
}

/** The lines of an item without its marker and indent, and where the next block begins. */
function itemLines(lines: readonly string[], start: number, marker: RegExpExecArray): [string[], number] {
  const [whole, outer = "", mark = "", space = " "] = marker;
  const content = outer.length + mark.length + (space.length > 4 ? 1 : space.length);
  const inside = [(lines[start] ?? "").slice(space.length > 4 ? content : whole.length)];
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const indent = indentOf(line);
    if (isBlank(line)) inside.push("");
    else if (indent >= content) inside.push(line.slice(content));
    // Models often indent a list in a numbered one by two.
    else if (indent >= outer.length + 2 && MARKER.test(line)) inside.push(line.slice(indent));
    else if (isBlank(inside[inside.length - 1] ?? "") || interrupts(line) || MARKER.test(line)) break;
    else inside.push(line.trimStart());
  }
  return [inside, at];
}

/** Which list an item belongs to: one with another mark begins another list. */
function kindOf(line: string): string {
  const mark = MARKER.exec(line)?.[2] ?? "";
  return mark.slice(-1);
}

function table(lines: readonly string[], start: number): Read | undefined {
  const head = lines[start] ?? "";
  const rule = lines[start + 1] ?? "";
  if (!head.includes("|") || !rule.includes("-") || indentOf(rule) >= 4) return undefined;
  const marks = cellsOf(rule);
  const cells = cellsOf(head);
  if (marks.length !== cells.length || !marks.every((mark) => CELL_RULE.test(mark))) return undefined;
  const rows: string[][] = [];
  let at = start + 2;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (isBlank(line) || interrupts(line)) break;
    const row = cellsOf(line);
    rows.push(cells.map((_, i) => row[i] ?? ""));
  }
  return [{ type: "table", align: marks.map(alignOf), head: cells, rows }, at];
}

function cellsOf(line: string): string[] {
  const inside = line.trim().replace(/^\|/, "");
  const cells = [""];
  for (let i = 0; i < inside.length; i += 1) {
    const char = inside[i] ?? "";
    if (char === "\\" && inside[i + 1] === "|") {
      cells.push(`${cells.pop()}|`);
      i += 1;
    } else if (char === "|") cells.push("");
    else cells.push(`${cells.pop()}${char}`);
  }
  if (cells.length > 1 && cells[cells.length - 1]?.trim() === "") cells.pop();
  return cells.map((cell) => cell.trim());
}

function alignOf(mark: string): Align {
  if (mark.endsWith(":")) return mark.startsWith(":") ? "center" : "right";
  return mark.startsWith(":") ? "left" : null;
}

function paragraph(lines: readonly string[], start: number): Read {
  const text: string[] = [];
  let at = start;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (isBlank(line)) break;
    if (at > start) {
      const underline = UNDERLINE.exec(line);
      if (underline !== null) {
        const level = underline[1]?.startsWith("=") ? 1 : 2;
        return [{ type: "heading", level, text: text.join("\n").trim() }, at + 1];
      }
      if (interrupts(line) || startsList(line)) break;
    }
    text.push(line.trimStart());
  }
  return [{ type: "paragraph", text: text.join("\n").trimEnd() }, at];
}

/** Whether a paragraph ends before this line, even with no empty line between. */
function interrupts(line: string): boolean {
  if (indentOf(line) >= 4) return false;
  const fence = FENCE.exec(line);
  return HEADING.test(line) || (fence !== null && isFence(fence)) || RULE.test(line) || QUOTE.test(line);
}

/** A number in running text that happens to begin a line is no list, unless it is 1. */
function startsList(line: string): boolean {
  const marker = MARKER.exec(line);
  return marker !== null && indentOf(line) < 4 && marker[3] !== undefined && /^(?:[-+*]|1[.)])$/.test(marker[2] ?? "");
}

function indentOf(line: string): number {
  let end = 0;
  while (line[end] === " ") end += 1;
  return end;
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}
