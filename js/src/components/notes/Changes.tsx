// What became of notes between two resets: which ones, by how much, and each difference on demand.
import type { UpdateOf } from "../../wire/names";
import { say, type WordId } from "../../words/say";
import { Diff } from "../Diff";
import { Sign } from "../icons";

type Change = UpdateOf<"notes">["since"][number];

export function Changes({ title, changes }: { title: WordId; changes: readonly Change[] }) {
  return (
    <>
      <p class="paws-muted">
        {say(title)}
        {changes.length === 0 && `: ${say("notes.same")}`}
      </p>
      {changes.map((change) => (
        <One key={change.path} change={change} />
      ))}
    </>
  );
}

function One({ change }: { change: Change }) {
  const { path, created, added, removed, diff, otherwise } = change;
  const about = [
    created && say("notes.created"),
    added !== null && removed !== null && say("notes.lines", { added, removed }),
    otherwise && say("notes.otherwise"),
    diff === null && say("notes.noDiff"),
  ];
  return (
    <details class="paws-aside">
      <summary>
        <Sign name="chevron" />
        <code>{path}</code>
        <span class="paws-summary">{about.filter(Boolean).join(" · ")}</span>
      </summary>
      {diff !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="paws-shown" aria-label={path} tabIndex={0}>
          <pre dir="ltr">
            <Diff text={diff.replace(/\n$/, "")} />
          </pre>
        </section>
      )}
    </details>
  );
}
