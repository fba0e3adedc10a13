// A new conversation: how it keeps its context is chosen now, and stays (R-BIND-9).

import { useState } from "preact/hooks";
import type { UpdateOf } from "../../wire/names";
import { EN } from "../../words/en";
import { say, type WordId } from "../../words/say";
import { Button } from "../buttons";
import { useView } from "../context";
import { Sign } from "../icons";

export function NewConversation({ kinds }: { kinds: UpdateOf<"state">["kinds"] }) {
  const { store, page } = useView();
  const [kind, setKind] = useState("agent_reset");
  const start = () => {
    store.send({ kind: "new", condenser_kind: kind });
    page.panel.value = "transcript";
  };
  return (
    <details class="paws-aside">
      <summary>
        <Sign name="chevron" />
        {say("new.title")}
      </summary>
      <fieldset class="paws-kinds">
        <legend>{say("new.choose")}</legend>
        {kinds.map(({ name, about }) => (
          <label key={name} title={name}>
            <input type="radio" name="paws-kind" checked={kind === name} onChange={() => setKind(name)} />
            <span>
              <strong>{kindWords(name)}</strong> · {about}
            </span>
          </label>
        ))}
      </fieldset>
      {store.working && <p class="paws-muted">{say("state.working")}</p>}
      <Button class="paws-primary" disabled={store.working} onClick={start}>
        {say("new.start")}
      </Button>
    </details>
  );
}

/** A way to keep a context, in words; a later version may have others. */
export function kindWords(name: string): string {
  const words = `kind.${name}`;
  return words in EN ? say(words as WordId) : name;
}
