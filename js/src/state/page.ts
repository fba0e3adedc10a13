// What only this view knows: what is being typed and searched, and which part of the transcript it shows.
import { signal } from "@preact/signals";

/** How many rows are drawn at a time; older ones come on demand. */
export const PAGE = 200;
const STEP = 50;

export class Page {
  /** The panel that is shown, by its id. */
  readonly panel = signal("transcript");
  readonly draft = signal("");
  /** Words that are searched for; null while nobody searches. */
  readonly search = signal<string | null>(null);
  /** The key of the row that the search stands at. */
  readonly found = signal<string | null>(null);
  /** Goes up when that row should be in view. */
  readonly wantsFound = signal(0);
  /** Money is shown only to who asks for it. */
  readonly money = signal(false);
  /** Messages that are taken back in order to be written anew. */
  readonly #edited = new Set<string>();
  #fork: { readonly id: string; readonly text: string } | null = null;
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

  /** Makes sure that a row is drawn; the view stays there. */
  reveal(row: number): void {
    this.follows.value = false;
    this.#from.value = Math.min(this.#from.value ?? row, Math.floor(row / STEP) * STEP);
  }

  /** Shows a row of the transcript, whatever is shown now. */
  goTo(row: number, key: string): void {
    this.panel.value = "transcript";
    this.reveal(row);
    this.found.value = key;
    this.wantsFound.value += 1;
  }

  /** This message is being taken back, and its words shall come into the box. */
  edit(id: string): void {
    this.#edited.add(id);
  }

  /** A message was taken back; if that was for an edit, its words are in the box now, behind what stands there. */
  withdrawn(id: string, text: string): void {
    if (!this.#edited.delete(id)) return;
    const draft = this.draft.value.trimEnd();
    this.draft.value = draft === "" ? text : `${draft}\n\n${text}`;
    this.wantsFocus.value += 1;
  }

  /** A fork was asked for from before a message, whose words shall then stand in the box. */
  fork(id: string, text: string): void {
    this.#fork = { id, text };
  }

  /** These commands were refused. */
  refused(ids: readonly string[]): void {
    if (this.#fork !== null && ids.includes(this.#fork.id)) this.#fork = null;
  }

  /** Another conversation is shown: the fork, if one was asked for. */
  moved(): void {
    if (this.#fork === null) return;
    this.draft.value = this.#fork.text;
    this.#fork = null;
    this.wantsFocus.value += 1;
  }

  earlier(rows: number): void {
    this.#from.value = Math.max(0, this.first(rows) - PAGE);
  }
}
