// What an agent's page tells the JupyterLab extension, if there is one: a DOM event that bubbles up from the widget's
// root element. The place of that element says which notebook it belongs to, so no other channel is needed.

export const STATE_EVENT = "smolpaws:state";

export interface PageBudget {
  /** Tokens of the last request; null while nobody has counted. */
  readonly tokens: number | null;
  /** Tokens that the model can take; null when unknown. */
  readonly limit: number | null;
  /** tokens / limit, 0 to 1 (above 1 when overfull); null when either is unknown. */
  readonly fraction: number | null;
  readonly counted: "measured" | "estimated" | "unknown";
}

export interface PageState {
  readonly status: string;
  readonly budget: PageBudget;
}

/** Tell whoever listens above `root` how this agent stands. Call it whenever status or budget change. */
export function announce(root: Element, state: PageState): void {
  root.dispatchEvent(new CustomEvent<PageState>(STATE_EVENT, { detail: state, bubbles: true, composed: true }));
}
