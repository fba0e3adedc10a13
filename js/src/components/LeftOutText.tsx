// The rest of a text that was too large to come along: it comes when it is wanted.

import type { LeftOut } from "../wire/names";
import { say } from "../words/say";
import { NotAnswered } from "./asking";
import { Link } from "./buttons";
import { useView } from "./context";
import { Output } from "./Text";

interface Props {
  leftOut: readonly LeftOut[];
  /** Where in its record the text stands. */
  path: readonly (string | number)[];
}

export function LeftOutText({ leftOut, path }: Props) {
  const { store } = useView();
  const one = leftOut.find((candidate) => candidate.path.join("/") === path.join("/"));
  if (one === undefined) return null;
  const fetched = store.texts.all.value.get(one.sha256);
  if (fetched === undefined)
    return <Link onClick={() => store.texts.fetch(one)}>{say("rest.show", { size: one.chars })}</Link>;
  return (
    <>
      {fetched.text !== "" && <Output text={fetched.text} />}
      {fetched.problem !== null && <NotAnswered problem={fetched.problem} again={() => store.texts.fetch(one)} />}
      {fetched.problem === null && fetched.text.length < fetched.total && (
        <p class="paws-muted">{say("rest.loading")}</p>
      )}
    </>
  );
}
