// What only this view knows: what is being typed, and which part of the transcript it shows.
import { signal } from "@preact/signals";

/** How many rows are drawn at a time; older ones come on demand. */
export const PAGE = 200;
const STEP = 50;

export class Page {
  readonly draft = signal("");
  /** Goes up when the focus should be where one types. */
  readonly wantsFocus = signal(0);
  /** Goes up when the end of the transcript should be in view: the person has just said something. */
  readonly wantsEnd = signal(0);
  /** The view is at the end of the transcript and stays there. */
  readonly follows = signal(true);
  /** The first row that is drawn; null means the last page, which moves on as rows come. */
  readonly #from = signal<number | null>(null);

  /** The first row to draw, of so many. It moves in steps, so that a new row does not take away another each time. */
  first(rows: number): number {
    const from = this.#from.value ?? Math.floor(Math.max(0, rows - PAGE) / STEP) * STEP;
    return Math.min(from, Math.max(0, rows - 1));
  }

  /** The view was scrolled: while it is not at the end, nothing above may vanish. */
  scrolled(atEnd: boolean, rows: number): void {
    if (atEnd === this.follows.value) return;
    this.#from.value = atEnd ? null : this.first(rows);
    this.follows.value = atEnd;
  }

  earlier(rows: number): void {
    this.#from.value = Math.max(0, this.first(rows) - PAGE);
  }
}
