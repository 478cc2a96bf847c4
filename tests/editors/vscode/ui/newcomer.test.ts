// A newcomer's first session, by the keyboard alone: a project with mistakes, no linter, the model that comes with the server. Three fixes,
// an instruction, an undo, a rename in two files, and what the status says is missing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Box, scenarios } from "../box.ts";
import { Workbench } from "../workbench.ts";

const REPORT = `import os
import sys


def total(items):
    result = 0
    for item in items:
        result += itm
    return result


print(json.dumps(total([1, 2])), file=sys.stderr)
`;
const MAIN = "from report import total\n\nprint(total([3]))\n";
const FIXES: [number, number, string, (text: string) => string][] = [
  [8, 19, "Replace `itm` with `item`", (text) => text.replace("+= itm", "+= item")],
  [1, 8, 'Remove unused import "os"', (text) => text.replace("import os\n", "")],
  [11, 7, 'Add "import json"', (text) => text.replace("import sys\n", "import json\nimport sys\n")],
];

let bench: Workbench;
let box: Box;
let text = REPORT;
const { scenario, failed } = scenarios(test);
const press = (key: string): Promise<void> => bench.page.keyboard.press(key);

before(async () => {
  bench = await Workbench.open({ files: { "report.py": REPORT, "main.py": MAIN }, linter: false });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

scenario("the mistakes are found without a linter, and three are mended from the menu", async () => {
  await bench.edit("report.py");
  await bench.ready();
  await bench.squiggle();
  for (const [line, column, title, mended] of FIXES) {
    await bench.goTo(line, column);
    await bench.lightBulb(title);
    await bench.until(async () => {
      const chosen: string = await bench.page.locator(".action-widget .monaco-list-row.focused").innerText();
      if (chosen.includes(title)) {
        return true;
      }
      await press("ArrowDown");
      return false;
    }, `${title} to be chosen`);
    await press("Enter");
    await bench.dirty("report.py");
    text = mended(text);
    await bench.saved("report.py", text);
  }
});

scenario("an instruction, accepted and undone", async () => {
  await box.ask("report.py", [5, 9], "add the return type `int`");
  await box.shown();
  await press("Control+Enter");
  await bench.dirty("report.py");
  await box.gone();
  await bench.saved("report.py", text.replace("total(items):", "total(items) -> int:"));
  await press("Control+Z");
  await bench.dirty("report.py");
  await bench.saved("report.py", text);
});

scenario("a rename goes through both files", async () => {
  await bench.goTo(5, 6);
  const input = bench.page.locator(".rename-box input:visible, .rename-input:visible").first();
  await bench.until(async () => {
    await press("F2");
    return input.waitFor({ timeout: 4000 }).then(
      () => true,
      () => false,
    );
  }, "the new name to be asked for");
  await input.fill("sum_of");
  await input.press("Enter");
  await bench.dirty("report.py");
  await bench.command("File: Save All");
  await bench.until(() => bench.read("main.py").includes("sum_of"), "the other file");
  assert.equal(bench.read("main.py"), MAIN.replaceAll("total", "sum_of"));
  await bench.until(() => bench.read("report.py") === text.replaceAll("total", "sum_of"), "the first file");
});

scenario("the status says what is missing, and how to mend it", async () => {
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
  await box.write("report.py", [5, 9], "make it blue");
  await box.refused("Copydesk");
  await box.thread.locator("a", { hasText: "Get the standard model" }).waitFor();
  await bench.picture("refused-small-model");
  await press("Escape");
  await box.gone();
});
