// The head of the page: what this is, how it stands, the ways to hold it, and how full its context is.

import { say } from "../words/say";
import { BudgetMeter } from "./BudgetMeter";
import { Button } from "./buttons";
import { useView } from "./context";
import { Sign, StateIcon } from "./icons";

export function Header() {
  const { title, profile } = useView().store.traits;
  return (
    <div class="paws-header">
      <div class="paws-bar">
        <State />
        {title.value !== "" && (
          <span class="paws-title" title={title.value}>
            {title}
          </span>
        )}
        <span class="paws-space" />
        {profile.value !== "" && (
          <span class="paws-profile" title={profile.value}>
            {profile}
          </span>
        )}
        <Hold />
      </div>
      <BudgetMeter />
    </div>
  );
}

/** The state as a sign and words: its shape and its name differ, not only its colour. */
function State() {
  const { traits, connection } = useView().store;
  const state = connection.value === "gone" ? "gone" : traits.status.value;
  const { value: detail } = traits.detail;
  return (
    <span class="paws-state" data-state={state}>
      <StateIcon state={state} />
      <span>{say(`status.${state}`)}</span>
      {state === "running" && detail !== "" && <span class="paws-muted">· {say(`detail.${detail}`)}</span>}
    </span>
  );
}

/** Stop is always there; it works while something runs or waits, and as long as a message may be on its way. */
function Hold() {
  const { store } = useView();
  const { status, read_only } = store.traits;
  const asked = (kind: string) => store.outbox.sent.value.some((one) => one.command.kind === kind);
  const active = status.value === "running" || status.value === "waiting";
  const stopping = asked("stop") || store.traits.detail.value === "stopping";
  const pausing = asked("pause");
  const gone = store.connection.value === "gone" || read_only.value !== "";
  return (
    <span class="paws-hold">
      {active && (
        <Button
          class="paws-quiet"
          disabled={gone || pausing}
          title={say("pause.title")}
          onClick={() => store.send({ kind: "pause" })}
        >
          <Sign name="pause" />
          <span class="paws-label">{say(pausing ? "pausing" : "pause")}</span>
        </Button>
      )}
      <Button class="paws-stop" disabled={!store.canStop} onClick={() => store.send({ kind: "stop" })}>
        <Sign name="stop" />
        {say(stopping ? "stopping" : "stop")}
      </Button>
    </span>
  );
}
