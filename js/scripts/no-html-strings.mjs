// Text from a model or a file must never be parsed as HTML or run as code: the page builds DOM nodes from text only.
// Biome knows some of these doors; this list names all that we know, for every file of the page and the extension.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DOORS =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|setHTML|setHTMLUnsafe|parseHTMLUnsafe|DOMParser|createContextualFragment|srcdoc|srcDoc|document\.write(ln)?|eval\s*\(|(new\s+)?Function\s*\(|javascript:)/;

const root = process.argv[2] ?? "src";
const found = readdirSync(root, { recursive: true })
  .map((name) => join(root, name))
  .filter((path) => /\.tsx?$/.test(path))
  .flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, i) => (DOORS.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
  );

if (found.length > 0) {
  console.error(`A way from text to HTML or code; build nodes from text instead:\n${found.join("\n")}`);
  process.exit(1);
}
