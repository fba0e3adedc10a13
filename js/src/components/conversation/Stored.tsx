// The stored conversations of the workspace: open, rename, delete. Deleting asks first, in words.

import { useEffect, useRef, useState } from "preact/hooks";
import type { UpdateOf } from "../../wire/names";
import { dateOf, say } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { Button, Link } from "../buttons";
import { useView } from "../context";
import { isComposing } from "../keys";

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
      <ul class="paws-list">
        {answer.conversations.map((info) => (
          <Entry key={info.id} info={info} />
        ))}
      </ul>
      {answer.more && most === FEW && <Button onClick={() => setMost(MANY)}>{say("weight.more")}</Button>}
    </>
  );
}

function Entry({ info }: { info: Info }) {
  const { store, page } = useView();
  const [act, setAct] = useState<"rename" | "delete" | null>(null);
  const { id, changed, events } = info;
  const name = info.title === "" ? say("resume.untitled") : info.title;
  const here = store.traits.conversation_id.value === id;
  const done = () => setAct(null);
  const open = () => {
    store.send({ kind: "open", conversation_id: id });
    page.panel.value = "transcript";
  };
  if (act === "rename")
    return (
      <li>
        <Rename info={info} done={done} />
      </li>
    );
  return (
    <li>
      <p>
        <strong dir="auto">{name}</strong>{" "}
        <span class="paws-muted">{say("resume.detail", { events, changed: dateOf(changed) })}</span>
      </p>
      {act === "delete" ? (
        <Delete id={id} name={name} done={done} />
      ) : (
        <>
          {here ? (
            <span class="paws-muted">{say("stored.here")}</span>
          ) : (
            <Button disabled={store.working} onClick={open}>
              {say("stored.open")}
              <span class="paws-hidden"> {name}</span>
            </Button>
          )}
          <Link disabled={here && store.traits.read_only.value !== ""} onClick={() => setAct("rename")}>
            {say("stored.rename")}
            <span class="paws-hidden"> {name}</span>
          </Link>
          {!here && (
            <Link onClick={() => setAct("delete")}>
              {say("stored.delete")}
              <span class="paws-hidden"> {name}</span>
            </Link>
          )}
        </>
      )}
    </li>
  );
}

function Rename({ info: { id, title }, done }: { info: Info; done: () => void }) {
  const { store } = useView();
  const [typed, setTyped] = useState(title);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return (
    <form
      class="paws-choice"
      onSubmit={(event) => {
        event.preventDefault();
        store.send({ kind: "set_title", title: typed.trim(), conversation_id: id });
        done();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event)) return;
        event.stopPropagation(); // else it would stop the agent
        done();
      }}
    >
      <input
        ref={input}
        type="text"
        class="paws-input"
        dir="auto"
        maxLength={200}
        aria-label={say("stored.title")}
        placeholder={say("stored.title")}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit" class="paws-button" disabled={typed.trim() === title}>
        {say("stored.rename")}
      </button>
      <Button class="paws-quiet" onClick={done}>
        {say("stored.keep")}
      </Button>
    </form>
  );
}

function Delete({ id, name, done }: { id: string; name: string; done: () => void }) {
  const { store } = useView();
  const remove = () => {
    store.send({ kind: "delete", conversation_id: id });
    done();
  };
  return (
    <div role="alert" class="paws-choice">
      <span>{say("stored.sure", { name })}</span>
      <Button onClick={remove}>{say("stored.forGood")}</Button>
      <Button class="paws-quiet" onClick={done}>
        {say("stored.keep")}
      </Button>
    </div>
  );
}
