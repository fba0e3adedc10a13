// The stored conversations of the workspace: open, rename, delete. Deleting asks first, in words.

import { useState } from "preact/hooks";
import type { UpdateOf } from "../../wire/names";
import { dateOf, say } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { Button, Link } from "../buttons";
import { useView } from "../context";

type Info = UpdateOf<"conversations">["conversations"][number];

const FEW = 10;
const MANY = 200;

export function Stored() {
  const { store } = useView();
  const [most, setMost] = useState(FEW);
  const when = `${store.traits.event_count.value} ${store.outbox.sent.value.length}`; // a receipt may change the list
  const { answer, problem, again } = useAnswer({ kind: "conversations", most }, when);
  if (problem !== null) return <NotAnswered problem={problem} again={again} />;
  if (answer === null) return <p class="paws-muted">{say("rest.loading")}</p>;
  return (
    <>
      <Rename />
      <ul class="paws-list">
        {answer.conversations.map((info) => (
          <Entry key={info.id} info={info} />
        ))}
      </ul>
      {answer.more && most === FEW && <Button onClick={() => setMost(MANY)}>{say("weight.more")}</Button>}
    </>
  );
}

function Rename() {
  const { store } = useView();
  const { title, read_only, event_count } = store.traits;
  const [typed, setTyped] = useState<string | null>(null);
  if (event_count.value === 0 || read_only.value !== "") return null;
  return (
    <form
      class="paws-choice"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== null) store.send({ kind: "set_title", title: typed.trim() });
        setTyped(null);
      }}
    >
      <input
        type="text"
        class="paws-input"
        maxLength={200}
        aria-label={say("stored.title")}
        placeholder={say("stored.title")}
        value={typed ?? title.value}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit" class="paws-button" disabled={typed === null || typed.trim() === title.value}>
        {say("stored.rename")}
      </button>
    </form>
  );
}

function Entry({ info: { id, title, changed, events } }: { info: Info }) {
  const { store, page } = useView();
  const [asks, setAsks] = useState(false);
  const name = title === "" ? say("resume.untitled") : title;
  const here = store.traits.conversation_id.value === id;
  const open = () => {
    store.send({ kind: "open", conversation_id: id });
    page.panel.value = "transcript";
  };
  return (
    <li>
      <p>
        <strong dir="auto">{name}</strong>{" "}
        <span class="paws-muted">{say("resume.detail", { events, changed: dateOf(changed) })}</span>
      </p>
      {here && <span class="paws-muted">{say("stored.here")}</span>}
      {!here && !asks && (
        <>
          <Button disabled={store.working} onClick={open}>
            {say("stored.open")}
            <span class="paws-hidden"> {name}</span>
          </Button>
          <Link onClick={() => setAsks(true)}>
            {say("stored.delete")}
            <span class="paws-hidden"> {name}</span>
          </Link>
        </>
      )}
      {!here && asks && (
        <div role="alert" class="paws-choice">
          <span>{say("stored.sure", { name })}</span>
          <Button
            onClick={() => {
              store.send({ kind: "delete", conversation_id: id });
              setAsks(false);
            }}
          >
            {say("stored.forGood")}
          </Button>
          <Button class="paws-quiet" onClick={() => setAsks(false)}>
            {say("stored.keep")}
          </Button>
        </div>
      )}
    </li>
  );
}
