import { render } from "preact";
import { expect, test, vi } from "vitest";
import { ViewContext } from "../../src/components/context";
import { type Panel, Panels } from "../../src/components/Panels";
import { Page } from "../../src/state/page";
import { firstReset, response, userMessage } from "../samples";
import { drawn, page, press } from "./page";

const STAGES = [0.75, 0.8, 0.85, 0.9];

async function details(...args: Parameters<typeof page>) {
  const made = await page(...args);
  made.button("Details").click();
  await drawn();
  return { ...made, panel: made.root.querySelector<HTMLElement>(".paws-budget-details") as HTMLElement };
}

async function write(field: HTMLInputElement, text: string): Promise<void> {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
}

test("R-BIND-10: the arrow keys move a stage, and what came to rest is sent once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { root, kernel, sent } = await (async () => {
    const made = page([], { thresholds: STAGES });
    await vi.runAllTimersAsync();
    return made;
  })();
  const slider = () => root.querySelectorAll<HTMLElement>("[role=slider]")[1] as HTMLElement;
  const key = async (name: string) => {
    slider().dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    await vi.advanceTimersByTimeAsync(50);
  };
  await key("ArrowRight");
  await key("ArrowUp");
  await key("ArrowLeft");
  expect(sent("set_thresholds")).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent("set_thresholds")).toMatchObject([{ warning_thresholds: [0.75, 0.81, 0.85, 0.9] }]);
  await key("Home");
  await key("Escape");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent("set_thresholds")).toHaveLength(1);
  kernel.set({ thresholds: [0.75, 0.81, 0.85, 0.9] });
  await vi.advanceTimersByTimeAsync(50);
  expect(slider().getAttribute("aria-valuenow")).toBe("81");
  vi.useRealTimers();
});

test("in a read-only conversation no stage can be moved", async () => {
  const { root } = await page([], { thresholds: STAGES, read_only: "open elsewhere" });
  expect([...root.querySelectorAll<HTMLButtonElement>("[role=slider]")].every(({ disabled }) => disabled)).toBe(true);
});

test("stages are typed; what is wrong with them is said, and nothing is sent", async () => {
  const { panel, button, sent } = await details([], { thresholds: STAGES });
  const field = panel.querySelector<HTMLInputElement>("input[type=text]") as HTMLInputElement;
  expect(field.value).toBe("75, 80, 85, 90");
  expect(button("Set").disabled).toBe(true);
  await write(field, "80, 70");
  expect(panel.querySelector("[role=alert]")?.textContent).toContain("higher than the one before");
  expect(field.getAttribute("aria-invalid")).toBe("true");
  field.form?.requestSubmit();
  expect(sent("set_thresholds")).toEqual([]);
  await write(field, "50, 70");
  field.form?.requestSubmit();
  expect(sent("set_thresholds")).toMatchObject([{ warning_thresholds: [0.5, 0.7] }]);
});

test("W-11: money is not shown until one asks, and never where no price is known", async () => {
  const message = userMessage("x");
  const answer = response(message.id);
  const priced = { ...answer, usage: { ...answer.usage, cost: 0.0125 } };
  const unknown = await details([message, answer]);
  expect(unknown.panel.textContent).toContain("1 request ");
  expect(unknown.panel.querySelector("input[type=checkbox]")).toBeNull();
  const known = await details([message, priced]);
  expect(known.panel.textContent).not.toContain("$");
  known.panel.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  await drawn();
  expect(known.panel.textContent).toContain("$0.0125, as recorded");
  known.kernel.append(response(message.id));
  await drawn();
  expect(known.panel.textContent).toContain("at least $0.0125");
});

test("the search goes from place to place, around the end, and shows where it stands", async () => {
  const { root, button } = await page(firstReset);
  button("Search the transcript").click();
  await drawn();
  const box = root.querySelector<HTMLInputElement>(".paws-search input") as HTMLInputElement;
  expect(document.activeElement).toBe(box);
  await write(box, "notes/progress.md");
  const count = () => root.querySelector(".paws-search-count")?.textContent;
  const total = Number(/of (\d+)/.exec(count() ?? "")?.[1]);
  expect(total).toBeGreaterThan(1);
  const found = () => [...root.querySelectorAll<HTMLElement>("[data-found]")].map((row) => row.dataset.key);
  await press(box, "Enter");
  const first = found();
  expect(first).toHaveLength(1);
  expect(count()).toBe(`1 of ${total}`);
  await press(box, "Enter", { shiftKey: true });
  expect(count()).toBe(`${total} of ${total}`);
  await press(box, "Enter");
  expect(found()).toEqual(first);
  await write(box, "nowhere to be found");
  expect(count()).toBe("Not found");
});

const PANELS: readonly Panel[] = [
  { id: "one", label: "tab.transcript", View: () => <p>first view</p> },
  { id: "two", label: "details", View: () => <p>second view</p> },
];

function draw(panels: readonly Panel[]): HTMLElement {
  const place = document.createElement("div");
  document.body.append(place);
  const view = { store: {} as never, page: new Page() };
  render(
    <ViewContext.Provider value={view}>
      <Panels panels={panels} />
    </ViewContext.Provider>,
    place,
  );
  return place;
}

test("a page with one view has no tabs", () => {
  const place = draw(PANELS.slice(0, 1));
  expect(place.querySelector("[role=tablist]")).toBeNull();
  expect(place.textContent).toBe("first view");
});

test("tabs are gone through by arrow keys; the first view stays in the page, others are drawn when shown", async () => {
  const place = draw(PANELS);
  const tabs = [...place.querySelectorAll<HTMLElement>("[role=tab]")];
  expect(place.textContent).not.toContain("second view");
  await press(tabs[0] as HTMLElement, "ArrowRight");
  expect(document.activeElement).toBe(tabs[1]);
  expect(tabs.map((tab) => tab.getAttribute("aria-selected"))).toEqual(["false", "true"]);
  expect(tabs.map((tab) => tab.tabIndex)).toEqual([-1, 0]);
  const panels = [...place.querySelectorAll<HTMLElement>("[role=tabpanel]")];
  expect(panels.map((panel) => panel.hidden)).toEqual([true, false]);
  expect(place.textContent).toContain("first view");
  await press(tabs[1] as HTMLElement, "ArrowRight");
  expect(document.activeElement).toBe(tabs[0]);
});
