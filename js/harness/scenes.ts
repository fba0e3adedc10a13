// The states of the page that a developer wants to look at: each is a kernel that stands still at a telling moment.
import everything from "../../tests/fixtures/logs/everything.json";
import firstReset from "../../tests/fixtures/logs/first_reset.json";
import type { ApprovalRequest, LogRecord, Traits } from "../src/wire/names";
import { FakeKernel } from "./fake";

const short = firstReset as LogRecord[];
const all = everything as LogRecord[];
const practice: Partial<Traits> = {
  profile: "practice",
  thresholds: [0.75, 0.8, 0.85, 0.9],
  conversation_id: "first-reset",
};

function budget(
  tokens: number | null,
  counted: Traits["budget"]["counted"] = "measured",
  limit: number | null = 8_000,
) {
  const fraction = tokens === null || limit === null ? null : tokens / limit;
  return { tokens, limit, fraction, counted, limit_from: limit === null ? "unknown" : "profile" } as const;
}

/** The log up to and including the n-th record of a kind. */
function until(records: readonly LogRecord[], kind: LogRecord["kind"], n = 1): LogRecord[] {
  const places = records.flatMap((record, i) => (record.kind === kind ? [i] : []));
  return records.slice(0, (places[n - 1] ?? records.length) + 1);
}

const EDIT: ApprovalRequest = {
  action_id: "everything-023",
  tool_name: "edit_file",
  title: "edit_file report.md",
  reason: "It changes a file of the workspace.",
  form: "diff",
  text: [
    "--- report.md",
    "+++ report.md",
    "@@ -1,6 +1,7 @@",
    "-# Sales by region",
    "+# Sales by region and date",
    " ",
    " | region | sum |",
    " |:--|--:|",
    "-| east | 61,204.1 |",
    "+| east | 61,204.10 |",
    "+| islands | 62,880.25 |",
    " | north | 60,119.15 |",
  ].join("\n"),
  covers: "edits of report.md",
  digest: "0".repeat(64),
};

const CODE: ApprovalRequest = {
  action_id: "everything-012",
  tool_name: "run_python",
  title: "run_python",
  reason: "It runs code in your kernel.",
  form: "code",
  text: [
    "import pandas as pd\n",
    'frame = pd.read_csv("data/east.csv")',
    'print(frame["amount"].sum())\u202e # look\u200b here',
    "\n".repeat(300),
    'print("after the blank lines")',
  ].join("\n"),
  covers: "run_python",
  digest: "0".repeat(64),
};

function long(): LogRecord[] {
  const rounds = Number(new URLSearchParams(location.search).get("rounds") ?? 40);
  return Array.from({ length: rounds }, (_, round) =>
    short.map((record) => {
      const text = JSON.stringify(record).replaceAll("first-reset-", `round-${round}-`);
      return JSON.parse(text) as LogRecord;
    }),
  ).flatMap((records, i) => (i === 0 ? records : records.slice(1)));
}

export const SCENES: Readonly<Record<string, () => FakeKernel>> = {
  empty: () =>
    new FakeKernel([], {
      ...practice,
      budget: budget(1_010, "estimated"),
      resumable: { id: "c-1", title: "Regional sales", changed: "2026-03-01T16:20:00Z", events: 214 },
    }),
  model: () =>
    new FakeKernel(until(short, "MessageEvent"), {
      ...practice,
      status: "running",
      detail: "model",
      budget: budget(1_104, "estimated"),
    }),
  streaming: () => {
    const kernel = new FakeKernel(until(short, "ObservationEvent", 3), {
      ...practice,
      status: "running",
      detail: "model",
      budget: budget(3_066),
    });
    const words =
      "I have read two of six files so far.\n\n1. `east` sums to **61,204.10**\n2. `islands` sums to **62,88";
    setTimeout(() => kernel.tell({ kind: "delta", what: "text", text: words }), 50);
    return kernel;
  },
  tool: () => {
    const records = until(all, "ToolStartEvent", 2);
    const kernel = new FakeKernel(records, {
      ...practice,
      conversation_id: "everything",
      status: "running",
      detail: "tool",
      budget: budget(2_400),
      title: "Regional sales",
    });
    const action_id = (records[records.length - 1] as { action_id: string }).action_id;
    const text = Array.from(
      { length: 30 },
      (_, n) => `epoch ${n + 1}/100  loss \u001b[32m${(1 / (n + 1)).toFixed(4)}\u001b[0m`,
    ).join("\n");
    setTimeout(() => kernel.tell({ kind: "output", action_id, text }), 50);
    return kernel;
  },
  approval: () =>
    approval(
      EDIT,
      all.findIndex((r) => r.kind === "ActionEvent" && r.tool_name === "edit_file"),
    ),
  code: () =>
    approval(
      CODE,
      all.findIndex((r) => r.kind === "ActionEvent" && r.tool_name === "run_python"),
    ),
  warned: () =>
    new FakeKernel(until(short, "ContextWarningEvent"), {
      ...practice,
      status: "running",
      detail: "model",
      budget: budget(6_204),
    }),
  reset: () =>
    new FakeKernel(until(short, "ResponseEvent", 8), {
      ...practice,
      status: "running",
      detail: "model",
      budget: budget(1_215),
    }),
  done: () => new FakeKernel(short, { ...practice, budget: budget(5_960) }),
  everything: () =>
    new FakeKernel(all, {
      ...practice,
      conversation_id: "everything",
      title: "Regional sales",
      status: "paused",
      budget: budget(900, "measured", 32_000),
    }),
  error: () => {
    const kernel = new FakeKernel(until(all, "ConversationErrorEvent"), {
      ...practice,
      conversation_id: "everything",
      profile: "openai/gpt-5",
      status: "error",
      budget: budget(null, "unknown", 200_000),
      title: "Regional sales",
    });
    const text =
      '{"error":{"message":"The server had an error processing your request. Sorry about that!","type":"server_error"}}';
    setTimeout(() => kernel.tell({ kind: "problem", code: "server", text }), 50);
    return kernel;
  },
  queued: () => {
    const kernel = new FakeKernel(until(all, "MessageWithdrawnEvent").slice(0, -1), {
      ...practice,
      conversation_id: "everything",
      status: "running",
      detail: "tool",
      budget: budget(4_600),
    });
    kernel.hear = (command) => command.kind === "replay" && kernel.publish(command.since);
    return kernel;
  },
  readonly: () =>
    new FakeKernel(short, {
      ...practice,
      read_only: "another kernel on host lab-3 (process 4121) has this conversation open",
      budget: budget(5_960),
    }),
  gone: () => {
    const kernel = new FakeKernel(short.slice(0, 12), {
      ...practice,
      status: "running",
      detail: "model",
      budget: budget(3_066),
    });
    setTimeout(() => {
      kernel.model.onSend = () => {
        throw new Error("Cannot send");
      };
      kernel.model.emit("comm_live_update");
    }, 50);
    return kernel;
  },
  unknown: () =>
    new FakeKernel(until(short, "ObservationEvent", 2), {
      ...practice,
      profile: "local:/models/tiny.gguf",
      budget: budget(1_420, "measured", null),
    }),
  long: () => new FakeKernel(long(), { ...practice, budget: budget(5_960) }),
};

function approval(request: ApprovalRequest, at: number): FakeKernel {
  const records = all.slice(0, at + 1);
  const last = records[records.length - 1];
  const waiting = [{ ...request, action_id: last?.id ?? "" }];
  const kernel = new FakeKernel(records, {
    ...practice,
    conversation_id: "everything",
    title: "Regional sales",
    status: "waiting",
    waiting_for: request.tool_name,
    budget: budget(3_900),
  });
  const granted = [{ action_id: "everything-012", covers: "run_python" }];
  setTimeout(() => kernel.tell({ kind: "approvals", waiting, granted: request === EDIT ? granted : [] }), 20);
  return kernel;
}
