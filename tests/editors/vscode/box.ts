// The instruction's box and the preview, as a person uses and sees them.

import assert from "node:assert/strict";
import path from "node:path";
import { type Page, ROOT, serverCommand, type Workbench } from "./workbench.ts";

/** A server whose engine does what an instruction says (`tests/support/engine_hosts.py`): settings and environment. */
export function scripted(): { settings: Record<string, unknown>; env: Record<string, string> } {
  const python = path.join(path.dirname(serverCommand()[0] ?? ""), "python");
  const packages = ["engine", "server", "tests/support"].map((name) => path.join(ROOT, name));
  return {
    settings: {
      "copydesk.command": [python, path.join(ROOT, "tests/support/scripted_server.py")],
      "copydesk.precompute": false,
    },
    env: { PYTHONPATH: packages.join(path.delimiter) },
  };
}

export class Box {
  private readonly bench: Workbench;

  constructor(bench: Workbench) {
    this.bench = bench;
  }

  /** The box, or the preview. */
  get thread(): Page {
    return this.bench.page.locator(".review-widget");
  }

  /** Where the instruction is written, with the keyboard. */
  get input(): Page {
    return this.thread.locator(".comment-form .monaco-editor.focused");
  }

  lens(text: string | RegExp): Page {
    return this.bench.page.locator(".codelens-decoration a", { hasText: text }).first();
  }

  async open(name: string, lines: [number, number]): Promise<void> {
    await this.bench.edit(name);
    await this.bench.ready();
    await this.bench.select(...lines);
    await this.bench.page.keyboard.press("Control+Alt+E");
    await this.input.waitFor();
  }

  async written(): Promise<string> {
    const text: string = await this.thread.locator(".comment-form .view-lines").innerText();
    return text.replaceAll("\u00a0", " ").trim();
  }

  async has(text: string): Promise<void> {
    await this.bench.until(async () => (await this.written()) === text, `${JSON.stringify(text)} in the box`);
  }

  async write(name: string, lines: [number, number], instruction: string): Promise<void> {
    await this.open(name, lines);
    await this.bench.page.keyboard.insertText(instruction);
    await this.has(instruction.trim());
  }

  /** Write an instruction, and press Enter. */
  async ask(name: string, lines: [number, number], instruction: string): Promise<void> {
    await this.write(name, lines, instruction);
    await this.bench.page.keyboard.press("Enter");
  }

  /** Send what is written, and wait until nothing came of it: the box is there again, with this reason. */
  async refused(reason: string): Promise<void> {
    // Where the answer comes at once, the box is there again before anybody sees that it was gone: it is another one then.
    const sent = await this.input.getAttribute("data-uri");
    await this.bench.page.keyboard.press("Enter");
    await this.bench.page
      .locator(`.review-widget .comment-form .monaco-editor[data-uri="${sent}"]`)
      .waitFor({ state: "detached" });
    await this.input.waitFor();
    await this.thread.filter({ hasText: reason }).waitFor();
  }

  /** There is something to accept. */
  async shown(): Promise<void> {
    await this.lens("Accept").waitFor();
  }

  async gone(): Promise<void> {
    await this.thread.waitFor({ state: "detached" });
    await this.bench.page
      .locator(".codelens-decoration a", { hasText: /Accept|Editing/ })
      .waitFor({ state: "detached" });
  }

  /** All of it is in sight, within the editor. */
  async whole(): Promise<void> {
    const editor = this.bench.page.locator(".editor-group-container.active .editor-container").first();
    await this.bench.until(async () => {
      const [outer, inner] = [await editor.boundingBox(), await this.thread.boundingBox()];
      return outer && inner && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height + 1;
    }, "all of it in sight");
  }

  /** The engine's process stands still: an edit is on its way for as long as the test wants. */
  async held(run: () => Promise<void>): Promise<void> {
    const engines = this.bench.descendants("multiprocessing.spawn");
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
}

/** Scenarios of one window: where one fails, those after it do not run. */
export function scenarios(test: (name: string, run: () => Promise<void>) => unknown): {
  scenario: (name: string, run: () => Promise<void>) => void;
  failed: () => boolean;
} {
  let failed = false;
  return {
    failed: () => failed,
    scenario: (name, run) => {
      void test(name, async () => {
        assert.ok(!failed, "an earlier scenario of this window failed");
        try {
          await run();
        } catch (error) {
          failed = true;
          throw error;
        }
      });
    },
  };
}
