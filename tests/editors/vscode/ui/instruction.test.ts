// Edits by instruction in the workbench: written below the selection, shown before they are applied, accepted, rejected, cancelled,
// overtaken, undone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { results } from "../bare.ts";
import { Box, scenarios } from "../box.ts";
import { Workbench } from "../workbench.ts";

const GREET =
  'import sys\n\n\ndef greet(name):\n    print("hello " + name)\n    return name\n\n\nprint(sys.argv)\n';
const RETURN = "add the return type `str`";
const RETURNS = (text: string): string => text.replace("greet(name):", "greet(name) -> str:");
const CRLF = GREET.replaceAll("\n", "\r\n");
const ASTRAL = GREET.replace("import sys\n", "import sys  # 😀𝒳\n")
  .replace('"hello "', '"𝒳😀é "')
  .replace("greet(name):", 'greet(name, mark="😀"):');
const RETURNS_ASTRAL = ASTRAL.replace('mark="😀"):', 'mark="😀") -> str:');
const LOAD = "def load(path):\n    with open(path) as file:\n        text = file.read()\n    return text\n";
const TRY = "wrap this in try/except OSError, return None";
const TRIED = LOAD.replace(
  "    return text\n",
  "    try:\n        return text\n    except OSError:\n        return None\n",
);
const LINES: [number, number] = [4, 6];

let bench: Workbench;
let box: Box;
const { scenario, failed } = scenarios(test);

before(async () => {
  bench = await Workbench.open({
    files: {
      "accept.py": GREET,
      "load.py": LOAD,
      "reject.py": GREET,
      "cancel.py": GREET,
      "moved.py": GREET,
      "inside.py": GREET,
      "twice.py": GREET,
      "crlf.py": CRLF,
      "astral.py": ASTRAL,
      "recipe.py": GREET,
    },
    settings: {
      "copydesk.precompute": false,
      "copydesk.recipes": [{ title: "Return a string", instruction: RETURN }],
    },
  });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

scenario(
  "what is shown is not in the buffer; accepted it is what the server says; one undo takes it back",
  async () => {
    await box.ask("accept.py", LINES, RETURN);
    await box.shown();
    await box.thread.filter({ hasText: "greet(name) -> str:" }).waitFor();
    await bench.saved("accept.py", GREET, "no markers, no text");
    assert.equal(
      await bench.page.locator(".panel .comments-panel").count(),
      0,
      "VS Code's Comments panel stays closed",
    );
    await bench.focus();
    await bench.page.keyboard.press("Control+Enter");
    await bench.dirty("accept.py");
    await box.gone();
    const [expected] = await results([{ text: GREET, lines: LINES, instruction: RETURN }]);
    assert.equal(expected, RETURNS(GREET), "what the server says without any editor");
    await bench.saved("accept.py", expected);
    await bench.focus();
    await bench.page.keyboard.press("Control+Z");
    await bench.dirty("accept.py");
    await bench.saved("accept.py", GREET, "undone at once");
  },
);

scenario("several lines, accepted by the code lens, undone at once", async () => {
  await box.ask("load.py", [1, 4], TRY);
  await box.shown();
  await bench.picture("preview");
  await box.lens("Accept").click();
  await bench.dirty("load.py");
  await box.gone();
  await bench.saved("load.py", TRIED);
  await bench.focus();
  await bench.page.keyboard.press("Control+Z");
  await bench.dirty("load.py");
  await bench.saved("load.py", LOAD);
});

scenario("the program's view", async () => {
  await bench.command("Copydesk: Show Edit Program");
  await bench.page.locator('.tab[data-resource-name="Edit Program"]').waitFor();
  await bench.page.locator(".view-line", { hasText: "<program>" }).waitFor();
  const text = (
    await bench.page.locator(".editor-group-container").last().locator(".view-lines").innerText()
  ).replaceAll("\u00a0", " ");
  assert.ok(text.indexOf("def load") < text.indexOf("<program>"), "first the text and its origin");
  assert.ok(text.indexOf("<program>") < text.indexOf("load.py: edited, checked"), "last the figures");
  assert.match(text, /1 = copy 1-3 +│ def load\(path\):/);
  assert.match(text, /~ sub 4 +│ +try:/);
  assert.match(text, /\+ gen +│ +except OSError:/);
  await bench.picture("program");
  await bench.page.locator('.tab[data-resource-name="Edit Program"]').click({ button: "middle" });
  await bench.page.locator('.tab[data-resource-name="Edit Program"]').waitFor({ state: "detached" });
});

scenario("rejected: nothing has happened", async () => {
  await box.ask("reject.py", LINES, RETURN);
  await box.shown();
  await bench.page.keyboard.press("Escape");
  await box.gone();
  assert.equal(await bench.page.locator('.tab[data-resource-name="reject.py"].dirty').count(), 0);
  await bench.saved("reject.py", GREET);
});

scenario("the earlier instruction comes back by a key", async () => {
  await box.write("reject.py", LINES, "draft");
  await bench.page.keyboard.press("Alt+ArrowUp");
  await box.has(RETURN);
  await bench.page.keyboard.press("Alt+ArrowUp");
  await box.has(TRY);
  await bench.page.keyboard.press("Alt+ArrowDown");
  await bench.page.keyboard.press("Alt+ArrowDown");
  await box.has("draft");
  await bench.page.keyboard.press("Escape");
  await box.gone();
});

scenario("cancelled in the middle: nothing comes of it, and the next edit does", async () => {
  await box.write("cancel.py", LINES, RETURN);
  await box.held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await box.lens("Editing").waitFor();
    await bench.focus();
    await bench.page.keyboard.press("Escape");
    await box.gone();
  });
  assert.equal(await bench.page.locator('.tab[data-resource-name="cancel.py"].dirty').count(), 0);
  await box.ask("cancel.py", LINES, RETURN);
  await box.shown();
  await bench.saved("cancel.py", GREET);
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("cancel.py");
  await bench.saved("cancel.py", RETURNS(GREET));
});

scenario("a line typed above while the edit is made moves it", async () => {
  await box.write("moved.py", LINES, RETURN);
  await box.held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await box.lens("Editing").waitFor();
    await bench.goTo(2);
    await bench.page.keyboard.insertText("# typed\n");
    await bench.dirty("moved.py");
  });
  await box.shown();
  await bench.goTo(3);
  await bench.page.keyboard.insertText("# and again\n");
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await box.gone();
  const typed = GREET.replace("import sys\n\n", "import sys\n# typed\n# and again\n\n");
  await bench.saved("moved.py", RETURNS(typed));
});

scenario("a change in the very lines: made once more for the text as it is", async () => {
  await box.write("inside.py", LINES, RETURN);
  await box.held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await box.lens("Editing").waitFor();
    await bench.goTo(5, 12);
    await bench.page.keyboard.insertText("oh, ");
    await bench.dirty("inside.py");
  });
  await box.shown();
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await box.gone();
  await bench.saved("inside.py", RETURNS(GREET.replace('"hello ', '"oh, hello ')));
});

scenario("changed a second time: nothing is applied, and the person is told", async () => {
  await box.write("twice.py", LINES, RETURN);
  await box.held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await box.lens("Editing").waitFor();
    await bench.goTo(5, 12);
    await bench.page.keyboard.insertText("oh, ");
    await bench.dirty("twice.py");
  });
  await box.shown();
  let text = GREET.replace('"hello ', '"oh, hello ');
  // A change that came before the question had left is none that the answer is late for: then the next one is the first.
  for (const letter of ["x", "y"]) {
    await bench.goTo(4, 5);
    await bench.page.keyboard.insertText(letter);
    text = text.replace("def ", `def ${letter}`);
    const asked = box.thread.filter({ hasText: `def ${letter}` });
    await bench.until(
      async () => (await box.thread.count()) === 0 || (await asked.count()) > 0,
      "an end, or another answer",
    );
    if ((await box.thread.count()) === 0) {
      break;
    }
    await box.shown();
  }
  await box.gone();
  await bench.notified("The code changed; nothing was applied.");
  await bench.saved("twice.py", text);
});

scenario("a file with CRLF, and one with characters outside the BMP", async () => {
  for (const [name, text, expected] of [
    ["crlf.py", CRLF, RETURNS(CRLF)],
    ["astral.py", ASTRAL, RETURNS_ASTRAL],
  ] as const) {
    await box.ask(name, LINES, RETURN);
    await box.shown();
    await bench.focus();
    await bench.page.keyboard.press("Control+Enter");
    await bench.dirty(name);
    await box.gone();
    const [result] = await results([{ text, lines: LINES, instruction: RETURN }]);
    await bench.saved(name, expected);
    assert.equal(result, expected);
  }
});

scenario("a recipe from the settings, by its command", async () => {
  await bench.edit("recipe.py");
  await bench.select(...LINES);
  await bench.command("Copydesk: Edit Selection with Recipe…");
  await bench.page.locator(".quick-input-list .monaco-list-row", { hasText: "Return a string" }).click();
  await box.shown();
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("recipe.py");
  await bench.saved("recipe.py", RETURNS(GREET));
});
