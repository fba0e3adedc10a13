// What kind of condensation a request for one asks for: each has words and a mark of its own.
import { isObject } from "../wire/check";
import type { LogRecord } from "../wire/names";
import type { Trigger } from "./rows";

/** `reset`: the agent's own act. `summary`: as a routine, or asked for by hand. `rescue`: the request did not fit. */
export type Condensed = "reset" | "summary" | "rescue";

/** The kind, by the trigger in the request's details; null stands in a foreign log, where the request is missing. */
export function condensedBy(trigger: Trigger | string | null): Condensed {
  switch (trigger) {
    case "agent":
    case null:
      return "reset";
    case "provider_context_window":
    case "capacity":
      return "rescue";
    default:
      return "summary";
  }
}

/** The kind of condenser that a conversation began with, which stays; null where its start does not say. */
export function condenserOf([start]: readonly LogRecord[]): string | null {
  const condenser = start?.kind === "ConversationStartEvent" ? start.settings.condenser : null;
  const kind = isObject(condenser) ? condenser.condenser_kind : null;
  return typeof kind === "string" ? kind : null;
}
