// When to ask the kernel for what is missing: a moment after something seems to be, since it may just be late, and then again
// at growing distances, since a kernel that is busy answers everything at the end.

const GRACE = 150;
const LONGEST = 30_000;

export class Resync {
  readonly #behind: () => boolean;
  readonly #ask: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wait = GRACE;

  /** `behind` says whether something is missing, `ask` asks for it. */
  constructor(behind: () => boolean, ask: () => void) {
    this.#behind = behind;
    this.#ask = ask;
  }

  /** Ask whatever seems to be missing: the page has just come to life. */
  now(): void {
    this.stop();
    this.#wait = 1_000;
    this.#ask();
    this.soon();
  }

  /** Ask if something is still missing after a while. */
  soon(): void {
    if (this.#timer !== undefined || !this.#behind()) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#behind()) {
        this.#wait = GRACE;
        return;
      }
      this.#wait = Math.min(Math.max(this.#wait * 2, 1_000), LONGEST);
      this.#ask();
      this.soon();
    }, this.#wait);
  }

  /** Something that was missing came: the next question need not wait long. */
  progress(): void {
    this.stop();
    this.#wait = GRACE;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
