// Which addresses become links, and which words of HTML's own escapes become characters.

const SCHEMES = new Set(["http:", "https:", "mailto:"]);
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

export interface Target {
  readonly href: string;
  /** The host, or the address of a mailto link: what a reader has to see before following it. */
  readonly where: string;
}

/** The address as a link, if it leads to the web or to a mailbox; undefined for anything else, relative addresses too. */
export function targetOf(address: string): Target | undefined {
  try {
    const url = new URL(decodeEntities(address));
    if (!SCHEMES.has(url.protocol)) return undefined;
    return { href: url.href, where: url.protocol === "mailto:" ? url.pathname : url.host };
  } catch {
    return undefined; // no address at all
  }
}

/** Text with character references replaced, since the Markdown lexer leaves them as they are. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
