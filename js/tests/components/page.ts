// Mounts the real page on a fake kernel, for tests of what a person sees and does.
import { afterEach } from "vitest";
import { FakeKernel } from "../../harness/fake";
import widget from "../../src/index";
import type { Command, LogRecord, Traits } from "../../src/wire/names";

const mounted: (() => void)[] = [];

afterEach(() => {
  for (const undo of mounted.splice(0).reverse()) undo();
  document.body.replaceChildren();
});

/** Lets the page draw what has changed, and do what follows a drawing: two frames, and what was put off behind them. */
export async function drawn(): Promise<void> {
  for (let frame = 0; frame < 2; frame += 1)
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

export function mount(kernel: FakeKernel): HTMLElement {
  const el = document.createElement("div");
  document.body.append(el);
  mounted.push(widget.render({ model: kernel.model, el }));
  const root = el.querySelector<HTMLElement>(".smolpaws");
  if (root === null) throw new Error("nothing was drawn");
  return root;
}

export async function page(records: readonly LogRecord[] = [], traits: Partial<Traits> = {}) {
  const kernel = new FakeKernel(records, traits);
  mounted.push(widget.initialize({ model: kernel.model }));
  const root = mount(kernel);
  await drawn();
  return {
    kernel,
    root,
    sent: (kind: Command["kind"]) => kernel.model.sent.filter((command) => command.kind === kind),
    area: root.querySelector("textarea") as HTMLTextAreaElement,
    button: (name: string) => {
      const named = [...root.querySelectorAll("button")].find(
        (one) => one.textContent?.trim() === name || one.getAttribute("aria-label") === name,
      );
      if (named === undefined) throw new Error(`there is no button ${name}`);
      return named;
    },
  };
}

export async function type(area: HTMLTextAreaElement, text: string): Promise<void> {
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
}

export async function press(target: HTMLElement, key: string, more: KeyboardEventInit & { keyCode?: number } = {}) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  if (more.keyCode !== undefined) Object.defineProperty(event, "keyCode", { value: more.keyCode });
  target.dispatchEvent(event);
  await drawn();
  return event;
}
