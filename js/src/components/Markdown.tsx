// Markdown, drawn. Nothing here ever becomes HTML: raw tags are shown as text, addresses become links only if they lead to
// the web or a mailbox, and pictures are named, not loaded.
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { parseBlocks } from "../markdown/blocks";
import { parseInline } from "../markdown/inline";
import type { Block, Inline } from "../markdown/nodes";
import { decodeEntities, targetOf } from "../text/links";
import { assertNever } from "../wire/exhaustive";
import { say } from "../words/say";
import { Code } from "./Text";

/** Longer texts are shown as they are. */
const LONGEST = 200_000;
/** Emphasis that is nested deeper is shown as it was written. */
const DEEPEST = 24;

export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(
    () => (text.length > LONGEST ? <p class="paws-plain">{text}</p> : blocks(parseBlocks(text), false)),
    [text],
  );
  return <div class="paws-markdown">{nodes}</div>;
}

function blocks(all: readonly Block[], tight: boolean): ComponentChildren {
  return all.map((block, key) => <OneBlock key={key} block={block} tight={tight} />);
}

function OneBlock({ block, tight }: { block: Block; tight: boolean }): VNode {
  switch (block.type) {
    case "heading": {
      const Heading = `h${Math.min(6, block.level + 2)}` as "h3"; // the page has its own headings above
      return <Heading>{words(block.text)}</Heading>;
    }
    case "paragraph":
      return tight ? <span>{words(block.text)}</span> : <p>{words(block.text)}</p>;
    case "code":
      return <Code text={block.text} />;
    case "quote":
      return <blockquote>{blocks(block.blocks, false)}</blockquote>;
    case "rule":
      return <hr />;
    case "list":
      return <List list={block} />;
    case "table":
      return <Table table={block} />;
    case "plain":
      return <p class="paws-plain">{block.text}</p>;
    default:
      return assertNever(block);
  }
}

function List({ list: { start, tight, items } }: { list: Extract<Block, { type: "list" }> }) {
  const drawn = items.map(({ done, blocks: inside }, key) => (
    <li key={key} class={done === null ? undefined : "paws-task"}>
      {done !== null && <input type="checkbox" checked={done} disabled aria-label={say("markdown.task")} />}
      {blocks(inside, tight)}
    </li>
  ));
  return start === null ? <ul>{drawn}</ul> : <ol start={start}>{drawn}</ol>;
}

function Table({ table: { align, head, rows } }: { table: Extract<Block, { type: "table" }> }) {
  const cells = (Cell: "td" | "th", row: readonly string[]) =>
    row.map((text, key) => (
      <Cell key={key} class={align[key] ? `paws-${align[key]}` : undefined}>
        {words(text)}
      </Cell>
    ));
  return (
    <div class="paws-table">
      <table>
        <thead>
          <tr>{cells("th", head)}</tr>
        </thead>
        <tbody>
          {rows.map((row, key) => (
            <tr key={key}>{cells("td", row)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function words(text: string): ComponentChildren {
  return inline(parseInline(text), 0);
}

function inline(nodes: readonly Inline[], depth: number): ComponentChildren {
  return nodes.map((node, key) => <OneInline key={key} node={node} depth={depth} />);
}

function OneInline({ node, depth }: { node: Inline; depth: number }): VNode {
  if (depth > DEEPEST && "raw" in node) return <>{node.raw}</>;
  switch (node.type) {
    case "text":
      return <>{node.text}</>;
    case "code":
      return <code>{node.text}</code>;
    case "break":
      return <br />;
    case "strong":
      return <strong>{inline(node.children, depth + 1)}</strong>;
    case "em":
      return <em>{inline(node.children, depth + 1)}</em>;
    case "del":
      return <del>{inline(node.children, depth + 1)}</del>;
    case "link":
      return <Link address={node.address} label={inline(node.children, depth + 1)} text={node.text} />;
    case "image":
      return <Link address={node.address} label={`[${say("markdown.image")}: ${node.text}]`} text="" />;
    default:
      return assertNever(node);
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
