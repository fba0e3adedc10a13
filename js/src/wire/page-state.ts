// What an agent's page tells the JupyterLab extension, if there is one: a DOM event that bubbles up from the widget's
// root element. The place of that element says which notebook it belongs to, so no other channel is needed.
import type { Traits } from "./types";

export const STATE_EVENT = "smolpaws:state";

export type PageState = Readonly<Pick<Traits, "status" | "budget">>;

/** Tell whoever listens above `root` how this agent stands. Call it whenever status or budget change. */
export function announce(root: Element, state: PageState): void {
  root.dispatchEvent(new CustomEvent<PageState>(STATE_EVENT, { detail: state, bubbles: true, composed: true }));
}
