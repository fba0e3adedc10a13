// What the model's answers have cost so far, added up. A figure that nobody reported is counted, never added as zero (R-ACC-3).
import type { LogRecord, RecordOf } from "../wire/names";

export interface Figure {
  readonly reported: number;
  /** How many records do not say it. */
  readonly unknown: number;
}

export interface Spent {
  /** Requests that left a record: answers, failures, and attempts at a summary. */
  readonly requests: number;
  readonly input: Figure;
  /** Input that the provider had in its cache; part of the input. */
  readonly cached: Figure;
  readonly output: Figure;
  /** US dollars. */
  readonly cost: Figure;
}

const NONE: Figure = { reported: 0, unknown: 0 };
export const NOTHING_SPENT: Spent = { requests: 0, input: NONE, cached: NONE, output: NONE, cost: NONE };

export function plus(spent: Spent, { usage }: RecordOf<"ResponseEvent" | "UsageEvent">): Spent {
  return {
    requests: spent.requests + 1,
    input: add(spent.input, usage.input),
    cached: add(spent.cached, usage.cache_read),
    output: add(spent.output, usage.output),
    cost: add(spent.cost, usage.cost),
  };
}

function add({ reported, unknown }: Figure, value: number | null): Figure {
  return value === null ? { reported, unknown: unknown + 1 } : { reported: reported + value, unknown };
}

/** Whether a price is known at all; without one there is no money to show. */
export function hasPrice({ cost, requests }: Spent): boolean {
  return cost.unknown < requests;
}

export function isSpending(record: LogRecord): record is RecordOf<"ResponseEvent" | "UsageEvent"> {
  return record.kind === "ResponseEvent" || record.kind === "UsageEvent";
}
