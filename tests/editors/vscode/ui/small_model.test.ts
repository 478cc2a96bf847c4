// On the model that comes with the server, and without a linter: the status and the instruction's box say what is missing, and mend it.

import { after, before, test } from "node:test";
import { Box, scenarios } from "../box.ts";
import { LINES, project } from "../tour.ts";
import { Workbench } from "../workbench.ts";

let bench: Workbench;
let box: Box;
const { scenario, failed } = scenarios(test);
const press = (key: string): Promise<void> => bench.page.keyboard.press(key);

before(async () => {
  bench = await Workbench.open({ files: project(), linter: false });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

scenario("the status says what is missing, and how to mend it", async () => {
  await bench.edit("report.py");
  await bench.ready();
  await bench.squiggle();
  await bench.command("Copydesk: Show Status");
  const rows = bench.page.locator(".quick-input-list .monaco-list-row");
  for (const [what, mend] of [
    ["Standard model not installed", "Get It"],
    ["No linter found: using ruff", "Find a Linter"],
  ] as const) {
    await rows.filter({ hasText: what }).filter({ hasText: mend }).first().waitFor();
  }
  await bench.picture("status");
  await bench.page.keyboard.insertText("No linter found");
  await press("Enter");
  await bench.page.locator(".extensions-viewlet").waitFor();
});

scenario("the box says so, too, where the model could not do it", async () => {
  await box.write("report.py", LINES, "make it blue");
  await box.refused("Copydesk");
  await box.thread.locator("a", { hasText: "Get the standard model" }).waitFor();
  await bench.picture("refused-small-model");
  await press("Escape");
  await box.gone();
});
