// A kernel that is none: the model of anywidget as the page sees it, and behind it a log that answers replays. Used by the
// tests and by the harness page.
import type { Model } from "../src/state/store";
import type { Command, LogRecord, Traits, Update } from "../src/wire/names";

type Callback = (value?: unknown) => void;

export class FakeModel implements Model {
  readonly values = new Map<string, unknown>();
  /** What the page has sent, oldest first. */
  readonly sent: Command[] = [];
  /** Called with each command; throws to play a front end that has lost its kernel. */
  onSend: (command: Command) => void = () => {};
  readonly #callbacks = new Map<string, Set<Callback>>();

  get(name: string): unknown {
    return this.values.get(name);
  }

  on(event: string, callback: Callback): void {
    const callbacks = this.#callbacks.get(event) ?? new Set();
    this.#callbacks.set(event, callbacks.add(callback));
  }

  off(event: string, callback: Callback): void {
    this.#callbacks.get(event)?.delete(callback);
  }

  send(content: object): void {
    this.onSend(content as Command);
    this.sent.push(content as Command);
  }

  emit(event: string, value?: unknown): void {
    for (const callback of [...(this.#callbacks.get(event) ?? [])]) callback(value);
  }

  /** How many listeners there are: none must be left behind. */
  get listeners(): number {
    return [...this.#callbacks.values()].reduce((sum, callbacks) => sum + callbacks.size, 0);
  }
}

/** Holds a log, tells the page of it, and answers what the page asks. */
export class FakeKernel {
  readonly model = new FakeModel();
  readonly log: LogRecord[] = [];
  conversation: string;

  constructor(records: readonly LogRecord[] = [], traits: Partial<Traits> = {}) {
    this.conversation = traits.conversation_id ?? "conversation";
    this.log.push(...records);
    this.set({ conversation_id: this.conversation, event_count: this.log.length, ...traits });
    this.model.onSend = (command) => this.hear(command);
  }

  set(traits: Partial<Traits>): void {
    for (const [name, value] of Object.entries(traits)) {
      this.model.values.set(name, value);
      this.model.emit(`change:${name}`);
    }
  }

  tell(update: Update): void {
    this.model.emit("msg:custom", update);
  }

  /** Adds records to the log and publishes them. */
  append(...records: LogRecord[]): void {
    const start = this.log.length;
    this.log.push(...records);
    this.publish(start);
    this.set({ event_count: this.log.length });
  }

  publish(start: number, end = this.log.length): void {
    const events = this.log.slice(start, end) as never[];
    this.tell({ kind: "events", conversation_id: this.conversation, start, events, left_out: [] });
  }

  /** What happens to a command; a test or a scene may put something else in its place. */
  hear(command: Command): void {
    if (command.kind === "replay") this.publish(command.since);
    else this.tell({ kind: "ack", id: command.id, text: "" });
  }
}
