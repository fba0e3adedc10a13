import { render } from "preact";
import { expect, test } from "vitest";
import { Markdown } from "../../src/components/Markdown";

function draw(text: string): HTMLElement {
  const place = document.createElement("div");
  render(<Markdown text={text} />, place);
  return place;
}

const ALLOWED = new Set(
  "div p span h3 h4 h5 h6 ul ol li strong em del code pre a br hr blockquote table thead tbody tr th td input button svg path".split(
    " ",
  ),
);
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ["href", "target", "rel", "title"],
  button: ["type", "class", "title", "aria-label"],
  input: ["type", "disabled", "checked", "aria-label"],
  svg: ["class", "viewBox", "aria-hidden", "focusable"],
  path: ["d", "class"],
  ol: ["start"],
  pre: ["dir", "tabindex"],
};

/** Everything that stands in the page but should not. */
function forbidden(place: HTMLElement): string[] {
  return [...place.querySelectorAll("*")].flatMap((element) => {
    const tag = element.tagName.toLowerCase();
    const names = [...(ATTRIBUTES[tag] ?? []), "class"];
    const strange = [...element.attributes].filter(({ name }) => !names.includes(name));
    const address = element.getAttribute("href");
    return [
      ...(ALLOWED.has(tag) ? [] : [`<${tag}>`]),
      ...strange.map(({ name, value }) => `${tag}[${name}=${value}]`),
      ...(address === null || /^(https?|mailto):/.test(address) ? [] : [`href=${address}`]),
    ];
  });
}

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
  "<iframe src=javascript:alert(1)></iframe>",
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  "<object data=javascript:alert(1)>",
  "<embed src=//example.org/x>",
  '<form id="attributes"><input name="action"></form>',
  '<a id="defaultView" name="body">clobber</a>',
  "<base href=//example.org/>",
  "<meta http-equiv=refresh content='0;url=//example.org'>",
  "<link rel=stylesheet href=//example.org/x.css>",
  "<style>*{background:url(//example.org/x)}</style>",
  '<div style="position:fixed;inset:0">cover</div>',
  "<details open ontoggle=alert(1)>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<body onload=alert(1)>",
  "<video><source onerror=alert(1)></video>",
  "<!--><img src=x onerror=alert(1)>-->",
  "<![CDATA[<img src=x onerror=alert(1)>]]>",
  "<?xml version='1.0'?><x>",
  "<p>para</p>\n\n<p>in a block</p>",
  "[click](javascript:alert(1))",
  "[click](JaVaScRiPt:alert`1`)",
  "[click](java&#115;cript:alert(1))",
  "[click](&#x6A;avascript:alert(1))",
  "[click](\u0001javascript:alert(1))",
  "[click](<java\tscript:alert(1)>)",
  "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[click](vbscript:msgbox)",
  "[click](/api/terminals)",
  '[click](https://example.org "onmouseover=alert(1)")',
  "<javascript:alert(1)>",
  "![picture](https://example.org/leak?secret)",
  "![picture](data:image/svg+xml,<svg onload=alert(1)>)",
  "![a](javascript:alert(1))",
  "[![nested](https://example.org/x.png)](https://example.org)",
  "[ref]: javascript:alert(1)\n\n[ref]",
  "[ref]: https://example.org/x.png\n\n![ref]",
  "```html\n<script>alert(1)</script>\n```",
  '``` "><img src=x onerror=alert(1)>\ncode\n```',
  "`<img src=x onerror=alert(1)>`",
  "| <img src=x onerror=alert(1)> |\n|--|\n| <script>alert(1)</script> |",
  "> <img src=x onerror=alert(1)>",
  "- <img src=x onerror=alert(1)>\n  - <svg/onload=alert(1)>",
  "# <img src=x onerror=alert(1)>",
  "**<img src=x onerror=alert(1)>**",
  "&lt;img src=x onerror=alert(1)&gt;",
  "&#60;script&#62;alert(1)&#60;/script&#62;",
  "\\<script>alert(1)\\</script>",
  "<a href='https://example.org' onclick='alert(1)'>raw link</a>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  '"><script>alert(1)</script>',
  "{{constructor.constructor('alert(1)')()}}",
  "$" + "{alert(1)}",
  "\u202e\u2066<img src=x onerror=alert(1)>",
];

test.each(HOSTILE)("R-SEC-3, F-58: hostile text stays text: %s", (text) => {
  expect(forbidden(draw(text))).toEqual([]);
});

test("the hostile corpus as one text stays text too", () => {
  const place = draw(HOSTILE.join("\n\n"));
  expect(forbidden(place)).toEqual([]);
  expect(place.textContent).toContain("<script>alert(1)</script>");
});

test("raw HTML is shown as it was written", () => {
  expect(draw("a <b>bold</b> &lt;i&gt; word").textContent).toBe("a <b>bold</b> <i> word");
});

test("in code nothing is decoded", () => {
  expect(draw("`&lt;`").querySelector("code")?.textContent).toBe("&lt;");
});

test("a link opens apart, tells nobody where it was, and shows its host", () => {
  const place = draw("see [the docs](https://example.org/docs)");
  const link = place.querySelector("a");
  expect(link?.getAttribute("rel")).toBe("noopener noreferrer");
  expect(link?.getAttribute("target")).toBe("_blank");
  expect(place.textContent).toBe("see the docs (example.org)");
});

test("a link whose words name another place shows where it really leads", () => {
  expect(draw("[https://good.example](https://evil.example)").textContent).toContain("(evil.example)");
  expect(draw("[evil.example.good.example](https://evil.example)").textContent).toContain("(evil.example)");
  expect(draw("https://example.org/x").textContent).toBe("https://example.org/x");
});

test("a picture is named, never loaded", () => {
  const place = draw("![a chart](https://example.org/chart.png)");
  expect(place.querySelector("img")).toBeNull();
  expect(place.textContent).toBe("[image: a chart] (example.org)");
});

test("headings, lists, tasks, tables, quotes and code are what they are", () => {
  const place = draw(
    "# Title\n\n3. three\n4. four\n\n- [x] done\n- [ ] open\n\n| a | b |\n|:-:|--:|\n| 1 | **2** |\n\n> said\n\n```py\nx = 1\n```\n\na  \nb ~~c~~ *d*",
  );
  expect(place.querySelector("h3")?.textContent).toBe("Title");
  expect(place.querySelector("ol")?.getAttribute("start")).toBe("3");
  expect([...place.querySelectorAll("input")].map((input) => input.checked)).toEqual([true, false]);
  expect([...place.querySelectorAll("th")].map((cell) => cell.className)).toEqual(["paws-center", "paws-right"]);
  expect(place.querySelector("td strong")?.textContent).toBe("2");
  expect(place.querySelector("blockquote")?.textContent).toBe("said");
  expect(place.querySelector("pre")?.textContent).toBe("x = 1");
  expect(place.querySelector("br")).not.toBeNull();
  expect(place.querySelector("del")?.textContent).toBe("c");
});

test.each([
  ["quotes", ">".repeat(20_000)],
  ["lists", Array.from({ length: 300 }, (_, i) => `${" ".repeat(2 * i)}- x`).join("\n")],
  ["emphasis", "*a **b ".repeat(2_000)],
  ["brackets", "[".repeat(20_000)],
  ["one long line", "word ".repeat(100_000)],
])("text that was made to take for ever does not: %s", (_, text) => {
  const start = performance.now();
  const place = draw(text);
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(place.textContent?.length).toBeGreaterThan(0);
});
