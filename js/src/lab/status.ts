// A status-bar item with the context percent and the state word of the agent in the active notebook.
import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import type { IStatusBar } from "@jupyterlab/statusbar";
import type { TranslationBundle } from "@jupyterlab/translation";
import { Signal } from "@lumino/signaling";
import { Widget } from "@lumino/widgets";
import { STATE_EVENT } from "../wire/page-state";
import { PanelStates, statusText } from "./states";

const KERNEL_GONE = new Set(["restarting", "autorestarting", "terminating", "dead"]);

export function addStatusItem(statusBar: IStatusBar, tracker: INotebookTracker, trans: TranslationBundle): void {
  const states = new PanelStates<NotebookPanel>();
  const item = new Widget();
  const changed = new Signal<Widget, void>(item);
  const text = document.createElement("span");
  text.className = "jp-StatusBar-TextItem";
  text.title = trans.__("Context used by the agent of this notebook, and what it is doing");
  item.addClass("smolpaws-status");
  item.node.append(text);

  const refresh = (): void => {
    const state = states.of(tracker.currentWidget);
    text.textContent = state === undefined ? "" : statusText(state);
    changed.emit();
  };

  // The extension lives as long as the page, so these listeners are never taken off again.
  document.addEventListener(STATE_EVENT, (event) => {
    const panels: NotebookPanel[] = [];
    tracker.forEach((panel) => {
      panels.push(panel);
    });
    if (states.receive(event, panels) === tracker.currentWidget) refresh();
  });
  tracker.currentChanged.connect(refresh);
  tracker.widgetAdded.connect((_, panel) => {
    panel.sessionContext.statusChanged.connect((_, status) => {
      if (KERNEL_GONE.has(status)) {
        states.forget(panel);
        refresh();
      }
    });
  });

  statusBar.registerStatusItem("smolpaws:context", {
    item,
    align: "right",
    isActive: () => states.of(tracker.currentWidget) !== undefined,
    activeStateChanged: changed,
  });
}
