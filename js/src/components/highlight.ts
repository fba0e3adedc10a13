// Marks words in the page without touching its nodes, where the browser can; elsewhere the row alone is marked.
import { folded } from "../state/search";

const NAME = "smolpaws-found";

/** What is marked, by the element it is marked in: several views share one page. */
const marked = new Map<Element, readonly Range[]>();

/** Marks every place of the words inside an element, and unmarks what was marked there before. */
export function highlight(place: Element, words: string): void {
  const wanted = folded(words.trim());
  if (typeof Highlight === "undefined" || (wanted === "" && !marked.has(place))) return;
  if (wanted === "") marked.delete(place);
  else marked.set(place, rangesIn(place, wanted));
  CSS.highlights.set(NAME, new Highlight(...[...marked.values()].flat()));
}

function rangesIn(place: Element, wanted: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = folded(node.nodeValue ?? "");
    if (text.length !== node.nodeValue?.length) continue; // lower case has another length in some languages
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}
