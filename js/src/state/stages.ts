// The shares of the input limit at which the agent is warned: moving one, and reading a typed list. The kernel has the last
// word on what it takes (R-SET-14); this says no sooner, and why.

/** Stages stand at least so far apart when they are moved. */
export const STEP = 0.01;

/** The stages with one of them moved, as far as its neighbours leave room. */
export function moved(stages: readonly number[], index: number, to: number): readonly number[] {
  const [lowest, highest] = room(stages, index);
  const wanted = Number.isFinite(to) ? Math.round(to * 100) / 100 : (stages[index] ?? lowest);
  const value = Math.min(highest, Math.max(lowest, wanted));
  return stages.map((stage, i) => (i === index ? value : stage));
}

/** How low and how high a stage may be moved, between its neighbours. */
export function room(stages: readonly number[], index: number): readonly [lowest: number, highest: number] {
  const lowest = index > 0 ? (stages[index - 1] ?? 0) + STEP : STEP;
  const highest = index < stages.length - 1 ? (stages[index + 1] ?? 1) - STEP : 1;
  return [hundredths(lowest), Math.max(hundredths(lowest), hundredths(highest))];
}

function hundredths(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** A typed list of percentages as stages, or what is wrong with it. */
export function readStages(text: string): readonly number[] | "none" | "number" | "range" | "order" {
  const words = text.split(/[\s,;%]+/).filter((word) => word !== "");
  if (words.length === 0) return "none";
  const percents = words.map(Number);
  if (percents.some(Number.isNaN)) return "number";
  if (percents.some((percent) => percent <= 0 || percent > 100)) return "range";
  if (percents.some((percent, i) => i > 0 && percent <= (percents[i - 1] ?? 0))) return "order";
  return percents.map((percent) => Number((percent / 100).toFixed(6)));
}

/** Stages as a person types them: `75, 80, 85, 90`. */
export function writtenStages(stages: readonly number[]): string {
  return stages.map((stage) => String(Number((stage * 100).toFixed(4)))).join(", ");
}

/** The stage that comes next: the lowest above all that were given since the last reset (R-WARN-3). */
export function nextStage(stages: readonly number[], fired: readonly number[]): number | undefined {
  const highest = Math.max(0, ...fired);
  return stages.find((stage) => stage > highest);
}
