// From events to rows: a pure fold. Rows are values; adding an event replaces the rows that it changes and no others, so the
// page draws only those again.
import { assertNever } from "../wire/exhaustive";
import type { LeftOut, LogRecord, RecordOf } from "../wire/names";
import { callOf, resultOf } from "./calls";
import { markGone } from "./gone";
import type { Call, MarkRow, MessageRow, ResetRow, Row, StoppedRow, SummaryRow, Transcript, Trigger } from "./rows";
import { isSpending, NOTHING_SPENT, plus } from "./spent";

export class TranscriptFold {
  /** How many records were added. */
  length = 0;
  #last: LogRecord | undefined;
  #rows: Row[] = [];
  #positions = new Map<string, number>();
  #requests = new Map<string, RecordOf<"CondensationRequest">>();
  #observations = new Map<string, string | null>();
  #unread: string[] = [];
  #resets = 0;
  #fired: readonly number[] = [];
  /** Warnings that no successful request has carried yet, by id. */
  #pending = new Map<string, number>();
  #spent = NOTHING_SPENT;
  /** The request under way was given up by the stop that follows. */
  #cancelled = false;
  #held = false;
  /** The agent is at work on something, or will be. */
  #busy = false;

  /** Whether `records` begins with all that was added here. */
  isStartOf(records: readonly LogRecord[]): boolean {
    return this.length === 0 || (records.length >= this.length && records[this.length - 1] === this.#last);
  }

  snapshot(): Transcript {
    return {
      rows: [...this.#rows],
      facts: {
        resets: this.#resets,
        fired: this.#fired,
        pending: [...this.#pending.values()],
        spent: this.#spent,
        held: this.#held,
      },
    };
  }

  add(record: LogRecord, leftOut: readonly LeftOut[] = []): void {
    const position = this.length;
    this.length += 1;
    this.#last = record;
    if (record.id !== "") this.#positions.set(record.id, position);
    if (record.kind === "UnknownRecord") {
      const { record_kind, reason } = record;
      this.#rows.push({ type: "unknown", record: record_kind, reason, key: `at-${position}`, time: "", gone: false });
      return;
    }
    if (isSpending(record)) this.#spent = plus(this.#spent, record);
    const base = { key: record.id, time: record.timestamp, gone: false };
    const mark = (what: MarkRow["mark"], text = "") => this.#rows.push({ type: "mark", mark: what, text, ...base });
    switch (record.kind) {
      case "MessageEvent":
        if (record.source === "environment") {
          const text = record.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
          this.#rows.push({ type: "remark", text, ...base });
        } else if (record.source === "user" && record.role === "user") {
          const { content: blocks } = record;
          this.#rows.push({ type: "message", blocks, position, state: "unread", queued: this.#busy, leftOut, ...base });
          this.#unread.push(record.id);
          this.#busy = true;
        } else {
          this.#rows.push({ type: "reply", blocks: record.content, leftOut, ...base });
          this.#busy = this.#unread.length > 0; // R-STEP-4
        }
        break;
      case "MessageWithdrawnEvent":
        this.#unread = this.#unread.filter((id) => id !== record.message_id);
        this.#message(record.message_id, "withdrawn");
        break;
      case "ResponseEvent":
        this.#read(this.#positions.get(record.read_through) ?? -1);
        for (const id of record.consumed_warning_ids) this.#pending.delete(id);
        this.#cancelled = false;
        break;
      case "ActionEvent":
        this.#call(record, leftOut);
        break;
      case "ToolStartEvent":
        this.#updateCall(record.action_id, (call) => ({ ...call, started: record.timestamp }));
        break;
      case "ApprovalEvent": {
        const { decision } = record;
        if (decision === "revoked") mark("revoked");
        else this.#updateCall(record.action_id, (call) => ({ ...call, approval: decision }));
        break;
      }
      case "ObservationEvent":
      case "AgentErrorEvent":
      case "UserRejectObservation":
        this.#updateCall(record.action_id, (call) => ({ ...call, result: call.result ?? resultOf(record, leftOut) }));
        if (record.kind === "ObservationEvent" && record.observation.kind === "CondenseObservation")
          this.#observations.set(record.id, record.observation.message_to_future_self);
        break;
      case "ContextWarningEvent": {
        const { threshold, input_tokens: tokens, input_limit: limit, counted, text } = record;
        this.#rows.push({ type: "warning", threshold, tokens, limit, counted, text, ...base });
        this.#fired = [...this.#fired, threshold];
        this.#pending.set(record.id, threshold);
        break;
      }
      case "ContextWindowReminderEvent":
        this.#rows.push({ type: "remark", text: record.text, ...base });
        break;
      case "CondensationRequest":
        this.#requests.set(record.id, record);
        if (record.details.trigger !== "agent")
          this.#rows.push({ type: "summary", trigger: record.details.trigger, failure: null, ...base });
        break;
      case "Condensation":
        this.#condense(record);
        break;
      case "CondensationFailureEvent": {
        const request = record.request_id === null ? undefined : this.#requests.get(record.request_id);
        const trigger: Trigger | null = request?.details.trigger ?? null;
        const failure = { code: record.code, text: record.error };
        const row: SummaryRow = { type: "summary", trigger, failure, ...base };
        const index = this.#findLast((one) => one.type === "summary" && one.key === record.request_id);
        if (index >= 0) this.#rows[index] = { ...row, key: record.request_id ?? row.key };
        else this.#rows.push(row);
        break;
      }
      case "TruncationEvent":
        mark("cut", String(record.cuts.length));
        break;
      case "ConversationErrorEvent": {
        const { code, detail: text, recoverable } = record;
        this.#rows.push({ type: "error", code, text, recoverable, ...base });
        this.#busy = false;
        break;
      }
      case "InterruptEvent":
        this.#rows.push({ ...base, ...this.#kept() });
        this.#busy = false;
        this.#cancelled = false;
        break;
      case "PauseEvent":
        mark("paused");
        this.#held = true;
        break;
      case "ResumeEvent":
        mark("resumed");
        this.#held = false;
        break;
      case "TitleEvent":
        mark("title", record.title);
        break;
      case "ProfileBoundEvent":
        mark("profile", record.binding.profile);
        break;
      case "ThresholdsChangedEvent":
        mark("thresholds", record.warning_thresholds.map((one) => `${+(one * 100).toFixed(2)}`).join(", "));
        break;
      case "ForkEvent":
        mark("fork", record.source_conversation_id);
        this.#spent = NOTHING_SPENT; // what the source spent stays with the source (R-FORK-5)
        break;
      case "RecoveryEvent":
        mark("recovered", record.detail);
        break;
      case "PinEvent":
        mark("pinned", String(record.entry_ids.length));
        break;
      case "ConversationStartEvent": // the header shows what it says
        break;
      case "UsageEvent": // what went wrong stands in the record beside it
        this.#cancelled = record.purpose === "main_failed" && record.outcome === "cancelled";
        break;
      default:
        assertNever(record);
    }
  }

  /** From the end, where what changes usually is. */
  #findLast(wanted: (row: Row) => boolean): number {
    for (let i = this.#rows.length - 1; i >= 0; i -= 1) {
      const row = this.#rows[i];
      if (row !== undefined && wanted(row)) return i;
    }
    return -1;
  }

  /** What a stop leaves standing. */
  #kept(): Omit<StoppedRow, "key" | "time" | "gone"> {
    const from = this.#findLast((row) => row.type === "message" && row.state === "read");
    const calls = this.#rows.slice(from + 1).flatMap((row) => (row.type === "calls" ? row.calls : []));
    const ended = calls.flatMap(({ result }) => (result === null ? [] : [result.outcome]));
    const interrupted = ended.filter((outcome) => outcome === "interrupted" || outcome === "not_run").length;
    return {
      type: "stopped",
      results: ended.length - interrupted,
      interrupted,
      unread: this.#unread.length,
      replyLost: this.#cancelled,
    };
  }

  #message(id: string, state: MessageRow["state"]): void {
    const index = this.#findLast((row) => row.type === "message" && row.key === id);
    const row = this.#rows[index];
    if (row?.type === "message") this.#rows[index] = { ...row, state };
  }

  /** A successful request contained everything up to this position (R-VIEW-4). */
  #read(through: number): void {
    const carried = (id: string) => (this.#positions.get(id) ?? 0) <= through;
    for (const id of this.#unread.filter(carried)) this.#message(id, "read");
    this.#unread = this.#unread.filter((id) => !carried(id));
  }

  #call(event: RecordOf<"ActionEvent">, leftOut: readonly LeftOut[]): void {
    const call = callOf(event, leftOut);
    const key = `calls-${event.response_event_id}`;
    const index = this.#findLast((row) => row.key === key);
    const row = this.#rows[index];
    if (row?.type === "calls") this.#rows[index] = { ...row, calls: [...row.calls, call] };
    else
      this.#rows.push({
        type: "calls",
        key,
        time: event.timestamp,
        gone: false,
        thought: event.thought,
        calls: [call],
      });
  }

  #updateCall(id: string, change: (call: Call) => Call): void {
    const index = this.#findLast((row) => row.type === "calls" && row.calls.some((call) => call.id === id));
    const row = this.#rows[index];
    if (row?.type !== "calls") return;
    this.#rows[index] = { ...row, calls: row.calls.map((call) => (call.id === id ? change(call) : call)) };
  }

  /** A reset: a divider, and everything that it removed from the context is marked. */
  #condense(event: RecordOf<"Condensation">): void {
    const { request_id, forgotten_event_ids: forgotten, notice, summary } = event;
    if (forgotten.length === 0 && notice === null && summary === null) return; // R-VIEW-7
    const request = this.#requests.get(request_id);
    const details = request?.details;
    this.#resets += 1;
    this.#fired = [];
    this.#pending.clear();
    this.#rows = markGone(this.#rows, new Set(forgotten));
    const reset: ResetRow = {
      type: "reset",
      key: event.id,
      time: event.timestamp,
      gone: false,
      number: this.#resets,
      trigger: details?.trigger ?? null,
      notice,
      message: null,
      summary,
      forgotten: forgotten.length,
    };
    if (details?.trigger !== "agent") {
      this.#rows = [...this.#rows.filter((row) => row.type !== "summary" || row.key !== request_id), reset];
      return;
    }
    // The divider stands for the call that asked for it, when that call was the only one of its reply and said nothing else.
    const index = this.#findLast(
      (row) => row.type === "calls" && row.calls.some((call) => call.id === details.action_id),
    );
    const row = this.#rows[index];
    const call = row?.type === "calls" ? row.calls.find((one) => one.id === details.action_id) : undefined;
    const message = this.#observations.get(details.observation_id) ?? handoffOf(call);
    if (row?.type === "calls" && row.calls.length === 1) {
      if (row.thought === "") this.#rows.splice(index, 1);
      else this.#rows[index] = { ...row, calls: [] };
    }
    this.#rows.push({ ...reset, message });
  }
}

/** What a call of `new_context` hands over. */
function handoffOf(call: Call | undefined): string | null {
  return call?.action?.kind === "NewContextAction" && call.action.handoff !== "" ? call.action.handoff : null;
}

/** All rows of a log. Adding its events one by one gives the same. */
export function transcript(records: readonly LogRecord[]): Transcript {
  const fold = new TranscriptFold();
  for (const record of records) fold.add(record);
  return fold.snapshot();
}
