// A tool call in a few words, and what its result says.
import { assertNever } from "../wire/exhaustive";
import type { Action, Block, LeftOut, RecordOf } from "../wire/names";
import type { Call, CallResult } from "./rows";

const SHORT = 120;

/** One line, cut at its end. */
function short(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > SHORT ? `${line.slice(0, SHORT - 1)}…` : line;
}

function summaryOf(action: Action | null, raw: string): string {
  if (action === null) return short(raw);
  switch (action.kind) {
    case "ListFilesAction":
      return short(action.pattern === null ? action.path : `${action.path} ${action.pattern}`);
    case "ReadFileAction":
      return short(action.offset > 0 ? `${action.path} (from ${action.offset})` : action.path);
    case "WriteFileAction":
    case "EditFileAction":
      return short(action.path);
    case "SearchFilesAction":
      return short(`“${action.query}” in ${action.path}${action.pattern === null ? "" : ` ${action.pattern}`}`);
    case "RunPythonAction":
      return short(action.code);
    case "CondenseAction":
      return short(action.message_to_future_self ?? "");
    case "NewContextAction":
      return short(action.handoff);
    case "ConversationHistoryAction":
      return short(action.query ?? action.event_id ?? action.command);
    case "HostAction":
      return short(raw);
    default:
      return assertNever(action);
  }
}

export function callOf(event: RecordOf<"ActionEvent">, leftOut: readonly LeftOut[]): Call {
  return {
    id: event.id,
    tool: event.tool_name,
    summary: summaryOf(event.action, event.arguments),
    action: event.action,
    raw: event.arguments,
    asked: event.timestamp,
    started: null,
    approval: null,
    result: null,
    leftOut,
  };
}

type ResultEvent = RecordOf<"ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation">;

const ERROR_OUTCOMES: Readonly<Record<string, CallResult["outcome"]>> = {
  interrupted: "interrupted",
  not_run: "not_run",
  outcome_unknown: "unknown",
};

export function resultOf(event: ResultEvent, leftOut: readonly LeftOut[]): CallResult {
  const { id, timestamp: time } = event;
  const base = { id, time, output: null, bytes: null, leftOut };
  switch (event.kind) {
    case "ObservationEvent": {
      const { observation } = event;
      const whole = observation.kind === "ToolObservation" ? observation : { output: null, output_bytes: null };
      return {
        ...base,
        outcome: outcomeOf(observation.is_error, observation.content),
        blocks: observation.content,
        output: whole.output,
        bytes: whole.output_bytes,
      };
    }
    case "AgentErrorEvent":
      return { ...base, outcome: ERROR_OUTCOMES[event.code] ?? "failed", blocks: [textBlock(event.error)] };
    case "UserRejectObservation":
      return { ...base, outcome: "rejected", blocks: [textBlock(event.rejection_reason)] };
    default:
      return assertNever(event);
  }
}

/** A tool that was broken off can still tell what it had done by then; its last line says that it was. */
const BROKEN_OFF = /\[(?:interrupted|asked to stop)\b[^\]\n]*\]\s*$/;

function outcomeOf(isError: boolean, blocks: readonly Block[]): CallResult["outcome"] {
  if (!isError) return "done";
  return BROKEN_OFF.test(textOf(blocks).slice(-300)) ? "interrupted" : "failed";
}

export function textBlock(text: string): Block {
  return { type: "text", text };
}

/** The text blocks, joined by line breaks. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
