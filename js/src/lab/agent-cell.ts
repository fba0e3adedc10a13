// "New agent cell": the lines that a person would type to get an agent, inserted below and run.
import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";

const SOURCE = "from smolpaws_jupyter import SmolPaws\npaws = SmolPaws()\npaws";

/** Insert the cell after the active one and run it. Undo takes it away again. */
export async function insertAgentCell(panel: NotebookPanel): Promise<void> {
  const notebook = panel.content;
  if (notebook.model === null) return;
  const index = notebook.activeCellIndex + 1;
  notebook.model.sharedModel.insertCell(index, { cell_type: "code", source: SOURCE });
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  notebook.mode = "command";
  await NotebookActions.run(notebook, panel.sessionContext);
}
