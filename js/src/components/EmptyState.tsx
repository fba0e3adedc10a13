// What a new conversation shows: what to do, and a way back to the last one.

import sentences from "../wire/practice.json";
import { dateOf, say } from "../words/say";
import { Button } from "./buttons";
import { useView } from "./context";

export function EmptyState() {
  const { store, page } = useView();
  const { profile, resumable } = store.traits;
  if (!store.whole.value) return <p class="paws-waiting">{say("loading")}</p>;
  return (
    <div class="paws-empty">
      <p class="paws-empty-first">{say("empty.first")}</p>
      <p class="paws-muted">{say("empty.second")}</p>
      {profile.value.startsWith("practice") && (
        <>
          <p class="paws-muted paws-empty-examples">{say("empty.practice")}</p>
          <ul class="paws-examples">
            {sentences.map((text) => (
              <li key={text}>
                <button
                  type="button"
                  class="paws-example"
                  onClick={() => {
                    page.draft.value = text;
                    page.wantsFocus.value += 1;
                  }}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {resumable.value !== null && <Resumable {...resumable.value} />}
    </div>
  );
}

function Resumable({ id, title, changed, events }: { id: string; title: string; changed: string; events: number }) {
  const { store } = useView();
  const name = title === "" ? say("resume.untitled") : title;
  return (
    <div class="paws-resumable">
      <span>
        {say("resume.title", { title: name })}{" "}
        <span class="paws-muted">{say("resume.detail", { events, changed: dateOf(changed) })}</span>
      </span>
      <Button onClick={() => store.send({ kind: "open", conversation_id: id })}>{say("resume")}</Button>
    </div>
  );
}
