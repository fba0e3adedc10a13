// What changed from one request of the log to another: what left, what stayed, what came.

import { useState } from "preact/hooks";
import { aroundReset, lastTwo, type Pair, type Sent, sentIn } from "../../state/requests";
import type { UpdateOf } from "../../wire/names";
import { say, sayCount, timeOf } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { Button } from "../buttons";
import { useView } from "../context";
import { Sign } from "../icons";
import { Lines, PAGE, Pager } from "./Lines";
import { RawJson } from "./RawJson";

type Told = UpdateOf<"comparison">;
const PARTS = ["left", "came", "stayed"] as const;
type Part = (typeof PARTS)[number];

export function Changes() {
  const { store } = useView();
  const sent = sentIn(store.records);
  const [chosen, setChosen] = useState<Pair | null>(null);
  const most = sent.requests.length + 1;
  const [older, newer] = (chosen ?? lastTwo(most - 1)).map((one) => Math.min(one, most)) as unknown as Pair;
  const reset = aroundReset(sent);
  const idOf = (number: number) => sent.requests[number - 1]?.id ?? null;
  const pair = { older: idOf(older), newer: idOf(newer) };
  return (
    <section class="paws-instrument" aria-label={say("tab.changes")}>
      <div class="paws-choice">
        <Choice label={say("changes.from")} value={older} most={most} choose={(to) => setChosen([to, newer])} />
        <Choice label={say("changes.to")} value={newer} most={most} choose={(to) => setChosen([older, to])} />
        <Button aria-pressed={chosen === null} onClick={() => setChosen(null)}>
          {say("changes.last")}
        </Button>
        <Button
          disabled={reset === null}
          aria-pressed={reset !== null && chosen?.join() === reset.join()}
          onClick={() => setChosen(reset)}
        >
          {say("changes.reset")}
        </Button>
      </div>
      {[older, newer].map((number, place) => (
        <div key={place} class="paws-choice">
          <span class="paws-muted">{nameOf(sent, number)}</span>
          <RawJson request={idOf(number) ?? "next"} name={`request-${number}`} />
        </div>
      ))}
      <Comparison key={`${pair.older} ${pair.newer}`} {...pair} />
    </section>
  );
}

interface ChoiceProps {
  label: string;
  value: number;
  most: number;
  choose: (number: number) => void;
}

function Choice({ label, value, most, choose }: ChoiceProps) {
  return (
    <label class="paws-number">
      {label}{" "}
      <input
        type="number"
        class="paws-input"
        min={1}
        max={most}
        value={value}
        data-lm-suppress-shortcuts="true"
        onChange={({ currentTarget }) => {
          const number = Math.round(currentTarget.valueAsNumber);
          if (number >= 1 && number <= most) choose(number);
          else currentTarget.value = String(value);
        }}
      />
    </label>
  );
}

function nameOf({ requests }: Sent, number: number): string {
  const request = requests[number - 1];
  if (request === undefined) return say("changes.next", { number });
  const { reason, tokens, time } = request;
  const outcome =
    reason === ""
      ? say("timeline.answered")
      : reason === "cancelled"
        ? say("sign.stopped")
        : say("timeline.failed", { reason });
  const size = tokens === null ? "" : `, ${say("changes.tokens", { tokens })}`;
  return `${say("timeline.request", { number })}: ${outcome}${size}, ${timeOf(time)}`;
}

function Comparison({ older, newer }: { older: string | null; newer: string | null }) {
  const [open, setOpen] = useState<readonly Part[]>(["left", "came"]);
  const { store } = useView();
  // Requests of the log never change; the next one does.
  const when = older === null || newer === null ? store.traits.event_count.value : "";
  const { answer, problem, again } = useAnswer(
    { kind: "compare", older, newer, part: "left", start: 0, count: 1 },
    when,
  );
  if (problem !== null) return <NotAnswered problem={problem} again={again} />;
  if (answer === null) return null;
  const toggle = (part: Part, opens: boolean) =>
    setOpen((now) => (opens ? [...now.filter((one) => one !== part), part] : now.filter((one) => one !== part)));
  return (
    <>
      <p>
        {say(answer.fixed.length === 0 ? "changes.fixed.same" : "changes.fixed.other", {
          parts: answer.fixed.map((key) => key.replace(/^fixed /, "")).join(", "),
        })}
        {answer.models[0] !== answer.models[1] &&
          ` ${say("changes.models", { from: answer.models[0] ?? "", to: answer.models[1] ?? "" })}`}
      </p>
      {PARTS.map((part) => (
        <details
          key={part}
          class="paws-aside paws-change"
          data-part={part}
          open={open.includes(part)}
          onToggle={({ currentTarget }) => toggle(part, currentTarget.open)}
        >
          <summary>
            <Sign name="chevron" />
            {sayCount(`changes.${part}`, answer[part])}
          </summary>
          {open.includes(part) && answer[part] > 0 && <PartLines part={part} older={older} newer={newer} when={when} />}
        </details>
      ))}
    </>
  );
}

interface PartProps {
  part: Part;
  older: string | null;
  newer: string | null;
  when: number | string;
}

function PartLines({ part, older, newer, when }: PartProps) {
  const [start, setStart] = useState(0);
  const [last, setLast] = useState<Told | null>(null);
  const { answer, problem, again } = useAnswer({ kind: "compare", older, newer, part, start, count: PAGE }, when);
  if (answer !== null && answer !== last) setLast(answer);
  const told = answer ?? last;
  return (
    <>
      {problem !== null && <NotAnswered problem={problem} again={again} />}
      {told !== null && (
        <>
          <Pager list={told.lines} go={setStart} />
          <Lines
            request={(part === "left" ? older : newer) ?? "next"}
            lines={told.lines.lines}
            changed={told.changed}
          />
        </>
      )}
    </>
  );
}
