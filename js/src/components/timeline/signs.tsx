// The shapes of the timeline: each sort of thing has its own, so that colour is never the only difference.
import type { Sort } from "./words";

/** Paths around (0, 0), some ten pixels wide. */
const SHAPES: Readonly<Record<Sort, string>> = {
  warning: "M0-5 5 4H-5Z",
  reset: "M4 0a4 4 0 1 1-1.5-3.1M3-5.5v2.7H.3",
  rescue: "M0-5.5 5.5 0 0 5.5-5.5 0Z",
  summary: "M-4-4H4V4H-4ZM-2-1H2M-2 1.5H1",
  cut: "M-5-4 5 4M-5 4 5-4M-5 0H5",
  failed: "M-4-4 4 4M4-4-4 4",
  stopped: "M-3.5-3.5h7v7h-7Z",
  change: "M0-4V4M-4 0H4",
};

export function Shape({ sort, x, y }: { sort: Sort; x: number; y: number }) {
  return <path class="paws-sign" data-sort={sort} d={SHAPES[sort]} transform={`translate(${x} ${y})`} />;
}

/** A shape by itself, for the legend. */
export function LoneShape({ sort }: { sort: Sort }) {
  return (
    <svg class="paws-icon" viewBox="-7 -7 14 14" aria-hidden="true">
      <Shape sort={sort} x={0} y={0} />
    </svg>
  );
}
