import { expect, test, vi } from "vitest";
import { SCENES } from "../../harness/scenes";
import { RowView } from "../../src/components/RowView";
import widget from "../../src/index";
import type { ApprovalRequest, LogRecord } from "../../src/wire/names";
import { type PageState, STATE_EVENT } from "../../src/wire/page-state";
import { directionOf } from "../../src/words/say";
import { everything, firstReset } from "../samples";
import { drawn, mount, page, press } from "./page";

test.each(Object.keys(SCENES))("the scene %s is drawn without a complaint", async (name) => {
  const complaints = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];
  const kernel = SCENES[name]?.();
  if (kernel === undefined) throw new Error("no such scene");
  const undo = widget.initialize({ model: kernel.model });
  const root = mount(kernel);
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(root.querySelector(".paws-header")?.textContent).not.toBe("");
  expect(root.textContent).not.toMatch(/undefined|NaN|\[object|\{\w+\}/);
  for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled();
  undo();
});

test("the root keeps the notebook's shortcuts out", async () => {
  const { root } = await page();
  expect(root.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
});

test("the page says its language and direction, whatever the notebook around says", async () => {
  document.documentElement.dir = "rtl";
  const { root } = await page();
  expect([root.lang, root.dir]).toEqual(["en", "ltr"]);
  expect(["ar-EG", "he", "fa", "en", "de-CH", "hebe"].map(directionOf)).toEqual([
    "rtl",
    "rtl",
    "rtl",
    "ltr",
    "ltr",
    "ltr",
  ]);
  document.documentElement.removeAttribute("dir");
});

test("status and budget are announced to whoever listens above, now and when they change", async () => {
  const heard: PageState[] = [];
  const listen = (event: Event) => heard.push((event as CustomEvent<PageState>).detail);
  document.addEventListener(STATE_EVENT, listen);
  const { kernel } = await page();
  const budget = { tokens: 4_000, limit: 8_000, fraction: 0.5, counted: "measured", limit_from: "profile" } as const;
  kernel.set({ status: "running", budget });
  document.removeEventListener(STATE_EVENT, listen);
  expect(heard.at(0)).toMatchObject({ status: "idle", budget: { fraction: null } });
  expect(heard.at(-1)).toEqual({ status: "running", budget });
});

test.each(["returned", "signal", "both"])("a view is undone by what anywidget uses to end it: %s", async (way) => {
  const { kernel } = await page(firstReset);
  const el = document.createElement("div");
  document.body.append(el);
  const ending = new AbortController();
  const undo = widget.render({ model: kernel.model, el, ...(way !== "returned" && { signal: ending.signal }) });
  expect(el.querySelector(".smolpaws")).not.toBeNull();
  if (way !== "signal") undo();
  if (way !== "returned") ending.abort();
  expect(el.childElementCount).toBe(0);
});

test("the two wrappers that Jupyter's anywidget makes of one model lead to one store", async () => {
  const { kernel } = await page(firstReset);
  const layout = {};
  const wrap = () => ({
    get: (name: string) => (name === "layout" ? layout : kernel.model.get(name)),
    on: kernel.model.on.bind(kernel.model),
    off: kernel.model.off.bind(kernel.model),
    send: kernel.model.send.bind(kernel.model),
  });
  const undo = widget.initialize({ model: wrap() });
  const el = document.createElement("div");
  const undoView = widget.render({ model: wrap(), el });
  await drawn();
  expect(el.querySelectorAll(".paws-call").length).toBeGreaterThan(5);
  undoView();
  undo();
});

test("Stop is there from the first moment, works in running and waiting, and says that it was heard", async () => {
  const { kernel, button, sent } = await page();
  expect(button("Stop").disabled).toBe(true);
  kernel.set({ status: "waiting" });
  await drawn();
  expect(button("Stop").disabled).toBe(false);
  kernel.hear = () => {};
  button("Stop").click();
  await drawn();
  expect(sent("stop")).toHaveLength(1);
  expect(button("Stopping…")).toBeDefined();
});

test("Continue is offered after a pause and Try again after an error, and not otherwise", async () => {
  const { kernel, button, sent } = await page(firstReset);
  expect(() => button("Continue")).toThrow();
  for (const [status, name] of [
    ["paused", "Continue"],
    ["error", "Try again"],
  ] as const) {
    kernel.set({ status });
    await drawn();
    button(name).click();
  }
  expect(sent("resume")).toHaveLength(2);
});

const REQUEST: ApprovalRequest = {
  action_id: "a-1",
  tool_name: "run_python",
  title: "run_python",
  reason: "It runs code.",
  form: "code",
  text: `first = 1\n${"\n".repeat(10_000)}hidden\u202e = 2\r\u200b`,
  covers: "run_python",
  digest: "d".repeat(64),
};

async function waiting(request: ApprovalRequest = REQUEST) {
  const made = await page(firstReset, { status: "waiting" });
  made.kernel.tell({ kind: "approvals", waiting: [request], granted: [] });
  await drawn();
  return made;
}

test("an approval is bound to the digest of what was shown", async () => {
  const { button, sent } = await waiting();
  button("Approve for this run").click();
  await drawn();
  expect(sent("approve")).toMatchObject([{ action_id: "a-1", scope: "run", digest: "d".repeat(64) }]);
});

test("a rejection takes its reason along", async () => {
  const { root, button, sent } = await waiting();
  const field = root.querySelector<HTMLInputElement>(".paws-reject input");
  if (field === null) throw new Error("no field for the reason");
  field.value = "  Not the archive. ";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  button("Reject").closest("form")?.requestSubmit();
  await drawn();
  expect(sent("reject")).toMatchObject([{ action_id: "a-1", reason: "Not the archive." }]);
});

test("where no approval for the run is possible, none is offered", async () => {
  const { button } = await waiting({ ...REQUEST, covers: null });
  expect(() => button("Approve for this run")).toThrow();
  expect(button("Approve once").disabled).toBe(false);
});

test("F-57: ten thousand blank lines and invisible characters hide nothing", async () => {
  const { root } = await waiting();
  const shown = root.querySelector(".paws-shown")?.textContent ?? "";
  expect(shown).toContain("first = 1");
  expect(shown).toContain("10,000 blank lines");
  expect(shown).toContain("hidden\\u202e = 2\\r\\u200b");
  expect(shown.length).toBeLessThan(200);
});

test("the card does not take the focus; Alt+A goes to it, and after the answer the focus returns", async () => {
  const { kernel, area, button } = await page(firstReset, { status: "running" });
  area.focus();
  kernel.set({ status: "waiting" });
  kernel.tell({ kind: "approvals", waiting: [REQUEST], granted: [] });
  await drawn();
  expect(document.activeElement).toBe(area);
  await press(area, "å", { code: "KeyA", altKey: true });
  expect(document.activeElement).toBe(button("Approve once"));
  button("Approve once").click();
  await drawn();
  expect(document.activeElement).toBe(area);
});

test("what is approved for this run is listed, and can be taken back", async () => {
  const { kernel, button, sent } = await page(firstReset);
  kernel.tell({ kind: "approvals", waiting: [], granted: [{ action_id: "a-1", covers: "run_python" }] });
  await drawn();
  button("Take back").click();
  expect(sent("revoke")).toMatchObject([{ action_id: "a-1" }]);
});

test("the offer to resume the last conversation opens it", async () => {
  const resumable = { id: "c-9", title: "", changed: "2026-03-01T16:20:00Z", events: 12 };
  const { button, sent } = await page([], { resumable });
  button("Resume").click();
  expect(sent("open")).toMatchObject([{ conversation_id: "c-9" }]);
});

test("a warning is the environment's remark, with its percent, and no message", async () => {
  const { root } = await page(firstReset);
  expect(root.querySelector(".paws-aside-warning")?.textContent).toContain(
    "Context 75% full: 6,204 of 8,000 tokens, measured",
  );
  expect(root.querySelectorAll(".paws-message")).toHaveLength(1);
});

test("above a reset all is dimmed and still there", async () => {
  const { root } = await page(firstReset);
  const rows = [...root.querySelectorAll(".paws-row")];
  const at = rows.findIndex((row) => row.classList.contains("paws-row-reset"));
  expect(rows.slice(0, at).every((row) => row.classList.contains("paws-gone"))).toBe(true);
  expect(rows.slice(at).some((row) => row.classList.contains("paws-gone"))).toBe(false);
  expect(root.querySelector(".paws-handed")?.textContent).toContain("Read notes/progress.md");
});

test("a row is drawn again when its value changes, and only then", async () => {
  const render = vi.spyOn(RowView.prototype, "render");
  const cut = firstReset.findIndex((record) => record.kind === "ObservationEvent");
  const { kernel, root } = await page(firstReset.slice(0, cut), { status: "running" });
  expect(root.querySelector<HTMLElement>(".paws-call")?.dataset.state).toBe("asked");
  const rows = root.querySelectorAll(".paws-row").length;
  render.mockClear();
  kernel.append(...firstReset.slice(cut, cut + 1));
  await drawn();
  expect(root.querySelector<HTMLElement>(".paws-call")?.dataset.state).toBe("done");
  expect(rows).toBe(2);
  expect(render).toHaveBeenCalledTimes(1);
  render.mockRestore();
});

test("of a long log the last rows are drawn, and earlier ones on demand", async () => {
  const long: LogRecord[] = Array.from(
    { length: 450 },
    (_, i) => ({ ...everything.at(-1), id: `m-${i}` }) as LogRecord,
  );
  const { root, button } = await page(long);
  const count = () => root.querySelectorAll(".paws-row").length;
  expect(count()).toBe(200);
  expect(root.querySelector("[data-key='m-449']")).not.toBeNull();
  button("Show earlier").click();
  await drawn();
  expect(count()).toBe(400);
  button("Show earlier").click();
  await drawn();
  expect(count()).toBe(450);
});

test("F-58: hostile text in any field makes no element", async () => {
  const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  const poisoned = everything.map((record) => {
    const text = JSON.stringify(record, (name, value) =>
      typeof value === "string" &&
      !/^(kind|id|source|role|type|.*_id|.*_ids|media_type|trigger|decision|counted|reason|data)$/.test(name)
        ? name === "timestamp"
          ? value
          : hostile
        : value,
    );
    return JSON.parse(text) as LogRecord;
  });
  const { root, kernel } = await page(poisoned, {
    title: hostile,
    profile: hostile,
    status: "waiting",
    read_only: hostile,
  });
  const card = { ...REQUEST, title: hostile, reason: hostile, text: hostile, covers: hostile };
  kernel.tell({
    kind: "approvals",
    waiting: [{ ...card, form: "diff" }],
    granted: [{ action_id: "g", covers: hostile }],
  });
  kernel.tell({ kind: "problem", code: hostile, text: hostile });
  for (const details of root.querySelectorAll("details")) details.open = true;
  await drawn();
  await drawn();
  expect(root.textContent?.split(hostile).length).toBeGreaterThan(40);
  expect(
    root.querySelector("script, iframe, object, embed, style, link, [onerror], [id]:not([role^=tab]), [name]"),
  ).toBeNull();
  expect(
    [...root.querySelectorAll("img")].every((image) => image.getAttribute("src")?.startsWith("data:image/png;base64,")),
  ).toBe(true);
});
