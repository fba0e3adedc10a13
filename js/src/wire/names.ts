// Short names for the generated unions.
import type { UnknownRecord, Wire } from "./types";

export type Command = Wire["command"];
export type Update = Wire["update"];
export type Traits = Wire["traits"];

/** What stands at a position of the log: an event, or a record that the kernel could not read. */
export type LogRecord = Wire["event"] | UnknownRecord;
export type RecordOf<K extends LogRecord["kind"]> = Extract<LogRecord, { kind: K }>;
export type UpdateOf<K extends Update["kind"]> = Extract<Update, { kind: K }>;

export type Action = NonNullable<RecordOf<"ActionEvent">["action"]>;
export type Block = RecordOf<"MessageEvent">["content"][number];
export type Status = Traits["status"];
export type Budget = Traits["budget"];
export type LeftOut = UpdateOf<"events">["left_out"][number];
export type ApprovalRequest = UpdateOf<"approvals">["waiting"][number];
export type Grant = UpdateOf<"approvals">["granted"][number];
