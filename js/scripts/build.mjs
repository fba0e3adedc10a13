// Bundles the page into smolpaws_jupyter/static: one ESM file and one style sheet, nothing fetched at run time.
// Fails when both together are larger than the limit, since the bundle is saved with notebooks.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { shortWords } from "./short-words.mjs";

const LIMIT = 180_000; // bytes of JS and CSS, not compressed
const out = "../smolpaws_jupyter/static";

const options = {
  entryPoints: { widget: "src/index.ts" },
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  // Calls of `h` take children as arguments, which need less room than a field of that name each time. What tsconfig.json
  // says of JSX, for the types, would win over options of esbuild, so these settings stand in its place.
  tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment", target: "es2022" } },
  inject: ["scripts/h.mjs"],
  metafile: true,
  legalComments: "none", // whole licences go into a file of their own
  logLevel: "warning",
};

/** The licences of everything that the bundle contains, which their terms ask us to pass on. */
function licences(metafile) {
  const names = Object.keys(metafile.inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names)]
    .filter((name) => name !== undefined)
    .sort()
    .map((name) => {
      const folder = join("node_modules", name);
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${name} is bundled but has no licence file`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** The style sheet with short names for its variables, which nothing else names. */
function withShortNames(css) {
  const names = css.match(/--paws-[\w-]+/g) ?? [];
  const short = new Map([...new Set(names)].map((name, place) => [name, `--p${place.toString(36)}`]));
  const tight = css.replace(/(?<=[:,]) /g, ""); // in their values esbuild leaves blanks
  return tight.replace(/--paws-[\w-]+/g, (name) => short.get(name));
}

if (process.argv.includes("--watch")) {
  const context = await esbuild.context({ ...options, minify: false, sourcemap: "inline" });
  await context.watch();
  console.log("watching js/src; with ANYWIDGET_HMR=1 an open page reloads by itself");
} else {
  const { metafile } = await esbuild.build({ ...options, plugins: [shortWords] });
  writeFileSync(join(out, "widget.licenses.txt"), licences(metafile));
  const styles = join(out, "widget.css");
  writeFileSync(styles, withShortNames(readFileSync(styles, "utf8")));
  const files = ["widget.js", "widget.css"].map((name) => join(out, name));
  for (const file of files) if (!existsSync(file)) throw new Error(`${file} was not built: does index.ts import it?`);
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  console.log(`widget.js and widget.css: ${size} bytes of at most ${LIMIT}`);
  if (size > LIMIT) {
    console.error(`The page is too large. What weighs most:\n${await esbuild.analyzeMetafile(metafile)}`);
    process.exit(1);
  }
}
