// Made-up answers for the instruments, of any length: a context that fills, is warned of, and begins anew.
import type { Command, LogRecord, Update, UpdateOf } from "../src/wire/names";

type Told = UpdateOf<"timeline">;

/** What a kernel would answer to a question; undefined for anything else. */
export function answerTo(command: Command, log: readonly LogRecord[], points = 40): Update | undefined {
  switch (command.kind) {
    case "timeline":
      return timeline(command.id, log.length, points);
    case "weight":
      return weight(command.id, command.most);
    case "notes":
      return notes(command.id);
    case "state":
      return {
        kind: "state",
        id: command.id,
        condenser: "agent_reset",
        outlook: "At 80 % (6,400 of 8,000 tokens) the agent is warned; it decides when to start afresh.",
        profile: { name: "practice", about: "practice · 8,000 tokens, the model's window · no key needed" },
        saved: [
          { name: "careful", about: "anthropic/some-model · 200,000 tokens, set in the profile · key found" },
          { name: "cheap", about: "openai/some-model · limit not known yet · key not found" },
        ],
        kinds: ["agent_reset", "new_context", "llm_summarizing", "summarizing_window", "no_op"].map((name) => ({
          name,
          about: `What ${name} does with a context that fills, in one plain sentence.`,
        })),
      };
    case "conversations":
      return {
        kind: "conversations",
        id: command.id,
        conversations: ["Sales by region", "", "مرحبا"].map((title, i) => ({
          id: `stored-${i}`,
          title,
          changed: "2026-03-02T09:30:00Z",
          events: 40 + i,
        })),
        more: true,
      };
    case "examine":
      return { kind: "examined", id: command.id, findings: FINDINGS };
    default:
      return undefined;
  }
}

const FINDINGS: UpdateOf<"examined">["findings"] = [
  {
    topic: "Subshells",
    state: "attention",
    found: "not supported by this kernel",
    meaning: "While a cell runs, the page is not heard.",
    fix: "Run: pip install --upgrade ipykernel",
  },
  { topic: "Store", state: "ok", found: "can be written to", meaning: "", fix: "" },
];

/** A sawtooth of so many requests, spread over a log of this length. */
export function timeline(id: string, length: number, points: number): Told {
  const position = (i: number) => Math.min(length - 1, Math.floor(((i + 0.5) * length) / points));
  const tooth = Math.max(4, Math.min(40, Math.floor(points / 3)));
  const sizes = Array.from(
    { length: points },
    (_, i) => 1_900 + Math.round(((i % tooth) / tooth) * 5_400) + ((i * 37) % 90),
  );
  const reasons = sizes.map((_, i) =>
    i === Math.floor(points * 0.55) ? "overflow" : i === Math.floor(points * 0.8) ? "cancelled" : "",
  );
  const marks = sizes.flatMap((_, i): Told["marks"][number][] => {
    const base = { after: i, position: position(i), event_id: `at-${i}`, time: "2026-03-02T09:30:00Z" };
    if (i > 0 && i % tooth === 0)
      return [{ ...base, kind: i % (3 * tooth) === 0 ? "rescue" : "voluntary", detail: "agent", value: 9 }];
    if (i % tooth === Math.floor(tooth * 0.8)) return [{ ...base, kind: "warning", detail: "measured", value: 0.75 }];
    return [];
  });
  return {
    kind: "timeline",
    id,
    positions: sizes.map((_, i) => position(i)),
    reasons,
    estimated: sizes.map((size) => Math.round(size * 0.94)),
    measured: sizes.map((size, i) => (reasons[i] === "" && i % 11 !== 5 ? size : null)),
    stretches: [
      { start: 0, limit: 8_000, limit_from: "profile", thresholds: [0.75, 0.8, 0.85, 0.9], profile: "practice" },
    ],
    marks,
  };
}

function weight(id: string, most: number): Update {
  const none = { event_id: null, position: null, about: "", name: "", requests: 14 };
  const events = Array.from({ length: 30 }, (_, i) => ({
    what: (["result", "call", "user", "agent"] as const)[i % 4] ?? "result",
    name: i % 4 < 2 ? "read_file" : "",
    about: i % 4 < 2 ? "data/east.csv" : "Sum the amounts of each region, and say which day was the best one",
    event_id: `at-${i}`,
    position: 2 + i,
    now: i % 3 === 0 ? 0 : 900.25 / (i + 1),
    summed: 12_600.5 / (i + 1),
    requests: 14 - (i % 14),
  }));
  const fixed = [
    { ...none, what: "system" as const, now: 410.5, summed: 5_747 },
    { ...none, what: "memory" as const, now: 88.25, summed: 1_235.5 },
    { ...none, what: "tool" as const, name: "read_file", now: 120, summed: 1_680 },
    { ...none, what: "tool" as const, name: "run_python", now: 96.75, summed: 1_354.5 },
  ];
  return {
    kind: "weight",
    id,
    fixed,
    heaviest: events.slice(0, most),
    others: { now: 210.5, summed: 9_100 },
    count: events.length,
    rounding: { now: 0.25, summed: 5.5 },
    total: { now: 4_000, summed: 90_000 },
    requests: 14,
    unknown: 0,
  };
}

function notes(id: string): Update {
  const diff = [
    "--- a/notes/plan.md",
    "+++ b/notes/plan.md",
    "@@ -1,2 +1,3 @@",
    " GOAL Sum the amounts",
    "-TODO data/east.csv",
    "+DONE data/east.csv",
    "+TODO data/north.csv",
    "",
  ].join("\n");
  const change = { path: "notes/plan.md", created: false, added: 2, removed: 1, diff, times: 2, otherwise: false };
  return {
    kind: "notes",
    id,
    folder: "notes",
    problem: "",
    files: [
      {
        path: "notes/plan.md",
        bytes: 812,
        text: "GOAL Sum the amounts\nDONE data/east.csv\nTODO data/north.csv\n",
        why: "",
        state: "left",
      },
      { path: "notes/by-hand.md", bytes: 40, text: "Mind the decimal commas.\n", why: "", state: "changed" },
      { path: "notes/old.md", bytes: 0, text: null, why: "", state: "gone" },
    ],
    resets: [
      {
        number: 1,
        position: 9,
        event_id: "at-9",
        time: "2026-03-02T09:30:00Z",
        cause: "voluntary",
        changes: [change, { ...change, path: "notes/facts.md", created: true, diff: null, otherwise: true }],
        read: [{ path: "notes/plan.md", characters: 812, total: 812 }],
        unread: ["notes/facts.md"],
      },
    ],
    since: [],
  };
}
