// The anywidget module: `initialize` makes the store of an agent, `render` mounts one view of it; both return their undoing.
import { effect } from "@preact/signals";
import { h, render as mount } from "preact";
import { App } from "./components/App";
import { type Model, openStore, type Store } from "./state/store";
import { announce } from "./wire/page-state";
import "./styles.css";

const stores = new WeakMap<Model, Store>();

function initialize({ model }: { model: Model }): () => void {
  const store = openStore(model);
  stores.set(model, store);
  return () => store.close();
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const store = stores.get(model);
  if (store === undefined) throw new Error("render came before initialize");
  const root = document.createElement("div");
  root.className = "smolpaws";
  root.setAttribute("data-lm-suppress-shortcuts", "true"); // else JupyterLab takes Shift+Enter and runs the cell
  el.append(root);
  mount(h(App, { store }), root);
  const stopAnnouncing = effect(() => announce(root, { status: store.status.value, budget: store.budget.value }));
  return () => {
    stopAnnouncing();
    mount(null, root);
    root.remove();
  };
}

export default { initialize, render };
