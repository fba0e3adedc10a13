// A text of which nothing is hidden, and a unified diff of such texts.
import { reveal } from "../text/reveal";
import { say } from "../words/say";

/** So many empty lines in a row are told instead of drawn, since they would push what follows out of sight. */
const BLANKS = /\n(?:[ \t]*\n){8,}/;

export function Diff({ text }: { text: string }) {
  return (
    <>
      {text.split("\n").map((line, i) => (
        <span key={i} class={`paws-diff ${classOfLine(line)}`}>
          <Whole text={line} />
        </span>
      ))}
    </>
  );
}

function classOfLine(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "paws-diff-head";
  if (line.startsWith("+")) return "paws-diff-new";
  if (line.startsWith("-")) return "paws-diff-old";
  return "";
}

/** Every character in sight: what cannot be seen is shown as its escape, and what is empty is counted. */
export function Whole({ text }: { text: string }) {
  const blank = BLANKS.exec(text);
  if (blank !== null) {
    const count = blank[0].split("\n").length - 2;
    return (
      <>
        <Whole text={text.slice(0, blank.index)} />
        {"\n"}
        <span class="paws-escape">{say("approval.blank", { count })}</span>
        {"\n"}
        <Whole text={text.slice(blank.index + blank[0].length)} />
      </>
    );
  }
  return (
    <>
      {reveal(text).map((segment, i) => (
        <span key={i} class={segment.hidden ? "paws-escape" : undefined}>
          {segment.text}
        </span>
      ))}
    </>
  );
}
