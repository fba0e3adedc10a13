// How a part of the page asks the kernel: when it is shown, and again while it is shown and things change.

import { useEffect, useRef, useState } from "preact/hooks";
import { type AnswerTo, type Asked, NoAnswer, type QuestionKind } from "../state/questions";
import { say } from "../words/say";
import { Link } from "./buttons";
import { useView } from "./context";

/** The same question is asked at most once in so many milliseconds. */
export const PACE = 500;

export interface Asking<A> {
  /** The latest answer; null until there is one. One that may be stale stays until the next comes. */
  readonly answer: A | null;
  /** Why the latest question has none. */
  readonly problem: NoAnswer | null;
  readonly again: () => void;
}

/** The answer to a question, asked anew when `when` changes: by default, whenever the log has grown. */
export function useAnswer<K extends QuestionKind>(question: Asked<K>, when?: unknown): Asking<AnswerTo<K>> {
  const { store } = useView();
  const { event_count, conversation_id } = store.traits;
  const what = `${conversation_id.value} ${JSON.stringify(question)}`;
  const changes = `${when ?? event_count.value} ${store.connection.value}`;
  const [heard, setHeard] = useState<{ what: string; answer: AnswerTo<K> | null; problem: NoAnswer | null } | null>(
    null,
  );
  const asker = useRef<{ what: string; repeats: Repeater } | null>(null);
  useEffect(() => {
    if (asker.current?.what !== what) {
      asker.current?.repeats.stop();
      const ask = async (isWanted: () => boolean) => {
        try {
          const answer = await store.ask(question);
          if (isWanted()) setHeard({ what, answer, problem: null });
        } catch (problem) {
          if (!(problem instanceof NoAnswer)) throw problem;
          if (isWanted()) setHeard((last) => ({ what, answer: last?.what === what ? last.answer : null, problem }));
        }
      };
      asker.current = { what, repeats: new Repeater(ask, PACE) };
    }
    asker.current.repeats.soon();
  }, [store, what, changes]);
  useEffect(() => () => asker.current?.repeats.stop(), []);
  const { answer, problem } = heard?.what === what ? heard : { answer: null, problem: null };
  return { answer, problem, again: () => asker.current?.repeats.soon() };
}

/** Does something that takes a while: never twice at a time, and at most once per `ms`. */
class Repeater {
  readonly #act: (isWanted: () => boolean) => Promise<void>;
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #busy = false;
  #again = false;
  #stopped = false;

  constructor(act: (isWanted: () => boolean) => Promise<void>, ms: number) {
    this.#act = act;
    this.#ms = ms;
  }

  soon(): void {
    if (this.#busy) this.#again = true;
    else this.#timer ??= setTimeout(() => this.#go(), Math.max(0, this.#last + this.#ms - Date.now()));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #go(): Promise<void> {
    this.#timer = undefined;
    this.#last = Date.now();
    this.#busy = true;
    this.#again = false;
    await this.#act(() => !this.#stopped);
    this.#busy = false;
    if (this.#again && !this.#stopped) this.soon();
  }
}

/** Says why there is no answer, and offers to ask again. */
export function NotAnswered({ problem, again }: { problem: NoAnswer; again: () => void }) {
  return (
    <p class="paws-muted">
      {say(`unanswered.${problem.why}`, { reason: problem.message })}{" "}
      <Link onClick={again}>{say("unanswered.again")}</Link>
    </p>
  );
}
