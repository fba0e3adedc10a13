import { expect, test, vi } from "vitest";
import { answerTo } from "../../harness/instruments";
import { restOf } from "../../src/components/Weight";
import type { Update, UpdateOf } from "../../src/wire/names";
import { firstReset } from "../samples";
import { drawn, page, press } from "./page";

async function opened(tab: string, change: (answer: Update) => Update = (answer) => answer) {
  const made = await page(firstReset, { profile: "practice" });
  const hear = made.kernel.hear.bind(made.kernel);
  made.kernel.hear = (command) => {
    const answer = answerTo(command, made.kernel.log, 12);
    if (answer === undefined) hear(command);
    else made.kernel.tell(change(answer));
  };
  const button = [...made.root.querySelectorAll<HTMLElement>("[role=tab]")].find((one) => one.textContent === tab);
  button?.click();
  await drawn();
  await vi.waitFor(() => expect(made.root.querySelector(".paws-instrument")?.textContent).not.toBe(""));
  await drawn();
  return made;
}

const shownTab = (root: HTMLElement) => root.querySelector("[role=tab][aria-selected=true]")?.textContent;

test("the timeline is walked with a slider that says what each point is, and Enter shows it in the transcript", async () => {
  const { root } = await opened("Timeline");
  const slider = root.querySelector<HTMLInputElement>("[type=range]") as HTMLInputElement;
  slider.focus();
  slider.value = "0";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
  expect(slider.getAttribute("aria-valuetext")).toMatch(
    /^Request 1: answered\. Estimated 1,786, measured 1,900, limit 8,000$/,
  );
  expect(root.querySelector(".paws-readout")?.textContent).toContain("Request 1: answered");
  await press(slider, "Enter");
  expect(shownTab(root)).toBe("Transcript");
  expect(root.querySelector("[data-found]")).not.toBeNull();
  expect(document.activeElement?.classList).toContain("paws-scroll");
});

test("the table behind the timeline has the same numbers, and says what nobody knows", async () => {
  const { root, button } = await opened("Timeline");
  expect(root.querySelector(".paws-instrument table")).toBeNull();
  button("Table").click();
  await drawn();
  const rows = [...root.querySelectorAll(".paws-instrument tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent?.trim()),
  );
  const requests = rows.filter(([what]) => what?.startsWith("Request"));
  expect(requests).toHaveLength(12);
  expect(requests[0]).toEqual(["Request 1", "1,786", "1,900", "8,000", "answered"]);
  expect(requests[6]?.slice(2)).toEqual(["unknown", "8,000", "failed, overflow"]);
  expect(requests[9]?.[4]).toBe("stopped");
  const marks = rows.filter(([what]) => !what?.startsWith("Request")).map(([what]) => what);
  expect(marks[0]).toBe("Context 75% full.");
  expect(marks).toContain("The agent started a fresh context. 9 entries left the context; all stays readable above.");
});

test("a conversation without a request says so", async () => {
  const nothing = { positions: [], reasons: [], estimated: [], measured: [], stretches: [], marks: [] };
  const { root } = await opened("Timeline", (answer) => ({ ...answer, ...nothing }));
  expect(root.querySelector(".paws-instrument")?.textContent).toBe("No request yet.");
});

test("what stands in a column of weights adds up to its total", async () => {
  const { root } = await opened("Weight");
  const figures = [...root.querySelectorAll(".paws-instrument tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => Number(cell.textContent?.replaceAll(",", ""))),
  );
  const total = figures.pop() ?? [];
  for (const column of [0, 1]) expect(figures.reduce((sum, row) => sum + (row[column] ?? 0), 0)).toBe(total[column]);
  expect(total).toEqual([90_000, 4_000]);
  expect(root.textContent).toContain("Tool run_python");
  expect(root.querySelectorAll(".paws-instrument tbody .paws-link")).toHaveLength(10);
});

test("weights are sorted by the column that was asked for, and lead to their event", async () => {
  const { root, sent } = await opened("Weight");
  expect(sent("weight")).toMatchObject([{ by: "summed", most: 10 }]);
  [...root.querySelectorAll<HTMLElement>(".paws-choice button")]
    .find((one) => one.textContent === "Next request")
    ?.click();
  await vi.waitFor(() => expect(sent("weight")).toHaveLength(2));
  await drawn();
  expect(sent("weight")[1]).toMatchObject({ by: "now" });
  expect(root.querySelector("[aria-sort=descending]")?.textContent).toBe("Next request");
  const first = [...root.querySelectorAll(".paws-instrument tbody td:last-child")]
    .slice(0, 14)
    .map((one) => Number(one.textContent?.replace(",", "")));
  expect(first).toEqual([...first].sort((a, b) => b - a));
  root.querySelector<HTMLElement>(".paws-instrument tbody .paws-link")?.click();
  await drawn();
  expect(shownTab(root)).toBe("Transcript");
});

test("quarters of tokens never make the shown column wrong", () => {
  const part = { now: 0.25, summed: 1.5 };
  const told = {
    heaviest: [part, part, part],
    fixed: [part],
    others: { now: 0, summed: 0.5 },
    total: { now: 1, summed: 7 },
  };
  const typed = told as unknown as UpdateOf<"weight">;
  expect(restOf(typed, "now")).toBe(1);
  expect(restOf(typed, "summed") + 4 * 2 + 1).toBe(7);
});

test("the notes say what was read again and what was not, and show differences as text", async () => {
  const { root } = await opened("Notes");
  const text = root.querySelector(".paws-instrument")?.textContent ?? "";
  expect(text).toContain("notes/by-hand.md40 bytes · changed since, not with the agent's file tools");
  expect(text).toMatch(/Read again after it.*notes\/plan\.md/);
  expect(text).toMatch(/Not read again.*notes\/facts\.md/);
  expect(text).toContain("+2 −1 lines");
  expect(text).toContain("also changed by other means · the difference cannot be shown");
  expect([...root.querySelectorAll(".paws-diff-new")].map((line) => line.textContent)).toEqual([
    "+DONE data/east.csv",
    "+TODO data/north.csv",
  ]);
});

const HOSTILE = '<img src=x onerror=alert(1) id="x"><script>alert(1)</script>';

test.each(["Timeline", "Weight", "Notes"])("F-58: hostile text in an answer makes no element: %s", async (tab) => {
  const poisoned = (value: unknown, name = ""): unknown => {
    if (typeof value === "string")
      return ["kind", "id", "what", "state", "cause", "limit_from"].includes(name) ? value : HOSTILE;
    if (Array.isArray(value)) return value.map((one) => poisoned(one, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, poisoned(one, key)]));
  };
  const { root } = await opened(tab, (answer) => poisoned(answer) as Update);
  if (tab === "Timeline") [...root.querySelectorAll("button")].find((one) => one.textContent === "Table")?.click();
  await drawn();
  const panel = root.querySelector(".paws-instrument");
  expect(panel?.textContent).toContain("<script>");
  expect(panel?.querySelector("script, img, [onerror], [id]")).toBeNull();
});
