// All fixes of one kind in all files of the folder: VS Code shows them, and nothing changes before the person applies them. The model is
// not asked, and its engine stands still meanwhile.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Box, scenarios } from "../box.ts";
import { Workbench } from "../workbench.ts";

const TITLE = "Fix all in the workspace, with a preview: unused import (copydesk)";
const FILES = {
  "one.py": "import os\nimport sys\n\nprint(sys.argv)\n",
  "two.py": "import os, re\r\n\r\nprint(re)\r\n",
  "three.py": "import os  # noqa: F401\n",
};
const FIXED = {
  "one.py": "import sys\n\nprint(sys.argv)\n",
  "two.py": "import re\r\n\r\nprint(re)\r\n",
  "three.py": FILES["three.py"],
};

let bench: Workbench;
let box: Box;
const { scenario, failed } = scenarios(test);

before(async () => {
  bench = await Workbench.open({ files: FILES });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

const preview = (): ReturnType<typeof bench.page.locator> => bench.page.locator(".bulk-edit-panel");

async function asked(): Promise<void> {
  await bench.goTo(1, 8);
  await bench.until(async () => {
    const item = await bench.lightBulb(TITLE);
    await bench.picture("lightbulb");
    try {
      await item.click({ timeout: 4000 });
      await preview().waitFor({ timeout: 15_000 });
    } catch {
      await bench.page.keyboard.press("Escape");
    }
    return preview().isVisible();
  }, "the preview");
  for (const name of ["one.py", "two.py"]) {
    await preview().locator(".monaco-list-row", { hasText: name }).first().waitFor();
  }
  assert.equal(await preview().locator(".monaco-list-row", { hasText: "three.py" }).count(), 0);
}

function unchanged(): void {
  for (const [name, text] of Object.entries(FILES)) {
    assert.equal(bench.read(name), text);
  }
}

scenario("the person sees the files first, and may leave it", async () => {
  await bench.edit("one.py");
  await bench.squiggle();
  await bench.ready();
  await box.held(async () => {
    await asked();
    await bench.picture("workspace-fixes");
    await preview().locator("a.monaco-button", { hasText: "Discard" }).click();
    await preview().waitFor({ state: "hidden" });
  });
  unchanged();
  assert.equal(await bench.page.locator(".tab.dirty").count(), 0);
});

scenario("what the person applies is in all files", async () => {
  await bench.edit("one.py");
  await asked();
  await preview().locator("a.monaco-button", { hasText: "Apply" }).click();
  await bench.dirty("one.py");
  await bench.command("File: Save All");
  for (const [name, text] of Object.entries(FIXED)) {
    await bench.until(() => bench.read(name) === text, `${name} to be fixed`);
  }
});
