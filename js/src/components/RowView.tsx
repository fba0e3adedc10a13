// One row of the transcript. A row is a value: while it is the same, it is not drawn again.

import { Component, type ComponentChildren, type VNode } from "preact";
import { condensedBy } from "../state/condensed";
import type { ErrorRow, MarkRow, RemarkRow, Row, StoppedRow, SummaryRow, UnknownRow, WarningRow } from "../state/rows";
import { assertNever } from "../wire/exhaustive";
import { percent, say, sayCount, shortId } from "../words/say";
import { Link } from "./buttons";
import { CallView } from "./CallView";
import { useView } from "./context";
import { Sign, StateIcon } from "./icons";
import { Markdown } from "./Markdown";
import { Message, Reply } from "./Message";
import { ResetDivider } from "./ResetDivider";
import { Time } from "./Time";

interface Props {
  row: Row;
  /** The search stands here. */
  found: boolean;
}

export class RowView extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return next.row !== this.props.row || next.found !== this.props.found;
  }

  override render({ row, found }: Props): VNode {
    return (
      <div
        class={`paws-row paws-row-${row.type}${row.gone ? " paws-gone" : ""}`}
        data-key={row.key}
        data-found={found || undefined}
      >
        {contentOf(row)}
      </div>
    );
  }
}

function contentOf(row: Row): ComponentChildren {
  switch (row.type) {
    case "message":
      return <Message row={row} />;
    case "reply":
      return <Reply row={row} />;
    case "calls":
      return (
        <>
          {row.thought !== "" && <Markdown text={row.thought} />}
          {row.calls.length > 0 && (
            <div class="paws-calls">
              {row.calls.map((call) => (
                <CallView key={call.id} call={call} />
              ))}
            </div>
          )}
        </>
      );
    case "warning":
      return <Warning row={row} />;
    case "remark":
      return <Remark row={row} />;
    case "reset":
      return <ResetDivider row={row} />;
    case "summary":
      return <Summary row={row} />;
    case "error":
      return <Failure row={row} />;
    case "stopped":
      return <Stopped row={row} />;
    case "mark":
      return <Mark row={row} />;
    case "unknown":
      return <Unknown row={row} />;
    default:
      return assertNever(row);
  }
}

/** What the environment said to the agent: a title, the words on demand, and nothing that looks like a message. */
function Remark({ row }: { row: RemarkRow }) {
  const text = row.text.replace(/^Environment remark[^:]*: /, ""); // the title says so
  return (
    <details class="paws-aside">
      <summary>
        <Sign name="chevron" />
        <span class="paws-aside-title">{say("environment")}</span>
        <span class="paws-summary">{text.slice(0, 1).toLocaleUpperCase() + text.slice(1, 200)}</span>
      </summary>
      <p class="paws-plain">{row.text}</p>
    </details>
  );
}

function Warning({ row }: { row: WarningRow }) {
  const { threshold, tokens, limit, counted } = row;
  return (
    <details class="paws-aside paws-aside-warning">
      <summary>
        <Sign name="gauge" />
        <span class="paws-aside-title">
          {say("warning.title", { percent: percent(threshold), tokens, limit, counted: say(`meter.${counted}`) })}
        </span>
      </summary>
      <p class="paws-muted">{say("warning.note")}</p>
      <p class="paws-plain">{row.text}</p>
    </details>
  );
}

function Summary({ row: { failure, trigger } }: { row: SummaryRow }) {
  if (failure === null)
    return (
      <p class="paws-waiting">
        <StateIcon state="running" />
        {say("activity.summary")}
      </p>
    );
  return (
    <div class="paws-failure">
      <StateIcon state="error" />
      <div>
        <strong>{say(condensedBy(trigger) === "reset" ? "reset.failed" : "summary.failed")}</strong>
        <p class="paws-plain">{failure.text}</p>
        <code>{failure.code}</code>
      </div>
    </div>
  );
}

function Failure({ row }: { row: ErrorRow }) {
  return (
    <div class="paws-failure">
      <StateIcon state="error" />
      <div>
        <strong>{say("error.title")}</strong>
        <p class="paws-plain">{row.text}</p>
        <p class="paws-muted">
          {row.recoverable && `${say("error.recoverable")} `}
          <code>{row.code}</code>
        </p>
      </div>
    </div>
  );
}

/** What a stop left standing, so that nobody has to guess. */
function Stopped({ row }: { row: StoppedRow }) {
  const { results, interrupted, unread, replyLost } = row;
  return (
    <p class="paws-mark paws-stopped">
      <span>
        <strong>{say("stopped")}</strong> {say("stopped.kept")}
        {results > 0 && ` ${sayCount("stopped.results", results)}`}
        {interrupted > 0 && ` ${sayCount("stopped.interrupted", interrupted)}`}
        {replyLost && ` ${say("stopped.reply")}`}
        {unread > 0 && ` ${sayCount("stopped.unread", unread)}`}
      </span>
      <Time of={row.time} />
    </p>
  );
}

function Mark({ row: { mark, text, time } }: { row: MarkRow }) {
  return (
    <p class="paws-mark">
      <span>
        {say(`mark.${mark}`, { text: mark === "fork" ? shortId(text) : text })}{" "}
        {mark === "fork" && <Source id={text} />}
      </span>
      <Time of={time} />
    </p>
  );
}

/** The way to the conversation that a fork began in. */
function Source({ id }: { id: string }) {
  const { store } = useView();
  const open = () => store.send({ kind: "open", conversation_id: id });
  return (
    <Link disabled={store.working} onClick={open}>
      {say("mark.source")}
    </Link>
  );
}

function Unknown({ row }: { row: UnknownRow }) {
  const id = row.reason === "unknown" ? "unknown.title" : "unknown.unreadable";
  return <p class="paws-mark">{say(id, { record: row.record === "" ? "?" : row.record })}</p>;
}
