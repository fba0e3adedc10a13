// The agent's notes: as they are, and for each reset what they had gained before it and what was read of them afterwards.

import type { UpdateOf } from "../../wire/names";
import { say, type WordId } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { Link } from "../buttons";
import { Sign } from "../icons";
import { useJump } from "../jump";
import { Code } from "../Text";
import { Time } from "../Time";
import { Changes } from "./Changes";

type Told = UpdateOf<"notes">;
type File = Told["files"][number];
type Reset = Told["resets"][number];

export function Notes() {
  const { answer, problem, again } = useAnswer({ kind: "notes" });
  return (
    <section class="paws-instrument" aria-label={say("tab.notes")}>
      {problem !== null && <NotAnswered problem={problem} again={again} />}
      {answer !== null && <Whole told={answer} />}
    </section>
  );
}

function Whole({ told }: { told: Told }) {
  const { folder, files, problem, resets, since } = told;
  return (
    <>
      <h3>{say("notes.now", { folder })}</h3>
      {files.length === 0 && <p class="paws-muted">{say("notes.none")}</p>}
      {problem !== "" && <p class="paws-wrong">{problem}</p>}
      {files.map((file) => (
        <NoteFile key={file.path} file={file} />
      ))}
      <Changes title="notes.since" changes={since} />
      {[...resets].reverse().map((reset) => (
        <AtReset key={reset.event_id} reset={reset} />
      ))}
    </>
  );
}

function NoteFile({ file: { path, bytes, text, why, state } }: { file: File }) {
  const about = [state !== "gone" && say("notes.bytes", { count: bytes }), say(`notes.${state}`), why].filter(Boolean);
  return (
    <details class="paws-aside">
      <summary>
        <Sign name="chevron" />
        <code>{path}</code>
        <span class="paws-summary">{about.join(" · ")}</span>
      </summary>
      {text !== null && <Code text={text} />}
    </details>
  );
}

function AtReset({ reset: { number, position, time, changes, read, unread } }: { reset: Reset }) {
  const jump = useJump();
  const readings = read.map(({ path, characters, total }) =>
    characters < total ? say("notes.part", { path, characters, total }) : path,
  );
  return (
    <section class="paws-note-reset" aria-label={say("reset.title", { number })}>
      <h3>
        <Sign name="reset" />
        <Link onClick={() => jump(position)}>{say("reset.title", { number })}</Link>
        <Time of={time} />
      </h3>
      <Changes title="notes.gained" changes={changes} />
      <dl class="paws-facts">
        <Paths title="notes.read" paths={readings} />
        <Paths title="notes.unread" paths={unread} />
      </dl>
    </section>
  );
}

function Paths({ title, paths }: { title: WordId; paths: readonly string[] }) {
  return (
    <>
      <dt>{say(title)}</dt>
      <dd>{paths.join(", ") || "–"}</dd>
    </>
  );
}
