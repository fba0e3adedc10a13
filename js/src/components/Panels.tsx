// What stands in the middle of the page: the transcript, and beside it whatever else looks into the agent. One panel needs no
// tabs. The first one stays in the page while another is shown, so that it keeps its place and goes on being a log.
import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import { newId } from "../state/ids";
import { say, type WordId } from "../words/say";
import { useView } from "./context";

export interface Panel {
  readonly id: string;
  readonly label: WordId;
  readonly View: ComponentType;
}

export function Panels({ panels }: { panels: readonly Panel[] }) {
  const { page } = useView();
  const prefix = useMemo(newId, []);
  const shown = panels.find(({ id }) => id === page.panel.value) ?? panels[0];
  if (panels.length === 1 && shown !== undefined) return <shown.View />;
  return (
    <>
      <Tabs panels={panels} shown={shown?.id ?? ""} prefix={prefix} />
      {panels.map(({ id, View }, place) => (
        <div
          key={id}
          id={`${prefix}-${id}`}
          role="tabpanel"
          aria-labelledby={`${prefix}-${id}-tab`}
          class="paws-panel"
          hidden={id !== shown?.id}
        >
          {(id === shown?.id || place === 0) && <View />}
        </div>
      ))}
    </>
  );
}

interface TabsProps {
  panels: readonly Panel[];
  shown: string;
  prefix: string;
}

function Tabs({ panels, shown, prefix }: TabsProps) {
  const { page } = useView();
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const to = placeAfter(
      event.key,
      panels.findIndex(({ id }) => id === shown),
      panels.length,
      event.currentTarget,
    );
    const panel = panels[to];
    if (panel === undefined) return;
    event.preventDefault();
    page.panel.value = panel.id;
    event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  return (
    <div class="paws-tabs" role="tablist" aria-label={say("tabs")} onKeyDown={onKeyDown}>
      {panels.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          role="tab"
          class="paws-tab"
          id={`${prefix}-${id}-tab`}
          aria-controls={`${prefix}-${id}`}
          aria-selected={id === shown}
          tabIndex={id === shown ? 0 : -1}
          onClick={() => {
            page.panel.value = id;
          }}
        >
          {say(label)}
        </button>
      ))}
    </div>
  );
}

/** Where a key leads in a row of tabs; -1 if nowhere. */
function placeAfter(key: string, place: number, count: number, row: Element): number {
  const forward = getComputedStyle(row).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return -1;
  return (place + (key === forward ? 1 : count - 1)) % count;
}
