// Tests inside the extension host, with the real `vscode` API: this opens the window they run in and tells how they went.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Workbench } from "../workbench.ts";

const HOST = path.join(import.meta.dirname, "../host");

async function inHost(bundle: string, settings: Record<string, unknown>, deadline: number): Promise<void> {
  const bench = await Workbench.open({ files: {}, settings, linter: false });
  const lines: string[] = [];
  try {
    let told: (code: number) => void = () => undefined;
    const exit = new Promise<number>((resolve, reject) => {
      told = resolve;
      setTimeout(() => reject(new Error(`not done: ${lines.join("\n")}`)), deadline).unref();
    });
    await bench.page.exposeFunction("codeAutomationLog", (_: string, args: unknown[]) => {
      lines.push(args.map(String).join(" "));
    });
    await bench.page.exposeFunction("codeAutomationExit", (code: number) => told(code));
    const remote = `vscode-remote://${bench.authority}`;
    await bench.load(
      ["extensionDevelopmentPath", remote + HOST],
      ["extensionTestsPath", `${remote}${HOST}/dist/${bundle}`],
    );
    const code = await exit;
    const said = lines.filter((line) => line.includes("host "));
    for (const line of said) {
      console.log(line.replace(/^.*?(?=host )/, ""));
    }
    assert.equal(code, 0, lines.join("\n"));
    assert.ok(
      said.some((line) => line.includes("host done")),
      `they ran: ${lines.join("\n")}`,
    );
  } finally {
    await bench.close();
  }
}

test("in the extension host: staleness, places, settings, installations that fail", async () => {
  await inHost("main.js", { "copydesk.precompute": false }, 400_000);
});
