// Ghost text: a colon that was forgotten, found by another's linter, is shown once the server knows its fix, and accepted by Tab.

import { after, before, test } from "node:test";
import { Workbench } from "../workbench.ts";

const TEXT = 'def label(value):\n    if value == "😀":\n        return 1\n    return value == None\n';
const WITHOUT = 'def label(value):\n    if value == "😀"\n        return 1\n    return value == None\n';

let bench: Workbench;
let failed = false;

before(async () => {
  bench = await Workbench.open({
    files: { "typed.py": TEXT, "behind.py": TEXT, "other.py": TEXT },
    // A list of words at the cursor would be about something else.
    settings: { "copydesk.inlineCompletions": true, "editor.quickSuggestions": { other: "off" } },
  });
  await bench.load();
});
after(async () => bench?.close(failed));

async function opened(name: string): Promise<void> {
  await bench.edit(name);
  await bench.squiggle();
  await bench.ready();
  await bench.goTo(2, 22);
  await bench.page.keyboard.press("End");
}

async function ghost(): Promise<string> {
  const texts: string[] = await bench.page
    .locator(".editor-group-container.active .view-line [class*=ghost-text]")
    .allInnerTexts();
  return texts.join("");
}

async function guarded(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    failed = true;
    throw error;
  }
}

test("at the cursor", async () => {
  await guarded(async () => {
    await opened("typed.py");
    await bench.page.keyboard.press("Backspace");
    await bench.until(async () => (await ghost()) === ":", "the colon as ghost text");
    await bench.saved("typed.py", WITHOUT, "nothing is written before it is accepted");
    await bench.until(async () => (await ghost()) === ":", "the colon, still");
    await bench.page.keyboard.press("Tab");
    await bench.until(async () => (await ghost()) === "", "no ghost text");
    await bench.saved("typed.py", TEXT);
  });
});

test("behind the cursor", async () => {
  await guarded(async () => {
    await opened("behind.py");
    await bench.page.keyboard.press("Backspace");
    await bench.page.keyboard.press("Home");
    await bench.page.keyboard.type("x");
    await bench.page.keyboard.press("Backspace");
    await bench.until(async () => (await ghost()) === ":", "the colon as ghost text");
    await bench.page.keyboard.press("Tab");
    await bench.until(async () => (await ghost()) === "", "no ghost text");
    await bench.saved("behind.py", TEXT);
  });
});

test("not on another line", async () => {
  await guarded(async () => {
    await opened("other.py");
    await bench.page.keyboard.press("Backspace");
    await bench.until(async () => (await ghost()) === ":", "the colon as ghost text");
    await bench.page.keyboard.press("ArrowDown");
    await bench.until(async () => (await ghost()) === "", "no ghost text");
  });
});
