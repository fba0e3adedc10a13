// What this page has asked for and not heard of yet. A command's id makes it safe to send again (R-STOP-14).
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Command, UpdateOf } from "../wire/names";

/** After these many milliseconds without a receipt the page says so. */
export const SLOW = 1_000;
/** So often is a command sent again by itself that nobody answered: its message, or the receipt, may be lost. */
const REPEATS = 3;

/** `accepted`: received, but its record is not in the log yet. `failed`: refused, or not sent at all. */
export interface Sent {
  readonly command: Command;
  readonly state: "sent" | "slow" | "accepted" | "failed";
  readonly reason: string;
}

/** Something that the person should know about a command: done, or why not. */
export interface Notice {
  readonly id: string;
  readonly tone: "info" | "error";
  readonly text: string;
}

export class Outbox {
  readonly #sent = signal<readonly Sent[]>([]);
  readonly #notices = signal<readonly Notice[]>([]);
  readonly #repeats = new Map<string, number>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  get sent(): ReadonlySignal<readonly Sent[]> {
    return this.#sent;
  }

  get notices(): ReadonlySignal<readonly Notice[]> {
    return this.#notices;
  }

  /** A command went out, for the first time or again. */
  add(command: Command): void {
    this.drop(command.id);
    this.#sent.value = [...this.#sent.value, { command, state: "sent", reason: "" }];
    if (command.kind === "condense") return; // it is answered when its summary is made, which takes its time
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#change(command.id, ["sent"], { state: "slow" });
    }, SLOW);
    this.#timers.add(timer);
  }

  /** It did not go out, or it was turned down. A message keeps its place, so that no words are lost. */
  fail(command: Command, reason: string): void {
    if (command.kind === "tell") this.#change(command.id, null, { state: "failed", reason });
    else {
      this.drop(command.id);
      this.#notice({ id: command.id, tone: "error", text: reason });
    }
  }

  /** Commands that should go out once more, since the kernel has been silent for long. */
  again(): readonly Command[] {
    const late = this.#sent.value.filter(({ command, state }) => state === "slow" && this.#repeated(command) < REPEATS);
    for (const { command } of late) this.#repeats.set(command.id, this.#repeated(command) + 1);
    return late.map(({ command }) => command);
  }

  #repeated({ id }: Command): number {
    return this.#repeats.get(id) ?? 0;
  }

  receive(receipt: UpdateOf<"ack" | "refused">): void {
    const sent = this.#sent.value.find((one) => one.command.id === receipt.id);
    if (sent === undefined) return; // of another page, or heard before
    if (receipt.kind === "refused") this.fail(sent.command, receipt.text);
    else if (sent.command.kind === "tell") this.#change(receipt.id, ["sent", "slow"], { state: "accepted" });
    else {
      this.drop(receipt.id);
      if (receipt.text !== "" && sent.command.kind !== "stop")
        this.#notice({ id: receipt.id, tone: "info", text: receipt.text });
    }
  }

  /** The record of a command is in the log, or its sender gives it up. */
  drop(id: string): void {
    if (this.#sent.value.some((one) => one.command.id === id))
      this.#sent.value = this.#sent.value.filter((one) => one.command.id !== id);
  }

  dismiss(id: string): void {
    this.#notices.value = this.#notices.value.filter((one) => one.id !== id);
  }

  clear(): void {
    this.#sent.value = [];
    this.#notices.value = [];
    this.#repeats.clear();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #notice(notice: Notice): void {
    this.#notices.value = [...this.#notices.value.filter((one) => one.text !== notice.text), notice];
  }

  /** Changes the entry of a command, if it is in one of these states. */
  #change(id: string, from: readonly Sent["state"][] | null, change: Partial<Sent>): void {
    this.#sent.value = this.#sent.value.map((one) =>
      one.command.id === id && (from === null || from.includes(one.state)) ? { ...one, ...change } : one,
    );
  }
}
