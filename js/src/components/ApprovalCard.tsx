// A call that waits for a person: what it is, shown whole, and the answers. An answer is bound to exactly what was shown.

import { useRef } from "preact/hooks";
import type { ApprovalRequest } from "../wire/names";
import { say, sayCount } from "../words/say";
import { Button } from "./buttons";
import { useView } from "./context";
import { Diff, Whole } from "./Diff";
import { StateIcon } from "./icons";
import { isComposing } from "./keys";

export function ApprovalCard() {
  const { store } = useView();
  const { waiting } = store.approvals.value;
  const [request] = waiting;
  if (store.traits.status.value !== "waiting" || request === undefined) return null;
  return (
    <section class="paws-approval" role="alert" aria-label={say("approval.title")} key={request.action_id}>
      <h3>
        <StateIcon state="waiting" />
        {request.title}
        {waiting.length > 1 && <span class="paws-muted">{say("approval.many", { count: waiting.length })}</span>}
      </h3>
      {request.reason !== "" && <p>{request.reason}</p>}
      <Shown request={request} />
      <Answers key={request.digest} request={request} />
    </section>
  );
}

function Shown({ request: { form, text } }: { request: ApprovalRequest }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="paws-shown" aria-label={sayCount("approval.lines", lines.length)} tabIndex={0}>
        <pre dir="ltr">{form === "diff" ? <Diff text={text} /> : <Whole text={text} />}</pre>
      </section>
      {lines.length > 12 && <p class="paws-muted paws-lines">{sayCount("approval.lines", lines.length)}</p>}
    </>
  );
}

function Answers({ request: { action_id, digest, covers } }: { request: ApprovalRequest }) {
  const { store, page } = useView();
  const reason = useRef<HTMLInputElement>(null);
  const answered = store.outbox.sent.value.some(
    ({ command }) => (command.kind === "approve" || command.kind === "reject") && command.action_id === action_id,
  );
  const returnFocus = () => {
    page.wantsFocus.value += 1;
  };
  const approve = (scope: "once" | "run") => {
    store.send({ kind: "approve", action_id, scope, digest });
    returnFocus();
  };
  const reject = () => {
    store.send({ kind: "reject", action_id, reason: reason.current?.value.trim() ?? "" });
    returnFocus();
  };
  return (
    <div class="paws-answers">
      <Button class="paws-primary" data-approve disabled={answered} onClick={() => approve("once")}>
        {say("approval.once")}
      </Button>
      {covers !== null && (
        <Button disabled={answered} onClick={() => approve("run")}>
          {say("approval.run")}
        </Button>
      )}
      <span class="paws-space" />
      <form
        class="paws-reject"
        onSubmit={(event) => {
          event.preventDefault();
          if (!answered) reject();
        }}
      >
        <input
          type="text"
          class="paws-input"
          placeholder={say("approval.reason")}
          aria-label={say("approval.reason")}
          ref={reason}
          onKeyDown={(event) => {
            if (event.key === "Enter" && isComposing(event)) event.preventDefault();
          }}
        />
        <button type="submit" class="paws-button paws-quiet" disabled={answered}>
          {say("approval.reject")}
        </button>
      </form>
      {covers !== null && <p class="paws-muted paws-covers">{say("approval.covers", { covers })}</p>}
    </div>
  );
}
