import { expect, test, vi } from "vitest";
import { answerTo } from "../../harness/instruments";
import { markWords } from "../../src/components/timeline/words";
import { condensedBy } from "../../src/state/condensed";
import type { Command, LogRecord, Traits } from "../../src/wire/names";
import { firstReset } from "../samples";
import { drawn, page, press, type } from "./page";

async function opened(traits: Partial<Traits> = {}, records: readonly LogRecord[] = firstReset) {
  const made = await page(records, { profile: "practice", ...traits });
  const hear = made.kernel.hear.bind(made.kernel);
  made.kernel.hear = (command) => {
    const answer = answerTo(command, made.kernel.log);
    if (answer === undefined) hear(command);
    else made.kernel.tell(answer);
  };
  const tab = [...made.root.querySelectorAll<HTMLElement>("[role=tab]")].find(
    (one) => one.textContent === "Conversation",
  );
  tab?.click();
  await vi.waitFor(() => expect(made.root.querySelector(".paws-instrument")?.textContent).toContain("Sales by region"));
  const text = () => made.root.querySelector(".paws-instrument")?.textContent ?? "";
  return { ...made, text };
}

const last = (commands: readonly Command[]) => commands[commands.length - 1];

test("the tab says what the context does next, which model is asked, and whether its key is there", async () => {
  const { text } = await opened();
  expect(text()).toContain("At 80 % (6,400 of 8,000 tokens) the agent is warned");
  expect(text()).toContain("8,000 tokens, the model's window · no key needed");
  expect(text()).toContain("careful · anthropic/some-model · 200,000 tokens, set in the profile · key found");
  expect(text()).toContain("limit not known yet · key not found");
});

test("a saved profile is used by its name, and any model by what is typed: nothing else is sent (R-BIND-7)", async () => {
  const { root, button, sent } = await opened();
  button("Use cheap").click();
  await drawn();
  expect(last(sent("bind"))).toEqual({ kind: "bind", id: expect.any(String), profile: "cheap" });
  const input = root.querySelector<HTMLInputElement>("[aria-label='Another profile or model']") as HTMLInputElement;
  await type(input as never, "  openai/other ");
  button("Use").click();
  await drawn();
  expect(last(sent("bind"))).toMatchObject({ profile: "openai/other" });
});

test("deleting asks first, can be declined, and the conversation that is shown cannot be deleted", async () => {
  const { button, sent, text, root } = await opened({ conversation_id: "stored-1" });
  button("Delete… Sales by region").click();
  await drawn();
  expect(text()).toContain("Delete “Sales by region” for good?");
  expect(sent("delete")).toEqual([]);
  button("Keep it").click();
  await drawn();
  button("Delete… Sales by region").click();
  await drawn();
  button("Delete for good").click();
  await drawn();
  expect(sent("delete")).toMatchObject([{ conversation_id: "stored-0" }]);
  const names = [...root.querySelectorAll("button")].map((one) => one.textContent);
  expect(names).not.toContain("Delete… untitled");
});

test("each stored conversation can be renamed where it stands, and the one that is shown, too", async () => {
  const { root, button, sent, text } = await opened({ conversation_id: "stored-1" });
  button("Rename Sales by region").click();
  await drawn();
  const input = root.querySelector<HTMLInputElement>("[aria-label=Title]") as HTMLInputElement;
  expect(input.value).toBe("Sales by region");
  await press(input as never, "Escape");
  expect(text()).toContain("Sales by region");
  button("Rename untitled").click();
  await drawn();
  await type(root.querySelector("[aria-label=Title]") as never, "  Rain ");
  button("Rename").click();
  await drawn();
  expect(sent("set_title")).toMatchObject([{ conversation_id: "stored-1", title: "Rain" }]);
});

test("what keeps the context is said in words, and a profile that is called like its model has its name once", async () => {
  const { text } = await opened();
  expect(text()).toContain("Reset by the agent · At 80 %");
  expect(text()).not.toContain("agent_reset ·");
  expect(text()).toContain("practice · 8,000 tokens");
});

test("a new conversation is started with the kind that was chosen, said to be fixed afterwards (R-BIND-9)", async () => {
  const { root, button, sent, text } = await opened();
  expect(text()).toContain("This cannot be changed afterwards.");
  const radios = [...root.querySelectorAll<HTMLInputElement>("[name=paws-kind]")];
  expect(radios).toHaveLength(5);
  radios[3]?.click();
  await drawn();
  button("Start").click();
  await drawn();
  expect(sent("new")).toMatchObject([{ condenser_kind: "summarizing_window" }]);
});

test("while the agent works nothing takes its conversation away", async () => {
  const { button } = await opened({ status: "running" });
  expect(button("Start").disabled).toBe(true);
  expect(button("Open Sales by region").disabled).toBe(true);
});

test("the doctor looks when asked, and says what to do", async () => {
  const { button, text } = await opened();
  expect(text()).not.toContain("Subshells");
  button("Look").click();
  await vi.waitFor(() => expect(text()).toContain("Subshells (attention): not supported by this kernel"));
  expect(text()).toContain("pip install --upgrade ipykernel");
});

test("what the store noticed is shown until it is put away", async () => {
  const { root, button } = await page(firstReset, { notice: "This disk has no locks." });
  expect(root.textContent).toContain("This disk has no locks.");
  button("Dismiss").click();
  await drawn();
  expect(root.textContent).not.toContain("This disk has no locks.");
});

const TWO = ["First question", "Second question"];

async function asked() {
  const made = await page(firstReset, { profile: "practice", conversation_id: "source" });
  const [first] = firstReset.filter((one) => one.kind === "MessageEvent" && one.source === "user");
  if (first?.kind !== "MessageEvent") throw new Error("the sample has no message");
  return { ...made, first };
}

test("a fork from before a message puts its words into the box when the fork is shown (R-FORK-1)", async () => {
  const { kernel, root, sent, area } = await asked();
  const forks = () => [...root.querySelectorAll("button")].filter((one) => one.textContent === "Fork from before this");
  expect(forks()).toHaveLength(0); // before the first message there is nothing; see below
  const at = kernel.log.length;
  const message = {
    kind: "MessageEvent",
    source: "user",
    role: "user",
    sender: null,
    response_event_id: null,
  } as const;
  const base = { timestamp: "2026-03-02T09:30:00Z", command_id: null };
  const response = kernel.log.find((one) => one.kind === "ResponseEvent");
  if (response?.kind !== "ResponseEvent") throw new Error("the sample has no response");
  kernel.append(
    { ...message, ...base, id: "second", content: [{ type: "text", text: TWO[1] ?? "" }] },
    { ...response, id: "answered", read_through: "second" },
  );
  await drawn();
  expect(kernel.log.length).toBe(at + 2);
  forks()[0]?.click();
  await drawn();
  expect(sent("fork")).toMatchObject([{ at: null, before: "second" }]);
  expect(area.value).toBe("");
  kernel.set({ conversation_id: "the-fork", event_count: 0 });
  await drawn();
  expect(area.value).toBe(TWO[1]);
  await press(area, "a");
});

test("from the first message a new conversation begins, kept in the same way, with its words in the box", async () => {
  const { kernel, sent, area, button, first } = await asked();
  button("Begin anew from this").click();
  await drawn();
  expect(sent("new")).toMatchObject([{ condenser_kind: "agent_reset" }]);
  kernel.set({ conversation_id: "new", event_count: 0 });
  await drawn();
  expect(area.value).toBe(first.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
});

test("a fork opens the conversation that it came from", async () => {
  const { kernel, root, sent, button } = await asked();
  const fork = {
    kind: "ForkEvent",
    id: "fork",
    timestamp: "2026-03-02T09:30:00Z",
    command_id: null,
    source: "user",
    conversation_id: "this",
    source_conversation_id: "0123456789abcdef",
    at_event_id: "x",
  } as const;
  kernel.append(fork);
  await drawn();
  expect(root.textContent).toContain("Forked from conversation 01234567 Open it");
  button("Open it").click();
  await drawn();
  expect(sent("open")).toMatchObject([{ conversation_id: "0123456789abcdef" }]);
});

test("the timeline says of what failed what it was: a reset, or a summary", () => {
  const mark = { kind: "failure", after: 1, position: 5, event_id: "e", time: "", value: null } as const;
  expect(markWords({ ...mark, detail: "bad_call agent" })).toBe(
    "No fresh context was made; the history is intact (bad_call)",
  );
  expect(markWords({ ...mark, detail: "server tokens" })).toBe("The summary failed; the history is intact (server)");
});

test("each kind of condensation has its own mark", () => {
  expect(condensedBy("agent")).toBe("reset");
  expect(condensedBy(null)).toBe("reset");
  expect(condensedBy("capacity")).toBe("rescue");
  expect(condensedBy("provider_context_window")).toBe("rescue");
  for (const trigger of ["size", "tokens", "proactive", "host"] as const) expect(condensedBy(trigger)).toBe("summary");
});
