// The JupyterLab extension. The agent works without it; it adds a palette command and a status-bar item.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { IStatusBar } from "@jupyterlab/statusbar";
import { ITranslator, nullTranslator } from "@jupyterlab/translation";
import { insertAgentCell } from "./agent-cell";
import { addStatusItem } from "./status";

const NEW_AGENT_CELL = "smolpaws:new-agent-cell";

const plugin: JupyterFrontEndPlugin<void> = {
  id: "smolpaws-jupyter:plugin",
  description: "A command that adds an agent to a notebook, and a status-bar item that shows its context.",
  autoStart: true,
  requires: [INotebookTracker],
  // Optional, so that it also loads where there is no palette or no status bar, as in Notebook 7.
  optional: [ICommandPalette, IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    statusBar: IStatusBar | null,
    translator: ITranslator | null,
  ): void => {
    const trans = (translator ?? nullTranslator).load("smolpaws_jupyter");
    app.commands.addCommand(NEW_AGENT_CELL, {
      label: trans.__("New agent cell"),
      caption: trans.__("Insert a cell with an agent below the active cell, and run it"),
      isEnabled: () => tracker.currentWidget !== null,
      execute: async () => {
        if (tracker.currentWidget !== null) await insertAgentCell(tracker.currentWidget);
      },
    });
    tracker.currentChanged.connect(() => app.commands.notifyCommandChanged(NEW_AGENT_CELL));
    palette?.addItem({ command: NEW_AGENT_CELL, category: trans.__("Agent") });
    if (statusBar !== null) addStatusItem(statusBar, tracker, trans);
  },
};

export default plugin;
