import { expect, test } from "vitest";
import { moved, nextStage, readStages, room, writtenStages } from "../../src/state/stages";

const STAGES = [0.75, 0.8, 0.85, 0.9];

test("a stage moves in whole percents, and never past its neighbours or the ends", () => {
  expect(moved(STAGES, 1, 0.824)).toEqual([0.75, 0.82, 0.85, 0.9]);
  expect(moved(STAGES, 1, 0.2)).toEqual([0.75, 0.76, 0.85, 0.9]);
  expect(moved(STAGES, 1, 0.99)).toEqual([0.75, 0.84, 0.85, 0.9]);
  expect(moved(STAGES, 0, -3)).toEqual([0.01, 0.8, 0.85, 0.9]);
  expect(moved(STAGES, 3, 7)).toEqual([0.75, 0.8, 0.85, 1]);
  expect(moved(STAGES, 2, Number.NaN)).toEqual(STAGES);
});

test("where neighbours leave no room, a stage stays between them", () => {
  expect(moved([0.8, 0.805, 0.81], 1, 0.5)[1]).toBeGreaterThan(0.8);
  expect(room([0.5], 0)).toEqual([0.01, 1]);
});

test("every move of every stage gives a list that the kernel takes", () => {
  for (let index = 0; index < STAGES.length; index += 1)
    for (let to = -20; to <= 120; to += 1) {
      const stages = moved(STAGES, index, to / 100);
      expect(stages.every((stage, i) => stage > (stages[i - 1] ?? 0) && stage <= 1)).toBe(true);
    }
});

test.each([
  ["75, 80 85;90%", [0.75, 0.8, 0.85, 0.9]],
  ["12.5", [0.125]],
  ["100", [1]],
  ["", "none"],
  [" , ", "none"],
  ["75, many", "number"],
  ["0, 50", "range"],
  ["50, 101", "range"],
  ["-5", "range"],
  ["80, 75", "order"],
  ["80, 80", "order"],
] as const)("R-SET-14: what is typed is read, or it is said what is wrong: %j", (text, stages) => {
  expect(readStages(text)).toEqual(stages);
});

test("what is written can be read again", () => {
  for (const stages of [STAGES, [0.07], [0.333333, 1]])
    expect(readStages(writtenStages(stages)).toString()).toBe(stages.map((s) => Number(s.toFixed(6))).toString());
});

test("R-WARN-3: the next stage is the lowest above all that were given", () => {
  expect(nextStage(STAGES, [])).toBe(0.75);
  expect(nextStage(STAGES, [0.75, 0.85])).toBe(0.9);
  expect(nextStage(STAGES, [0.9])).toBeUndefined();
});
