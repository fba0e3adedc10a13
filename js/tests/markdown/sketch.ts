// A short form of Markdown's nodes, for reading them in a test.
import { parseBlocks } from "../../src/markdown/blocks";
import { parseInline } from "../../src/markdown/inline";
import type { Block, Inline, Item } from "../../src/markdown/nodes";

export function sketch(text: string): string {
  return all(parseBlocks(text), false);
}

function all(blocks: readonly Block[], tight: boolean): string {
  return blocks.map((block) => one(block, tight)).join(" ");
}

function one(block: Block, tight: boolean): string {
  switch (block.type) {
    case "heading":
      return `h${block.level}(${words(block.text)})`;
    case "paragraph":
      return tight ? words(block.text) : `p(${words(block.text)})`;
    case "code":
    case "plain":
      return `${block.type}(${block.text})`;
    case "quote":
      return `quote(${all(block.blocks, false)})`;
    case "rule":
      return "rule";
    case "list": {
      const name = block.start === null ? "ul" : `ol${block.start}`;
      const items = block.items.map((item) => `${nameOf(item)}(${all(item.blocks, block.tight)})`);
      return `${name}${block.tight ? "" : " loose"}(${items.join(" ")})`;
    }
    case "table":
      return `table[${block.align.map(String).join(" ")}](${[block.head, ...block.rows].map(rowOf).join(" / ")})`;
  }
}

function nameOf({ done }: Item): string {
  if (done === null) return "li";
  return done ? "done" : "open";
}

function rowOf(cells: readonly string[]): string {
  return cells.map(words).join("|");
}

function words(text: string): string {
  return parseInline(text)
    .map((node) => inline(node))
    .join("");
}

function inline(node: Inline, depth = 0): string {
  if (depth > 24 && "raw" in node) return node.raw;
  const inside = (children: readonly Inline[]) => children.map((child) => inline(child, depth + 1)).join("");
  switch (node.type) {
    case "text":
      return node.text;
    case "break":
      return " br ";
    case "code":
      return `code(${node.text})`;
    case "image":
      return `image[${node.address}](${node.text})`;
    case "link":
      return `link[${node.address}](${inside(node.children)})`;
    default:
      return `${node.type}(${inside(node.children)})`;
  }
}
