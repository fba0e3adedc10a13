// The sample logs that both languages share, and a few records made on the spot.
import everythingLog from "../../tests/fixtures/logs/everything.json";
import firstResetLog from "../../tests/fixtures/logs/first_reset.json";
import type { LogRecord, RecordOf } from "../src/wire/names";

export const firstReset = firstResetLog as LogRecord[];
export const everything = everythingLog as LogRecord[];

let count = 0;

function stamp() {
  count += 1;
  return { id: `made-${count}`, timestamp: "2026-03-02T09:30:00Z", command_id: null };
}

export function userMessage(text: string, command_id: string | null = null): RecordOf<"MessageEvent"> {
  const links = { response_event_id: null, sender: null };
  return {
    kind: "MessageEvent",
    source: "user",
    role: "user",
    content: [{ type: "text", text }],
    ...links,
    ...stamp(),
    command_id,
  };
}

export function agentMessage(text: string): RecordOf<"MessageEvent"> {
  return { ...userMessage(text), source: "agent", role: "assistant" };
}

export function response(read_through: string): RecordOf<"ResponseEvent"> {
  return {
    kind: "ResponseEvent",
    source: "agent",
    read_through,
    consumed_warning_ids: [],
    llm_response_id: null,
    usage_id: "profile:practice",
    binding_digest: "d",
    model: "practice",
    usage: { input: 10, output: 1, cache_read: null, cache_write: null, reasoning: null, cost: null },
    http_requests: 1,
    latency_ms: 1,
    finish_reason: "stop",
    ...stamp(),
  };
}

export function withdrawal(message_id: string, command_id: string | null): RecordOf<"MessageWithdrawnEvent"> {
  return { kind: "MessageWithdrawnEvent", source: "user", message_id, ...stamp(), command_id };
}

export function interrupt(): RecordOf<"InterruptEvent"> {
  return { kind: "InterruptEvent", source: "user", ...stamp() };
}

/** A main request that did not succeed. */
export function failure(outcome: string, cost: number | null = null): RecordOf<"UsageEvent"> {
  const { kind: _, consumed_warning_ids: __, read_through, ...rest } = response("");
  return {
    ...rest,
    kind: "UsageEvent",
    source: "environment",
    purpose: "main_failed",
    read_through,
    request_id: null,
    attempt: null,
    outcome,
    usage: { ...rest.usage, output: null, cost },
  };
}
