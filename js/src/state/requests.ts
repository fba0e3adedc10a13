// The main requests of the log, by the records that tell of their end: what two of them are compared by.
import type { LogRecord } from "../wire/names";

export interface SentRequest {
  /** The id of the record; a request is asked for by it. */
  readonly id: string;
  readonly position: number;
  readonly time: string;
  /** The class of a failure; empty for an answer. */
  readonly reason: string;
  /** Input tokens by the provider's count; null where it reported none. */
  readonly tokens: number | null;
}

export interface Sent {
  readonly requests: readonly SentRequest[];
  /** The position of the latest condensation that took effect; -1 without one. */
  readonly reset: number;
}

export function sentIn(records: readonly LogRecord[]): Sent {
  const requests: SentRequest[] = [];
  let reset = -1;
  let told = "";
  records.forEach((record, position) => {
    if (record.kind === "UnknownRecord") return;
    const add = (boundary: string, reason: string, tokens: number | null) => {
      told = boundary;
      requests.push({ id: record.id, position, time: record.timestamp, reason, tokens });
    };
    if (record.kind === "ResponseEvent") add(record.read_through, "", record.usage.input);
    else if (record.kind === "UsageEvent" && record.purpose === "main_failed")
      add(record.read_through ?? "", record.outcome, record.usage.input);
    else if (record.kind === "CondensationRequest" && record.details.trigger === "provider_context_window") {
      // A model in this process refuses without a record of usage; with one, the request is known already.
      const boundary = record.details.input_event_id ?? "";
      if (boundary !== told) add(boundary, "overflow", null);
    } else if (record.kind === "Condensation") {
      const { forgotten_event_ids: forgotten, notice, summary } = record;
      if (forgotten.length > 0 || notice !== null || summary !== null) reset = position; // R-VIEW-7
    }
  });
  return { requests, reset };
}

/** Two requests by their numbers, which count from 1; one more than there are is the next one. */
export type Pair = readonly [older: number, newer: number];

/** The last two that were sent; with fewer of them, up to the next one. */
export function lastTwo(count: number): Pair {
  return count < 2 ? [Math.min(1, count + 1), count + 1] : [count - 1, count];
}

/** The last one before the latest reset, and the first one after it; null without a reset. */
export function aroundReset({ requests, reset }: Sent): Pair | null {
  const older = requests.filter(({ position }) => position < reset).length;
  return reset < 0 || older === 0 ? null : [older, older + 1];
}
