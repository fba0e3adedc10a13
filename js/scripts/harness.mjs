// Serves the page with a fake kernel, for looking at it without a notebook: http://127.0.0.1:8765/?scene=reset&theme=dark
import * as esbuild from "esbuild";

const options = {
  entryPoints: ["harness/main.ts"],
  bundle: true,
  format: "esm",
  target: "es2022",
  outdir: "harness",
  write: false,
  sourcemap: "inline",
};

const context = await esbuild.context(options);
const { hosts, port } = await context.serve({
  host: "127.0.0.1",
  port: Number(process.argv[2] ?? 8765),
  servedir: "harness",
});
console.log(`http://${hosts[0]}:${port}/`);
