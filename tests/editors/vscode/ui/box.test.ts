// The instruction's box: examples, history, keys, lines by syntax, what is said while an edit is made, and what is there where nothing
// came of it. The engine is scripted: "say TEXT" puts TEXT in front, "hunks" is refused, "hold" takes its time, any other changes nothing.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Box, scenarios, scripted } from "../box.ts";
import { Workbench } from "../workbench.ts";

const TEXT = `import sys


def greet(name):
    if name:
        text = "hello " + name
    else:
        text = "hello"
    return text
`;
const LONG = Array.from({ length: 80 }, (_, number) => `value_${number} = ${number}\n`).join("");
const LIGHT = { "workbench.colorTheme": "Default Light Modern" };
const DARK = { "workbench.colorTheme": "Default Dark Modern" };

for (const [theme, settings] of Object.entries({ light: LIGHT, dark: DARK })) {
  describe(theme, () => window_(theme, settings));
}

function window_(theme: string, settings: Record<string, unknown>): void {
  let bench: Workbench;
  let box: Box;
  const { scenario, failed } = scenarios(test);
  const picture = (name: string): Promise<void> => bench.picture(`${name}-${theme}`);
  const press = (key: string): Promise<void> => bench.page.keyboard.press(key);

  before(async () => {
    const server = scripted();
    bench = await Workbench.open({
      files: { "box.py": TEXT, "refused.py": TEXT, "long.py": LONG },
      settings: { ...server.settings, ...settings },
      env: server.env,
    });
    await bench.load();
    box = new Box(bench);
  });
  after(async () => bench?.close(failed()));

  scenario("empty, it has examples; Escape leaves, and the text has the keyboard", async () => {
    await box.open("box.py", [4, 9]);
    await box.thread.filter({ hasText: "Edit lines 4–9" }).waitFor();
    await box.whole();
    await box.thread.filter({ hasText: "add type hints · rename data to rows" }).waitFor();
    await picture("box");
    await press("Escape");
    await box.gone();
    await bench.page.keyboard.press("ArrowDown");
    assert.match(await bench.page.locator(".statusbar").innerText(), /Ln 9|Ln 10/);
  });

  scenario("larger and smaller by syntax; the selection shows it", async () => {
    await box.open("box.py", [6, 6]);
    await box.thread.filter({ hasText: "Edit line 6" }).waitFor();
    for (const [key, lines] of [
      ["Shift+Alt+ArrowRight", "lines 5–8"],
      ["Shift+Alt+ArrowRight", "lines 5–9"],
      ["Shift+Alt+ArrowRight", "lines 4–9"],
      ["Shift+Alt+ArrowLeft", "lines 5–9"],
      ["Shift+Alt+ArrowLeft", "lines 5–8"],
    ] as const) {
      await press(key);
      await box.thread.filter({ hasText: `Edit ${lines}` }).waitFor();
    }
    await box.input.waitFor();
    await picture("box-larger");
    await press("Escape");
    await box.gone();
  });

  scenario("within 300 ms it says what is being done; Escape cancels", async () => {
    await box.write("box.py", [4, 9], "hold");
    await bench.page.evaluate(() => {
      const seen = window as unknown as { since: number; said: number; thread: number };
      seen.said = seen.thread = 0;
      const look = (): void => {
        const marks = [...document.querySelectorAll('.view-lines [class*="ced-"]')];
        if (marks.some((one) => getComputedStyle(one, "::after").content.includes("editing lines"))) {
          seen.said ||= performance.now();
        }
        if (document.querySelector(".review-widget")?.textContent?.includes("editing lines")) {
          seen.thread ||= performance.now();
        }
        if (!seen.said || !seen.thread) {
          requestAnimationFrame(look);
        }
      };
      window.addEventListener("keydown", () => ((seen.since = performance.now()), look()), {
        once: true,
        capture: true,
      });
    });
    await press("Enter");
    await box.thread.filter({ hasText: "editing lines 4–9… (Esc cancels)" }).waitFor();
    const [said, thread]: [number, number] = await bench.page.evaluate(() => {
      const seen = window as unknown as { since: number; said: number; thread: number };
      return [seen.said - seen.since, seen.thread - seen.since];
    });
    assert.ok(said > 0, "said beside the text, too");
    console.log(`${theme}: said after ${Math.round(said)} ms, in the thread after ${Math.round(thread)} ms`);
    assert.equal(await box.thread.locator(".codicon-check").count(), 0, "nothing to accept, no tick");
    await picture("running");
    await press("Escape");
    await box.gone();
  });

  scenario("an engine that stands still is said to; Escape cancels", async () => {
    await box.write("box.py", [4, 9], "say # one,");
    await box.held(async () => {
      await press("Enter");
      await box.thread.filter({ hasText: /the engine has not responded for \d+ s/ }).waitFor();
      await picture("stalled");
      await press("Escape");
      await box.gone();
    });
  });

  scenario("arrows bring back earlier instructions, and move in lines of one's own", async () => {
    await box.open("box.py", [4, 9]);
    await press("ArrowUp");
    await box.has("say # one,");
    await press("ArrowUp");
    await box.has("hold");
    await press("ArrowDown");
    await box.has("say # one,");
    await press("ArrowDown");
    await box.has("");
    await bench.page.keyboard.insertText("first");
    await press("Shift+Enter");
    await bench.page.keyboard.insertText("second");
    await bench.until(async () => {
      await press("ArrowUp"); // one that comes before the text is known does nothing
      const cursor = box.thread.locator(".comment-form .cursor").first();
      return (await cursor.evaluate((one: HTMLElement) => one.style.top)) === "0px";
    }, "the cursor in the first line");
    await press("End");
    await bench.page.keyboard.insertText(" line");
    await box.has("first line\nsecond");
    await press("Escape");
    await box.gone();
  });

  scenario("what is refused is there again: words, reason, another try, and what works instead", async () => {
    await box.write("refused.py", [5, 8], "hunks");
    await box.refused("Copydesk changed nothing: it does not parse.");
    await box.has("hunks");
    await box.thread.locator("a", { hasText: "Retry" }).waitFor();
    await box.thread.locator("a", { hasText: 'Invert "if"' }).waitFor();
    await box.whole();
    await picture("refused");
    await box.refused("Copydesk changed nothing: it does not parse.");
    await box.has("hunks");
    await press("Control+A");
    await bench.page.keyboard.insertText("leave it");
    await press("Shift+Enter");
    await bench.page.keyboard.insertText("as it is");
    await box.has("leave it\nas it is");
    await box.refused("Copydesk changed nothing.");
    await box.has("leave it\nas it is");
    assert.equal(await bench.page.locator('.tab[data-resource-name="refused.py"].dirty').count(), 0);
  });

  scenario("an action that works is a key away", async () => {
    await box.thread.locator("a", { hasText: 'Invert "if"' }).waitFor();
    const key = (await box.thread.innerText()).match(/(Alt\+\d)\s+Invert "if"/)?.[1];
    assert.ok(key !== undefined, "the suggestion says its key");
    await press(key);
    await bench.dirty("refused.py");
    await box.gone();
    const inverted = TEXT.replace("if name", "if not name")
      .replace('"hello " + name', "@")
      .replace('"hello"', '"hello " + name')
      .replace("@", '"hello"');
    await bench.saved("refused.py", inverted);
  });

  scenario("box and preview are whole in sight at the lower end of the window", async () => {
    await bench.edit("long.py");
    await bench.goTo(30);
    await bench.goTo(33);
    await box.write("long.py", [34, 35], "say # one,");
    await box.whole();
    await picture("box-below");
    await press("Enter");
    await box.shown();
    await box.whole();
    await picture("preview-below");
    await press("Escape");
    await box.gone();
  });
}
