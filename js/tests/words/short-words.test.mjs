import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shortened } from "../../scripts/short-words.mjs";
import { EN } from "../../src/words/en";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith("en.ts"))
  .map((file) => shortened(readFileSync(join("src", file), "utf8")));
const table = shortened(readFileSync("src/words/en.ts", "utf8"));
const ids = new Set([...table.matchAll(/^ {2}"?([^":]+?)"?:/gm)].map(([, id]) => id));

test("with short names there are as many words as before, and each that is said is one of them", () => {
  expect(ids.size).toBe(Object.keys(EN).length);
  for (const source of sources) {
    for (const [, id] of source.matchAll(/\bsay\(\s*"([^"]+)"/g)) expect(ids).toContain(id);
    for (const [, stem] of source.matchAll(/\bsayCount\(\s*"([^"]+)"/g)) expect(ids).toContain(`${stem}.other`);
    for (const [, start] of source.matchAll(/\bsay(?:Count)?\(\s*`([^`$]+)\$/g))
      expect([...ids].some((id) => id?.startsWith(start ?? "?"))).toBe(true);
  }
});

test("the table gets shorter", () => {
  expect(table.length).toBeLessThan(readFileSync("src/words/en.ts", "utf8").length - 2_000);
});
