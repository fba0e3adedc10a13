import { expect, test } from "vitest";
import { isPageState, PanelStates, statusText } from "../../src/lab/states";
import { announce, type PageState, STATE_EVENT } from "../../src/wire/page-state";

const running: PageState = {
  status: "running",
  budget: { tokens: 124_000, limit: 200_000, fraction: 0.62, counted: "measured", limit_from: "profile" },
};
const uncounted: PageState = {
  status: "idle",
  budget: { tokens: null, limit: null, fraction: null, counted: "unknown", limit_from: "unknown" },
};

/** A notebook panel in the page, with the root element of a widget somewhere inside it. */
function panel() {
  const node = document.createElement("div");
  const root = document.createElement("section");
  node.append(document.createElement("div"));
  node.firstElementChild?.append(root);
  document.body.append(node);
  return { node, root };
}

function heard<T>(action: () => void, listener: (event: Event) => T): T[] {
  const results: T[] = [];
  const listen = (event: Event) => results.push(listener(event));
  document.addEventListener(STATE_EVENT, listen);
  action();
  document.removeEventListener(STATE_EVENT, listen);
  return results;
}

test("the status line shows percent and state, and never invents a percentage", () => {
  expect(statusText(running)).toBe("paws 62 % · running");
  expect(statusText(uncounted)).toBe("paws unknown · idle");
});

test("a state is kept for the panel whose widget announced it, and for no other", () => {
  const [left, right] = [panel(), panel()];
  const states = new PanelStates<typeof left>();
  const from = heard(
    () => announce(right.root, running),
    (event) => states.receive(event, [left, right]),
  );
  expect(from).toEqual([right]);
  expect(states.of(right)).toEqual(running);
  expect(states.of(left)).toBeUndefined();
  expect(states.of(null)).toBeUndefined();
});

test("a widget outside every panel is nobody's", () => {
  const [inside, outside] = [panel(), panel()];
  const states = new PanelStates<typeof inside>();
  heard(
    () => announce(outside.root, running),
    (event) => states.receive(event, [inside]),
  );
  expect(states.of(inside)).toBeUndefined();
});

test("when its kernel is gone a panel has no agent", () => {
  const only = panel();
  const states = new PanelStates<typeof only>();
  heard(
    () => announce(only.root, running),
    (event) => states.receive(event, [only]),
  );
  states.forget(only);
  expect(states.of(only)).toBeUndefined();
});

test.each([
  ["nothing", null],
  ["a string", "running"],
  ["no budget", { status: "running" }],
  ["a status that is no text", { ...running, status: 7 }],
  ["a fraction that is no number", { ...running, budget: { ...running.budget, fraction: "62" } }],
  ["a fraction that is not finite", { ...running, budget: { ...running.budget, fraction: Number.NaN } }],
])("a forged event is not believed: %s", (_, detail) => {
  const only = panel();
  const states = new PanelStates<typeof only>();
  expect(isPageState(detail)).toBe(false);
  heard(
    () => only.root.dispatchEvent(new CustomEvent(STATE_EVENT, { detail, bubbles: true })),
    (event) => states.receive(event, [only]),
  );
  expect(states.of(only)).toBeUndefined();
});
