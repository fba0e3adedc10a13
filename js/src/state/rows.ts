// What the transcript is made of: plain values, one per thing that is shown. `transcript.ts` makes them from the log.
import type { Action, Block, LeftOut, RecordOf } from "../wire/names";
import type { Spent } from "./spent";

interface RowBase {
  /** Unique in the transcript and stable, so that only what changed is drawn again. */
  readonly key: string;
  readonly time: string;
  /** A reset removed this from the context; it stays readable. */
  readonly gone: boolean;
}

/** Something that a person wrote. */
export interface MessageRow extends RowBase {
  readonly type: "message";
  readonly blocks: readonly Block[];
  readonly position: number;
  /** `unread` until a successful request has carried it (R-VIEW-4). */
  readonly state: "unread" | "read" | "withdrawn";
  /** It came while the agent was at work on something earlier. */
  readonly queued: boolean;
  readonly leftOut: readonly LeftOut[];
}

export interface ReplyRow extends RowBase {
  readonly type: "reply";
  readonly blocks: readonly Block[];
  readonly leftOut: readonly LeftOut[];
}

/** All calls of one reply, and the words beside them. */
export interface CallsRow extends RowBase {
  readonly type: "calls";
  readonly thought: string;
  readonly calls: readonly Call[];
}

export interface Call {
  readonly id: string;
  readonly tool: string;
  /** The arguments in a few words: a path, a first line of code. */
  readonly summary: string;
  readonly action: Action | null;
  /** The argument text as received, for calls that no tool of ours could read. */
  readonly raw: string;
  readonly asked: string;
  readonly started: string | null;
  readonly approval: "once" | "run" | "covered" | null;
  readonly result: CallResult | null;
  readonly leftOut: readonly LeftOut[];
}

export interface CallResult {
  readonly outcome: "done" | "failed" | "rejected" | "interrupted" | "not_run" | "unknown";
  readonly id: string;
  readonly time: string;
  /** What the model was shown. */
  readonly blocks: readonly Block[];
  /** The whole text, where the model was shown a part of it, and its size as it came. */
  readonly output: string | null;
  readonly bytes: number | null;
  readonly leftOut: readonly LeftOut[];
}

/** The environment warned the agent that its context fills. */
export interface WarningRow extends RowBase {
  readonly type: "warning";
  readonly threshold: number;
  readonly tokens: number;
  readonly limit: number;
  readonly counted: "measured" | "estimated";
  readonly text: string;
}

/** Anything else that the environment said to the agent. */
export interface RemarkRow extends RowBase {
  readonly type: "remark";
  readonly text: string;
}

export type Trigger = RecordOf<"CondensationRequest">["details"]["trigger"];

/** A new context begins here. */
export interface ResetRow extends RowBase {
  readonly type: "reset";
  readonly number: number;
  /** Null only in a foreign log, where a condensation may stand without its request. */
  readonly trigger: Trigger | null;
  readonly notice: string | null;
  /** What the agent told its future self; null when it said nothing. */
  readonly message: string | null;
  readonly summary: string | null;
  /** How many entries left the context. */
  readonly forgotten: number;
}

/** A paid summary that is being made, or that failed. One that succeeded is a reset. */
export interface SummaryRow extends RowBase {
  readonly type: "summary";
  readonly trigger: Trigger | null;
  readonly failure: { readonly code: string; readonly text: string } | null;
}

/** A run ended here because something went wrong. */
export interface ErrorRow extends RowBase {
  readonly type: "error";
  readonly code: string;
  readonly text: string;
  readonly recoverable: boolean;
}

/** A person stopped the agent here; what stands above is kept. */
export interface StoppedRow extends RowBase {
  readonly type: "stopped";
  /** Results of calls since the person's last message. */
  readonly results: number;
  /** Calls that were stopped while they ran, or before. */
  readonly interrupted: number;
  /** Messages that the model has not read. */
  readonly unread: number;
  /** A reply was under way, and is not recorded. */
  readonly replyLost: boolean;
}

/** A small line about the conversation itself. */
export interface MarkRow extends RowBase {
  readonly type: "mark";
  readonly mark:
    | "paused"
    | "resumed"
    | "title"
    | "profile"
    | "thresholds"
    | "fork"
    | "recovered"
    | "cut"
    | "pinned"
    | "revoked";
  readonly text: string;
}

export interface UnknownRow extends RowBase {
  readonly type: "unknown";
  readonly record: string;
  readonly reason: "unknown" | "unreadable";
}

export type Row =
  | MessageRow
  | ReplyRow
  | CallsRow
  | WarningRow
  | RemarkRow
  | ResetRow
  | SummaryRow
  | ErrorRow
  | StoppedRow
  | MarkRow
  | UnknownRow;

/** What the log says beside its rows. */
export interface Facts {
  /** How many times a new context began. */
  readonly resets: number;
  /** The warning stages that have fired since then. */
  readonly fired: readonly number[];
  /** Those of them that the model has not read yet: they stand in its next request (R-WARN-9). */
  readonly pending: readonly number[];
  readonly spent: Spent;
  /** The person paused the conversation: what is sent waits until they resume it (R-STOP-10). */
  readonly held: boolean;
}

export interface Transcript {
  readonly rows: readonly Row[];
  readonly facts: Facts;
}
