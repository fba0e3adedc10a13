// Where a new context begins: what left, and what the agent (or a summary) handed on. Everything above stays readable.

import type { ComponentChildren } from "preact";
import { condensedBy } from "../state/condensed";
import type { ResetRow } from "../state/rows";
import { say, sayCount } from "../words/say";
import { Markdown } from "./Markdown";
import { Time } from "./Time";
import { LoneShape } from "./timeline/signs";

export function ResetDivider({ row }: { row: ResetRow }) {
  const { number, trigger, message, summary, forgotten, notice } = row;
  const kind = condensedBy(trigger);
  return (
    <section class="paws-reset">
      <h3 class="paws-reset-line">
        <span>
          <LoneShape sort={kind} />
          {say(kind === "reset" ? "reset.title" : `reset.title.${kind}`, { number })}
          <Time of={row.time} />
        </span>
      </h3>
      <p class="paws-reset-what">
        <strong>{say(`reset.${trigger ?? "unknown"}`)}.</strong> {sayCount("reset.left", forgotten)}
      </p>
      {message !== null && message !== "" && (
        <Handed title={say("reset.message")}>
          <p class="paws-plain">{message}</p>
        </Handed>
      )}
      {trigger === "agent" && (message === null || message === "") && (
        <p class="paws-muted">{say("reset.noMessage")}</p>
      )}
      {summary !== null && (
        <Handed title={say("reset.summary")}>
          <Markdown text={summary} />
        </Handed>
      )}
      {notice !== null && <p class="paws-muted">{say("reset.notice", { notice })}</p>}
    </section>
  );
}

function Handed({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <figure class="paws-handed">
      <figcaption>{title}</figcaption>
      {children}
    </figure>
  );
}
