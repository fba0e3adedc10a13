import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeKernel } from "../../harness/fake";
import { SILENT, Store } from "../../src/state/store";
import { transcript } from "../../src/state/transcript";
import type { Command, LogRecord, Traits, Update } from "../../src/wire/names";
import { agentMessage, everything, firstReset, response, userMessage } from "../samples";

beforeEach(() => {
  vi.useFakeTimers();
});

const open: Store[] = [];
afterEach(() => {
  for (const store of open.splice(0)) store.close();
  vi.useRealTimers();
});

function pair(records: readonly LogRecord[] = [], traits: Partial<Traits> = {}) {
  const kernel = new FakeKernel(records, traits);
  const store = new Store(kernel.model);
  open.push(store);
  const asked = (kind: Command["kind"]) => kernel.model.sent.filter((command) => command.kind === kind);
  return { kernel, store, asked };
}

test("a page that comes late asks once and has everything", () => {
  const { store, asked } = pair(firstReset);
  expect(store.transcript.value).toEqual(transcript(firstReset));
  expect(store.whole.value).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect(asked("replay")).toHaveLength(1);
});

test("events that come later are added without asking", () => {
  const { kernel, store, asked } = pair(firstReset.slice(0, 10));
  kernel.append(...firstReset.slice(10));
  expect(store.transcript.value).toEqual(transcript(firstReset));
  expect(asked("replay")).toHaveLength(1);
});

test("F-33: a lost batch is noticed by the next one, and asked for", () => {
  const { kernel, store, asked } = pair(firstReset.slice(0, 10));
  kernel.log.push(...firstReset.slice(10, 15)); // published, and lost
  kernel.append(...firstReset.slice(15));
  expect(store.whole.value).toBe(false);
  vi.advanceTimersByTime(500);
  expect(asked("replay").at(-1)).toMatchObject({ since: 10 });
  expect(store.transcript.value).toEqual(transcript(firstReset));
});

test("a lost last batch is noticed by the number of events", () => {
  const { kernel, store } = pair(firstReset.slice(0, 10));
  kernel.log.push(...firstReset.slice(10));
  kernel.set({ event_count: firstReset.length });
  vi.advanceTimersByTime(500);
  expect(store.transcript.value).toEqual(transcript(firstReset));
});

test("a kernel that is busy is asked again, but ever more seldom", () => {
  const { kernel, store, asked } = pair(firstReset);
  kernel.hear = () => {};
  kernel.set({ event_count: firstReset.length + 1 });
  vi.advanceTimersByTime(10 * 60_000);
  expect(asked("replay").length).toBeGreaterThan(5);
  expect(asked("replay").length).toBeLessThan(30);
  expect(store.whole.value).toBe(false);
});

test("events of another conversation are not ours", () => {
  const { kernel, store } = pair(firstReset.slice(0, 5));
  kernel.tell({
    kind: "events",
    conversation_id: "other",
    start: 5,
    events: firstReset.slice(5) as never[],
    left_out: [],
  });
  expect(store.transcript.value).toEqual(transcript(firstReset.slice(0, 5)));
});

test("another conversation starts over", () => {
  const { kernel, store } = pair(firstReset);
  kernel.log.splice(0, kernel.log.length, ...everything);
  kernel.conversation = "everything";
  kernel.set({ conversation_id: "everything", event_count: everything.length });
  expect(store.transcript.value).toEqual(transcript(everything));
});

/** A repeatable source of chance. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each(Array.from({ length: 30 }, (_, i) => i))(
  "I-29, F-31: after a storm of lost, doubled and late messages the page shows the log (seed %i)",
  (seed) => {
    const random = chance(seed);
    let storm = true;
    const kernel = new FakeKernel([]);
    const publish = kernel.tell.bind(kernel);
    const change = kernel.set.bind(kernel);
    const hear = kernel.hear.bind(kernel);
    const weather = (deliver: () => void) => {
      if (!storm) return deliver();
      if (random() < 0.25) return;
      const times = random() < 0.25 ? 2 : 1;
      for (let i = 0; i < times; i += 1) setTimeout(deliver, random() < 0.5 ? 0 : random() * 400);
    };
    kernel.tell = (update: Update) => weather(() => publish(update));
    kernel.set = (traits) => weather(() => change(traits));
    kernel.hear = (command) => weather(() => hear(command));
    const store = new Store(kernel.model);
    open.push(store);
    for (let at = 0; at < everything.length; ) {
      const size = 1 + Math.floor(random() * 5);
      kernel.append(...everything.slice(at, at + size));
      at += size;
      vi.advanceTimersByTime(random() * 300);
    }
    vi.advanceTimersByTime(1_000); // the last late ones arrive
    storm = false;
    kernel.set({ event_count: everything.length });
    vi.advanceTimersByTime(61_000);
    expect(store.transcript.value).toEqual(transcript(everything));
    const before = kernel.model.sent.length;
    vi.advanceTimersByTime(600_000);
    expect(kernel.model.sent).toHaveLength(before); // and then there is peace
  },
);

test("I-30: what nobody answered goes out again with its id, three times at most: it or its receipt may be lost", () => {
  const { kernel, store, asked } = pair();
  kernel.hear = () => {};
  const id = store.send({ kind: "tell", text: "Hello", images: [] });
  vi.advanceTimersByTime(10 * SILENT);
  expect(asked("tell").map((command) => command.id)).toEqual([id, id, id, id]);
  expect(store.connection.value).toBe("silent");
  kernel.tell({ kind: "ack", id, text: "" });
  expect(store.connection.value).toBe("live");
});

test("I-30: a command keeps its id when it is sent again", () => {
  const { kernel, store } = pair();
  kernel.hear = () => {};
  const id = store.send({ kind: "tell", text: "Hello", images: [] });
  vi.advanceTimersByTime(5_000);
  store.again(id);
  expect(kernel.model.sent.filter((command) => command.kind === "tell").map((command) => command.id)).toEqual([id, id]);
});

test("a message is on its way, then saved, then in the log", () => {
  const { kernel, store } = pair();
  kernel.hear = () => {};
  const id = store.send({ kind: "tell", text: "Hello", images: [] });
  const states = () => store.outbox.sent.value.map(({ state }) => state);
  expect(states()).toEqual(["sent"]);
  kernel.tell({ kind: "ack", id, text: "" });
  expect(states()).toEqual(["accepted"]);
  kernel.append(userMessage("Hello", id));
  expect(states()).toEqual([]);
});

test("its receipt may also come after its record", () => {
  const { kernel, store } = pair();
  kernel.hear = () => {};
  const id = store.send({ kind: "tell", text: "Hello", images: [] });
  kernel.append(userMessage("Hello", id));
  kernel.tell({ kind: "ack", id, text: "" });
  expect(store.outbox.sent.value).toEqual([]);
});

test("F-21: after a second without a receipt the page knows that the kernel is busy", () => {
  const { kernel, store } = pair();
  kernel.hear = () => {};
  const id = store.send({ kind: "stop" });
  vi.advanceTimersByTime(900);
  expect(store.outbox.sent.value[0]?.state).toBe("sent");
  vi.advanceTimersByTime(200);
  expect(store.outbox.sent.value[0]?.state).toBe("slow");
  kernel.tell({ kind: "ack", id, text: "" });
  expect(store.outbox.sent.value).toEqual([]);
});

test("T-STOP-04: a summary by hand takes its time without complaint, and can be stopped meanwhile", () => {
  const { kernel, store } = pair();
  kernel.hear = () => {};
  expect(store.canStop).toBe(false);
  const id = store.send({ kind: "condense" });
  vi.advanceTimersByTime(5_000);
  expect(store.outbox.sent.value[0]?.state).toBe("sent");
  expect(store.canStop).toBe(true);
  kernel.tell({ kind: "ack", id, text: "Done." });
  expect(store.canStop).toBe(false);
  kernel.set({ detail: "summary" }); // another page of the same agent asked
  expect(store.canStop).toBe(true);
});

test("a refusal says why; a refused message keeps its words", () => {
  const { kernel, store } = pair();
  kernel.hear = () => {};
  const condense = store.send({ kind: "condense" });
  const refusal = {
    kind: "refused",
    code: "agent_controlled_condensation",
    text: "Ask the agent.",
    status: 409,
  } as const;
  kernel.tell({ ...refusal, id: condense });
  expect(store.outbox.notices.value).toEqual([{ id: condense, tone: "error", text: "Ask the agent." }]);
  const tell = store.send({ kind: "tell", text: "Hello", images: [] });
  kernel.tell({ ...refusal, id: tell, text: "Read-only." });
  expect(store.outbox.sent.value).toMatchObject([
    { state: "failed", reason: "Read-only.", command: { text: "Hello" } },
  ]);
  store.outbox.dismiss(condense);
  expect(store.outbox.notices.value).toEqual([]);
});

test("a receipt for another page's command changes nothing", () => {
  const { kernel, store } = pair();
  kernel.tell({ kind: "refused", id: "elsewhere", code: "x", text: "No.", status: null });
  expect(store.outbox.notices.value).toEqual([]);
});

test("F-23: when the front end can send nothing any more, the kernel is gone and no words are lost", () => {
  const { kernel, store } = pair(firstReset);
  kernel.model.onSend = () => {
    throw new Error("Cannot send");
  };
  store.send({ kind: "tell", text: "Hello", images: [] });
  expect(store.connection.value).toBe("gone");
  expect(store.outbox.sent.value).toMatchObject([{ state: "failed", reason: "Cannot send" }]);
  kernel.set({ status: "idle" });
  expect(store.connection.value).toBe("live");
});

test("F-35: a notebook opened without a kernel says so after a while", () => {
  const kernel = new FakeKernel([], { event_count: 3 });
  kernel.hear = () => {};
  const store = new Store(kernel.model);
  open.push(store);
  expect(store.connection.value).toBe("live");
  vi.advanceTimersByTime(SILENT + 1);
  expect(store.connection.value).toBe("silent");
});

test("a kernel that is not asked anything is not silent", () => {
  const { kernel, store } = pair(firstReset);
  kernel.hear = () => {};
  vi.advanceTimersByTime(10 * SILENT);
  expect(store.connection.value).toBe("live");
});

test("when the front end has lost or found the kernel, the page tries whether it answers", () => {
  const { kernel, store } = pair(firstReset);
  kernel.model.emit("comm_live_update");
  vi.advanceTimersByTime(10 * SILENT);
  expect(store.connection.value).toBe("live");
  kernel.hear = () => {};
  kernel.model.emit("comm_live_update");
  vi.advanceTimersByTime(SILENT + 1);
  expect(store.connection.value).toBe("silent");
});

test("an approval whose message was lost is asked for", () => {
  const { kernel, store, asked } = pair(firstReset);
  kernel.set({ status: "waiting", waiting_for: "run_python" });
  expect(store.approvals.value.waiting).toEqual([]);
  vi.advanceTimersByTime(500);
  expect(asked("replay")).toHaveLength(2);
});

test("words that are coming are kept until their record comes, and dropped when the try fails or the run ends", () => {
  const { kernel, store } = pair(firstReset.slice(0, 2), { status: "running" });
  const delta = (text: string, what: "text" | "reasoning" | "restart" = "text") =>
    kernel.tell({ kind: "delta", what, text });
  delta("Half of ");
  delta("an answer");
  delta("Hm.", "reasoning");
  expect(store.streaming.value).toEqual({ text: "Half of an answer", reasoning: "Hm." });
  delta("", "restart");
  delta("Again");
  expect(store.streaming.value).toEqual({ text: "Again", reasoning: "" });
  kernel.append(response(firstReset[1]?.id ?? ""), agentMessage("Again"));
  expect(store.streaming.value.text).toBe("");
  delta("Late");
  kernel.set({ status: "idle" });
  expect(store.streaming.value.text).toBe("");
});

test("a large text comes piece by piece, counted in characters as Python counts them", async () => {
  const { kernel, store, asked } = pair();
  kernel.hear = () => {};
  const [sha256, whole] = ["b".repeat(64), "🐾é".repeat(300)];
  const done = store.texts.fetch({ position: 0, path: ["observation", "output"], sha256, chars: 600 });
  store.texts.fetch({ position: 0, path: ["observation", "output"], sha256, chars: 600 });
  expect(asked("fetch")).toHaveLength(1);
  const characters = [...whole];
  for (let offset = 0; offset < 600; offset += 200) {
    const text = characters.slice(offset, offset + 200).join("");
    const id = asked("fetch").at(-1)?.id ?? "";
    for (let twice = 0; twice < 2; twice += 1) kernel.tell({ kind: "chunk", id, sha256, offset, text, total: 600 });
    await vi.advanceTimersByTimeAsync(0);
  }
  await done;
  expect(store.texts.all.value.get(sha256)?.text).toBe(whole);
  expect(asked("fetch").map((command) => "offset" in command && command.offset)).toEqual([0, 200, 400]);
});

test.each([
  null,
  undefined,
  7,
  "events",
  [],
  {},
  { kind: "events" },
  { kind: "events", events: "no" },
  { kind: "bang" },
  { kind: "__proto__" },
  { kind: "ack" },
])("a message that is none changes nothing: %j", (content) => {
  const { kernel, store } = pair(firstReset);
  kernel.model.emit("msg:custom", content);
  expect(store.transcript.value).toEqual(transcript(firstReset));
});

test.each([
  ["status", "exploded", "idle"],
  ["status", { toString: "idle" }, "idle"],
  ["detail", 9, ""],
  [
    "budget",
    { tokens: "many" },
    { tokens: null, limit: null, fraction: null, counted: "unknown", limit_from: "unknown" },
  ],
  ["budget", null, { tokens: null, limit: null, fraction: null, counted: "unknown", limit_from: "unknown" }],
  ["thresholds", ["0.5"], []],
  ["thresholds", Number.NaN, []],
  ["title", ["<b>"], ""],
  ["event_count", -0.5, 0],
  ["resumable", { id: 1 }, null],
] as const)("F-35: a forged trait falls back to its default: %s = %j", (name, value, otherwise) => {
  const kernel = new FakeKernel([]);
  kernel.model.values.set(name, value);
  const store = new Store(kernel.model);
  open.push(store);
  expect(store.traits[name].value).toEqual(otherwise);
});

test("a text that is not stored any more says so", async () => {
  const { kernel, store, asked } = pair();
  const sha256 = "c".repeat(64);
  kernel.hear = () => {};
  const done = store.texts.fetch({ position: 0, path: ["observation", "output"], sha256, chars: 600 });
  const id = asked("fetch")[0]?.id ?? "";
  kernel.tell({ kind: "refused", id, code: "not_found", text: "This text is not stored any more.", status: 404 });
  await done;
  expect(store.texts.all.value.get(sha256)?.problem?.message).toBe("This text is not stored any more.");
});

test("closing leaves no listener behind", () => {
  const { kernel, store } = pair(firstReset);
  expect(kernel.model.listeners).toBeGreaterThan(0);
  store.close();
  expect(kernel.model.listeners).toBe(0);
});

test("a long log that comes in pieces is drawn with its first piece and when it is whole, and soon in any case", () => {
  vi.useFakeTimers();
  const kernel = new FakeKernel([], { event_count: 4, conversation_id: "long" });
  kernel.hear = () => {};
  const store = new Store(kernel.model);
  const messages = ["one", "two", "three", "four"].map((text) => userMessage(text));
  const tell = (start: number) => {
    kernel.log.splice(0, kernel.log.length, ...messages);
    kernel.publish(start, start + 1);
  };
  const rows = () => store.transcript.value.rows.length;
  tell(0);
  expect(rows()).toBe(1);
  tell(1);
  expect(rows()).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(rows()).toBe(2);
  tell(2);
  expect(rows()).toBe(2);
  tell(3);
  expect(rows()).toBe(4);
  store.close();
  vi.useRealTimers();
});
