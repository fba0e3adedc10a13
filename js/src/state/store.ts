// What Python says, as signals. The only file that touches the anywidget model.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Traits } from "../wire/types";

/** The part of anywidget's model that the page uses. */
export interface Model {
  get(name: string): unknown;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

export interface Store {
  readonly status: ReadonlySignal<Traits["status"]>;
  readonly budget: ReadonlySignal<Traits["budget"]>;
  /** Stop listening to the model. */
  close(): void;
}

export function openStore(model: Model): Store {
  const status = signal(model.get("status") as Traits["status"]);
  const budget = signal(model.get("budget") as Traits["budget"]);
  const onStatus = (): void => {
    status.value = model.get("status") as Traits["status"];
  };
  const onBudget = (): void => {
    budget.value = model.get("budget") as Traits["budget"];
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
