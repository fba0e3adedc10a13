// Markdown as nodes. The lexer says what is what; nothing here ever becomes HTML: raw tags are shown as text, addresses
// become links only if they lead to the web or a mailbox, and pictures are named, not loaded.
import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { decodeEntities, targetOf } from "../text/links";
import { say } from "../words/say";
import { Code } from "./Text";

/** Longer texts, and deeper nested ones, are shown as they are: both can be made to take for ever. */
const LONGEST = 200_000;
const DEEPEST = 24;

export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => nodesOf(text), [text]);
  return <div class="paws-markdown">{nodes}</div>;
}

function nodesOf(text: string): ComponentChildren {
  if (text.length > LONGEST) return <p class="paws-plain">{text}</p>;
  try {
    return blocks(lexer(text), 0);
  } catch {
    return <p class="paws-plain">{text}</p>; // nested too deep for the lexer
  }
}

function blocks(tokens: readonly Token[], depth: number): ComponentChildren {
  return tokens.map((token, key) => <Block key={key} token={token} depth={depth} />);
}

function Block({ token, depth }: { token: Token; depth: number }): VNode | null {
  if (depth > DEEPEST) return <p class="paws-plain">{token.raw}</p>;
  const one = token as Tokens.Generic;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const Heading = `h${Math.min(6, Number(one.depth) + 2)}` as "h3"; // the page has its own headings above
      return <Heading>{inline(one.tokens, depth)}</Heading>;
    }
    case "paragraph":
      return <p>{inline(one.tokens, depth)}</p>;
    case "code":
      return <Code text={(token as Tokens.Code).text} />;
    case "blockquote":
      return <blockquote>{blocks(one.tokens ?? [], depth + 1)}</blockquote>;
    case "hr":
      return <hr />;
    case "list":
      return <List list={token as Tokens.List} depth={depth} />;
    case "table":
      return <Table table={token as Tokens.Table} depth={depth} />;
    case "text":
      return <span>{one.tokens === undefined ? decodeEntities(one.text) : inline(one.tokens, depth)}</span>;
    default: // raw HTML, and whatever a later lexer invents
      return <p class="paws-plain">{token.raw}</p>;
  }
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item, key) => (
    <li key={key} class={item.task ? "paws-task" : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked ?? false} disabled aria-label={say("markdown.task")} />
      )}
      {blocks(
        item.tokens.filter((token) => token.type !== "checkbox"),
        depth + 1,
      )}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  const cell = (Cell: "td" | "th") => (one: Tokens.TableCell, key: number) => (
    <Cell key={key} class={one.align === null ? undefined : `paws-${one.align}`}>
      {inline(one.tokens, depth)}
    </Cell>
  );
  return (
    <div class="paws-table">
      <table>
        <thead>
          <tr>{table.header.map(cell("th"))}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, key) => (
            <tr key={key}>{row.map(cell("td"))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return (tokens ?? []).map((token, key) => <Inline key={key} token={token} depth={depth + 1} />);
}

function Inline({ token, depth }: { token: Token; depth: number }) {
  const one = token as Tokens.Generic;
  if (depth > DEEPEST) return <>{token.raw}</>;
  switch (token.type) {
    case "text":
      return <>{one.tokens === undefined ? decodeEntities(one.text) : inline(one.tokens, depth)}</>;
    case "escape":
      return <>{one.text}</>;
    case "strong":
      return <strong>{inline(one.tokens, depth)}</strong>;
    case "em":
      return <em>{inline(one.tokens, depth)}</em>;
    case "del":
      return <del>{inline(one.tokens, depth)}</del>;
    case "codespan":
      return <code>{one.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link address={one.href} label={inline(one.tokens, depth)} text={one.text} />;
    case "image":
      return <Link address={one.href} label={`[${say("markdown.image")}: ${decodeEntities(one.text)}]`} text="" />;
    default:
      return <>{token.raw}</>;
  }
}

function Link({ address, label, text }: { address: string; label: ComponentChildren; text: string }) {
  const target = targetOf(address);
  if (target === undefined) return <>{label}</>;
  const { href, where } = target;
  const says = decodeEntities(text);
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
        {label}
      </a>
      {says !== where && says !== address && says !== href && <span class="paws-where"> ({where})</span>}
    </>
  );
}
