// Edits by instruction in the workbench: written below the selection, shown before they are applied, accepted, rejected, cancelled,
// overtaken, undone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { results } from "../bare.ts";
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
let failed = false;

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
const lens = (text: string | RegExp): ReturnType<typeof bench.page.locator> =>
  bench.page.locator(".codelens-decoration a", { hasText: text }).first();

async function write(name: string, lines: [number, number], instruction: string): Promise<void> {
  await bench.edit(name);
  await bench.ready();
  await bench.select(...lines);
  await bench.page.keyboard.press("Control+Alt+E");
  await thread().locator(".edit-textarea .monaco-editor.focused").waitFor();
  await bench.page.keyboard.insertText(instruction);
  await bench.until(async () => (await written()) === instruction, "the instruction");
}

async function written(): Promise<string> {
  const text: string = await thread().locator(".edit-textarea .view-lines").innerText();
  return text.replaceAll("\u00a0", " ").trim();
}

async function ask(name: string, lines: [number, number], instruction: string): Promise<void> {
  await write(name, lines, instruction);
  await bench.page.keyboard.press("Control+Enter");
}

async function shown(): Promise<void> {
  await lens("Accept").waitFor();
}

async function gone(): Promise<void> {
  await thread().waitFor({ state: "detached" });
  await bench.page
    .locator(".codelens-decoration a", { hasText: /Accept|Editing/ })
    .waitFor({ state: "detached" });
}

/** The engine's process stands still: an edit is on its way for as long as the test wants. */
async function held(run: () => Promise<void>): Promise<void> {
  const engines = bench.descendants("multiprocessing.spawn");
  assert.equal(engines.length, 1, "one engine");
  for (const pid of engines) {
    process.kill(pid, "SIGSTOP");
  }
  try {
    await run();
  } finally {
    for (const pid of engines) {
      process.kill(pid, "SIGCONT");
    }
  }
}

scenario(
  "what is shown is not in the buffer; accepted it is what the server says; one undo takes it back",
  async () => {
    await ask("accept.py", LINES, RETURN);
    await shown();
    await bench.page.locator(".review-widget", { hasText: "greet(name) -> str:" }).waitFor();
    await bench.saved("accept.py", GREET, "no markers, no text");
    assert.equal(
      await bench.page.locator(".panel .comments-panel").count(),
      0,
      "VS Code's Comments panel stays closed",
    );
    await bench.focus();
    await bench.page.keyboard.press("Control+Enter");
    await bench.dirty("accept.py");
    await gone();
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
  await ask("load.py", [1, 4], TRY);
  await shown();
  await bench.picture("preview");
  await lens("Accept").click();
  await bench.dirty("load.py");
  await gone();
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
  assert.match(text, /load\.py: edited, checked/);
  assert.match(text, /1 = copy 1-3 +│ def load\(path\):/);
  assert.match(text, /~ sub 4 +│ +try:/);
  assert.match(text, /\+ gen +│ +except OSError:/);
  await bench.picture("program");
  await bench.page.locator('.tab[data-resource-name="Edit Program"]').click({ button: "middle" });
  await bench.page.locator('.tab[data-resource-name="Edit Program"]').waitFor({ state: "detached" });
});

scenario("rejected: nothing has happened", async () => {
  await ask("reject.py", LINES, RETURN);
  await shown();
  await bench.page.keyboard.press("Escape");
  await gone();
  assert.equal(await bench.page.locator('.tab[data-resource-name="reject.py"].dirty').count(), 0);
  await bench.saved("reject.py", GREET);
});

scenario("the earlier instruction comes back by a key", async () => {
  await write("reject.py", LINES, "draft");
  await bench.page.keyboard.press("Alt+ArrowUp");
  await bench.until(async () => (await written()) === RETURN, "the newest instruction");
  await bench.page.keyboard.press("Alt+ArrowUp");
  await bench.until(async () => (await written()) === TRY, "the one before");
  await bench.page.keyboard.press("Alt+ArrowDown");
  await bench.page.keyboard.press("Alt+ArrowDown");
  await bench.until(async () => (await written()) === "draft", "the draft");
  await bench.page.keyboard.press("Escape");
  await gone();
});

scenario("cancelled in the middle: nothing comes of it, and the next edit does", async () => {
  await write("cancel.py", LINES, RETURN);
  await held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await lens("Editing").waitFor();
    await bench.focus();
    await bench.page.keyboard.press("Escape");
    await gone();
  });
  assert.equal(await bench.page.locator('.tab[data-resource-name="cancel.py"].dirty').count(), 0);
  await ask("cancel.py", LINES, RETURN);
  await shown();
  await bench.saved("cancel.py", GREET);
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("cancel.py");
  await bench.saved("cancel.py", RETURNS(GREET));
});

scenario("a line typed above while the edit is made moves it", async () => {
  await write("moved.py", LINES, RETURN);
  await held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await lens("Editing").waitFor();
    await bench.goTo(2);
    await bench.page.keyboard.insertText("# typed\n");
    await bench.dirty("moved.py");
  });
  await shown();
  await bench.goTo(3);
  await bench.page.keyboard.insertText("# and again\n");
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await gone();
  const typed = GREET.replace("import sys\n\n", "import sys\n# typed\n# and again\n\n");
  await bench.saved("moved.py", RETURNS(typed));
});

scenario("a change in the very lines: made once more for the text as it is", async () => {
  await write("inside.py", LINES, RETURN);
  await held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await lens("Editing").waitFor();
    await bench.goTo(5, 12);
    await bench.page.keyboard.insertText("oh, ");
    await bench.dirty("inside.py");
  });
  await shown();
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await gone();
  await bench.saved("inside.py", RETURNS(GREET.replace('"hello ', '"oh, hello ')));
});

scenario("changed a second time: nothing is applied, and the person is told", async () => {
  await write("twice.py", LINES, RETURN);
  await held(async () => {
    await bench.page.keyboard.press("Control+Enter");
    await lens("Editing").waitFor();
    await bench.goTo(5, 12);
    await bench.page.keyboard.insertText("oh, ");
    await bench.dirty("twice.py");
  });
  await shown();
  let text = GREET.replace('"hello ', '"oh, hello ');
  // A change that came before the question had left is none that the answer is late for: then the next one is the first.
  for (const letter of ["x", "y"]) {
    await bench.goTo(4, 5);
    await bench.page.keyboard.insertText(letter);
    text = text.replace("def ", `def ${letter}`);
    const asked = thread().filter({ hasText: `def ${letter}` });
    await bench.until(
      async () => (await thread().count()) === 0 || (await asked.count()) > 0,
      "an end, or another answer",
    );
    if ((await thread().count()) === 0) {
      break;
    }
    await shown();
  }
  await gone();
  await bench.notified("The code changed; nothing was applied.");
  await bench.saved("twice.py", text);
});

scenario("a file with CRLF, and one with characters outside the BMP", async () => {
  for (const [name, text, expected] of [
    ["crlf.py", CRLF, RETURNS(CRLF)],
    ["astral.py", ASTRAL, RETURNS_ASTRAL],
  ] as const) {
    await ask(name, LINES, RETURN);
    await shown();
    await bench.focus();
    await bench.page.keyboard.press("Control+Enter");
    await bench.dirty(name);
    await gone();
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
  await shown();
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("recipe.py");
  await bench.saved("recipe.py", RETURNS(GREET));
});
