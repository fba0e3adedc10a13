// What a person wrote, and what the agent answered.

import { useEffect } from "preact/hooks";
import { textOf } from "../state/calls";
import { condenserOf } from "../state/condensed";
import type { MessageRow, ReplyRow } from "../state/rows";
import type { Block, LeftOut } from "../wire/names";
import { say } from "../words/say";
import { Link } from "./buttons";
import { useView } from "./context";
import { Images } from "./Images";
import { LeftOutText } from "./LeftOutText";
import { Markdown } from "./Markdown";
import { Copy } from "./Text";
import { Time } from "./Time";

export function Message({ row }: { row: MessageRow }) {
  const { page } = useView();
  const text = textOf(row.blocks);
  useEffect(() => {
    if (row.state === "withdrawn") page.withdrawn(row.key, text);
  }, [page, row, text]);
  return (
    <div class="paws-message" data-state={row.state}>
      <span class="paws-hidden">{say("you")}: </span>
      <p class="paws-plain" dir="auto">
        {text}
      </p>
      <Images blocks={row.blocks} label={say("you")} />
      <Rest blocks={row.blocks} leftOut={row.leftOut} />
      <p class="paws-message-foot">
        {row.state === "unread" && <Unread row={row} />}
        {row.state === "read" && <Fork row={row} text={text} />}
        {row.state === "withdrawn" && <span>{say("message.withdrawn")}</span>}
        <Copy text={text} />
        <Time of={row.time} />
      </p>
    </div>
  );
}

/** Until the model has read it, a message can be taken back; the request under way may already carry the newest ones. */
function Unread({ row }: { row: MessageRow }) {
  const { store, page } = useView();
  const { status, read_only } = store.traits;
  const active = status.value === "running" || status.value === "waiting";
  if ((active && !row.queued) || read_only.value !== "" || store.connection.value === "gone") return null;
  const asked = store.outbox.sent.value.some(
    ({ command }) => command.kind === "withdraw" && command.message_id === row.key,
  );
  const withdraw = () => store.send({ kind: "withdraw", message_id: row.key });
  const edit = () => {
    page.edit(row.key);
    withdraw();
  };
  return (
    <>
      <span class="paws-unread" title={say("message.unread.title")}>
        {say("message.unread")}
      </span>
      <Link disabled={asked} onClick={edit}>
        {say("edit")}
      </Link>
      <Link disabled={asked} onClick={withdraw}>
        {say("withdraw")}
      </Link>
    </>
  );
}

/**
 * Goes on from before a message. Nothing stands before the first one, and a fork is never empty (R-FORK-1): there a new
 * conversation begins, kept in the same way.
 */
function Fork({ row, text }: { row: MessageRow; text: string }) {
  const { store, page } = useView();
  if (store.connection.value === "gone") return null;
  const first = row.position <= 1;
  const fork = () =>
    page.fork(
      store.send(
        first
          ? { kind: "new", condenser_kind: condenserOf(store.records) }
          : { kind: "fork", at: null, before: row.key },
      ),
      text,
    );
  return (
    <Link title={say(first ? "fork.first.title" : "fork.title")} disabled={store.working} onClick={fork}>
      {say(first ? "fork.first" : "fork")}
    </Link>
  );
}

export function Reply({ row }: { row: ReplyRow }) {
  return (
    <div class="paws-reply" dir="auto">
      <span class="paws-hidden">{say("agent")}: </span>
      <Markdown text={textOf(row.blocks)} />
      <Images blocks={row.blocks} label={say("agent")} />
      <Rest blocks={row.blocks} leftOut={row.leftOut} />
      <Copy text={textOf(row.blocks)} />
    </div>
  );
}

function Rest({ blocks, leftOut }: { blocks: readonly Block[]; leftOut: readonly LeftOut[] }) {
  if (leftOut.length === 0) return null;
  return (
    <>
      {blocks.map((_, i) => (
        <LeftOutText key={i} leftOut={leftOut} path={["content", i, "text"]} />
      ))}
    </>
  );
}
