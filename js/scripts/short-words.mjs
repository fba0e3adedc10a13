// An esbuild plugin: short ids for the page's words. An id is written out wherever it is used, or its beginning is
// (`meter.${counted}`); so the same replacement in every file keeps them equal. Where only a beginning is written, and for
// plural forms, what stands before the first dot is made short; any other id becomes two characters, which need no quotes.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const files = readdirSync("src", { recursive: true }).filter((file) => /\.tsx?$/.test(file));
const sources = files.map((file) => readFileSync(join("src", file), "utf8")).join("\n");
const begun = [...sources.matchAll(/`([\w.]+)\$\{/g)].map(([, start]) => start);
const all = [...readFileSync("src/words/en.ts", "utf8").matchAll(/^ {2}"(\w+\.[^"]+)"/gm)].map(([, id]) => id);
const ids = all.filter((id) => !/^\w+\.(one|other)$/.test(id)); // the plural of a word without a dot keeps its name
const groups = [...new Set(ids.map((id) => id.split(".", 1)[0]))];

/** In base 36 the first number that begins with a letter and has two characters; no word without a dot is so short. */
const FIRST = 360;

const short = new Map(groups.map((group, place) => [`${group}.`, `${place.toString(36)}.`]));
for (const [place, id] of ids.entries())
  if (!/\.(one|other)$/.test(id) && !begun.some((start) => id.startsWith(start)))
    short.set(id, (place + FIRST).toString(36));

export function shortened(text) {
  return text.replace(/(["`])(\w+\.)([^"`$\n]*)(?=["`$])/g, (as, quote, group, rest) => {
    const whole = quote === '"' ? short.get(group + rest) : undefined;
    return whole !== undefined && rest !== "" ? quote + whole : short.has(group) ? quote + short.get(group) + rest : as;
  });
}

export const shortWords = {
  name: "short-words",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: shortened(readFileSync(path, "utf8")),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};
