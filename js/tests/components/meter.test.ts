import { expect, test } from "vitest";
import { aboutBudget, figures, meterValue, stagesInWords } from "../../src/components/BudgetMeter";
import type { Budget } from "../../src/wire/names";
import { duration, languageOf, sayCount, share } from "../../src/words/say";
import { firstReset } from "../samples";
import { page } from "./page";

const measured: Budget = { tokens: 5_120, limit: 8_000, fraction: 0.64, counted: "measured", limit_from: "profile" };
const nobody: Budget = { tokens: null, limit: null, fraction: null, counted: "unknown", limit_from: "unknown" };

test("figures are percent and tokens of tokens", () => {
  expect(figures(measured)).toBe("64% · 5,120 of 8,000 tokens");
  expect(meterValue(measured, 0.64)).toBe("64%, 5,120 of 8,000 tokens, measured");
});

test("R-BUD-11: what is unknown is said to be, and never shown as a percentage", () => {
  expect(figures(nobody)).toBe("Context unknown: nobody has counted it yet");
  expect(figures({ ...nobody, limit: 8_000, limit_from: "model" })).toBe("Context unknown, of 8,000 tokens");
  expect(figures({ ...nobody, tokens: 5_120, counted: "measured" })).toBe("5,120 tokens, limit unknown");
  for (const budget of [nobody, { ...nobody, limit: 8_000 }, { ...nobody, tokens: 5_120 }])
    expect(figures(budget)).not.toContain("%");
});

test("R-BUD-9: a measured count is told to be one request behind, and both numbers have a source", async () => {
  const { root } = await page([], { budget: measured });
  expect(root.querySelector(".paws-figures")?.textContent).toContain("measured, one request behind");
  expect(aboutBudget(measured)).toContain("The provider's count");
  expect(aboutBudget(measured)).toContain("profile");
  expect(aboutBudget({ ...measured, counted: "estimated", limit_from: "model" })).toMatch(
    /estimate.*model's own window/,
  );
});

test("stages are told in words, with those that were given", () => {
  expect(stagesInWords([0.75, 0.8], [0.75])).toBe("Warnings at 75%, 80%. Given since the last reset: 75%.");
  expect(stagesInWords([], [])).toBe("");
});

test("the bar is a meter with value and words, and fired stages are marked", async () => {
  const at = firstReset.findIndex((record) => record.kind === "ContextWarningEvent");
  const { root } = await page(firstReset.slice(0, at + 1), { budget: measured, thresholds: [0.75, 0.9] });
  const meter = root.querySelector("[role=meter]");
  expect(meter?.getAttribute("aria-valuenow")).toBe("64");
  expect(meter?.getAttribute("aria-valuetext")).toContain("64%, 5,120 of 8,000 tokens, measured");
  const stages = [...root.querySelectorAll<HTMLElement>("[role=slider]")];
  expect(stages.map((stage) => stage.dataset.state)).toEqual(["pending", "ahead"]);
  expect(stages[0]?.getAttribute("aria-valuetext")).toBe("Warning at 75%: given, not read yet");
});

test("an overfull context shows its true figure, and a full bar", async () => {
  const { root } = await page([], { budget: { ...measured, tokens: 9_000, fraction: 1.125 } });
  expect(root.querySelector(".paws-figures")?.textContent).toContain("113% · 9,000 of 8,000 tokens");
  expect(root.querySelector("[role=meter]")?.getAttribute("aria-valuenow")).toBe("100");
});

test("with nothing counted there is no meter to misread", async () => {
  const { root } = await page();
  expect(root.querySelector("[role=meter]")).toBeNull();
});

test("numbers are short and in the language of the page", () => {
  expect(share(12_000, 840_000)).toBe("12 of 840 KB");
  expect(share(12_000, 3_400_000)).toBe("12 KB of 3.4 MB");
  expect(share(999, 999)).toBe("999 of 999 B");
  expect([400, 12_300, 200_000, 7_260_000].map(duration)).toEqual(["0.4 s", "12 s", "3 min 20 s", "2 h 1 min"]);
  expect([sayCount("resets", 1), sayCount("resets", 1_200)]).toEqual(["1 reset", "1,200 resets"]);
});

test("a language whose name makes no sense does not break the page", () => {
  expect(languageOf("de", "en")).toBe("de");
  expect(languageOf("", "fr-CA")).toBe("fr-CA");
  expect(languageOf("no such language!", "de")).toBe("de");
  expect(languageOf("", "")).toBe("en");
});
