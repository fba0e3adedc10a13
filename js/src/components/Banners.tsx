// What the person should know beside the conversation: that the kernel is busy or gone, that nothing can be changed here,
// what the provider said, what came of a command, and what is approved for this run.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { say } from "../words/say";
import { Button, Link, SignButton } from "./buttons";
import { useView } from "./context";
import { Sign } from "./icons";

export function Banners() {
  return (
    <div class="paws-banners">
      <Connection />
      <ReadOnly />
      <StoreNotice />
      <Problem />
      <Notices />
      <Grants />
      <Held />
    </div>
  );
}

interface BannerProps {
  tone: "info" | "warn" | "error";
  children: ComponentChildren;
  action?: ComponentChildren;
}

function Banner({ tone, children, action }: BannerProps) {
  return (
    <div class={`paws-banner paws-banner-${tone}`} role={tone === "error" ? "alert" : undefined}>
      <div class="paws-banner-text">{children}</div>
      {action}
    </div>
  );
}

function Dismiss({ onClick }: { onClick: () => void }) {
  return <SignButton name="close" label={say("dismiss")} onClick={onClick} />;
}

function Connection() {
  const { connection, outbox, traits } = useView().store;
  if (connection.value === "gone") {
    const id = traits.conversation_id.value;
    const kept = traits.event_count.value > 0;
    return (
      <Banner tone="error">
        {say(kept ? "connection.gone" : "connection.gone.empty")}
        {kept && id !== "" && (
          <div class="paws-load">
            <code>{`SmolPaws.load(${JSON.stringify(id)})`}</code>
          </div>
        )}
      </Banner>
    );
  }
  if (connection.value === "silent") return <Banner tone="warn">{say("connection.silent")}</Banner>;
  const slow = outbox.sent.value.filter(({ state }) => state === "slow");
  if (slow.some(({ command }) => command.kind === "stop")) return <Banner tone="warn">{say("busy.stop")}</Banner>;
  if (slow.length > 0) return <Banner tone="warn">{say("busy.kernel")}</Banner>;
  return null;
}

function ReadOnly() {
  const { store } = useView();
  const { value: reason } = store.traits.read_only;
  if (reason === "") return null;
  const takeOver = () => store.send({ kind: "take_over" });
  const button = <Button onClick={takeOver}>{say("readOnly.takeOver")}</Button>;
  return (
    <Banner tone="warn" action={button}>
      {say("readOnly.title", { reason })}
    </Banner>
  );
}

/** What the store noticed. It hinders nothing, so it can be put away. */
function StoreNotice() {
  const { value: text } = useView().store.traits.notice;
  const [away, setAway] = useState("");
  if (text === "" || text === away) return null;
  return (
    <Banner tone="info" action={<Dismiss onClick={() => setAway(text)} />}>
      {say("notice.title")} {text}
    </Banner>
  );
}

function Problem() {
  const { problem } = useView().store;
  if (problem.value === null) return null;
  const dismiss = () => {
    problem.value = null;
  };
  return (
    <Banner tone="error" action={<Dismiss onClick={dismiss} />}>
      <strong>{say("problem.title")}</strong> <code>{problem.value.code}</code>
      <p class="paws-plain paws-problem">{problem.value.text}</p>
    </Banner>
  );
}

function Notices() {
  const { outbox } = useView().store;
  return (
    <>
      {outbox.notices.value.map(({ id, tone, text }) => (
        <Banner key={id} tone={tone} action={<Dismiss onClick={() => outbox.dismiss(id)} />}>
          {text}
        </Banner>
      ))}
    </>
  );
}

function Grants() {
  const { store } = useView();
  const { granted } = store.approvals.value;
  if (granted.length === 0) return null;
  return (
    <div class="paws-grants">
      <span class="paws-muted">{say("grants.title")}</span>
      {granted.map(({ action_id, covers }) => (
        <span key={action_id} class="paws-grant">
          {covers}
          <Link onClick={() => store.send({ kind: "revoke", action_id })}>{say("grants.revoke")}</Link>
        </span>
      ))}
    </div>
  );
}

/** After a pause, an error or an opening with unfinished work: how to go on. */
function Held() {
  const { store } = useView();
  const { status, read_only } = store.traits;
  const { held } = store.transcript.value.facts;
  if ((status.value !== "paused" && status.value !== "error") || read_only.value !== "") return null;
  if (store.connection.value === "gone") return null;
  const asked = store.outbox.sent.value.some(({ command }) => command.kind === "resume");
  const button = (
    <Button class="paws-primary" disabled={asked} onClick={() => store.send({ kind: "resume" })}>
      <Sign name={status.value === "error" ? "retry" : "play"} />
      {say(status.value === "error" ? "retry" : "continue")}
    </Button>
  );
  return (
    <Banner tone="info" action={button}>
      {say(status.value === "error" ? "error.bar" : held ? "paused.held" : "paused.title")}
    </Banner>
  );
}
