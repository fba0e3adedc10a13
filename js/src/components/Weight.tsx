// What costs what: the heaviest events, the parts of every request, and the rest, so that the sums are whole.

import { useState } from "preact/hooks";
import type { UpdateOf } from "../wire/names";
import { say, sayCount } from "../words/say";
import { NotAnswered, useAnswer } from "./asking";
import { Button, Link } from "./buttons";
import { useJump } from "./jump";

type Told = UpdateOf<"weight">;
type Part = Told["heaviest"][number];
type Sums = Told["total"];
type By = keyof Sums;

const COLUMNS = ["summed", "now"] as const;
const TEN = 10;
const MORE = 100;

export function Weight() {
  const [by, setBy] = useState<By>("summed");
  const [most, setMost] = useState(TEN);
  const { answer, problem, again } = useAnswer({ kind: "weight", by, most });
  const [last, setLast] = useState<Told | null>(null);
  if (answer !== null && answer !== last) setLast(answer); // what was shown stays until the other order is here
  const told = answer ?? last;
  return (
    <section class="paws-instrument" aria-label={say("tab.weight")}>
      {problem !== null && <NotAnswered problem={problem} again={again} />}
      <p>{say("weight.about")}</p>
      <fieldset class="paws-choice" aria-label={say("weight.by")}>
        {COLUMNS.map((one) => (
          <Button key={one} aria-pressed={by === one} onClick={() => setBy(one)}>
            {say(`weight.${one}`)}
          </Button>
        ))}
      </fieldset>
      {told !== null && <Parts told={told} by={by} />}
      {told !== null && told.count > told.heaviest.length && most === TEN && (
        <Button onClick={() => setMost(MORE)}>{say("weight.more")}</Button>
      )}
    </section>
  );
}

function Parts({ told, by }: { told: Told; by: By }) {
  const jump = useJump();
  const parts = [...told.fixed, ...told.heaviest].sort((one, other) => other[by] - one[by]);
  const largest = Math.max(1, parts[0]?.[by] ?? 0);
  const rounding = { now: restOf(told, "now"), summed: restOf(told, "summed") };
  return (
    <>
      <div class="paws-table paws-weights">
        <table>
          <thead>
            <tr>
              <th scope="col">{say("table.what")}</th>
              {COLUMNS.map((one) => (
                <th key={one} scope="col" class="paws-right" aria-sort={one === by ? "descending" : "none"}>
                  {say(`weight.${one}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {parts.map((part) => (
              <Line key={`${part.event_id} ${part.what} ${part.name}`} sums={part} requests={part.requests}>
                <Name part={part} jump={jump} />
                <span class="paws-weight-bar" style={{ inlineSize: `${(100 * part[by]) / largest}%` }} />
              </Line>
            ))}
            {told.count > told.heaviest.length && <Line sums={told.others}>{say("weight.others")}</Line>}
            <Line sums={rounding}>{say("weight.rounding")}</Line>
            <Line sums={told.total} requests={told.requests}>
              <strong>{say("weight.total")}</strong>
            </Line>
          </tbody>
        </table>
      </div>
      {told.unknown > 0 && <p class="paws-muted">{sayCount("weight.unknown", told.unknown)}</p>}
    </>
  );
}

function Line({ sums, requests = 0, children }: { sums: Sums; requests?: number; children: preact.ComponentChildren }) {
  return (
    <tr>
      <th scope="row">
        {children}
        {requests > 0 && <small class="paws-muted">{sayCount("weight.in", requests)}</small>}
      </th>
      {COLUMNS.map((one) => (
        <td key={one} class="paws-right">
          {say("number", { value: Math.round(sums[one]) })}
        </td>
      ))}
    </tr>
  );
}

function Name({ part, jump }: { part: Part; jump: (position: number) => void }) {
  const { position, about } = part;
  const name = nameOf(part);
  if (position === null) return name;
  return (
    <Link dir="auto" onClick={() => jump(position)}>
      {about === "" ? name : `${name}: ${about}`}
    </Link>
  );
}

function nameOf({ what, name }: Part): string {
  switch (what) {
    case "user":
      return say("you");
    case "agent":
      return say("agent");
    case "remark":
    case "advice":
    case "notice":
      return say("environment");
    case "call":
      return name;
    case "summary":
      return say("reset.summary");
    default:
      return say(`weight.${what}`, { name });
  }
}

/** What the whole numbers of a column lack to its total, so that it adds up as it stands there. */
export function restOf({ heaviest, fixed, others, total }: Told, by: By): number {
  const shown = [...heaviest, ...fixed, others].map((part) => Math.round(part[by]));
  return shown.reduce((rest, value) => rest - value, total[by]);
}
