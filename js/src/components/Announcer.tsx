// The one place from which a screen reader hears of changes: the state, a stage that was crossed, a fresh context. The element
// is in the page before it says anything, since a live region that appears with its text is often not read.
import { useEffect, useRef, useState } from "preact/hooks";
import { percent, say } from "../words/say";
import { useView } from "./context";

export function Announcer() {
  const { store } = useView();
  const [text, setText] = useState("");
  const { resets, fired } = store.transcript.value.facts;
  const stage = fired[fired.length - 1];
  const state = store.connection.value === "gone" ? "gone" : store.traits.status.value;
  const ready = useRef(false);
  const tell = (news: string) => ready.current && setText(news);

  useEffect(() => {
    tell(say(`status.${state}`));
  }, [state]);
  useEffect(() => {
    if (stage !== undefined) tell(say("said.warning", { percent: percent(stage) }));
  }, [stage]);
  useEffect(() => {
    if (resets > 0) tell(say("said.reset"));
  }, [resets]);
  useEffect(() => {
    ready.current = store.whole.value; // what was there when the page opened is no news
  });
  return (
    <p class="paws-hidden" role="status">
      {text}
    </p>
  );
}
