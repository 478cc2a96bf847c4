// The walkthrough: a step is ticked once a person has done what it is about, and no step before.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Box, scenarios } from "../box.ts";
import { Workbench } from "../workbench.ts";

const UNUSED = "import os\nimport sys\n\n\ndef run() -> None:\n    sys.exit(1)\n";
const GREET = 'def greet(name):\n    print("hello " + name)\n    return name\n';
const REMOVES_IMPORT = /(Remove unused import "os"|Look for a fix: `os` imported but unused.*) \(copydesk\)/;

let bench: Workbench;
let box: Box;
const { scenario, failed } = scenarios(test);

before(async () => {
  bench = await Workbench.open({ files: { "unused.py": UNUSED, "greet.py": GREET } });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

/** Open it, and wait until these steps have a tick and no other. */
async function ticked(...done: string[]): Promise<void> {
  await bench.command("Welcome: Open Walkthrough");
  await bench.page.locator(".quick-input-widget input").first().fill("Get Started with Copydesk");
  const row = bench.page.locator(".quick-input-list .monaco-list-row", { hasText: "Get Started with Copydesk" });
  await row.first().waitFor();
  await bench.page.keyboard.press("Enter");
  const steps = ["install", "fix", "fixAll", "edit", "program", "model"];
  const wanted = steps.map((step) => `${step} ${done.includes(step)}`);
  const found = async (): Promise<string[]> =>
    bench.page.evaluate(() =>
      [...document.querySelectorAll('[role="checkbox"][data-done-step-id]')].map(
        (step) =>
          `${step.getAttribute("data-done-step-id")?.split("#").pop()} ${step.getAttribute("aria-checked")}`,
      ),
    );
  try {
    await bench.until(async () => (await found()).join() === wanted.join(), "the ticks");
  } catch {
    assert.deepEqual(await found(), wanted);
  }
  await bench.picture("walkthrough");
  // It would keep the keyboard.
  const tab = bench.page.locator('.tab.active[aria-label*="Welcome"], .tab.active[aria-label*="Walkthrough"]');
  await tab.click({ button: "middle" });
  await tab.waitFor({ state: "detached" });
}

scenario("before a file is open nothing is done", async () => {
  await ticked();
});

scenario("the server runs, a fix is applied", async () => {
  await bench.edit("unused.py");
  await bench.squiggle();
  await bench.ready();
  await bench.goTo(1, 8);
  await ticked("install");
  await bench.edit("unused.py");
  const changed = bench.page.locator('.tab[data-resource-name="unused.py"].dirty');
  await bench.until(async () => {
    await bench.lightBulb(REMOVES_IMPORT);
    await bench.page.keyboard.press("Enter");
    try {
      await changed.waitFor({ timeout: 15_000 });
    } catch {
      await bench.page.keyboard.press("Escape");
    }
    return await changed.isVisible();
  }, "the fix");
  await ticked("install", "fix");
});

scenario("an edit is accepted, and its program looked at", async () => {
  await box.ask("greet.py", [1, 3], "add the return type `str`");
  await box.shown();
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("greet.py");
  await box.gone();
  await ticked("install", "fix", "edit");
  await bench.edit("greet.py");
  await bench.command("Copydesk: Show Edit Program");
  await bench.page.locator('.tab[data-resource-name="Edit Program"]').waitFor();
  await ticked("install", "fix", "edit", "program");
});
