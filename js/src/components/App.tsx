// The whole page of one view.
import { useMemo } from "preact/hooks";
import { Page } from "../state/page";
import type { Store } from "../state/store";
import { Announcer } from "./Announcer";
import { ApprovalCard } from "./ApprovalCard";
import { Banners } from "./Banners";
import { Composer } from "./Composer";
import { ViewContext } from "./context";
import { Conversation } from "./conversation/Conversation";
import { Header } from "./Header";
import { isComposing } from "./keys";
import { Notes } from "./notes/Notes";
import { type Panel, Panels } from "./Panels";
import { Changes } from "./requests/Changes";
import { NextRequest } from "./requests/NextRequest";
import { Transcript } from "./Transcript";
import { Timeline } from "./timeline/Timeline";
import { Weight } from "./Weight";

/** What can stand in the middle. With more than one there are tabs. */
export const PANELS: readonly Panel[] = [
  { id: "transcript", label: "tab.transcript", View: Transcript },
  { id: "next", label: "tab.next", View: NextRequest },
  { id: "changes", label: "tab.changes", View: Changes },
  { id: "timeline", label: "tab.timeline", View: Timeline },
  { id: "weight", label: "tab.weight", View: Weight },
  { id: "notes", label: "tab.notes", View: Notes },
  { id: "state", label: "tab.state", View: Conversation },
];

export function App({ store }: { store: Store }) {
  const view = useMemo(() => ({ store, page: new Page() }), [store]);
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    if (isComposing(event) || event.defaultPrevented) return;
    if (event.key === "Escape" && store.canStop) {
      event.preventDefault();
      store.send({ kind: "stop" });
    } else goToApproval(event);
  };
  return (
    <ViewContext.Provider value={view}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears shortcuts for all that is inside */}
      <div class="paws-app" onKeyDown={onKeyDown}>
        <Header />
        <Panels panels={PANELS} />
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
