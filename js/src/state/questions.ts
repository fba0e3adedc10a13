// What this page wants to know and has not heard yet. A question changes nothing, so one that stays without an answer is simply
// asked again, at growing distances and only a few times: a kernel that is busy answers everything at the end.
import type { Command, Update, UpdateOf } from "../wire/names";
import { newId } from "./ids";

/** The kind of the answer to each kind of question. */
interface Answers {
  fetch: "chunk";
  next_request: "request";
  compare: "comparison";
  show: "shown";
  timeline: "timeline";
  weight: "weight";
  notes: "notes";
  state: "state";
  conversations: "conversations";
  export: "shown";
  examine: "examined";
}
export type QuestionKind = keyof Answers;
export type AnswerTo<K extends QuestionKind> = UpdateOf<Answers[K]>;
type AskedOf<C, K> = C extends { kind: K } ? Omit<C, "id"> : never;
/** A question before it has its id. */
export type Asked<K extends QuestionKind = QuestionKind> = AskedOf<Command, K>;
export type Answer = AnswerTo<QuestionKind>;

/** When to ask again, and in the end to give up, in milliseconds since the time before. */
export const WAITS = [3_000, 9_000, 30_000];
/** No more questions than these wait for an answer at a time. */
export const MOST = 32;

export type Silence = "refused" | "unanswered" | "unsent" | "dropped";

/** Why there is no answer: turned down (then `message` says why), none came, not sent, or nobody wants it any more. */
export class NoAnswer extends Error {
  readonly why: Silence;

  constructor(why: Silence, message = "") {
    super(message);
    this.why = why;
  }
}

interface Open {
  readonly command: Command;
  readonly settle: (answer: Update | NoAnswer) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
  tries: number;
}

export class Questions {
  readonly #post: (command: Command) => string | null;
  readonly #open = new Map<string, Open>();

  /** `post` sends a command, or gives the reason why not. */
  constructor(post: (command: Command) => string | null) {
    this.#post = post;
  }

  /** The answer. Rejects with `NoAnswer`. */
  ask<K extends QuestionKind>(asked: Asked<K>): Promise<AnswerTo<K>> {
    return new Promise((resolve, reject) => {
      const command = { ...(asked as Asked), id: newId() } as Command;
      const settle = (answer: Update | NoAnswer) => {
        if (answer instanceof NoAnswer) reject(answer);
        else resolve(answer as AnswerTo<K>);
      };
      if (this.#open.size >= MOST) settle(new NoAnswer("dropped"));
      else this.#send({ command, settle, timer: undefined, tries: 0 });
    });
  }

  receive(answer: Answer | UpdateOf<"refused">): void {
    this.#close(answer.id, answer.kind === "refused" ? new NoAnswer("refused", answer.text) : answer);
  }

  /** Nobody waits for an answer any more. */
  clear(): void {
    for (const id of [...this.#open.keys()]) this.#close(id, new NoAnswer("dropped"));
  }

  #send(open: Open): void {
    const { id } = open.command;
    this.#open.set(id, open);
    const problem = this.#post(open.command);
    if (problem !== null) {
      this.#close(id, new NoAnswer("unsent", problem));
      return;
    }
    const wait = WAITS[open.tries];
    open.tries += 1;
    const last = open.tries >= WAITS.length;
    open.timer = setTimeout(() => {
      if (last) this.#close(id, new NoAnswer("unanswered"));
      else this.#send(open);
    }, wait);
  }

  #close(id: string, answer: Update | NoAnswer): void {
    const open = this.#open.get(id);
    if (open === undefined) return; // of another page, or heard before
    clearTimeout(open.timer);
    this.#open.delete(id);
    open.settle(answer);
  }
}
