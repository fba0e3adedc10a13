// The warning stages on the meter: marks that are dragged, or moved with the arrow keys. What was moved is sent when it comes
// to rest; until the kernel has taken it, the page shows what it asked for.
import { useEffect, useRef, useState } from "preact/hooks";
import { moved, room, STEP } from "../state/stages";
import { percent, say } from "../words/say";
import { useView } from "./context";

/** So long after the last key the new place is sent, in milliseconds. */
const REST = 700;

export type StageState = "pending" | "given" | "ahead";

export function stageState(stage: number, fired: readonly number[], pending: readonly number[]): StageState {
  if (pending.includes(stage)) return "pending";
  return fired.includes(stage) ? "given" : "ahead";
}

export function Stages() {
  const { store } = useView();
  const { thresholds, read_only } = store.traits;
  const { fired, pending } = store.transcript.value.facts;
  const asked = store.outbox.sent.value.flatMap(({ command }) =>
    command.kind === "set_thresholds" ? [command.warning_thresholds] : [],
  );
  const known = asked[asked.length - 1] ?? thresholds.value;
  const [draft, setDraft] = useState<readonly number[] | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const resting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => () => clearTimeout(resting.current), []);
  const fixed = read_only.value !== "" || store.connection.value === "gone";
  const stages = draft ?? known;

  const change = (index: number, to: number) => {
    const next = moved(stages, index, to);
    setDraft(next);
    return next;
  };
  const settle = (next: readonly number[] | null) => {
    clearTimeout(resting.current);
    resting.current = undefined;
    setDraft(null);
    if (next !== null && String(next) !== String(known))
      store.send({ kind: "set_thresholds", warning_thresholds: [...next] });
  };

  const onKeyDown = (index: number, stage: number) => (event: KeyboardEvent) => {
    if (event.key === "Escape" && draft !== null) {
      event.preventDefault();
      settle(null);
      return;
    }
    const to = placeAfter(event, stage, room(stages, index), isRightToLeft(row.current));
    if (to === undefined) return;
    event.preventDefault();
    const next = change(index, to);
    clearTimeout(resting.current);
    resting.current = setTimeout(() => settle(next), REST);
  };
  const onPointerMove = (index: number) => (event: PointerEvent) => {
    if (held === index) change(index, shareAt(event.clientX, row.current));
  };
  const onPointerEnd = (index: number) => (event: PointerEvent) => {
    if (held !== index) return;
    setHeld(null);
    settle(event.type === "pointerup" ? draft : null);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> brings a box of its own
    <div class="paws-stages" ref={row} role="group" aria-label={say("stages.label")}>
      {stages.map((stage, index) => (
        <button
          key={index}
          type="button"
          role="slider"
          class="paws-stage"
          data-state={stageState(stage, fired, pending)}
          data-held={held === index || undefined}
          data-moved={stage !== thresholds.value[index] || undefined}
          disabled={fixed}
          style={{ insetInlineStart: `${stage * 100}%` }}
          title={say(`stages.${stageState(stage, fired, pending)}`, { percent: percent(stage) })}
          aria-label={say("stages.one", { number: index + 1 })}
          aria-valuemin={room(stages, index)[0] * 100}
          aria-valuemax={room(stages, index)[1] * 100}
          aria-valuenow={Math.round(stage * 1_000) / 10}
          aria-valuetext={say(`stages.${stageState(stage, fired, pending)}`, { percent: percent(stage) })}
          onKeyDown={onKeyDown(index, stage)}
          onBlur={() => resting.current !== undefined && settle(draft)}
          onPointerDown={(event) => {
            if (fixed || event.button !== 0) return;
            event.currentTarget.setPointerCapture?.(event.pointerId);
            setHeld(index);
          }}
          onPointerMove={onPointerMove(index)}
          onPointerUp={onPointerEnd(index)}
          onPointerCancel={onPointerEnd(index)}
        >
          {(held === index || (draft !== null && stage !== known[index])) && (
            <output class="paws-stage-value">{percent(stage)}</output>
          )}
        </button>
      ))}
    </div>
  );
}

/** Where a key moves a stage; undefined for keys that move nothing. */
function placeAfter(
  { key, shiftKey }: KeyboardEvent,
  stage: number,
  [lowest, highest]: readonly [number, number],
  rightToLeft: boolean,
): number | undefined {
  const by = shiftKey ? 5 * STEP : STEP;
  switch (key) {
    case "ArrowUp":
      return stage + by;
    case "ArrowDown":
      return stage - by;
    case "PageUp":
      return stage + 5 * STEP;
    case "PageDown":
      return stage - 5 * STEP;
    case "ArrowRight":
      return rightToLeft ? stage - by : stage + by;
    case "ArrowLeft":
      return rightToLeft ? stage + by : stage - by;
    case "Home":
      return lowest;
    case "End":
      return highest;
    default:
      return undefined;
  }
}

function shareAt(x: number, row: Element | null): number {
  const { left, right, width } = row?.getBoundingClientRect() ?? { left: 0, right: 0, width: 0 };
  if (width === 0) return Number.NaN;
  return isRightToLeft(row) ? (right - x) / width : (x - left) / width;
}

function isRightToLeft(element: Element | null): boolean {
  return element !== null && getComputedStyle(element).direction === "rtl";
}
