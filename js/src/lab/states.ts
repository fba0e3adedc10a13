// The last known state of the agent in each notebook panel. Knows DOM nodes but nothing of JupyterLab.
import type { PageState } from "../wire/page-state";

interface Panel {
  readonly node: HTMLElement;
}

export class PanelStates<P extends Panel> {
  #states = new WeakMap<P, PageState>();

  /** Keep the state that an event carries under the panel it came from; says which panel that was, if any. */
  receive(event: Event, panels: Iterable<P>): P | undefined {
    const target = event.target;
    if (!(event instanceof CustomEvent && target instanceof Node && isPageState(event.detail))) return undefined;
    for (const panel of panels) {
      if (panel.node.contains(target)) {
        this.#states.set(panel, event.detail);
        return panel;
      }
    }
    return undefined;
  }

  of(panel: P | null): PageState | undefined {
    return panel === null ? undefined : this.#states.get(panel);
  }

  /** The kernel of this panel is gone, and its agent with it. */
  forget(panel: P): void {
    this.#states.delete(panel);
  }
}

/** Any script in the page can dispatch our event, so its detail is looked at before it is believed. */
export function isPageState(value: unknown): value is PageState {
  if (typeof value !== "object" || value === null) return false;
  const { status, budget } = value as Record<string, unknown>;
  if (typeof status !== "string" || typeof budget !== "object" || budget === null) return false;
  const { tokens, limit, fraction, counted } = budget as Record<string, unknown>;
  const counts = [tokens, limit, fraction].every((n) => n === null || (typeof n === "number" && Number.isFinite(n)));
  return counts && typeof counted === "string";
}

/** "paws 62 % · running", or "paws unknown · idle": a percentage is never invented. */
export function statusText({ status, budget }: PageState): string {
  const share = budget.fraction === null ? "unknown" : `${Math.round(budget.fraction * 100)} %`;
  return `paws ${share} · ${status}`;
}
