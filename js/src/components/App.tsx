// The whole page of one view.
import { useMemo } from "preact/hooks";
import { Page } from "../state/page";
import type { Store } from "../state/store";
import { Announcer } from "./Announcer";
import { ApprovalCard } from "./ApprovalCard";
import { Banners } from "./Banners";
import { Composer } from "./Composer";
import { ViewContext } from "./context";
import { Header } from "./Header";
import { Transcript } from "./Transcript";

export function App({ store }: { store: Store }) {
  const view = useMemo(() => ({ store, page: new Page() }), [store]);
  return (
    <ViewContext.Provider value={view}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears a shortcut for all that is inside */}
      <div class="paws-app" onKeyDown={goToApproval}>
        <Header />
        <Transcript />
        <div class="paws-bottom">
          <ApprovalCard />
          <Banners />
          <Composer />
        </div>
        <Announcer />
      </div>
    </ViewContext.Provider>
  );
}

/** Alt+A goes to the approval that waits: it never takes the focus by itself. */
function goToApproval(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (!event.altKey || event.code !== "KeyA") return;
  const button = event.currentTarget.querySelector<HTMLElement>("[data-approve]");
  if (button === null) return;
  event.preventDefault();
  button.focus();
}
