// What a point of the timeline is, in words: for the line below the picture, for screen readers and for the table.
import { condensedBy } from "../../state/condensed";
import type { Item, Mark, Request } from "../../state/timeline";
import { EN } from "../../words/en";
import { percent, say, sayCount, shortId, type WordId } from "../../words/say";

/** Tokens, or that nobody knows. */
export function amount(tokens: number | null): string {
  return tokens === null ? say("unknown") : say("number", { value: tokens });
}

/** How a request ended: "answered", "stopped", "failed, server". */
export function outcomeOf({ reason }: Request): string {
  if (reason === "") return say("timeline.answered");
  return reason === "cancelled" ? say("sign.stopped") : say("timeline.failed", { reason });
}

export function limitOf({ stretch }: Request): string {
  const limit = stretch?.limit ?? null;
  return limit !== null && stretch?.limit_from === "model" ? say("timeline.window", { limit }) : amount(limit);
}

/** The reminder of a kind that has no stages comes at this share (R-STR-8). */
const REMINDER = 0.8;

/** What happened, with its number: "Context 75% full." */
export function markWords({ kind, detail, value }: Mark): string {
  switch (kind) {
    case "warning":
    case "reminder":
      return say("said.warning", { percent: percent(value ?? REMINDER) });
    case "cut":
      return say("mark.cut", { text: String(value) });
    case "profile":
    case "thresholds":
      return say(`mark.${kind}`, { text: detail });
    case "fork":
      return say("mark.fork", { text: shortId(detail) });
    case "failure": {
      const [code, trigger = null] = detail.split(" ");
      return `${say(condensedBy(trigger) === "reset" ? "reset.failed" : "summary.failed")} (${code})`;
    }
    case "error":
      return `${say("error.title")} (${detail})`;
    default: {
      const trigger = `reset.${detail}`; // a later version may have others
      return `${say(trigger in EN ? (trigger as WordId) : "reset.unknown")}. ${sayCount("reset.left", value ?? 0)}`;
    }
  }
}

export function wordsOf(item: Item): string {
  if (item.type === "mark") return markWords(item.mark);
  const { number, estimated, measured } = item.request;
  return say("timeline.point", {
    number,
    outcome: outcomeOf(item.request),
    estimated: amount(estimated),
    measured: amount(measured),
    limit: limitOf(item.request),
  });
}

/** Kinds of items that look alike, the most telling first. */
export const SORTS = ["rescue", "failed", "reset", "summary", "stopped", "cut", "warning", "change"] as const;
export type Sort = (typeof SORTS)[number];

const SORT_OF: Readonly<Record<Mark["kind"], Sort>> = {
  warning: "warning",
  reminder: "warning",
  voluntary: "reset",
  foreign: "reset",
  rescue: "rescue",
  routine: "summary",
  manual: "summary",
  cut: "cut",
  failure: "failed",
  error: "failed",
  profile: "change",
  thresholds: "change",
  fork: "change",
};

/** How an item is drawn; null for a request that was answered, which is a point of the lines. */
export function sortOf(item: Item): Sort | null {
  if (item.type === "mark") return SORT_OF[item.mark.kind];
  if (item.request.reason === "") return null;
  return item.request.reason === "cancelled" ? "stopped" : "failed";
}
