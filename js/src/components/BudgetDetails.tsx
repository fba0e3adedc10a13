// What stands behind the meter: where both numbers come from, the warning stages as a list to type, and what was spent.
import { useId, useState } from "preact/hooks";
import { hasPrice } from "../state/spent";
import { nextStage, readStages, writtenStages } from "../state/stages";
import { money, percent, say, sayCount } from "../words/say";
import { useView } from "./context";
import { isComposing } from "./keys";

export function BudgetDetails({ id }: { id: string }) {
  return (
    <section id={id} class="paws-budget-details" aria-label={say("details.label")}>
      <Sources />
      <TypedStages />
      <Totals />
    </section>
  );
}

function Sources() {
  const { counted, limit_from } = useView().store.traits.budget.value;
  return (
    <dl class="paws-facts">
      <dt>{say("details.used")}</dt>
      <dd>{say(`meter.${counted}.title`)}.</dd>
      <dt>{say("details.limit")}</dt>
      <dd>{say(`meter.limit.${limit_from}`)}.</dd>
    </dl>
  );
}

function TypedStages() {
  const { store } = useView();
  const { thresholds, read_only, budget } = store.traits;
  const { fired, pending } = store.transcript.value.facts;
  const [typed, setTyped] = useState<string | null>(null);
  const about = useId();
  if (thresholds.value.length === 0) return null;
  const text = typed ?? writtenStages(thresholds.value);
  const stages = readStages(text);
  const wrong = typeof stages === "string" ? say(`stages.wrong.${stages}`) : "";
  const changed = typeof stages !== "string" && String(stages) !== String(thresholds.value);
  const fixed = read_only.value !== "" || store.connection.value === "gone";
  const next = nextStage(thresholds.value, fired);
  return (
    <form
      class="paws-typed-stages"
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof stages === "string" || fixed) return;
        if (changed) store.send({ kind: "set_thresholds", warning_thresholds: [...stages] });
        setTyped(null);
      }}
    >
      <label>
        {say("stages.typed")}
        <input
          type="text"
          class="paws-input"
          inputMode="decimal"
          value={text}
          disabled={fixed}
          aria-invalid={wrong !== ""}
          aria-describedby={about}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && isComposing(event)) event.preventDefault();
            if (event.key !== "Escape" || typed === null) return;
            event.preventDefault();
            setTyped(null);
          }}
        />
      </label>
      <button type="submit" class="paws-button" disabled={fixed || !changed}>
        {say("stages.set")}
      </button>
      <p id={about} class={wrong === "" ? "paws-muted" : "paws-wrong"} role={wrong === "" ? undefined : "alert"}>
        {wrong === "" ? say("stages.about") : wrong}
      </p>
      <p class="paws-muted">
        {fired.length > 0 && `${say("meter.fired", { stages: fired.map(percent).join(", ") })} `}
        {pending.length > 0 && `${say("stages.unread", { stages: pending.map(percent).join(", ") })} `}
        {next !== undefined &&
          budget.value.limit !== null &&
          say("stages.next", { percent: percent(next), tokens: Math.ceil(next * budget.value.limit) })}
      </p>
    </form>
  );
}

function Totals() {
  const { store, page } = useView();
  const { spent } = store.transcript.value.facts;
  if (spent.requests === 0) return null;
  const { requests, input, cached, output, cost } = spent;
  const unknown = Math.max(input.unknown, output.unknown);
  const priced = hasPrice(spent);
  return (
    <dl class="paws-facts">
      <dt>{say("totals.title")}</dt>
      <dd>
        {sayCount("totals.requests", requests)} · {say("totals.input", { tokens: input.reported })}
        {cached.reported > 0 && ` (${say("totals.cached", { tokens: cached.reported })})`} ·{" "}
        {say("totals.output", { tokens: output.reported })}
        {unknown > 0 && ` · ${say("totals.unknown", { count: unknown })}`}
      </dd>
      {priced && (
        <>
          <dt>{say("totals.money")}</dt>
          <dd>
            <label class="paws-check">
              <input
                type="checkbox"
                checked={page.money.value}
                onChange={(event) => {
                  page.money.value = event.currentTarget.checked;
                }}
              />
              {page.money.value
                ? say(cost.unknown > 0 ? "totals.cost.least" : "totals.cost", {
                    cost: money(cost.reported),
                    count: cost.unknown,
                  })
                : say("totals.show")}
            </label>
          </dd>
        </>
      )}
    </dl>
  );
}
