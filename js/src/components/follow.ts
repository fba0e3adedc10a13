// Keeps a scrolling box at its end while its reader wants that. A reader leaves the end by scrolling up, or by unfolding
// something; content that grows or shrinks moves the box too, but means nothing.

/** This near to the end counts as being there, in pixels. */
const NEAR = 32;

export class Follower {
  #follows = true;
  #top = 0;
  #size = "";
  readonly #box: HTMLElement;
  readonly #changed: (follows: boolean) => void;
  readonly #ending = new AbortController();

  constructor(box: HTMLElement, content: HTMLElement, changed: (follows: boolean) => void) {
    this.#box = box;
    this.#changed = changed;
    const observer = new ResizeObserver(() => this.#onResize());
    observer.observe(box);
    observer.observe(content);
    const { signal } = this.#ending;
    signal.addEventListener("abort", () => observer.disconnect());
    box.addEventListener("scroll", () => this.#onScroll(), { signal });
    box.addEventListener("click", (event) => this.#onClick(event), { signal });
    this.#settle();
  }

  /** Go to the end and stay there. */
  toEnd(): void {
    this.#set(true);
    this.#settle();
  }

  /** Go to something that is not at the end, also while the box is about to be shown. */
  leave(): void {
    this.#set(false);
  }

  stop(): void {
    this.#ending.abort();
  }

  get #atEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#box;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }

  #onResize(): void {
    if (this.#atEnd) this.#set(true);
    this.#settle();
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    const byReader = this.#size === `${scrollHeight} ${clientHeight}`;
    if (this.#atEnd) this.#set(true);
    else if (byReader && scrollTop < this.#top) this.#set(false);
    this.#settle();
  }

  #onClick({ target }: Event): void {
    const details = target instanceof Element ? target.closest("summary")?.parentElement : undefined;
    if (details instanceof HTMLDetailsElement && !details.open) this.#set(false); // it opens, and that is what they want to see
  }

  #settle(): void {
    const box = this.#box;
    if (this.#follows) box.scrollTop = box.scrollHeight;
    this.#top = box.scrollTop;
    this.#size = `${box.scrollHeight} ${box.clientHeight}`;
  }

  #set(follows: boolean): void {
    if (follows === this.#follows) return;
    this.#follows = follows;
    this.#changed(follows);
  }
}
