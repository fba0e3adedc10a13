// Markdown inside a line of text: emphasis, code, links, breaks. Each character is looked at a bounded number of times, so
// that no text takes for ever. References (`[words][id]`) are not known, and raw HTML is text.
import { decodeEntities } from "../text/links";
import type { Around, Inline } from "./nodes";

/** Where something may begin. All else is words. */
const SPECIAL = /[\\`*_~[\]!<\n]|https?:\/\//g;
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}\p{S}]/u;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]{0,2000})>/iy;
const MAILBOX = /<([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d.-]{1,255})>/iy;
const TAG = /<(?:br\s*\/?|[/!?]?[a-z][^<>]{0,2000}|!--[^<>]{0,2000})>/iy;
const ADDRESS = /https?:\/\/[^\s<>\]]{1,2000}/y;
const TITLE = /^\s*(?:\s(?:"[^"]*"|'[^']*')\s*)?\)/;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const LONGEST_ADDRESS = 2_000;
/** So far back an end of emphasis looks for its beginning, and so deep parentheses in an address may stand. */
const REACH = 16;

interface Run {
  readonly type: "run";
  readonly mark: string;
  count: number;
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
  start: number;
  end: number;
}
/** A node with its place in the source. */
interface Placed {
  readonly type: "node";
  readonly node: Inline;
  readonly start: number;
  readonly end: number;
}
interface Bracket {
  readonly type: "bracket";
  readonly image: boolean;
  readonly start: number;
  readonly end: number;
}
type Token = Run | Placed | Bracket;

export function parseInline(source: string): readonly Inline[] {
  return new InlineParser(source).parse();
}

class InlineParser {
  readonly #source: string;
  #tokens: Token[] = [];
  /** Places of open brackets in `#tokens`. */
  #brackets: number[] = [];
  /** Where runs of so many backticks begin, the last first. */
  #ticks: Map<number, number[]> | undefined;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): readonly Inline[] {
    const source = this.#source;
    while (this.#at < source.length) {
      SPECIAL.lastIndex = this.#at;
      const next = SPECIAL.exec(source)?.index ?? source.length;
      if (next > this.#at) this.#words(this.#at, next);
      this.#at = next;
      if (next < source.length) this.#at = this.#special(next);
    }
    return emphasis(this.#tokens, source);
  }

  /** Reads what begins here, and gives where it ends. */
  #special(at: number): number {
    const source = this.#source;
    switch (source[at]) {
      case "\\": {
        const next = source[at + 1] ?? "";
        if (next === "\n") return this.#push({ type: "break" }, at, at + 2);
        if (!ESCAPABLE.test(next)) return this.#push({ type: "text", text: "\\" }, at, at + 1);
        return this.#push({ type: "text", text: next }, at, at + 2);
      }
      case "`":
        return this.#code(at);
      case "*":
      case "_":
      case "~":
        return this.#run(at);
      case "!":
        if (source[at + 1] === "[") return this.#open(at, 2, true);
        return this.#push({ type: "text", text: "!" }, at, at + 1);
      case "[":
        return this.#open(at, 1, false);
      case "]":
        return this.#close(at);
      case "<":
        return this.#angle(at);
      case "\n":
        return this.#push({ type: "text", text: "\n" }, at, at + 1);
      default:
        return this.#address(at);
    }
  }

  #push(node: Inline, start: number, end: number): number {
    this.#tokens.push({ type: "node", node, start, end });
    return end;
  }

  #words(start: number, end: number): void {
    const { [end]: next } = this.#source;
    const text = this.#source.slice(start, end);
    const kept = next === "\n" ? text.trimEnd() : text;
    this.#push({ type: "text", text: decodeEntities(kept) }, start, end);
    if (next === "\n" && text.endsWith("  ")) this.#push({ type: "break" }, end, end);
  }

  #code(at: number): number {
    const source = this.#source;
    const length = runLength(source, at);
    const starts = this.#ticksOf(length);
    while ((starts[starts.length - 1] ?? Number.POSITIVE_INFINITY) <= at) starts.pop();
    const end = starts[starts.length - 1];
    if (end === undefined) return this.#push({ type: "text", text: "`".repeat(length) }, at, at + length);
    const inside = source.slice(at + length, end).replaceAll("\n", " ");
    const padded = inside.startsWith(" ") && inside.endsWith(" ") && inside.trim() !== "";
    return this.#push({ type: "code", text: padded ? inside.slice(1, -1) : inside }, at, end + length);
  }

  #ticksOf(length: number): number[] {
    if (this.#ticks === undefined) {
      this.#ticks = new Map();
      for (const { index, 0: run } of [...this.#source.matchAll(/`+/g)].reverse()) {
        const same = this.#ticks.get(run.length);
        if (same === undefined) this.#ticks.set(run.length, [index]);
        else same.push(index);
      }
    }
    return this.#ticks.get(length) ?? [];
  }

  #run(at: number): number {
    const source = this.#source;
    const mark = source[at] ?? "";
    const length = runLength(source, at);
    const end = at + length;
    const before = charBefore(source, at);
    const after = String.fromCodePoint(source.codePointAt(end) ?? 32);
    const left = !isSpace(after) && (!PUNCTUATION.test(after) || isSpace(before) || PUNCTUATION.test(before));
    const right = !isSpace(before) && (!PUNCTUATION.test(before) || isSpace(after) || PUNCTUATION.test(after));
    const word = mark === "_"; // inside of words an underscore is one
    this.#tokens.push({
      type: "run",
      mark,
      count: length,
      length,
      opens: left && (!word || !right || PUNCTUATION.test(before)) && (mark !== "~" || length <= 2),
      closes: right && (!word || !left || PUNCTUATION.test(after)) && (mark !== "~" || length <= 2),
      start: at,
      end,
    });
    return end;
  }

  #open(at: number, length: number, image: boolean): number {
    this.#brackets.push(this.#tokens.length);
    this.#tokens.push({ type: "bracket", image, start: at, end: at + length });
    return at + length;
  }

  #close(at: number): number {
    const source = this.#source;
    const place = this.#brackets.pop();
    const bracket = place === undefined ? undefined : this.#tokens[place];
    const target = bracket === undefined ? undefined : targetAfter(source, at + 1);
    if (place === undefined || bracket?.type !== "bracket" || target === undefined)
      return this.#push({ type: "text", text: "]" }, at, at + 1);
    const inside = this.#tokens.splice(place).slice(1).map(withoutLink);
    const text = source.slice(bracket.end, at);
    const { address, end } = target;
    if (bracket.image) return this.#push({ type: "image", address, text: decodeEntities(text) }, bracket.start, end);
    this.#brackets = this.#brackets.filter((one) => isImage(this.#tokens[one])); // no link stands inside a link
    const raw = source.slice(bracket.start, end);
    const children = emphasis(inside, source);
    return this.#push({ type: "link", address, children, text, raw }, bracket.start, end);
  }

  #angle(at: number): number {
    const source = this.#source;
    const address = matchAt(AUTOLINK, source, at);
    if (address !== undefined) return this.#link(address[1] ?? "", address[1] ?? "", at, at + address[0].length);
    const mailbox = matchAt(MAILBOX, source, at);
    if (mailbox !== undefined) return this.#link(`mailto:${mailbox[1]}`, mailbox[1] ?? "", at, at + mailbox[0].length);
    const tag = matchAt(TAG, source, at)?.[0] ?? "<";
    if (/^<br\s*\/?>$/i.test(tag)) return this.#push({ type: "break" }, at, at + tag.length);
    return this.#push({ type: "text", text: decodeEntities(tag) }, at, at + tag.length);
  }

  #address(at: number): number {
    const source = this.#source;
    const before = charBefore(source, at);
    const address = /\w/.test(before) ? "" : trimmed(matchAt(ADDRESS, source, at)?.[0] ?? "");
    if (address === "") return this.#push({ type: "text", text: "http" }, at, at + 4);
    return this.#link(address, address, at, at + address.length);
  }

  #link(address: string, text: string, start: number, end: number): number {
    const raw = this.#source.slice(start, end);
    const children: Inline[] = [{ type: "text", text: decodeEntities(text) }];
    return this.#push({ type: "link", address, children, text, raw }, start, end);
  }
}

/** Tokens as nodes: each end of emphasis takes what stands between it and its beginning. */
function emphasis(tokens: readonly Token[], source: string): readonly Inline[] {
  const out: Token[] = [];
  const openers: Record<string, number[]> = { "*": [], _: [], "~": [] };
  for (const token of tokens) {
    if (token.type !== "run") {
      out.push(token);
      continue;
    }
    const own = openers[token.mark] ?? [];
    while (token.closes && token.count > 0) {
      const place = own.slice(-REACH).findLast((one) => fits(out[one], token));
      const opener = place === undefined ? undefined : out[place];
      if (place === undefined || opener?.type !== "run") break;
      const used = token.mark === "~" ? token.count : Math.min(2, opener.count, token.count);
      const start = opener.end - used;
      const end = token.start + used;
      const children = nodesOf(out.splice(place + 1), source);
      for (const list of Object.values(openers)) while ((list[list.length - 1] ?? -1) > place) list.pop();
      opener.count -= used;
      opener.end -= used;
      if (opener.count === 0) {
        out.pop();
        own.pop();
      }
      token.count -= used;
      token.start += used;
      const type = token.mark === "~" ? "del" : used === 2 ? "strong" : "em";
      const node: Around = { type, children, raw: source.slice(start, end) };
      out.push({ type: "node", node, start, end });
    }
    if (token.count === 0) continue;
    if (token.opens) own.push(out.length);
    out.push(token);
  }
  return nodesOf(out, source);
}

function fits(opener: Token | undefined, closer: Run): boolean {
  if (opener?.type !== "run") return false;
  if (closer.mark === "~") return opener.count === closer.count;
  // CommonMark's rule of three: `**2*3 = 6**` is strong as a whole.
  const both = opener.closes || closer.opens;
  return !both || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

/** What was no beginning and no end of anything is text. */
function nodesOf(tokens: readonly Token[], source: string): readonly Inline[] {
  const nodes: Inline[] = [];
  for (const token of tokens) {
    const node: Inline =
      token.type === "node" ? token.node : { type: "text", text: source.slice(token.start, token.end) };
    const last = nodes[nodes.length - 1];
    if (node.type === "text" && last?.type === "text")
      nodes[nodes.length - 1] = { type: "text", text: last.text + node.text };
    else nodes.push(node);
  }
  return nodes;
}

/** The address in the parentheses that follow a bracket, and where they end. A title is read and left out. */
function targetAfter(source: string, at: number): { address: string; end: number } | undefined {
  if (source[at] !== "(") return undefined;
  const inside = source.slice(at + 1, at + LONGEST_ADDRESS);
  const start = inside.length - inside.trimStart().length;
  const angled = inside[start] === "<";
  const end = angled ? inside.indexOf(">", start) + 1 : addressEnd(inside, start);
  const rest = TITLE.exec(inside.slice(end));
  if (end < start || rest === null) return undefined;
  const address = angled ? inside.slice(start + 1, end - 1) : inside.slice(start, end);
  return { address: address.replace(ESCAPED, "$1"), end: at + 1 + end + rest[0].length };
}

/** Where an address ends: before a space, or the parenthesis that it did not open itself. */
function addressEnd(inside: string, start: number): number {
  let depth = 0;
  let end = start;
  for (; end < inside.length && depth <= REACH; end += 1) {
    const char = inside[end] ?? "";
    if (char === "\\") end += 1;
    else if (char === "(") depth += 1;
    else if (char === ")" && depth > 0) depth -= 1;
    else if (char === ")" || isSpace(char)) break;
  }
  return depth > 0 ? -1 : end;
}

/** An address in running text, without the punctuation that ends the sentence. */
function trimmed(address: string): string {
  let open = address.split("(").length - address.split(")").length;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? "";
    if (last === ")" && open < 0) open += 1;
    else if (!/[?!.,:;*_~'"]/.test(last)) break;
  }
  return end > "https://".length ? address.slice(0, end) : "";
}

/** A link cannot stand in the words of another: there it is its own words. */
function withoutLink(token: Token): Token {
  if (token.type !== "node" || token.node.type !== "link") return token;
  return { ...token, node: { type: "text", text: decodeEntities(token.node.text) } };
}

function isImage(token: Token | undefined): boolean {
  return token?.type === "bracket" && token.image;
}

function runLength(source: string, at: number): number {
  const char = source[at];
  let end = at;
  while (source[end] === char) end += 1;
  return end - at;
}

function charBefore(source: string, at: number): string {
  if (at === 0) return " ";
  const last = source.codePointAt(at - 2) ?? 0;
  return last > 0xffff ? String.fromCodePoint(last) : (source[at - 1] ?? " ");
}

function isSpace(char: string): boolean {
  return /\s/.test(char);
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}
