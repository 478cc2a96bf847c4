// Where the server is unsure: what may be meant, one at a time in the text, with its place and its probability. The engine is scripted:
// the instruction "unsure A|B" leaves the choice of A or B as a new beginning of the text.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Box, scenarios, scripted } from "../box.ts";
import { Workbench } from "../workbench.ts";

const TEXT = "import sys\n\n\ndef greet(name):\n    return name\n";
const UNSURE = "unsure # 😀 <one>, |# two,";
const ONE = `# 😀 <one>, ${TEXT}`;
const TWO = `# two,${TEXT}`;
const LINES: [number, number] = [1, 2];

let bench: Workbench;
let box: Box;
const { scenario, failed } = scenarios(test);

before(async () => {
  bench = await Workbench.open({
    files: { "one.py": TEXT, "two.py": TEXT, "escape.py": TEXT, "changed.py": TEXT },
    ...scripted(),
  });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

const said = async (): Promise<string> =>
  (await box.thread.locator(".review-comment-contents").innerText()).replaceAll("\u00a0", " ");

/** The preview shows this one, and the text has none of it. */
async function previewed(place: string, line: string): Promise<void> {
  await bench.until(async () => (await said()).includes(place) && (await said()).includes(line), line);
  assert.ok(!(await bench.lines()).some((one) => one.startsWith("# ")), "nothing is in the text");
}

scenario("place, probability and title; the first is shown, and is what is accepted", async () => {
  await box.ask("one.py", LINES, UNSURE);
  await previewed("[1/2] 50%: Write # 😀 <one>,", "# 😀 <one>, import sys");
  await box.thread.locator(".review-title", { hasText: "unsure # 😀 ‹one›, |# two," }).waitFor();
  await box.lens("[1/2] 50%: Write # 😀 <one>,").waitFor();
  await bench.picture("alternatives");
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("one.py");
  await box.gone();
  await bench.saved("one.py", ONE);
  await bench.focus();
  await bench.page.keyboard.press("Control+Z");
  await bench.dirty("one.py");
  await bench.saved("one.py", TEXT, "undone at once");
});

scenario("by keys from one to the next and back; the one that is shown is taken", async () => {
  await box.ask("two.py", LINES, UNSURE);
  await previewed("[1/2] 50%", "# 😀 <one>, import sys");
  await bench.page.keyboard.press("Alt+]");
  await previewed("[2/2] 25%: Write # two,", "# two,import sys");
  await bench.page.keyboard.press("Alt+]");
  await previewed("[1/2] 50%", "# 😀 <one>, import sys");
  await bench.page.keyboard.press("Alt+[");
  await previewed("[2/2] 25%", "# two,import sys");
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("two.py");
  await box.gone();
  await bench.saved("two.py", TWO);
});

scenario("Escape leaves the text, and the box has its words again", async () => {
  await box.ask("escape.py", LINES, UNSURE);
  await previewed("[1/2] 50%", "# 😀 <one>, import sys");
  await bench.page.keyboard.press("Escape");
  await box.input.waitFor();
  await box.has(UNSURE.trim());
  await box.thread.filter({ hasText: "None of these was meant" }).waitFor();
  assert.equal(await bench.page.locator('.tab[data-resource-name="escape.py"].dirty').count(), 0);
  // Put otherwise, it is sent again.
  await bench.page.keyboard.press("Control+A");
  await bench.page.keyboard.insertText("unsure # three,");
  await bench.page.keyboard.press("Enter");
  await box.shown();
  assert.equal(await box.lens(/\[1/).count(), 0, "one alone has no place");
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("escape.py");
  await box.gone();
  await bench.saved("escape.py", `# three,${TEXT}`);
});

scenario("the lines change: once more for the text as it is, then the person is told", async () => {
  await box.ask("changed.py", LINES, UNSURE);
  await previewed("[1/2] 50%", "# 😀 <one>, import sys");
  writeFileSync(bench.file("changed.py"), TEXT.replace("import sys", "import os"));
  await previewed("[1/2] 50%", "# 😀 <one>, import os");
  writeFileSync(bench.file("changed.py"), TEXT.replace("import sys", "import re"));
  await box.gone();
  await bench.notified("The code changed; nothing was applied.");
  await bench.saved("changed.py", TEXT.replace("import sys", "import re"));
});
