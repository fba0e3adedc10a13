import { expect, test } from "vitest";
import { timeline } from "../../harness/instruments";
import {
  type Item,
  itemsOf,
  levelsOf,
  lineOf,
  nearest,
  placeOf,
  plotOf,
  type Told,
  thinned,
  ticksOf,
  xOf,
  yOf,
} from "../../src/state/timeline";

const WIDTH = 700;
const HEIGHT = 200;

function numbersOf(path: string): number[][] {
  return [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

function toldOf(measured: (number | null)[], more: Partial<Told> = {}): Told {
  const count = measured.length;
  return {
    ...timeline("a", count, count),
    positions: measured.map((_, i) => i),
    reasons: measured.map(() => ""),
    estimated: measured.map(() => null),
    measured,
    marks: [],
    ...more,
  };
}

test("R-VOC-19: what is unknown is a gap, and a value between two gaps is a dot", () => {
  const told = toldOf([100, 200, null, 300, null, 0]);
  const path = lineOf(plotOf(told, WIDTH, HEIGHT), told.measured);
  expect(path.match(/M/g)).toHaveLength(3);
  expect(path.match(/L/g)).toHaveLength(1);
  expect(path.match(/h0/g)).toHaveLength(3);
  expect(numbersOf(path)).toHaveLength(4);
});

test("of thousands of requests no peak and no drop is lost", () => {
  const values = Array.from({ length: 5_000 }, (_, i) =>
    i === 3_333 ? 9_000 : i === 1_234 ? 5 : 1_000 + (i % 40) * 50,
  );
  const told = toldOf(values);
  const plot = plotOf(told, WIDTH, HEIGHT);
  const drawn = numbersOf(lineOf(plot, values));
  expect(drawn.length).toBeLessThanOrEqual(2 * WIDTH + 2);
  for (const place of [3_333, 1_234]) {
    const [x, y] = [xOf(plot, place), yOf(plot, values[place] ?? 0)];
    expect(drawn.some(([a = 0, b = 0]) => Math.abs(a - x) < 1 && Math.abs(b - y) < 0.1)).toBe(true);
  }
  const xs = drawn.map(([x = 0]) => x);
  expect(xs).toEqual([...xs].sort((a, b) => a - b));
});

test("a few requests are each a point of the line", () => {
  const told = toldOf([1, 2, 3, 4, 5]);
  expect(numbersOf(lineOf(plotOf(told, WIDTH, HEIGHT), told.measured))).toHaveLength(5);
});

test("requests and marks stand in the order of the log, each with what held then", () => {
  const stretches = [
    { start: 0, limit: 8_000, limit_from: "profile" as const, thresholds: [0.75], profile: "one" },
    { start: 2, limit: null, limit_from: "unknown" as const, thresholds: [], profile: "two" },
  ];
  const mark = {
    after: 2,
    position: 15,
    event_id: "m",
    time: "",
    kind: "profile" as const,
    detail: "two",
    value: null,
  };
  const told = toldOf([1, 2, 3], { positions: [5, 10, 20], stretches, marks: [mark] });
  const items = itemsOf(told);
  expect(items.map(({ position }) => position)).toEqual([5, 10, 15, 20]);
  const profiles = items.map((item) => (item.type === "request" ? item.request.stretch?.profile : item.mark.kind));
  expect(profiles).toEqual(["one", "one", "profile", "two"]);
});

test("a limit far above all requests does not press them flat, and one that is near is drawn with its stages", () => {
  const near = toldOf([7_000]);
  const far = toldOf([7_000], {
    stretches: [{ start: 0, limit: 400_000, limit_from: "model", thresholds: [0.75], profile: "p" }],
  });
  expect(levelsOf(plotOf(near, WIDTH, HEIGHT), near.stretches).map(({ share }) => share)).toEqual([
    1, 0.75, 0.8, 0.85, 0.9,
  ]);
  expect(levelsOf(plotOf(far, WIDTH, HEIGHT), far.stretches)).toEqual([]);
  expect(plotOf(far, WIDTH, HEIGHT).top).toBeLessThan(8_000);
});

test("the pointer finds the nearest request in the plot and the nearest mark below it", () => {
  const told = timeline("a", 100, 40);
  const items = itemsOf(told);
  const plot = plotOf(told, WIDTH, HEIGHT);
  for (const [y, type] of [
    [50, "request"],
    [HEIGHT + 5, "mark"],
  ] as const) {
    const found = items[nearest(plot, items, 333, y)];
    expect(found?.type).toBe(type);
    const best = Math.min(
      ...items.filter((item) => item.type === type).map((item) => Math.abs(placeOf(plot, item) - 333)),
    );
    expect(found && Math.abs(placeOf(plot, found) - 333)).toBe(best);
  }
});

test("where marks would be drawn on one another, the most telling one is", () => {
  const told = timeline("a", 5_000, 5_000);
  const items = itemsOf(told).filter((item) => item.type === "mark");
  const kindOf = (item: Item) => (item.type === "mark" ? item.mark.kind : null);
  const shown = thinned(plotOf(told, 100, HEIGHT), items, kindOf, ["rescue", "voluntary", "warning"], 10);
  expect(shown.length).toBeLessThanOrEqual(11);
  expect(new Set(shown.map(kindOf))).toEqual(new Set(["rescue"]));
});

test.each([1, 9, 30, 999, 8_640, 1_000_000])("the axis has a few round numbers up to %d", (top) => {
  const ticks = ticksOf({ width: 1, height: 1, count: 1, top });
  expect(ticks.length).toBeGreaterThanOrEqual(2);
  expect(ticks.length).toBeLessThanOrEqual(6);
  expect(ticks[0]).toBe(0);
  expect(Math.max(...ticks)).toBeLessThanOrEqual(top);
});
