// Large texts that did not come along with their records: asked for piece by piece, when someone wants to read them.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Command, LeftOut, UpdateOf } from "../wire/names";
import { newId } from "./ids";

/** Characters that are asked for at a time. */
const PIECE = 262_144;

type Question = Extract<Command, { kind: "fetch" }>;

export interface FetchedText {
  readonly text: string;
  /** The length of all of it, in characters as Python counts them. */
  readonly total: number;
  /** Why no more of it comes; empty while it does. */
  readonly problem: string;
}

export class Texts {
  readonly #texts = signal<ReadonlyMap<string, FetchedText>>(new Map());
  /** Which text a question was about, by the id of the question. */
  readonly #questions = new Map<string, string>();
  readonly #ask: (question: Question) => void;

  constructor(ask: (question: Question) => void) {
    this.#ask = ask;
  }

  /** What was asked for so far, by its sha256. */
  get all(): ReadonlySignal<ReadonlyMap<string, FetchedText>> {
    return this.#texts;
  }

  fetch({ sha256, chars }: LeftOut): void {
    if (this.#texts.value.has(sha256)) return;
    this.#set(sha256, { text: "", total: chars, problem: "" });
    this.#askFrom(sha256, 0);
  }

  receive({ sha256, offset, text, total }: UpdateOf<"chunk">): void {
    const have = this.#texts.value.get(sha256);
    if (have === undefined || offset !== lengthOf(have.text)) return; // not asked for, or heard before
    this.#set(sha256, { text: have.text + text, total, problem: "" });
    const next = offset + lengthOf(text);
    if (next < total && text !== "") this.#askFrom(sha256, next);
  }

  refuse({ id, text: problem }: UpdateOf<"refused">): void {
    const sha256 = this.#questions.get(id) ?? "";
    const have = this.#texts.value.get(sha256);
    if (have !== undefined) this.#set(sha256, { ...have, problem });
  }

  clear(): void {
    this.#texts.value = new Map();
    this.#questions.clear();
  }

  #set(sha256: string, text: FetchedText): void {
    this.#texts.value = new Map(this.#texts.value).set(sha256, text);
  }

  #askFrom(sha256: string, offset: number): void {
    const id = newId();
    this.#questions.set(id, sha256);
    this.#ask({ kind: "fetch", id, sha256, offset, length: PIECE });
  }
}

function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
