// The picture: input tokens of each request, its limit and warning stages, and what happened between. It is drawn for eyes;
// the slider beneath it says the same in words and is what the keyboard walks on.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  type Item,
  type Level,
  levelsOf,
  lineOf,
  nearest,
  type Plot,
  placeOf,
  plotOf,
  type Told,
  thinned,
  ticksOf,
  xOf,
  yOf,
} from "../../state/timeline";
import { percent, say } from "../../words/say";
import { Shape } from "./signs";
import { SORTS, sortOf } from "./words";

const HEIGHT = 190;
const [LEFT, TOP, RIGHT, STRIP, BOTTOM] = [52, 8, 36, 22, 16];
/** Two shapes are about so far apart, in pixels; of those between them the most telling is drawn. */
const APART = 10;
/** Each value is a dot where it has at least so many pixels. */
const DOTS = 8;

interface Props {
  told: Told;
  items: readonly Item[];
  /** The item that the reader is at; -1 for none. */
  at: number;
  onPoint: (at: number) => void;
  onOpen: (at: number) => void;
}

export function Chart({ told, items, at, onPoint, onOpen }: Props) {
  const box = useRef<SVGSVGElement>(null);
  const width = useWidth(box);
  const plot = useMemo(() => plotOf(told, width - LEFT - RIGHT, HEIGHT), [told, width]);
  const picture = useMemo(() => <Picture told={told} items={items} plot={plot} />, [told, items, plot]);
  const itemAt = (event: MouseEvent) => {
    const { left, top } = box.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    return nearest(plot, items, event.clientX - left - LEFT, event.clientY - top - TOP);
  };
  const item = items[at];
  return (
    <svg
      ref={box}
      class="paws-chart"
      data-dense={plot.count > plot.width || undefined}
      height={TOP + HEIGHT + STRIP + BOTTOM}
      aria-hidden="true"
      onPointerMove={(event) => onPoint(itemAt(event))}
      onPointerLeave={() => onPoint(-1)}
      onClick={(event) => onOpen(itemAt(event))}
    >
      <g transform={`translate(${LEFT} ${TOP})`}>
        {picture}
        {item !== undefined && <Cursor item={item} plot={plot} />}
      </g>
    </svg>
  );
}

function Picture({ told, items, plot }: { told: Told; items: readonly Item[]; plot: Plot }) {
  const shown = thinned(plot, items, sortOf, SORTS, APART);
  const cycles = shown.filter((item) => ["reset", "rescue", "summary"].includes(sortOf(item) ?? ""));
  const levels = levelsOf(plot, told.stretches);
  return (
    <>
      {ticksOf(plot).map((tick) => (
        <g key={tick}>
          <path class="paws-grid" d={`M0 ${yOf(plot, tick)}H${plot.width}`} />
          <text x={-8} y={yOf(plot, tick) + 4} text-anchor="end">
            {say("number", { value: tick })}
          </text>
        </g>
      ))}
      {cycles.length * APART < plot.width / 2 &&
        cycles.map((item) => (
          <path key={item.position} class="paws-cycle" d={`M${placeOf(plot, item)} 0V${plot.height}`} />
        ))}
      {levels.map(({ from, to, y, share }) => (
        <path key={`${from} ${share}`} class={share === 1 ? "paws-limits" : "paws-level"} d={`M${from} ${y}H${to}`} />
      ))}
      {named(levels, plot.width).map(({ y, share }) => (
        <text key={share} x={plot.width + 4} y={y + 4}>
          {share === 1 ? say("timeline.limit") : percent(share)}
        </text>
      ))}
      <path class="paws-estimated" d={lineOf(plot, told.estimated)} />
      <path class="paws-measured" d={lineOf(plot, told.measured)} />
      {plot.count * DOTS < plot.width &&
        told.measured.map(
          (size, i) =>
            size !== null && <circle key={i} class="paws-dot" cx={xOf(plot, i)} cy={yOf(plot, size)} r={2.2} />,
        )}
      {shown.map((item) => {
        const sort = sortOf(item);
        return (
          sort !== null && <Shape key={item.position} sort={sort} x={placeOf(plot, item)} y={heightOf(plot, item)} />
        );
      })}
      <text x={0} y={HEIGHT + STRIP + BOTTOM - 5}>
        {say("timeline.request", { number: 1 })}
      </text>
      <text x={plot.width} y={HEIGHT + STRIP + BOTTOM - 5} text-anchor="end">
        {say("timeline.request", { number: plot.count })}
      </text>
    </>
  );
}

/** The levels at the right end that have room for their names, from the limit down. */
function named(levels: readonly Level[], end: number): readonly Level[] {
  let above = Number.NEGATIVE_INFINITY;
  const last = levels.filter(({ to }) => to >= end).sort((one, other) => one.y - other.y);
  return last.filter(({ y }) => {
    if (y < above + 12) return false;
    above = y;
    return true;
  });
}

/** Marks stand in a strip below the plot; a request at its size. */
function heightOf(plot: Plot, item: Item): number {
  if (item.type === "mark") return plot.height + STRIP / 2 + 1;
  return yOf(plot, item.request.measured ?? item.request.estimated ?? 0);
}

function Cursor({ item, plot }: { item: Item; plot: Plot }) {
  const x = placeOf(plot, item);
  const sizes = item.type === "request" ? [item.request.estimated, item.request.measured] : [];
  return (
    <g class="paws-cursor">
      <path d={`M${x} 0V${plot.height + (item.type === "mark" ? STRIP : 0)}`} />
      {sizes.map(
        (size, i) => size !== null && <circle key={i ? "measured" : "estimated"} cx={x} cy={yOf(plot, size)} r={3.5} />,
      )}
    </g>
  );
}

/** The width of an element, as it is now. */
function useWidth(box: { current: Element | null }): number {
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setWidth(element.getBoundingClientRect().width || 600);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, [box]);
  return width;
}
