import { expect, test } from "vitest";
import { CORPUS } from "./corpus";
import { sketch } from "./sketch";

test.each(CORPUS)("Markdown means what its writer meant: %j", (source, meaning) => {
  expect(sketch(source)).toBe(meaning);
});

/** A generator of numbers that gives the same ones each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  ..."*_~`[]()<>!#-+|\\>&;:. \t\n",
  "\n\n",
  "  \n",
  "```",
  "- ",
  "1. ",
  "> ",
  "https://x.example",
  "word",
  "é",
  "😀",
  "&lt;",
  "<b>",
  "|--|",
];

test("no letter of a text is lost, whatever stands around it", () => {
  for (let seed = 0; seed < 1_500; seed += 1) {
    const next = numbers(seed);
    const parts = Array.from({ length: 1 + next(40) }, () => PIECES[next(PIECES.length)] ?? "");
    const text = parts.map((part, i) => (i % 5 === 0 ? `${part}q${i}z` : part)).join("");
    const shown = sketch(text);
    for (const [marked] of text.matchAll(/q\d+z/g)) {
      const inInfo = text
        .split("\n")
        .some((line) => /^[\s>*+-]*(?:\d+[.)])?\s*(?:`{3}|~{3})/.test(line) && line.includes(marked));
      if (!inInfo && !inTitle(text, marked)) expect([text, shown]).toEqual([text, expect.stringContaining(marked)]);
    }
  }
});

/** The words after an opening fence and cells beyond those of the head are not shown. */
function inTitle(text: string, marked: string): boolean {
  return text.split("\n").some((line) => line.includes("|") && line.includes(marked));
}

const HUGE: readonly (readonly [name: string, text: string])[] = [
  ["stars", "*".repeat(200_000)],
  ["open stars", "*a ".repeat(60_000)],
  ["close stars", "a* ".repeat(60_000)],
  ["mixed emphasis", "*a _b **c ~~d ".repeat(14_000)],
  ["underscores", "_a".repeat(100_000)],
  ["nested emphasis", `${"*a ".repeat(30_000)}${" a*".repeat(30_000)}`],
  ["brackets", "[".repeat(200_000)],
  ["brackets and ends", "[a](".repeat(50_000)],
  ["links without end", "[a](b ".repeat(30_000)],
  ["pictures", "![".repeat(100_000)],
  ["ticks of growing length", Array.from({ length: 600 }, (_, i) => "`".repeat(i + 1)).join(" ")],
  ["single ticks", "`a ".repeat(60_001)],
  ["angles", "<a".repeat(100_000)],
  ["addresses", "xhttps://".repeat(22_000)],
  ["address of parentheses", `https://${"(".repeat(50_000)}${")".repeat(50_000)}`],
  ["quotes", ">".repeat(200_000)],
  ["quoted lines", "> a\n".repeat(50_000)],
  ["lists in lists", Array.from({ length: 600 }, (_, i) => `${" ".repeat(2 * i)}- x`).join("\n")],
  ["items", "- a\n".repeat(50_000)],
  ["numbers", "1. a\n\n".repeat(33_000)],
  ["tables", "a|b\n-|-\n".repeat(25_000)],
  ["a wide table", `${"a|".repeat(30_000)}\n${"-|".repeat(30_000)}`],
  ["bars", "|".repeat(200_000)],
  ["fences", "```\n".repeat(50_000)],
  ["rules", "- - - ".repeat(33_000)],
  ["entities", "&#x".repeat(66_000)],
  ["empty lines", "\n".repeat(200_000)],
  ["spaces", `a${" ".repeat(199_000)}b`],
  ["breaks", "a  \n".repeat(50_000)],
];

test.each(HUGE)("text that was made to take for ever does not: %s", (_, text) => {
  const start = performance.now();
  sketch(text);
  expect(performance.now() - start).toBeLessThan(3_000);
});
