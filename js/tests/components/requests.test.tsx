import { expect, test, vi } from "vitest";
import type { Command, Update, UpdateOf } from "../../src/wire/names";
import { firstReset } from "../samples";
import { drawn, page } from "./page";

type Line = UpdateOf<"request">["fixed"][number];

const line = (what: Line["what"], text: string, more: Partial<Line> = {}): Line => ({
  key: `${what} ${text}`,
  what,
  role: what === "result" ? "tool" : "user",
  event_ids: [firstReset[2]?.id ?? ""],
  text,
  chars: text.length,
  images: 0,
  tokens: 12,
  state: "read",
  gone: false,
  ...more,
});

const list = (lines: Line[], total = lines.length, start = 0) => ({ start, total, tokens: 12 * total, lines });
const LONG = "many words ".repeat(50);
const SHA = "e".repeat(64);

const reset = { how: "condense", due: null, refused: "", gone: 1, gone_tokens: 12, tokens: 60 } as const;

function answerTo(command: Command, change: Partial<UpdateOf<"request">["reset"]>): Update | undefined {
  switch (command.kind) {
    case "next_request":
      return {
        kind: "request",
        id: command.id,
        fixed: [line("system", "You help.", { key: "fixed system", role: "system" })],
        messages: list(
          [
            line("result", LONG.slice(0, 300), { gone: true, chars: LONG.length, key: "long" }),
            line("user", "And now?", { state: "unread" }),
            line("warning", "75%", { state: "due" }),
          ],
          120,
          command.start ?? 117,
        ),
        tokens: 1_500,
        budget: { tokens: 800, limit: 1_000, fraction: 0.8, counted: "measured", limit_from: "profile" },
        reset: { ...reset, after: list([line("notice", "Afresh."), line("user", "And now?")]), ...change },
      };
    case "compare":
      return {
        kind: "comparison",
        id: command.id,
        left: 2,
        stayed: 3,
        came: 1,
        lines: list([line("user", `${command.part} ${command.older} ${command.newer}`, { key: "changed" })]),
        changed: command.part === "came" ? ["changed"] : [],
        fixed: [],
        models: ["a", "b"],
      };
    case "show":
      return { kind: "shown", id: command.id, sha256: SHA, chars: LONG.length };
    case "fetch":
      return { kind: "chunk", id: command.id, sha256: SHA, offset: 0, text: LONG, total: LONG.length };
    default:
      return undefined;
  }
}

async function opened(tab: string, change: Partial<UpdateOf<"request">["reset"]> = {}) {
  const made = await page(firstReset, { profile: "practice" });
  const hear = made.kernel.hear.bind(made.kernel);
  made.kernel.hear = (command) => {
    const answer = answerTo(command, change);
    if (answer === undefined) hear(command);
    else made.kernel.tell(answer);
  };
  made.button(tab).click();
  await vi.waitFor(() => expect(made.root.querySelector(".paws-sent")).not.toBeNull());
  await drawn();
  const texts = (selector: string) => [...made.root.querySelectorAll(selector)].map(({ textContent }) => textContent);
  return { ...made, texts };
}

test("each message says what it is, about how many tokens, and what becomes of it, in words", async () => {
  const { texts, root } = await opened("Next request");
  const [, long, unread, due] = texts(".paws-sent");
  expect(long).toMatch(/^Tool result.*tool, about 12 tokens.*a reset would drop it/);
  expect(unread).toContain("not read yet");
  expect(due).toContain("would be given now");
  expect(root.querySelector(".paws-instrument")?.textContent).toContain("about 1,500 tokens");
});

test("of a long request a page is drawn, and the others on demand", async () => {
  const { texts, button, sent } = await opened("Next request");
  expect(texts(".paws-pager span")).toEqual(["118 to 120 of 120"]);
  button("Show earlier").click();
  await drawn();
  await vi.waitFor(() => expect(sent("next_request").at(-1)).toMatchObject({ start: 67 }));
});

test("all words of a long message come when they are wanted", async () => {
  const { root, button } = await opened("Next request");
  expect(root.querySelector(".paws-sent pre")).toBeNull();
  button("Show all 550 characters").click();
  await vi.waitFor(() => expect(root.querySelector(".paws-sent pre")?.textContent).toBe(LONG));
});

test("the rehearsed request stands beside the next one", async () => {
  const { texts, button } = await opened("Next request");
  expect(texts(".paws-sides > div")).toHaveLength(1);
  button("Rehearse a reset").click();
  await drawn();
  expect(texts(".paws-sides > div")[1]).toMatch(/^After a reset, about 60 tokens.*Reset notice/);
});

test.each([
  [{ how: "summary", after: null } as const, "its words are not known beforehand."],
  [{ how: "nothing", after: null } as const, "Nothing would be taken out"],
  [{ refused: "Not now.", after: null }, "A reset would be refused now: Not now."],
])("what nobody can know beforehand is said, not invented: %j", async (change, said) => {
  const { root, texts, button } = await opened("Next request", change);
  button("Rehearse a reset").click();
  await drawn();
  expect(root.querySelector(".paws-instrument")?.textContent).toContain(said);
  expect(texts(".paws-sides > div")).toHaveLength(1);
});

test("a summary that is due before the request goes out is told", async () => {
  const { root } = await opened("Next request", { due: "size" });
  expect(root.querySelector(".paws-instrument strong")?.textContent).toContain("A summary is due");
});

test("a message leads to its row in the transcript", async () => {
  const { root, button } = await opened("Next request");
  button("User").click();
  await drawn();
  expect(root.querySelector("[role=tab][aria-selected=true]")?.textContent).toBe("Transcript");
  expect(root.querySelector("[data-found]")).not.toBeNull();
});

test("the last two requests are compared, or the two around the last reset, or any two", async () => {
  const { texts, button, sent, root } = await opened("Changes");
  const asked = () => sent("compare").at(-1) as Extract<Command, { kind: "compare" }> | undefined;
  const ids = firstReset.flatMap((record) => (record.kind === "ResponseEvent" ? [record.id] : []));
  expect(asked()).toMatchObject({ older: ids.at(-2), newer: ids.at(-1) });
  expect(texts(".paws-change summary")).toEqual(["2 messages left", "1 message came", "3 messages stayed"]);
  expect(texts(".paws-change .paws-sent")).toHaveLength(2); // what stayed is folded
  expect(texts("[data-part=came] .paws-sent-mark")).toEqual(["other words"]);
  expect(root.querySelector(".paws-instrument")?.textContent).toContain("The model changed from a to b.");
  button("Around the last reset").click();
  await vi.waitFor(() => expect(asked()?.older).not.toBe(ids.at(-2)));
  const number = root.querySelectorAll<HTMLInputElement>("[type=number]")[1] as HTMLInputElement;
  number.value = number.max;
  number.dispatchEvent(new Event("change", { bubbles: true }));
  await vi.waitFor(() => expect(asked()).toMatchObject({ newer: null }));
  number.value = "100000";
  number.dispatchEvent(new Event("change", { bubbles: true }));
  await drawn();
  expect(number.value).toBe(number.max);
});
