// The page in a browser, on a kernel that stands still until it is told to speak; `window.bench` is what the bench calls.
import widget from "/widget.js";
import "/watch.js";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const listeners = new Map();
const hear = (update) => listeners.get("msg:custom")?.(structuredClone(update));
const { traits, updates, timeline } = await (await fetch("/log.json")).json();
const values = { ...traits };
const set = (changed) => {
  Object.assign(values, changed);
  for (const name of Object.keys(changed)) listeners.get(`change:${name}`)?.();
};
const model = {
  get: (name) => values[name],
  on: (name, callback) => listeners.set(name, callback),
  off: (name) => listeners.delete(name),
  send: ({ kind, id }) => {
    // One message after the other, as a kernel sends them.
    if (kind === "replay") updates.forEach((update, place) => setTimeout(() => hear(update), place));
    if (kind === "timeline") setTimeout(() => hear({ ...timeline, id }));
  },
};
const el = document.querySelector("main");

/** Milliseconds until a page that opens late shows the end of the whole log. */
async function open() {
  const began = performance.now();
  widget.initialize({ model });
  widget.render({ model, el });
  while (el.querySelector("[role=log]")?.getAttribute("aria-busy") !== "false" || !el.querySelector(".paws-row")) await frame();
  return performance.now() - began;
}

/** A hundred tokens a second while somebody types or reads: gives what `watch` saw. */
async function stream(seconds, reads) {
  set({ status: "running", detail: "model" });
  const seen = watch(el, seconds, reads);
  for (let beat = 0; beat < 10 * seconds; beat += 1) {
    hear({ kind: "delta", what: "text", text: "word and **more** ".repeat(5).slice(0, 45) + (beat % 9 ? "" : "\n\n") });
    await wait(100);
  }
  const felt = await seen;
  set({ status: "idle", detail: "" });
  await frame();
  return felt;
}

/** Milliseconds until the timeline of the log is drawn. */
async function drawTimeline() {
  const tab = [...el.querySelectorAll("[role=tab]")].find((one) => one.textContent === "Timeline");
  const began = performance.now();
  tab.click();
  while (el.querySelector(".paws-measured") === null) await frame();
  return performance.now() - began;
}

window.bench = { open, stream, drawTimeline, heap };
