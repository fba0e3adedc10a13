// Shows a scene: ?scene=reset&theme=dark&width=320. Type and press: the fake kernel takes commands and answers messages.

import widget from "../src/index";
import type { Command, LogRecord } from "../src/wire/names";
import type { FakeKernel } from "./fake";
import { answerTo } from "./instruments";
import { SCENES } from "./scenes";

const query = new URLSearchParams(location.search);
const theme = query.get("theme") ?? "light";
const name = query.get("scene") ?? "done";
document.body.dataset.theme = theme;
if (theme !== "plain") document.body.dataset.jpThemeLight = String(theme === "light");

const links = Object.keys(SCENES).map((scene) => {
  const link = document.createElement("a");
  link.href = `?${new URLSearchParams({ ...Object.fromEntries(query), scene })}`;
  link.textContent = scene;
  return link;
});
document.querySelector("nav")?.append(...links);

const kernel = (SCENES[name] ?? SCENES.done)?.();
const place = document.querySelector<HTMLElement>("main");
if (kernel !== undefined && place !== null) {
  place.style.inlineSize = `${query.get("width") ?? 900}px`;
  Object.assign(window, { kernel }); // to play with in the console
  play(kernel);
  widget.initialize({ model: kernel.model });
  widget.render({ model: kernel.model, el: place });
  const tab = query.get("tab");
  if (tab !== null) place.querySelector<HTMLElement>(`[id$="-${tab}-tab"]`)?.click();
  const direction = query.get("dir");
  if (direction !== null) place.querySelector(".smolpaws")?.setAttribute("dir", direction);
}

/** Answers as a kernel would, as far as that helps to try the page. */
function play(kernel: FakeKernel): void {
  const hear = kernel.hear.bind(kernel);
  const record = (kind: string, source: string, fields: object) =>
    kernel.append({
      kind,
      source,
      id: `live-${kernel.log.length}`,
      timestamp: new Date().toISOString(),
      command_id: null,
      ...fields,
    } as LogRecord);
  kernel.hear = (command: Command) => {
    const answer = answerTo(command, kernel.log, Number(query.get("points") ?? 40));
    if (answer === undefined) hear(command);
    else kernel.tell(answer);
    const { id: command_id } = command;
    if (command.kind === "tell") {
      const content = [{ type: "text", text: command.text }];
      record("MessageEvent", "user", { role: "user", content, response_event_id: null, sender: null, command_id });
      kernel.set({ status: "running", detail: "model" });
    } else if (command.kind === "stop") {
      record("InterruptEvent", "user", { command_id });
      kernel.set({ status: "paused", detail: "" });
    } else if (command.kind === "resume") {
      record("ResumeEvent", "user", { command_id });
      kernel.set({ status: "running", detail: "model" });
    } else if (command.kind === "withdraw") {
      record("MessageWithdrawnEvent", "user", { message_id: command.message_id, command_id });
    } else if (command.kind === "approve" || command.kind === "reject") {
      kernel.tell({ kind: "approvals", waiting: [], granted: [] });
      kernel.set({ status: "running", detail: "tool" });
    }
  };
}
