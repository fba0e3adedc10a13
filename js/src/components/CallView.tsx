// A tool call: one line that unfolds to what went in and what came out.

import { useState } from "preact/hooks";
import { textOf } from "../state/calls";
import type { Call, CallResult } from "../state/rows";
import { withoutAnsi } from "../text/ansi";
import { duration, say, share, type WordId } from "../words/say";
import { Link } from "./buttons";
import { CallInput } from "./CallInput";
import { useView } from "./context";
import { useClock } from "./hooks";
import { Images } from "./Images";
import { OutcomeIcon, Sign } from "./icons";
import { LeftOutText } from "./LeftOutText";
import { Output, Tail } from "./Text";

export type CallState = CallResult["outcome"] | "asked" | "waiting" | "running";

export function CallView({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  const { store } = useView();
  const state = useCallState(call);
  const tail = state === "running" ? store.tails.value.get(call.id) : undefined;
  return (
    <div class="paws-call" data-state={state}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Sign name="chevron" />
          <span class="paws-tool">{call.tool}</span>
          <span class="paws-summary">{call.summary}</span>
          <span class="paws-outcome">
            <Took call={call} state={state} />
            <span class="paws-word">{say(`call.${state}`)}</span>
            <OutcomeIcon outcome={state} />
          </span>
        </summary>
        {open && <CallDetails call={call} />}
      </details>
      {tail !== undefined && tail !== "" && <Tail text={tail} />}
      <Remark call={call} />
      {call.result !== null && <Images blocks={call.result.blocks} label={say("call.image", { tool: call.tool })} />}
    </div>
  );
}

/** What the log does not say yet is read off the status and the approvals that wait. */
function useCallState(call: Call): CallState {
  const { store } = useView();
  if (call.result !== null) return call.result.outcome;
  if (store.approvals.value.waiting.some((one) => one.action_id === call.id)) return "waiting";
  const running = store.traits.status.value === "running";
  return running && (call.started !== null || store.tails.value.has(call.id)) ? "running" : "asked";
}

function Took({ call, state }: { call: Call; state: CallState }) {
  const now = useClock(state === "running");
  if (call.started === null || (call.result === null && state !== "running")) return null;
  const ms = (call.result === null ? now : Date.parse(call.result.time)) - Date.parse(call.started);
  if (Number.isNaN(ms) || (call.result !== null && ms < 1_000)) return null;
  return (
    <span class="paws-muted paws-took" aria-live="off">
      {duration(ms)}
    </span>
  );
}

/** Why it did not do what was asked, in one line that needs no unfolding. */
function Remark({ call: { result } }: { call: Call }) {
  if (result === null || result.outcome === "done") return null;
  const text = textOf(result.blocks);
  if (result.outcome === "rejected") {
    const reason = text.trim();
    return <p class="paws-remark-line">{reason === "" ? say("call.noReason") : reason}</p>;
  }
  const lines = text.trim().split("\n");
  const line = result.outcome === "failed" ? lines[lines.length - 1] : lines[0]; // of a traceback the last line says it
  return <p class="paws-remark-line">{withoutAnsi(line ?? "").slice(0, 300)}</p>;
}

function CallDetails({ call }: { call: Call }) {
  const { result, approval } = call;
  return (
    <div class="paws-details">
      {approval !== null && <p class="paws-muted">{say(`call.${approval}` satisfies WordId)}</p>}
      <CallInput call={call} />
      {result !== null && result.outcome !== "rejected" && <CallOutput result={result} />}
    </div>
  );
}

function CallOutput({ result }: { result: CallResult }) {
  const [whole, setWhole] = useState(false);
  const shown = textOf(result.blocks);
  const { output, bytes: total } = result;
  const partly = output !== null && total !== null;
  return (
    <section>
      <h4>
        {say("call.output")}
        {partly && (
          <span class="paws-muted">
            {" · "}
            {say("call.shown", { share: share(new TextEncoder().encode(shown).length, total) })}
          </span>
        )}
      </h4>
      {shown === "" ? (
        <p class="paws-muted">{say("call.noOutput")}</p>
      ) : (
        <Output text={whole && output !== null ? output : shown} />
      )}
      {partly && !whole && <Link onClick={() => setWhole(true)}>{say("call.whole")}</Link>}
      {whole && <LeftOutText leftOut={result.leftOut} path={["observation", "output"]} />}
    </section>
  );
}
