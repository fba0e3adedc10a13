// The anywidget module: `initialize` makes the store of an agent, `render` mounts one view of it; both return their undoing.
import { effect } from "@preact/signals";
import { h, render as mount } from "preact";
import { App } from "./components/App";
import { keepLineBreaks } from "./components/keys";
import { type Model, Store } from "./state/store";
import { announce } from "./wire/page-state";
import { directionOf, wordsIn } from "./words/say";
import "./styles.css";

interface Context {
  model: Model;
  /** Newer versions of anywidget end a hook by this signal, older ones call what it returned; some do both. */
  signal?: AbortSignal;
}

const stores = new WeakMap<object, Store>();

/**
 * Jupyter's anywidget hands `initialize` and `render` two wrappers of one model. The layout inside is the same object; other
 * hosts have no layout, and hand out the model itself.
 */
function keyOf(model: Model): object {
  const layout = model.get("layout");
  return typeof layout === "object" && layout !== null ? layout : model;
}

function initialize({ model, signal }: Context): () => void {
  const store = new Store(model);
  stores.set(keyOf(model), store);
  return once(() => store.close(), signal);
}

function render({ model, el, signal }: Context & { el: HTMLElement }): () => void {
  const store = stores.get(keyOf(model));
  if (store === undefined) throw new Error("render came before initialize");
  const root = document.createElement("div");
  root.className = "smolpaws";
  root.lang = wordsIn;
  root.dir = directionOf(wordsIn);
  root.setAttribute("data-lm-suppress-shortcuts", "true"); // else JupyterLab takes Shift+Enter and runs the cell
  el.append(root);
  const allowLineBreaks = keepLineBreaks(root);
  mount(h(App, { store }), root);
  const { status, budget } = store.traits;
  const stopAnnouncing = effect(() => announce(root, { status: status.value, budget: budget.value }));
  return once(() => {
    stopAnnouncing();
    allowLineBreaks();
    mount(null, root);
    root.remove();
  }, signal);
}

/** Undoes one time, whoever asks first. */
function once(undo: () => void, signal: AbortSignal | undefined): () => void {
  let done = false;
  const run = () => {
    if (done) return;
    done = true;
    undo();
  };
  signal?.addEventListener("abort", run, { once: true });
  return run;
}

export default { initialize, render };
