// What is going on right now: the words of a reply that is coming, or what the agent waits for.
import { say } from "../words/say";
import { useView } from "./context";
import { useClock, useThrottled } from "./hooks";
import { Sign, StateIcon } from "./icons";
import { Markdown } from "./Markdown";

/** Markdown of a growing text is parsed at most four times a second. */
const PARSE_EVERY = 250;

export function Activity() {
  const { store } = useView();
  if (!store.working || store.traits.status.value === "waiting" || store.connection.value === "gone") return null;
  return (
    <div class="paws-activity" aria-live="off">
      <Streaming />
    </div>
  );
}

function Streaming() {
  const { store } = useView();
  const { text, reasoning } = useThrottled(store.streaming.value, PARSE_EVERY);
  const { value: detail } = store.traits.detail;
  return (
    <>
      {reasoning !== "" && (
        <details class="paws-aside">
          <summary>
            <Sign name="chevron" />
            {say("thinking")}
          </summary>
          <p class="paws-plain">{reasoning}</p>
        </details>
      )}
      {text !== "" && (
        <div class="paws-reply paws-streaming" dir="auto">
          <Markdown text={text} />
        </div>
      )}
      {text === "" && detail !== "tool" && <Waiting text={say(`activity.${detail}`)} />}
    </>
  );
}

function Waiting({ text }: { text: string }) {
  const now = useClock(true);
  const { store } = useView();
  const seconds = Math.floor((now - store.since.value) / 1_000);
  return (
    <p class="paws-waiting">
      <StateIcon state="running" />
      {text}
      {seconds >= 3 && <span class="paws-muted">{say("seconds", { seconds })}</span>}
    </p>
  );
}
