import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeKernel } from "../../harness/fake";
import { MOST, NoAnswer, WAITS } from "../../src/state/questions";
import { Store } from "../../src/state/store";
import type { Update } from "../../src/wire/names";

beforeEach(() => {
  vi.useFakeTimers();
});

const open: Store[] = [];
afterEach(() => {
  for (const store of open.splice(0)) store.close();
  vi.useRealTimers();
});

function pair() {
  const kernel = new FakeKernel();
  kernel.hear = () => {};
  const store = new Store(kernel.model);
  open.push(store);
  const asked = () => kernel.model.sent.filter(({ kind }) => kind === "fetch");
  const ask = () => store.ask({ kind: "fetch", sha256: "a".repeat(64), offset: 0, length: 10 });
  const chunk = (id: string, text = "words"): Update => ({
    kind: "chunk",
    id,
    sha256: "a".repeat(64),
    offset: 0,
    text,
    total: 5,
  });
  return { kernel, store, ask, asked, chunk };
}

test("a question gets its own answer, whatever else arrives and in whatever order", async () => {
  const { kernel, ask, asked, chunk } = pair();
  const [first, second] = [ask(), ask()];
  const [a, b] = asked();
  kernel.tell(chunk("another page's"));
  kernel.tell(chunk(b?.id ?? "", "second"));
  kernel.tell(chunk(a?.id ?? "", "first"));
  kernel.tell(chunk(a?.id ?? "", "heard before"));
  expect((await first).text).toBe("first");
  expect((await second).text).toBe("second");
});

test("F-33: a question whose answer is lost is asked again under the same id, a few times and no more", async () => {
  const { ask, asked } = pair();
  const silence = ask().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(await silence).toMatchObject({ why: "unanswered" });
  expect(asked()).toHaveLength(WAITS.length);
  expect(new Set(asked().map(({ id }) => id)).size).toBe(1);
});

test("an answer to the second asking is the answer, and nothing is asked after it", async () => {
  const { kernel, ask, asked, chunk } = pair();
  const answer = ask();
  await vi.advanceTimersByTimeAsync(WAITS[0] ?? 0);
  expect(asked()).toHaveLength(2);
  kernel.tell(chunk(asked()[1]?.id ?? ""));
  expect((await answer).text).toBe("words");
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(asked()).toHaveLength(2);
});

test("a question that is turned down says why", async () => {
  const { kernel, ask, asked } = pair();
  const answer = ask().catch((error: unknown) => error);
  kernel.tell({ kind: "refused", id: asked()[0]?.id ?? "", code: "not_found", text: "It is gone.", status: 404 });
  const error = await answer;
  expect(error).toBeInstanceOf(NoAnswer);
  expect(error).toMatchObject({ why: "refused", message: "It is gone." });
});

test("a question that cannot even be sent fails at once", async () => {
  const { kernel, ask } = pair();
  kernel.model.onSend = () => {
    throw new Error("no kernel");
  };
  await expect(ask()).rejects.toMatchObject({ why: "unsent" });
});

test("no more questions wait than there is room for", async () => {
  const { ask, asked } = pair();
  const all = Array.from({ length: MOST }, () => ask().catch(() => null));
  await expect(ask()).rejects.toMatchObject({ why: "dropped" });
  expect(asked()).toHaveLength(MOST);
  open[0]?.close();
  await Promise.all(all);
});

test.each(["another conversation", "closing"])("%s drops what is asked", async (how) => {
  const { kernel, store, ask } = pair();
  const answer = ask();
  if (how === "closing") store.close();
  else kernel.set({ conversation_id: "other" });
  await expect(answer).rejects.toMatchObject({ why: "dropped" });
});
