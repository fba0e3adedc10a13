// Large texts that did not come along with their records: asked for piece by piece, when someone wants to read them.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { LeftOut } from "../wire/names";
import { type AnswerTo, type Asked, NoAnswer } from "./questions";

/** Characters that are asked for at a time. */
const PIECE = 262_144;

export interface FetchedText {
  readonly text: string;
  /** The length of all of it, in characters as Python counts them. */
  readonly total: number;
  /** Why no more of it comes; null while it does. */
  readonly problem: NoAnswer | null;
}

export class Texts {
  readonly #texts = signal<ReadonlyMap<string, FetchedText>>(new Map());
  readonly #ask: (question: Asked<"fetch">) => Promise<AnswerTo<"fetch">>;

  constructor(ask: (question: Asked<"fetch">) => Promise<AnswerTo<"fetch">>) {
    this.#ask = ask;
  }

  /** What was asked for so far, by its sha256. */
  get all(): ReadonlySignal<ReadonlyMap<string, FetchedText>> {
    return this.#texts;
  }

  /** Asks for all of a text, piece by piece; a second time only where the first one failed. */
  async fetch({ sha256, chars }: LeftOut): Promise<void> {
    if (this.#texts.value.get(sha256)?.problem === null) return;
    let have: FetchedText = { text: "", total: chars, problem: null };
    this.#set(sha256, have);
    try {
      for (let offset = 0; ; ) {
        const { text, total } = await this.#ask({ kind: "fetch", sha256, offset, length: PIECE });
        if (this.#texts.value.get(sha256) !== have) return; // nobody wants it any more
        have = { text: have.text + text, total, problem: null };
        this.#set(sha256, have);
        offset += lengthOf(text);
        if (offset >= total || text === "") return;
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (this.#texts.value.get(sha256) === have) this.#set(sha256, { ...have, problem: error });
    }
  }

  /** All of a text, which is not kept. Rejects with `NoAnswer`. */
  async whole(sha256: string): Promise<string> {
    let text = "";
    for (let offset = 0; ; ) {
      const piece = await this.#ask({ kind: "fetch", sha256, offset, length: PIECE });
      text += piece.text;
      offset += lengthOf(piece.text);
      if (offset >= piece.total || piece.text === "") return text;
    }
  }

  clear(): void {
    this.#texts.value = new Map();
  }

  #set(sha256: string, text: FetchedText): void {
    this.#texts.value = new Map(this.#texts.value).set(sha256, text);
  }
}

/** The length in characters as Python counts them. */
export function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
