// Where a person writes. Enter sends, unless it chooses a word of an input method; Shift+Enter is a new line.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { say, type WordId } from "../words/say";
import { useView } from "./context";
import { Sign } from "./icons";
import { isComposing } from "./keys";

export function Composer() {
  const { store, page } = useView();
  const { status, read_only, profile, conversation_id } = store.traits;
  const area = useRef<HTMLTextAreaElement>(null);
  const draft = page.draft.value;
  const gone = store.connection.value === "gone";
  const blocked = read_only.value !== "" || gone;
  const { held } = store.transcript.value.facts;

  useLayoutEffect(() => {
    const box = area.current;
    if (box === null) return;
    box.style.blockSize = "auto"; // grows with its text, up to the limit in the style sheet
    box.style.blockSize = `${box.scrollHeight + 2}px`;
  }, [draft]);
  const notices = store.outbox.notices.value;
  useEffect(() => page.refused(notices.map(({ id }) => id)), [page, notices]);
  const conversation = useRef(conversation_id.value);
  useEffect(() => {
    if (conversation.current !== conversation_id.value) page.moved();
    conversation.current = conversation_id.value;
  }, [page, conversation_id.value]);
  const wanted = page.wantsFocus.value;
  useEffect(() => {
    if (wanted > 0) area.current?.focus();
  }, [wanted]);

  const send = () => {
    const text = draft.trim();
    if (text === "" || blocked) return;
    if (text === "/condense") store.send({ kind: "condense" });
    else store.send({ kind: "tell", text: draft, images: [] });
    page.draft.value = "";
    page.wantsEnd.value += 1;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };
  return (
    <form
      class="paws-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="paws-compose">
        <textarea
          ref={area}
          rows={1}
          dir="auto"
          aria-label={say("composer")}
          placeholder={say(placeholderOf(status.value, read_only.value !== "", gone, held))}
          value={draft}
          disabled={read_only.value !== ""}
          onInput={(event) => {
            page.draft.value = event.currentTarget.value;
          }}
          onKeyDown={onKeyDown}
        />
        <button
          type="submit"
          class="paws-send"
          aria-label={say("send")}
          title={say("send")}
          disabled={blocked || draft.trim() === ""}
        >
          <Sign name="send" />
        </button>
      </div>
      <p class="paws-foot">
        <span>{profile.value.startsWith("practice") ? say("practice.line") : ""}</span>
        <span class="paws-hint">{hintOf(status.value)}</span>
      </p>
    </form>
  );
}

function placeholderOf(status: string, readOnly: boolean, gone: boolean, held: boolean): WordId {
  if (gone) return "composer.gone";
  if (readOnly) return "composer.readOnly";
  if (status === "running" || status === "waiting") return "composer.running";
  if (status === "paused" && held) return "composer.held";
  return status === "paused" || status === "error" ? "composer.paused" : "composer.idle";
}

function hintOf(status: string): string {
  if (status === "waiting") return say("composer.hint.waiting");
  return say(status === "running" ? "composer.hint.running" : "composer.hint");
}
