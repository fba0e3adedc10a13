// The timeline: how large each request was, against which limit, and what happened between them. The picture, a slider that
// walks from one point to the next, a line that says what the point is, and a table with the same numbers.

import { useMemo, useState } from "preact/hooks";
import { type Item, itemsOf, type Told } from "../../state/timeline";
import { say, sayCount } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { Button, Link } from "../buttons";
import { useJump } from "../jump";
import { Chart } from "./Chart";
import { LoneShape } from "./signs";
import { Table } from "./Table";
import { SORTS, sortOf, wordsOf } from "./words";

export function Timeline() {
  const { answer, problem, again } = useAnswer({ kind: "timeline" });
  return (
    <section class="paws-instrument" aria-label={say("tab.timeline")}>
      {problem !== null && <NotAnswered problem={problem} again={again} />}
      {answer !== null &&
        (answer.positions.length === 0 ? <p>{say("instrument.nothing")}</p> : <Whole told={answer} />)}
    </section>
  );
}

function Whole({ told }: { told: Told }) {
  const items = useMemo(() => itemsOf(told), [told]);
  const [walked, setWalked] = useState<number | null>(null);
  const [pointed, setPointed] = useState(-1);
  const [table, setTable] = useState(false);
  const jump = useJump();
  const at = walked === null ? items.length - 1 : (positionsAt(items, walked) ?? items.length - 1);
  const item = items[pointed] ?? items[at];
  const open = (place: number) => {
    const { position } = items[place] ?? {};
    if (position !== undefined) jump(position);
  };
  return (
    <>
      <p>{sayCount("timeline.about", told.positions.length)}</p>
      <div class="paws-timeline">
        <Chart
          told={told}
          items={items}
          at={pointed >= 0 ? pointed : walked === null ? -1 : at}
          onPoint={setPointed}
          onOpen={open}
        />
        <input
          type="range"
          class="paws-hidden"
          min={0}
          max={items.length - 1}
          value={at}
          aria-label={say("timeline.walk")}
          aria-valuetext={wordsOf(items[at] as Item)}
          aria-keyshortcuts="Enter"
          onFocus={() => setWalked(items[at]?.position ?? null)}
          onInput={(event) => {
            setPointed(-1);
            setWalked(items[Number(event.currentTarget.value)]?.position ?? null);
          }}
          onKeyDown={(event) => {
            if (event.key.startsWith("Arrow")) event.stopPropagation(); // JupyterLab has shortcuts on them
            if (event.key !== "Enter") return;
            event.preventDefault();
            open(at);
          }}
        />
      </div>
      <p class="paws-readout">
        {item !== undefined && wordsOf(item)}{" "}
        <Link onClick={() => open(items.indexOf(item as Item))}>{say("jump")}</Link>
      </p>
      <Legend told={told} items={items} />
      <Button aria-pressed={table} onClick={() => setTable(!table)}>
        {say("table")}
      </Button>
      {table && <Table items={items} open={jump} />}
    </>
  );
}

/** The place of the item with this position: others may have come before it since it was chosen. */
function positionsAt(items: readonly Item[], position: number): number | undefined {
  const at = items.findIndex((item) => item.position === position);
  return at < 0 ? undefined : at;
}

/** What the lines and the shapes mean, of those that there are. */
function Legend({ told, items }: { told: Told; items: readonly Item[] }) {
  const sorts = new Set(items.map(sortOf));
  const ofToday = told.stretches.some(({ limit_from }) => limit_from === "model");
  return (
    <ul class="paws-legend">
      {(["measured", "estimated", "limits"] as const).map((line) => (
        <li key={line}>
          <svg class={`paws-legend-line paws-${line}`} viewBox="0 0 22 8" aria-hidden="true">
            <path d="M1 4H21" />
          </svg>
          {say(`timeline.${line}`)}
          {line === "limits" && ofToday && `; ${say("timeline.window.note")}`}
        </li>
      ))}
      {SORTS.filter((sort) => sorts.has(sort)).map((sort) => (
        <li key={sort}>
          <LoneShape sort={sort} />
          {say(`sign.${sort}`)}
        </li>
      ))}
    </ul>
  );
}
