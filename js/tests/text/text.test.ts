import { expect, test } from "vitest";
import { parseAnsi, withoutAnsi } from "../../src/text/ansi";
import { decodeEntities, targetOf } from "../../src/text/links";
import { reveal } from "../../src/text/reveal";

test("terminal colours become styles, and a reset ends them", () => {
  expect(parseAnsi("a\u001b[31mred\u001b[1mbold\u001b[0mplain")).toEqual([
    { text: "a", style: {} },
    { text: "red", style: { fg: "red" } },
    { text: "bold", style: { fg: "red", bold: true } },
    { text: "plain", style: {} },
  ]);
});

test("the 256 colours and true colours are numbers, whatever stands in the sequence", () => {
  const colors = (text: string) => parseAnsi(text).map((piece) => piece.style.fg ?? piece.style.bg);
  expect(colors("\u001b[38;5;208mx")).toEqual(["rgb(255 135 0)"]);
  expect(colors("\u001b[38;5;244mx")).toEqual(["rgb(128 128 128)"]);
  expect(colors("\u001b[38;5;9mx")).toEqual(["red"]);
  expect(colors("\u001b[48;2;1;2;3mx")).toEqual(["rgb(1 2 3)"]);
  expect(
    colors("\u001b[38;2;999;-4;mx").every((color) => color === undefined || /^rgb\(\d+ \d+ \d+\)$/.test(color)),
  ).toBe(true);
});

test("sequences that mean no colour are dropped, text never is", () => {
  expect(withoutAnsi("a\u001b[2Kb\u001b]0;title\u0007c\u001b(Bd\u001b[999;999Hg")).toBe("abcdg");
  expect(parseAnsi("plain")).toEqual([{ text: "plain", style: {} }]);
  expect(parseAnsi("")).toEqual([]);
});

test("a hundred thousand opened sequences are read in no time", () => {
  const hostile = "\u001b]".repeat(100_000) + "\u001b[".repeat(100_000);
  const start = performance.now();
  parseAnsi(hostile);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("F-57: what cannot be seen is shown as its escape, everything else is left alone", () => {
  const shown = (text: string) =>
    reveal(text)
      .map((segment) => (segment.hidden ? `[${segment.text}]` : segment.text))
      .join("");
  expect(shown("pay\u202ekcatta\u202c")).toBe("pay[\\u202e]kcatta[\\u202c]");
  expect(shown("a\u200bb\u2060c\ufeffd\u00ade")).toBe("a[\\u200b]b[\\u2060]c[\\ufeff]d[\\u00ad]e");
  expect(shown("x\u{e0041}")).toBe("x[\\u{e0041}]");
  expect(shown("over\rwritten\u0008")).toBe("over[\\r]written[\\u0008]");
  expect(shown("line\r\nline\ttab")).toBe("line\nline\ttab");
  expect(shown("Größe 🐾 日本語")).toBe("Größe 🐾 日本語");
});

test.each([
  ["https://example.org/a?b=1", "example.org"],
  ["http://user:pw@example.org:8080/", "example.org:8080"],
  ["mailto:someone@example.org", "someone@example.org"],
  ["HTTPS://EXAMPLE.ORG", "example.org"],
])("an address that leads to the web or a mailbox is a link that shows where: %s", (address, where) => {
  expect(targetOf(address)?.where).toBe(where);
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  "java&#115;cript:alert(1)",
  "&#x6A;avascript:alert(1)",
  "\u0001javascript:alert(1)",
  "vbscript:msgbox(1)",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "blob:https://example.org/1",
  "ftp://example.org",
  "/api/terminals",
  "relative.html",
  "#fragment",
  "//example.org",
  "",
])("anything else is no link: %j", (address) => {
  expect(targetOf(address)).toBeUndefined();
});

test("character references become characters, but never half a pair or nothing", () => {
  expect(decodeEntities("a &lt;b&gt; &amp;amp; &#65;&#x41; &quot;&nbsp;")).toBe('a <b> &amp; AA "\u00a0');
  expect(decodeEntities("&#0;&#xd800;&#9999999;&nosuch;")).toBe("\ufffd\ufffd\ufffd&nosuch;");
});
