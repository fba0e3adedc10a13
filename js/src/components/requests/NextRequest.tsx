// Exactly what the model will be sent: each message with its tokens and its event, and what a reset now would leave.

import { useState } from "preact/hooks";
import type { UpdateOf } from "../../wire/names";
import { say, sayCount } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { Button } from "../buttons";
import { useView } from "../context";
import { Sign } from "../icons";
import { Lines, PAGE, Pager } from "./Lines";
import { RawJson } from "./RawJson";

type Told = UpdateOf<"request">;

export function NextRequest() {
  const { store } = useView();
  const { event_count, budget, status } = store.traits;
  const [start, setStart] = useState<number | null>(null);
  const [rehearses, setRehearses] = useState(false);
  const when = `${event_count.value} ${status.value} ${budget.value.tokens} ${store.traits.thresholds.value}`;
  const { answer, problem, again } = useAnswer({ kind: "next_request", start, count: PAGE }, when);
  const [last, setLast] = useState<Told | null>(null);
  if (answer !== null && answer !== last) setLast(answer); // another page is asked for: this one stays till it is here
  const told = answer ?? last;
  return (
    <section class="paws-instrument" aria-label={say("tab.next")}>
      {problem !== null && <NotAnswered problem={problem} again={again} />}
      {told !== null && (
        <>
          <Totals told={told} />
          <div class="paws-choice">
            <Button aria-pressed={rehearses} onClick={() => setRehearses(!rehearses)}>
              {say("next.rehearse")}
            </Button>
            <RawJson request="next" name="next-request" />
          </div>
          {rehearses && <p>{resetSaid(told)}</p>}
          <details class="paws-aside">
            <summary>
              <Sign name="chevron" />
              {sayCount("next.fixed", told.fixed.length)}
            </summary>
            <Lines request="next" lines={told.fixed} />
          </details>
          <div class="paws-sides">
            <div>
              <h3>{say("next.now", { tokens: told.tokens })}</h3>
              <Pager list={told.messages} go={setStart} />
              <Lines request="next" lines={told.messages.lines} />
            </div>
            {rehearses && told.reset.after !== null && (
              <div>
                <h3>{say("next.after", { tokens: told.reset.tokens ?? 0 })}</h3>
                <Lines request="rehearsed" lines={told.reset.after.lines} />
                <RawJson request="rehearsed" name="request-after-reset" />
              </div>
            )}
          </div>
        </>
      )}
    </section>
  );
}

function Totals({ told: { tokens, budget, messages, reset } }: { told: Told }) {
  const { tokens: counted, limit, counted: how, limit_from } = budget;
  return (
    <div>
      <p>{say("next.about", { tokens, count: messages.total })}</p>
      <p class="paws-muted">
        {counted !== null && limit !== null
          ? `${say("meter.of", { tokens: counted, limit })}. ${say(`meter.${how}.title`)}. ${say(`meter.limit.${limit_from}`)}.`
          : say(`meter.limit.${limit_from}`)}
      </p>
      {reset.due !== null && (
        <p>
          <strong>{say("next.due")}</strong>
        </p>
      )}
    </div>
  );
}

/** What a reset now would do, as far as anybody can know it. */
function resetSaid({ reset: { how, refused, gone, gone_tokens: tokens } }: Told): string {
  if (refused !== "") return say("next.refused", { reason: refused });
  return say(`next.${how}`, { count: gone, tokens });
}
