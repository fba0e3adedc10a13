// Messages that this page has sent and that are not in the log yet. None is lost: what was not heard can be sent again.

import { say } from "../words/say";
import { Link } from "./buttons";
import { useView } from "./context";

export function Outgoing() {
  const { store, page } = useView();
  const messages = store.outbox.sent.value.flatMap(({ command, ...rest }) =>
    command.kind === "tell" ? [{ command, ...rest }] : [],
  );
  return (
    <>
      {messages.map(({ command, state, reason }) => (
        <div key={command.id} class="paws-row paws-row-message">
          <div class="paws-message" data-state={state === "failed" ? "failed" : "sending"}>
            <p class="paws-plain" dir="auto">
              {command.text}
            </p>
            <p class="paws-message-foot">
              {state === "failed" ? (
                <>
                  <span>{say("message.failed", { reason })}</span>
                  <Link onClick={() => store.again(command.id)}>{say("send.again")}</Link>
                  <Link
                    onClick={() => {
                      page.draft.value = command.text;
                      store.outbox.drop(command.id);
                    }}
                  >
                    {say("edit")}
                  </Link>
                </>
              ) : (
                <span>{say(state === "accepted" ? "message.accepted" : "message.sending")}</span>
              )}
            </p>
          </div>
        </div>
      ))}
    </>
  );
}
