// Text of tools, files and code, as it is: never parsed as anything but terminal colours.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Piece, parseAnsi, type Style } from "../text/ansi";
import { reveal } from "../text/reveal";
import { say } from "../words/say";
import { Sign } from "./icons";

function Revealed({ text }: { text: string }) {
  return (
    <>
      {reveal(text).map((segment, i) =>
        segment.hidden ? (
          <span key={i} class="paws-escape">
            {segment.text}
          </span>
        ) : (
          segment.text
        ),
      )}
    </>
  );
}

/** Source text or a file: hidden characters are shown as escapes. */
export function Code({ text }: { text: string }) {
  return (
    <Block text={text}>
      <Revealed text={text} />
    </Block>
  );
}

/** What a program put out, with its colours. */
export function Output({ text }: { text: string }) {
  return (
    <Block text={text}>
      <Colored text={text} />
    </Block>
  );
}

function Block({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <div class="paws-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre dir="ltr" tabIndex={0}>
        {children}
      </pre>
      <Copy text={text} />
    </div>
  );
}

/** The last lines of something that runs. */
export function Tail({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n").slice(-8).join("\n");
  return (
    <pre class="paws-tail" dir="ltr" aria-live="off">
      <Colored text={lines} />
    </pre>
  );
}

function Colored({ text }: { text: string }) {
  return (
    <>
      {parseAnsi(text).map((piece, i) => (
        <AnsiPiece key={i} piece={piece} />
      ))}
    </>
  );
}

function AnsiPiece({ piece: { text, style } }: { piece: Piece }) {
  if (Object.keys(style).length === 0) return <Revealed text={text} />;
  return (
    <span class={classesOf(style)} style={colorsOf(style)}>
      <Revealed text={text} />
    </span>
  );
}

function classesOf({ fg, bg, bold, dim, italic, underline }: Style): string {
  const classes = [
    fg !== undefined && !fg.startsWith("rgb") && `paws-fg-${fg}`,
    bg !== undefined && !bg.startsWith("rgb") && `paws-bg-${bg}`,
    bold && "paws-bold",
    dim && "paws-dim",
    italic && "paws-italic",
    underline && "paws-underline",
  ];
  return classes.filter(Boolean).join(" ");
}

function colorsOf({ fg, bg }: Style): Record<string, string> {
  return { ...(fg?.startsWith("rgb") && { color: fg }), ...(bg?.startsWith("rgb") && { backgroundColor: bg }) };
}

export function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    setDone(await copyText(text));
    setTimeout(() => setDone(false), 1_500);
  };
  const label = say(done ? "copied" : "copy");
  return (
    <button type="button" class="paws-copy" title={label} aria-label={label} onClick={copy}>
      {done ? label : <Sign name="copy" />}
    </button>
  );
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no clipboard on plain http, or no permission: the text can still be selected
  }
}
