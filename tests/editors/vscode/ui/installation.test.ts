// A folder that is not trusted, on a machine without the server: nothing is offered. Trusted, the installation is offered; one click, and
// the light bulb works. From the registry that pip is configured with.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { ROOT, Workbench } from "../workbench.ts";

const NONE = "def first(x, y):\n    if x == None:\n        return y\n    return x\n";
/** torch is some hundred megabytes. */
const INSTALLED = 400_000;

let bench: Workbench;

before(async () => {
  bench = await Workbench.open({
    files: { "none.py": NONE },
    trust: true,
    settings: {
      "copydesk.command": [],
      "copydesk.torchIndex": process.env.COPYDESK_TORCH_INDEX ?? "",
      "security.workspace.trust.startupPrompt": "never",
    },
    // Not the package of this tree, whatever the tests themselves run with.
    env: { PYTHONPATH: "" },
  });
  await bench.load();
});
after(async () => bench?.close());

const status = (text: string) => bench.page.locator(".statusbar-item", { hasText: text }).first();

test("a folder that is not trusted: nothing is installed, and nothing runs", async () => {
  await bench.edit("none.py");
  await status("copydesk: not installed").waitFor();
  await status("Restricted Mode").waitFor();
  assert.deepEqual(bench.descendants("copydesk_server"), []);
  assert.deepEqual(bench.descendants("bin/copydesk"), []);
});

test("trusted: the installation is offered; one click, and a fix from the light bulb", async () => {
  await bench.command("Workspaces: Manage Workspace Trust");
  await bench.page
    .locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ })
    .first()
    .click();
  await status("copydesk: not installed").waitFor();
  await bench.page.locator(".monaco-modal-editor-block .codicon-close").first().click();
  await bench.page.locator(".monaco-modal-editor-block").waitFor({ state: "detached" });
  await bench.page.locator('[id="status.notifications"]').click();
  const offer = bench.page.locator(".notification-list-item", {
    hasText: "language server is not installed",
  });
  await offer.locator(".monaco-button", { hasText: "Install" }).first().click();
  await status("copydesk: installing").waitFor();
  await bench.page
    .locator(".statusbar-item", { hasText: /copydesk: .* · (cpu|cuda)/ })
    .first()
    .waitFor({ timeout: INSTALLED });

  const storage = path.join(bench.folder, "user/User/globalStorage/copydesk.copydesk");
  const [name = "", ...others] = readdirSync(storage).filter((one) => one.startsWith("server-"));
  assert.deepEqual(others, []);
  const bin = path.join(storage, name, "bin");
  assert.ok(
    bench.descendants(path.join(bin, "copydesk")).length > 0,
    "the server that runs is the one installed",
  );
  const script =
    "import importlib.metadata as m; print(*(m.version(n).split('+')[0] for n in ('pygls', 'torch', 'copydesk')))";
  const versions = execFileSync(path.join(bin, "python"), ["-I", "-c", script], { encoding: "utf8" }).trim();
  assert.equal(versions, [pin("pygls"), pin("torch"), version()].join(" "));
  assert.ok(existsSync(path.join(bin, "ruff")), "with the linter that judges fixes");

  await bench.page.keyboard.press("Escape");
  await bench.edit("none.py");
  await bench.goTo(2, 11);
  await (await bench.lightBulb(/Replace `==` with `is`|Look for a fix: Comparison to `None`/)).click();
  await bench.dirty("none.py");
  await bench.saved("none.py", NONE.replace("== None", "is None"));
});

test("the status bar's menu has the details", async () => {
  await status("copydesk:").click();
  const list = bench.page.locator(".quick-input-list");
  for (const text of ["Restart the server", "Show the log", "Model", "Device"]) {
    await list.locator(".monaco-list-row", { hasText: text }).first().waitFor();
  }
  await bench.page.keyboard.press("Escape");
});

function pin(name: string): string {
  const text = readFileSync(path.join(ROOT, "constraints.txt"), "utf8");
  return new RegExp(`^${name}==(.*)$`, "m").exec(text)?.[1] ?? "";
}

function version(): string {
  return JSON.parse(readFileSync(path.join(ROOT, "vscode-client/package.json"), "utf8")).version;
}
