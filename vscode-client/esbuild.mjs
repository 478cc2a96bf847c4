// Bundles the extension into one file. `--watch` keeps it fresh; `--production` leaves the source map out.
import * as esbuild from "esbuild";

const watch = process.argv.includes("--watch");
const options = {
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
    sourcemap: !process.argv.includes("--production"),
    minify: process.argv.includes("--production"),
    logLevel: "warning",
};

if (watch) {
    const context = await esbuild.context(options);
    await context.watch();
} else {
    await esbuild.build(options);
}
