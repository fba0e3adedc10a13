// What every component may reach without being handed it: the store of the agent, and the state of this view.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Page } from "../state/page";
import type { Store } from "../state/store";

export interface View {
  readonly store: Store;
  readonly page: Page;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (view === null) throw new Error("a component was drawn outside its page");
  return view;
}
