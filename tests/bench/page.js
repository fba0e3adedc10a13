// The page in a browser, on a kernel that stands still until it is told to speak; `window.bench` is what the bench calls.
import widget from "/widget.js";

const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
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

/** A hundred tokens a second while somebody types or reads: see what it returns. */
async function stream(seconds, reads) {
  const box = el.querySelector("textarea");
  const scroll = el.querySelector(".paws-scroll");
  set({ status: "running", detail: "model" });
  if (reads) {
    scroll.scrollTop = scroll.scrollHeight;
    await frame();
    scroll.scrollTop -= 600;
    await wait(100);
  }
  const place = scroll.scrollTop;
  const keys = [];
  const frames = [];
  let last = performance.now();
  let runs = true;
  requestAnimationFrame(function count(now) {
    frames.push(now - last);
    last = now;
    if (runs) requestAnimationFrame(count);
  });
  for (let beat = 0; beat < 10 * seconds; beat += 1) {
    hear({ kind: "delta", what: "text", text: "word and **more** ".repeat(5).slice(0, 45) + (beat % 9 ? "" : "\n\n") });
    if (!reads && beat % 2 === 0) {
      const began = performance.now();
      box.value += "x";
      box.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await frame();
      keys.push(performance.now() - began);
    }
    await wait(100);
  }
  runs = false;
  const moved = Math.abs(scroll.scrollTop - place);
  set({ status: "idle", detail: "" });
  await frame();
  return { keys, frames, moved };
}

/** Milliseconds until the timeline of the log is drawn. */
async function drawTimeline() {
  const tab = [...el.querySelectorAll("[role=tab]")].find((one) => one.textContent === "Timeline");
  const began = performance.now();
  tab.click();
  while (el.querySelector(".paws-measured") === null) await frame();
  return performance.now() - began;
}

const heap = () => {
  window.gc?.();
  return performance.memory.usedJSHeapSize;
};

window.bench = { open, stream, drawTimeline, heap };
