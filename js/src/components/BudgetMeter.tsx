// How full the context is, as a bar with its warning stages and in words; what nobody counted is never shown as a number.

import { useMemo, useState } from "preact/hooks";
import { newId } from "../state/ids";
import type { Budget } from "../wire/names";
import { percent, say, sayCount } from "../words/say";
import { BudgetDetails } from "./BudgetDetails";
import { SignButton } from "./buttons";
import { useView } from "./context";
import { Sign } from "./icons";
import { Stages } from "./Stages";

export function BudgetMeter() {
  const { store, page } = useView();
  const { facts } = store.transcript.value;
  const { value: budget } = store.traits.budget;
  const [open, setOpen] = useState(false);
  const details = useMemo(newId, []);
  const about = aboutBudget(budget);
  return (
    <div class="paws-budget">
      <div class="paws-gauge">
        <Bar budget={budget} stages={store.traits.thresholds.value} fired={facts.fired} />
        <Stages />
      </div>
      <div class="paws-figures" title={about}>
        <span>{figures(budget)}</span>
        {budget.fraction !== null && (
          <span class="paws-muted">
            {say(`meter.${budget.counted}.note`)}
            <span class="paws-hidden">. {about}</span>
          </span>
        )}
        <span class="paws-figures-end">
          {facts.resets > 0 && (
            <span class="paws-resets">
              <Sign name="reset" />
              {sayCount("resets", facts.resets)}
            </span>
          )}
          <button
            type="button"
            class="paws-fold"
            aria-expanded={open}
            aria-controls={open ? details : undefined}
            onClick={() => setOpen(!open)}
          >
            {say("details")}
            <Sign name="chevron" />
          </button>
          <SignButton
            name="search"
            label={say("search")}
            aria-pressed={page.search.value !== null}
            onClick={() => {
              page.search.value = page.search.value === null ? "" : null;
              page.found.value = null;
            }}
          />
        </span>
      </div>
      {open && <BudgetDetails id={details} />}
    </div>
  );
}

function Bar({ budget, stages, fired }: { budget: Budget; stages: readonly number[]; fired: readonly number[] }) {
  const { fraction } = budget;
  if (fraction === null) return <div class="paws-meter paws-meter-unknown" aria-hidden="true" />;
  const level = stages.filter((stage) => fraction >= stage).length;
  const spoken = [meterValue(budget, fraction), stagesInWords(stages, fired)].join(". ");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <meter> cannot be coloured by its stages
    <div
      class="paws-meter"
      role="meter"
      aria-label={say("meter.label")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.min(100, Math.round(fraction * 100))}
      aria-valuetext={spoken}
      data-level={level === 0 ? "calm" : level < stages.length ? "warned" : "full"}
    >
      <span class="paws-fill-bar" style={{ inlineSize: `${Math.min(1, fraction) * 100}%` }} />
    </div>
  );
}

/** "62%, 124,000 of 200,000 tokens, measured": what a screen reader is told. */
export function meterValue({ tokens, limit, counted }: Budget, fraction: number): string {
  const values = { percent: percent(fraction), tokens: tokens ?? 0, limit: limit ?? 0 };
  return say("meter.value", { ...values, counted: say(`meter.${counted === "unknown" ? "estimated" : counted}`) });
}

/** The figures in words; a part that is unknown is said to be. */
export function figures({ tokens, limit, fraction }: Budget): string {
  if (fraction !== null && tokens !== null && limit !== null)
    return `${percent(fraction)} · ${say("meter.of", { tokens, limit })}`;
  if (tokens !== null) return say("meter.tokens", { tokens });
  return limit === null ? say("meter.unknown") : say("meter.unknown.of", { limit });
}

/** Where both numbers come from, and how old the count is. */
export function aboutBudget({ counted, limit_from }: Budget): string {
  return `${say(`meter.${counted}.title`)}. ${say(`meter.limit.${limit_from}`)}.`;
}

export function stagesInWords(stages: readonly number[], fired: readonly number[]): string {
  const list = (values: readonly number[]) => values.map(percent).join(", ");
  const all = stages.length > 0 ? say("meter.stages", { stages: list(stages) }) : "";
  const given = fired.length > 0 ? say("meter.fired", { stages: list(fired) }) : "";
  return [all, given].filter((text) => text !== "").join(" ");
}
