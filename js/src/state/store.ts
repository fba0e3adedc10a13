// What Python says, as signals. The only file that touches the anywidget model.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { PageBudget } from "../wire/page-state";

/** The part of anywidget's model that the page uses. */
export interface Model {
  get(name: string): unknown;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

export interface Store {
  readonly status: ReadonlySignal<string>;
  readonly budget: ReadonlySignal<PageBudget>;
  /** Stop listening to the model. */
  close(): void;
}

export function openStore(model: Model): Store {
  const status = signal(model.get("status") as string);
  const budget = signal(model.get("budget") as PageBudget);
  const onStatus = (): void => {
    status.value = model.get("status") as string;
  };
  const onBudget = (): void => {
    budget.value = model.get("budget") as PageBudget;
  };
  model.on("change:status", onStatus);
  model.on("change:budget", onBudget);
  return {
    status,
    budget,
    close: () => {
      model.off("change:status", onStatus);
      model.off("change:budget", onBudget);
    },
  };
}
