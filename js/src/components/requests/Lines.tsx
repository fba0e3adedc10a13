// Messages of a request as a list: what each is, about how many tokens, what becomes of it; its words on demand.

import { useEffect, useState } from "preact/hooks";
import { NoAnswer } from "../../state/questions";
import { lengthOf } from "../../state/texts";
import type { UpdateOf } from "../../wire/names";
import { say } from "../../words/say";
import { NotAnswered } from "../asking";
import { Button, Link } from "../buttons";
import { useView } from "../context";
import { useJump } from "../jump";
import { Output } from "../Text";

export type Listed = UpdateOf<"request">["messages"];
export type Line = Listed["lines"][number];

/** So many lines are drawn at a time. */
export const PAGE = 50;
const SHORT_LINES = 6;

interface Props {
  /** The request that the lines belong to, as the kernel knows it. */
  request: string;
  lines: readonly Line[];
  /** The keys of messages that changed their words. */
  changed?: readonly string[];
}

export function Lines({ request, lines, changed = [] }: Props) {
  return (
    <ol class="paws-lines">
      {lines.map((line) => (
        <OneLine key={line.key} request={request} line={line} changed={changed.includes(line.key)} />
      ))}
    </ol>
  );
}

const FIXED = ["system", "memory", "runtime", "skills", "tool"] as const;
type Fixed = (typeof FIXED)[number];

function isFixed(what: Line["what"]): what is Fixed {
  return FIXED.some((one) => one === what);
}

function labelOf({ key, what }: Line): string {
  return isFixed(what) ? say(`weight.${what}`, { name: key.replace("fixed tool ", "") }) : say(`line.${what}`);
}

function OneLine({ request, line, changed }: { request: string; line: Line; changed: boolean }) {
  const { store } = useView();
  const jump = useJump();
  const [first] = line.event_ids;
  const label = labelOf(line);
  const toEvent = () => {
    const position = store.records.findIndex(({ id }) => id === first);
    if (position >= 0) jump(position);
  };
  return (
    <li class="paws-sent" data-state={line.state} data-gone={line.gone || undefined}>
      <div class="paws-sent-head">
        {isFixed(line.what) || line.state === "due" ? <strong>{label}</strong> : <Link onClick={toEvent}>{label}</Link>}
        <span class="paws-muted">{say("line.tokens", { role: line.role, tokens: line.tokens })}</span>
        {line.state !== "read" && <span class="paws-sent-mark">{say(`line.${line.state}`)}</span>}
        {line.gone && <span class="paws-sent-mark">{say("line.gone")}</span>}
        {changed && <span class="paws-sent-mark">{say("line.changed")}</span>}
      </div>
      <Words request={request} line={line} />
    </li>
  );
}

function Words({ request, line }: { request: string; line: Line }) {
  const [whole, setWhole] = useState(false);
  const head = line.text.split("\n").slice(0, SHORT_LINES).join("\n");
  const short = head === line.text && line.chars <= lengthOf(line.text);
  if (whole) return <Whole request={request} line={line} />;
  return (
    <>
      <p class="paws-plain" dir="auto">
        {head}
        {!short && "…"}
        {line.images > 0 && ` [${say("line.pictures", { count: line.images })}]`}
      </p>
      {!short && <Link onClick={() => setWhole(true)}>{say("line.whole", { count: line.chars })}</Link>}
    </>
  );
}

function Whole({ request, line: { key } }: { request: string; line: Line }) {
  const { text, problem, again } = useShown(request, key);
  if (problem !== null) return <NotAnswered problem={problem} again={again} />;
  return text === null ? <p class="paws-muted">{say("rest.loading")}</p> : <Output text={text} />;
}

/** A long text of a request, from the kernel. */
function useShown(request: string, key: string) {
  const { store } = useView();
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<NoAnswer | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let wanted = true;
    setProblem(null);
    store.textOf(request, key).then(
      (all) => wanted && setText(all),
      (error) => {
        if (!(error instanceof NoAnswer)) throw error;
        if (wanted) setProblem(error);
      },
    );
    return () => {
      wanted = false;
    };
  }, [store, request, key, tries]);
  return { text, problem, again: () => setTries(tries + 1) };
}

interface PagerProps {
  list: Listed;
  go: (start: number) => void;
}

/** Where one is in a long list, and the way to its other pages. */
export function Pager({ list: { start, total, lines }, go }: PagerProps) {
  if (total <= lines.length) return null;
  const end = start + lines.length;
  return (
    <div class="paws-choice paws-pager">
      <Button disabled={start === 0} onClick={() => go(Math.max(0, start - PAGE))}>
        {say("earlier")}
      </Button>
      <span>{say("lines.range", { from: start + 1, to: end, total })}</span>
      <Button disabled={end >= total} onClick={() => go(end)}>
        {say("lines.later")}
      </Button>
    </div>
  );
}
