// The timeline as a picture, in pixels: pure arithmetic. Of thousands of requests the highest and the lowest of each column of
// pixels are drawn, so that no peak and no drop is lost.
import type { UpdateOf } from "../wire/names";

export type Told = UpdateOf<"timeline">;
export type Stretch = Told["stretches"][number];
export type Mark = Told["marks"][number];

export interface Request {
  readonly number: number;
  readonly position: number;
  /** Empty for an answer, `cancelled` for a stop, else the class of the failure. */
  readonly reason: string;
  readonly estimated: number | null;
  readonly measured: number | null;
  readonly stretch: Stretch | undefined;
}

/** A request, or what happened between two of them. */
export type Item =
  | { readonly type: "request"; readonly position: number; readonly request: Request }
  | { readonly type: "mark"; readonly position: number; readonly mark: Mark };

/** All there is, in the order of the log. */
export function itemsOf(told: Told): readonly Item[] {
  let at = -1;
  const requests = told.positions.map((position, i): Item => {
    while ((told.stretches[at + 1]?.start ?? Number.POSITIVE_INFINITY) <= i) at += 1;
    const request = {
      number: i + 1,
      position,
      reason: told.reasons[i] ?? "",
      estimated: told.estimated[i] ?? null,
      measured: told.measured[i] ?? null,
      stretch: told.stretches[at],
    };
    return { type: "request", position, request };
  });
  const marks = told.marks.map((mark): Item => ({ type: "mark", position: mark.position, mark }));
  return [...requests, ...marks].sort((one, other) => one.position - other.position);
}

export interface Plot {
  readonly width: number;
  readonly height: number;
  /** How many requests there are. */
  readonly count: number;
  /** So many tokens are as high as the plot. */
  readonly top: number;
}

/** The limit is drawn when the largest request is at least this part of it; else it would press all others flat. */
const SHARE = 0.2;

/** A plot of this size in which all requests have their place, and the limits where that leaves something to see. */
export function plotOf(told: Told, width: number, height: number): Plot {
  const known = [...told.estimated, ...told.measured].filter((value) => value !== null);
  const largest = known.reduce((most, value) => Math.max(most, value), 1);
  const limits = told.stretches.flatMap(({ limit }) => (limit !== null && largest >= SHARE * limit ? [limit] : []));
  const top = 1.08 * Math.max(largest, ...limits);
  return { width: Math.max(1, width), height, count: told.positions.length, top };
}

/** The middle of a request, counted from 0. */
export function xOf(plot: Plot, index: number): number {
  return ((index + 0.5) * plot.width) / Math.max(1, plot.count);
}

/** Where something stands that happened after so many requests. */
export function xAfter(plot: Plot, requests: number): number {
  return (requests * plot.width) / Math.max(1, plot.count);
}

export function yOf(plot: Plot, tokens: number): number {
  return plot.height * (1 - tokens / plot.top);
}

export function placeOf(plot: Plot, item: Item): number {
  return item.type === "request" ? xOf(plot, item.request.number - 1) : xAfter(plot, item.mark.after);
}

/** The path of a line through values; where one is unknown there is a gap. */
export function lineOf(plot: Plot, values: readonly (number | null)[]): string {
  const count = values.length;
  const columns = Math.min(count, Math.floor(plot.width));
  let path = "";
  let pen = false;
  for (let column = 0; column < columns; column += 1) {
    const [from, to] = [column, column + 1].map((edge) => Math.floor((edge * count) / columns)) as [number, number];
    const drawn = extremes(values, from, to);
    for (const i of drawn) {
      const [x, y] = [xOf(plot, i), yOf(plot, values[i] ?? 0)].map((value) => Math.round(value * 10) / 10);
      path += pen ? `L${x} ${y}` : `M${x} ${y}h0`; // of length 0, so that one value between two gaps is a dot
      pen = true;
    }
    if (drawn.length === 0) pen = false;
  }
  return path;
}

/** The places of the lowest and the highest known value in a range, in their order. */
function extremes(values: readonly (number | null)[], from: number, to: number): readonly number[] {
  let [low, high] = [-1, -1];
  for (let i = from; i < to; i += 1) {
    const value = values[i] ?? null;
    if (value === null) continue;
    if (low < 0 || value < (values[low] ?? 0)) low = i;
    if (high < 0 || value > (values[high] ?? 0)) high = i;
  }
  if (low < 0) return [];
  return low === high ? [low] : [Math.min(low, high), Math.max(low, high)];
}

/** Round numbers for the axis, from the lowest up. */
export function ticksOf(plot: Plot): readonly number[] {
  const rough = plot.top / 4;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((times) => times * ten >= rough) ?? 10) * ten);
  return Array.from({ length: Math.floor(plot.top / step) + 1 }, (_, i) => i * step);
}

export interface Level {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly share: number;
}

/** The limits and warning stages as lines; `share` is 1 for a limit. */
export function levelsOf(plot: Plot, stretches: readonly Stretch[]): readonly Level[] {
  return stretches.flatMap(({ start, limit, thresholds }, i) => {
    if (limit === null) return [];
    const from = xAfter(plot, start);
    const to = xAfter(plot, stretches[i + 1]?.start ?? plot.count);
    return [...new Set([1, ...thresholds])]
      .filter((share) => share * limit <= plot.top)
      .map((share) => ({ from, to, y: yOf(plot, share * limit), share }));
  });
}

/** The item nearest to a place: of the marks where the pointer is below the plot, else of the requests. */
export function nearest(plot: Plot, items: readonly Item[], x: number, y: number): number {
  const type = y > plot.height && items.some((item) => item.type === "mark") ? "mark" : "request";
  let [best, distance] = [-1, Number.POSITIVE_INFINITY];
  for (const [i, item] of items.entries()) {
    const away = item.type === type ? Math.abs(placeOf(plot, item) - x) : Number.POSITIVE_INFINITY;
    if (away < distance) [best, distance] = [i, away];
  }
  return best;
}

/** Of items that would be drawn on one another, the one that says most: `ranks` are their sorts, the most telling first. */
export function thinned<S extends string>(
  plot: Plot,
  items: readonly Item[],
  sortOf: (item: Item) => S | null,
  ranks: readonly S[],
  pixels: number,
): readonly Item[] {
  const best = new Map<string, Item>();
  const rank = (item: Item) => ranks.indexOf(sortOf(item) as S);
  for (const item of items) {
    const cell = `${item.type} ${Math.round(placeOf(plot, item) / pixels)}`;
    const other = best.get(cell);
    if (rank(item) >= 0 && (other === undefined || rank(item) < rank(other))) best.set(cell, item);
  }
  return [...best.values()];
}
