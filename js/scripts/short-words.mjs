// An esbuild plugin: the ids of the page's words, with short names for what stands before their first dot. Ids are written out
// wherever they are used, if only their beginnings (`meter.${counted}`), so the same replacement everywhere keeps them equal.
import { readFileSync } from "node:fs";

const table = readFileSync("src/words/en.ts", "utf8");
const groups = [...new Set([...table.matchAll(/^ {2}"(\w+)\./gm)].map(([, group]) => group))];
const short = new Map(groups.map((group, place) => [group, `${place.toString(36)}`]));
const ids = new RegExp(`(["\`])(${groups.join("|")})\\.(?=[\\w$])`, "g");

export const shortWords = {
  name: "short-words",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(ids, (_, quote, group) => `${quote}${short.get(group)}.`),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};
