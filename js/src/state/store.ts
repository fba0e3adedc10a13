// What Python says, as signals. The only file that touches the anywidget model. Traits say what is, messages say what
// happened; messages can be lost, so the page compares numbers and asks again for what it lacks.
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { readTrait, readUpdate } from "../wire/check";
import { assertNever } from "../wire/exhaustive";
import type { Command, LogRecord, Traits, Update, UpdateOf } from "../wire/names";
import { newId } from "./ids";
import { accept, EMPTY, isWhole, type Log } from "./log";
import { Outbox } from "./outbox";
import { type AnswerTo, type Asked, type QuestionKind, Questions } from "./questions";
import { Resync } from "./resync";
import type { Transcript } from "./rows";
import { Texts } from "./texts";
import { TranscriptFold } from "./transcript";

/** The part of anywidget's model that the page uses. */
export interface Model {
  get(name: string): unknown;
  on(event: string, callback: (value?: unknown) => void): void;
  off(event: string, callback: (value?: unknown) => void): void;
  send(content: object): void;
}

type WithoutId<C> = C extends Command ? Omit<C, "id"> : never;
/** A command before it has its id. */
export type Wish = WithoutId<Command>;

const DEFAULTS: Traits = {
  status: "idle",
  detail: "",
  budget: { tokens: null, limit: null, fraction: null, counted: "unknown", limit_from: "unknown" },
  profile: "",
  title: "",
  read_only: "",
  event_count: 0,
  conversation_id: "",
  thresholds: [],
  waiting_for: "",
  notice: "",
  resumable: null,
};
const TRAITS = Object.keys(DEFAULTS) as (keyof Traits)[];

const NOTHING_WAITS = { waiting: [], granted: [] };
const SILENCE = { text: "", reasoning: "" };
/** After these many milliseconds without an answer the kernel may be gone. */
export const SILENT = 8_000;
/** While more of the log is to come, it is drawn at most once in so many milliseconds. */
const PIECES = 2_000;

export type TraitSignals = { readonly [K in keyof Traits]: ReadonlySignal<Traits[K]> };

export class Store {
  readonly traits: TraitSignals;
  readonly transcript: ReadonlySignal<Transcript>;
  /** Whether all that the kernel has told of is here. */
  readonly whole: ReadonlySignal<boolean>;
  /** Words of the reply that is coming now. */
  readonly streaming = signal(SILENCE);
  /** The last lines that running tools have put out, by action. */
  readonly tails = signal<ReadonlyMap<string, string>>(new Map());
  readonly approvals = signal<Pick<UpdateOf<"approvals">, "waiting" | "granted">>(NOTHING_WAITS);
  /** What the provider said when the last run failed. */
  readonly problem = signal<UpdateOf<"problem"> | null>(null);
  readonly texts = new Texts((question) => this.ask(question));
  /** `silent`: the kernel has not answered for a while. `gone`: it takes no messages any more. */
  readonly connection = signal<"live" | "silent" | "gone">("live");
  /** When status or detail last changed, in milliseconds of this page's clock. */
  readonly since = signal(Date.now());
  readonly outbox = new Outbox();

  readonly #questions = new Questions((command) => this.#post(command));
  readonly #model: Model;
  readonly #traits: { readonly [K in keyof Traits]: Signal<Traits[K]> };
  readonly #log = signal<Log>(EMPTY);
  /** The log as it is drawn: while a long one comes in pieces, not every piece. */
  readonly #drawn = signal<Log>(EMPTY);
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawLater: ReturnType<typeof setTimeout> | undefined;
  readonly #resync: Resync;
  readonly #listeners: [event: string, callback: (value?: unknown) => void][] = [];
  #fold = new TranscriptFold();
  #silence: ReturnType<typeof setTimeout> | undefined;
  #probing = false;

  constructor(model: Model) {
    this.#model = model;
    this.#traits = Object.fromEntries(TRAITS.map((name) => [name, signal(this.#read(name))])) as never;
    this.traits = this.#traits;
    this.transcript = computed(() => this.#rows(this.#drawn.value));
    this.whole = computed(() => isWhole(this.#log.value));
    this.#resync = new Resync(
      () => this.#lacksSomething(),
      () => this.#post({ kind: "replay", id: newId(), since: this.#log.value.records.length }),
    );
    for (const name of TRAITS) this.#listen(`change:${name}`, () => this.#onTrait(name));
    this.#listen("msg:custom", (content) => this.#onMessage(content));
    this.#listen("comm_live_update", () => this.#probe()); // the front end lost or found the kernel
    this.#log.value = { ...EMPTY, known: this.traits.event_count.value };
    this.#resync.now();
    document.addEventListener("visibilitychange", this.#onVisible);
  }

  /** The log, as far as it is here. */
  get records(): readonly LogRecord[] {
    return this.#log.value.records;
  }

  /** Whether something is under way: a run, or a summary that was asked for while the agent rests. */
  get working(): boolean {
    const { status, detail } = this.traits;
    return status.value === "running" || status.value === "waiting" || detail.value === "summary";
  }

  /** Whether Stop has something to stop: what is under way, or what a command may be about to begin. */
  get canStop(): boolean {
    const { read_only } = this.traits;
    const sent = this.outbox.sent.value;
    const begins = ["tell", "condense"];
    if (this.connection.value === "gone" || read_only.value !== "") return false;
    if (sent.some(({ command }) => command.kind === "stop")) return false;
    return this.working || sent.some(({ command, state }) => begins.includes(command.kind) && state !== "failed");
  }

  /** Sends a command and keeps it until its receipt comes; gives its id. */
  send(wish: Wish): string {
    const command = { ...wish, id: newId() } as Command;
    this.#send(command);
    return command.id;
  }

  /** Sends a command again that nobody has answered. The kernel knows it by its id. */
  again(id: string): void {
    const sent = this.outbox.sent.value.find((one) => one.command.id === id);
    if (sent !== undefined) this.#send(sent.command);
  }

  /** Asks the kernel something that changes nothing. Rejects with `NoAnswer`, at the latest after some 40 seconds. */
  ask<K extends QuestionKind>(question: Asked<K>): Promise<AnswerTo<K>> {
    return this.#questions.ask(question);
  }

  /** All words of one message of a request, or without a key the request as JSON. Rejects with `NoAnswer`. */
  async textOf(request: string, key: string | null): Promise<string> {
    const { sha256 } = await this.ask({ kind: "show", request, key });
    return this.texts.whole(sha256);
  }

  /** Stops listening. */
  close(): void {
    for (const [event, callback] of this.#listeners) this.#model.off(event, callback);
    document.removeEventListener("visibilitychange", this.#onVisible);
    clearTimeout(this.#silence);
    clearTimeout(this.#drawLater);
    this.#resync.stop();
    this.outbox.clear();
    this.#questions.clear();
  }

  #listen(event: string, callback: (value?: unknown) => void): void {
    this.#model.on(event, callback);
    this.#listeners.push([event, callback]);
  }

  #read<K extends keyof Traits>(name: K): Traits[K] {
    return readTrait(name, this.#model.get(name), DEFAULTS[name]);
  }

  readonly #onVisible = (): void => {
    if (!document.hidden) this.#resync.now(); // the machine may have slept
  };

  #send(command: Command): void {
    this.outbox.add(command);
    const error = this.#post(command);
    if (error !== null) this.outbox.fail(command, error);
  }

  /** Hands a command to the front end; gives the reason if it cannot even do that. */
  #post(command: Command): string | null {
    try {
      this.#model.send(command);
      this.#silence ??= setTimeout(() => this.#onSilence(), SILENT);
      return null;
    } catch (error) {
      this.connection.value = "gone";
      return error instanceof Error ? error.message : String(error);
    }
  }

  #lacksSomething(): boolean {
    const noCard = this.traits.status.value === "waiting" && this.approvals.value.waiting.length === 0;
    return noCard || !isWhole(this.#log.value);
  }

  #onSilence(): void {
    this.#silence = undefined;
    const waits = this.#probing || this.#lacksSomething() || this.outbox.sent.value.some((one) => one.state === "slow");
    if (waits && this.connection.value === "live") this.connection.value = "silent";
    for (const command of this.outbox.again()) this.#post(command);
  }

  #probe(): void {
    this.#probing = true;
    this.#resync.now();
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#probing = false;
    this.connection.value = "live";
  }

  #onTrait<K extends keyof Traits>(name: K): void {
    batch(() => {
      this.#heard();
      const value = this.#read(name);
      if (name === "conversation_id" && value !== this.#traits[name].value) this.#startOver();
      this.#traits[name].value = value;
      if (name === "status" || name === "detail") this.since.value = Date.now();
      if (name === "event_count") this.#know(this.traits.event_count.value);
      if (name === "status") {
        if (value !== "running" && value !== "waiting") this.streaming.value = SILENCE;
        if (value === "running") this.problem.value = null;
      }
    });
    if (name === "conversation_id") this.#resync.now();
    else this.#resync.soon();
  }

  #know(count: number): void {
    if (count > this.#log.value.known) this.#log.value = { ...this.#log.value, known: count };
  }

  #startOver(): void {
    this.#log.value = EMPTY;
    this.#drawn.value = EMPTY;
    this.#drawnAt = Number.NEGATIVE_INFINITY;
    this.streaming.value = SILENCE;
    this.tails.value = new Map();
    this.approvals.value = NOTHING_WAITS;
    this.problem.value = null;
    this.texts.clear();
    this.#questions.clear();
    this.outbox.clear();
  }

  #onMessage(content: unknown): void {
    const update = readUpdate(content);
    if (update === undefined) return;
    batch(() => {
      this.#heard();
      this.#apply(update);
    });
    this.#resync.soon();
  }

  #apply(update: Update): void {
    switch (update.kind) {
      case "events":
        if (update.conversation_id === this.traits.conversation_id.value) this.#append(update);
        break;
      case "delta": {
        const { text, reasoning } = this.streaming.value;
        if (update.what === "restart") this.streaming.value = SILENCE;
        else if (update.what === "text") this.streaming.value = { text: text + update.text, reasoning };
        else this.streaming.value = { text, reasoning: reasoning + update.text };
        break;
      }
      case "ack":
      case "refused":
        this.outbox.receive(update);
        if (update.kind === "refused") this.#questions.receive(update);
        break;
      case "output":
        this.tails.value = new Map(this.tails.value).set(update.action_id, update.text);
        break;
      case "approvals":
        this.approvals.value = update;
        break;
      case "chunk":
      case "request":
      case "comparison":
      case "shown":
      case "timeline":
      case "weight":
      case "notes":
      case "state":
      case "conversations":
      case "examined":
        this.#questions.receive(update);
        break;
      case "problem":
        this.problem.value = update;
        break;
      default:
        assertNever(update);
    }
  }

  #append(update: UpdateOf<"events">): void {
    const before = this.#log.value;
    const log = accept(before, update);
    this.#log.value = log;
    if (log.records === before.records) return;
    this.#draw();
    this.#resync.progress();
    for (const record of log.records.slice(before.records.length)) this.#settle(record);
  }

  /** Draws the log: at once when it is whole, else now and then. */
  #draw(): void {
    clearTimeout(this.#drawLater);
    const wait = isWhole(this.#log.value) ? 0 : this.#drawnAt + PIECES - Date.now();
    if (wait > 0) {
      this.#drawLater = setTimeout(() => this.#draw(), wait);
      return;
    }
    this.#drawnAt = Date.now();
    this.#drawn.value = this.#log.value;
  }

  /** What a new record makes obsolete. */
  #settle(record: LogRecord): void {
    if (record.kind === "UnknownRecord") return;
    if (record.command_id !== null) this.outbox.drop(record.command_id);
    if (record.kind === "ResponseEvent" || record.kind === "UsageEvent") this.streaming.value = SILENCE;
    if ("action_id" in record && typeof record.action_id === "string" && this.tails.value.has(record.action_id)) {
      const tails = new Map(this.tails.value);
      tails.delete(record.action_id);
      this.tails.value = tails;
    }
  }

  #rows({ records, leftOut }: Log): Transcript {
    if (!this.#fold.isStartOf(records)) this.#fold = new TranscriptFold();
    for (let at = this.#fold.length; at < records.length; at += 1) {
      const record = records[at];
      if (record !== undefined) this.#fold.add(record, leftOut.get(at));
    }
    return this.#fold.snapshot();
  }
}
