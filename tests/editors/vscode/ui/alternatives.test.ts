// Where the server is unsure: a list of what may be meant, each shown in the text while it is highlighted. And the instruction's box: sent
// with Enter, and there again with its words where nothing came of them. The engine is scripted: the instruction "unsure A|B" leaves the
// choice of A or B as a new beginning of the text, "hunks" is refused, and any other changes nothing.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { ROOT, serverCommand, Workbench } from "../workbench.ts";

const TEXT = "import sys\n\n\ndef greet(name):\n    return name\n";
const UNSURE = "unsure # 😀 one, |# two,";
const ONE = `# 😀 one, ${TEXT}`;
const TWO = `# two,${TEXT}`;
const LINES: [number, number] = [1, 2];
const SCRIPTED = path.join(ROOT, "tests/support/scripted_server.py");

let bench: Workbench;
let failed = false;

before(async () => {
  const python = path.join(path.dirname(serverCommand()[0] ?? ""), "python");
  const packages = ["engine", "server", "tests/support"].map((name) => path.join(ROOT, name));
  bench = await Workbench.open({
    files: { "one.py": TEXT, "two.py": TEXT, "escape.py": TEXT, "changed.py": TEXT, "refused.py": TEXT },
    settings: { "copydesk.command": [python, SCRIPTED], "copydesk.precompute": false },
    env: { PYTHONPATH: packages.join(path.delimiter) },
  });
  await bench.load();
});
after(async () => bench?.close(failed));

function scenario(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    assert.ok(!failed, "an earlier scenario of this window failed");
    try {
      await run();
    } catch (error) {
      failed = true;
      throw error;
    }
  });
}

const thread = (): ReturnType<typeof bench.page.locator> => bench.page.locator(".review-widget");
const box = (): ReturnType<typeof bench.page.locator> =>
  thread().locator(".edit-textarea .monaco-editor.focused");
const list = (): ReturnType<typeof bench.page.locator> => bench.page.locator(".quick-input-widget:visible");
const rows = (): ReturnType<typeof bench.page.locator> =>
  list().locator(".quick-input-list .monaco-list-row");

async function written(): Promise<string> {
  const text: string = await thread().locator(".edit-textarea .view-lines").innerText();
  return text.replaceAll("\u00a0", " ").trim();
}

/** Write an instruction, and press Enter. */
async function ask(name: string, instruction: string): Promise<void> {
  await bench.edit(name);
  await bench.ready();
  await bench.select(...LINES);
  await bench.page.keyboard.press("Control+Alt+E");
  await box().waitFor();
  await bench.page.keyboard.insertText(instruction);
  await bench.until(async () => (await written()) === instruction.trim(), "the instruction");
  await bench.page.keyboard.press("Enter");
}

/** The preview shows this new line, and the text has none of it. */
async function previewed(line: string): Promise<void> {
  await thread().filter({ hasText: line }).waitFor();
  assert.ok(!(await bench.lines()).some((one) => one.startsWith("# ")), "nothing is in the text");
}

async function gone(): Promise<void> {
  await thread().waitFor({ state: "detached" });
}

scenario("the list: title, probability and lines; the first is shown, and Enter takes it", async () => {
  await ask("one.py", UNSURE);
  await rows().nth(1).waitFor();
  assert.match(await list().innerText(), /did you mean one of these\?/);
  const [first, second] = await rows().allInnerTexts();
  assert.match(
    first.replaceAll("\u00a0", " "),
    /^Write # 😀 one,\s*50%\s*- import sys {2}\+ # 😀 one, import sys/,
  );
  assert.match(
    second.replaceAll("\u00a0", " "),
    /^Write # two,\s*25%\s*- import sys {2}\+ # two,import sys/,
  );
  await previewed("# 😀 one, import sys");
  await bench.picture("alternatives");
  await bench.page.keyboard.press("Enter");
  await bench.dirty("one.py");
  await gone();
  await bench.saved("one.py", ONE);
  await bench.focus();
  await bench.page.keyboard.press("Control+Z");
  await bench.dirty("one.py");
  await bench.saved("one.py", TEXT, "undone at once");
});

scenario("the one that is highlighted is shown and taken", async () => {
  await ask("two.py", UNSURE);
  await rows().nth(1).waitFor();
  await previewed("# 😀 one, import sys");
  await bench.page.keyboard.press("ArrowDown");
  await previewed("# two,import sys");
  await bench.page.keyboard.press("ArrowDown");
  await previewed("# 😀 one, import sys");
  await bench.page.keyboard.press("ArrowUp");
  await previewed("# two,import sys");
  await bench.page.keyboard.press("Enter");
  await bench.dirty("two.py");
  await gone();
  await bench.saved("two.py", TWO);
});

scenario("Escape leaves everything, and the box has its words again", async () => {
  await ask("escape.py", UNSURE);
  await rows().nth(1).waitFor();
  await previewed("# 😀 one, import sys");
  await bench.page.keyboard.press("Escape");
  await box().waitFor();
  assert.equal(await written(), UNSURE.trim());
  assert.equal(await bench.page.locator('.tab[data-resource-name="escape.py"].dirty').count(), 0);
  // Put otherwise, it is sent again.
  await bench.page.keyboard.press("Control+A");
  await bench.page.keyboard.insertText("unsure # three,");
  await bench.page.keyboard.press("Enter");
  await rows().first().waitFor();
  await previewed("# three,import sys");
  await bench.page.keyboard.press("Enter");
  await bench.dirty("escape.py");
  await gone();
  await bench.saved("escape.py", `# three,${TEXT}`);
});

scenario("the lines change under the list: nothing is applied, and the person is told", async () => {
  await ask("changed.py", UNSURE);
  await rows().nth(1).waitFor();
  await previewed("# 😀 one, import sys");
  writeFileSync(bench.file("changed.py"), TEXT.replace("import sys", "import os"));
  await list().waitFor({ state: "hidden" });
  await gone();
  await bench.notified("The code changed; nothing was applied.");
  await bench.saved("changed.py", TEXT.replace("import sys", "import os"));
});

scenario(
  "an instruction that is refused or changes nothing is there again; Shift+Enter begins a line",
  async () => {
    await ask("refused.py", "hunks");
    await bench.notified("Copydesk changed nothing: it does not parse.");
    await box().waitFor();
    assert.equal(await written(), "hunks");
    await bench.page.keyboard.press("Control+A");
    await bench.page.keyboard.insertText("leave it");
    await bench.page.keyboard.press("Shift+Enter");
    await bench.page.keyboard.insertText("as it is");
    await bench.until(async () => (await written()) === "leave it\nas it is", "two lines");
    await bench.page.keyboard.press("Enter");
    await box().waitFor({ state: "detached" });
    await box().waitFor();
    assert.equal(await written(), "leave it\nas it is");
    await bench.page.keyboard.press("Escape");
    await gone();
    await bench.saved("refused.py", TEXT);
  },
);
