// VS Code's workbench for tests: code-server in a folder of its own, and headless Chromium as the person before it. One window with
// all the files of a test file; nothing waits for the clock but by a deadline that fails.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const HERE = import.meta.dirname;
export const ROOT = path.resolve(HERE, "../../..");
const EDITORS = execFileSync(path.join(HERE, "install.sh"), ["--root"], {
  encoding: "utf8",
}).trim();
const NODE = path.join(EDITORS, "node/bin/node");
const ENTRY = path.join(EDITORS, "code-server/out/node/entry.js");
const { chromium } = createRequire(path.join(EDITORS, "playwright/node_modules/"))("playwright-core");

/** What is waited for comes within this, on a busy machine too. */
export const DEADLINE = Number(process.env.COPYDESK_DEADLINE ?? 60_000);
const PICTURES = process.env.COPYDESK_PICTURES ?? "";

/** Playwright's types are not installed where this is checked: the page's few calls in use. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Page = any;

export interface Options {
  files: Record<string, string>;
  settings?: Record<string, unknown>;
  /** Arguments of code-server's besides. */
  trust?: boolean;
  /** Extra members of the page's payload: in-host tests. */
  payload?: [string, string][];
  env?: Record<string, string>;
  linter?: boolean;
}

const SETTINGS = {
  "workbench.startupEditor": "none",
  "files.hotExit": "off",
  "files.autoSave": "off",
  "git.enabled": false,
  "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.enableExperiments": false,
  "telemetry.telemetryLevel": "off",
  "extensions.ignoreRecommendations": true,
  "editor.minimap.enabled": false,
  "editor.accessibilitySupport": "off",
  "window.title": "copydesk",
};

/** The server under test: a program and its arguments, as JSON. `run.sh` names the one of the environment that `make` made. */
export function serverCommand(): string[] {
  return JSON.parse(process.env.COPYDESK_COMMAND ?? "[]");
}

function ruff(): string {
  return process.env.RUFF_OF_ANOTHER ?? path.join(path.dirname(serverCommand()[0] ?? ""), "ruff");
}

export class Workbench {
  readonly folder: string;
  readonly workspace: string;
  page!: Page;
  readonly messages: string[] = [];
  private server!: ChildProcess;
  private browser: Page;
  private port = 0;

  private readonly options: Options;

  private constructor(options: Options) {
    this.options = options;
    this.folder = mkdtempSync(path.join(tmpdir(), "copydesk-vscode-"));
    this.workspace = path.join(this.folder, "workspace");
    mkdirSync(this.workspace);
    for (const [name, text] of Object.entries(options.files)) {
      mkdirSync(path.dirname(this.file(name)), { recursive: true });
      writeFileSync(this.file(name), text);
    }
    const settings = {
      ...SETTINGS,
      "copydesk.command": serverCommand(),
      "security.workspace.trust.enabled": options.trust ?? false,
      // The browser's colours are the window's, where a test does not say which ones.
      "window.autoDetectColorScheme": options.settings?.["workbench.colorTheme"] === undefined,
      ...options.settings,
    };
    // The window is a remote one: settings of the scope `machine` count in the machine's file alone. In the user's they seem to, until
    // that file is read again, as it is where VS Code itself renames a theme in it.
    for (const [place, ours] of [
      ["User", false],
      ["Machine", true],
    ] as const) {
      mkdirSync(path.join(this.folder, "user", place), { recursive: true });
      const chosen = Object.entries(settings).filter(([name]) => name.startsWith("copydesk.") === ours);
      const file = path.join(this.folder, "user", place, "settings.json");
      writeFileSync(file, JSON.stringify(Object.fromEntries(chosen)));
    }
    writeFileSync(path.join(this.folder, "config.yaml"), "");
  }

  /** Everything installed and started; a window on the workspace. */
  static async open(options: Options): Promise<Workbench> {
    const bench = new Workbench(options);
    try {
      bench.install();
      await bench.serve();
      await bench.browse();
      return bench;
    } catch (error) {
      await bench.close();
      throw error;
    }
  }

  file(name: string): string {
    return path.join(this.workspace, name);
  }

  read(name: string): string {
    return readFileSync(this.file(name), "utf8");
  }

  /** Open a file of the workspace, as a person does: by its name. */
  async edit(name: string): Promise<void> {
    await this.focus();
    await this.page.keyboard.press("Control+P");
    await this.page.locator(".quick-input-widget input").first().fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.focus();
  }

  /** Give the keyboard to the text. */
  async focus(): Promise<void> {
    const input = this.page.locator(
      ".editor-group-container.active .native-edit-context, .editor-group-container.active textarea.inputarea",
    );
    if ((await input.count()) > 0) {
      await input.first().focus();
    }
  }

  async goTo(line: number, column = 1): Promise<void> {
    await this.focus();
    await this.page.keyboard.press("Control+G");
    await this.page.locator(".quick-input-widget input").first().fill(`:${line}:${column}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: `line ${line} at` }).waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await this.until(async () => (await this.statusText()).includes(`Ln ${line}, Col `), `line ${line}`);
  }

  /** Select whole lines, 1-based and inclusive. */
  async select(first: number, last: number): Promise<void> {
    await this.goTo(first);
    for (let line = first; line < last; line++) {
      await this.page.keyboard.press("Shift+ArrowDown");
    }
    await this.page.keyboard.press("Shift+End");
    await this.until(async () => (await this.statusText()).includes("selected"), "a selection");
  }

  /** Run a command by its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").first().fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Wait for a squiggle: some tool has found something. */
  async squiggle(): Promise<void> {
    await this.page
      .locator(".monaco-editor .squiggly-warning, .monaco-editor .squiggly-error")
      .first()
      .waitFor();
  }

  /** Open the light bulb's menu at the cursor, until it has an item with this title. A key pressed too early is lost. */
  async lightBulb(title: string | RegExp): Promise<Page> {
    const item = this.page.locator(".action-widget .action .title", { hasText: title }).first();
    await this.until(async () => {
      await this.page.keyboard.press("Control+.");
      try {
        await item.waitFor({ timeout: 4000 });
        return true;
      } catch {
        await this.page.keyboard.press("Escape");
        return false;
      }
    }, `an action ${title}`);
    return item;
  }

  /** Save, and see the text of the editor in the file. It is written although nothing changed; while it is, the file is empty. */
  async saved(name: string, expected: string, message?: string): Promise<void> {
    const before = statSync(this.file(name)).mtimeMs;
    await this.focus();
    await this.page.keyboard.press("Control+S");
    await this.page.locator(`.tab.active[data-resource-name="${name}"].dirty`).waitFor({ state: "detached" });
    await this.until(() => statSync(this.file(name)).mtimeMs !== before, `${name} to be written`);
    try {
      await this.until(() => this.read(name) === expected, "the text");
    } catch {
      assert.equal(this.read(name), expected, message);
    }
  }

  /** Wait until a file that is open has changed in its editor: its tab says so. */
  async dirty(name: string): Promise<void> {
    await this.page.locator(`.tab[data-resource-name="${name}"].dirty`).waitFor();
  }

  /** Wait until the status bar says that the model is there. */
  async ready(): Promise<void> {
    await this.page
      .locator(".statusbar-item", { hasText: /copydesk: .* · (cpu|cuda)/ })
      .first()
      .waitFor();
  }

  /** Wait for a message to the person. (With the driver on, VS Code shows them in its list alone.) */
  async notified(text: string): Promise<void> {
    await this.page.locator('[id="status.notifications"]').click();
    await this.page
      .locator(".notifications-center .notification-list-item", { hasText: text })
      .first()
      .waitFor();
    await this.page.keyboard.press("Escape");
  }

  /** The lines in sight, in order. */
  async lines(): Promise<string[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".editor-group-container.active .view-line")]
        .map(
          (line) => [Number.parseInt((line as HTMLElement).style.top, 10), line.textContent ?? ""] as const,
        )
        .sort((a, b) => a[0] - b[0])
        .map(([, text]) => text.replaceAll("\u00a0", " ")),
    );
  }

  async until(ready: () => Promise<boolean> | boolean, what: string): Promise<void> {
    const end = Date.now() + DEADLINE;
    while (!(await ready())) {
      assert.ok(Date.now() < end, `waited ${DEADLINE / 1000} s for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Keep pictures in light and in dark where COPYDESK_PICTURES names a folder; one where a test has chosen the colours. */
  async picture(name: string): Promise<void> {
    if (PICTURES === "") {
      return;
    }
    const chosen = this.options.settings?.["workbench.colorTheme"] !== undefined;
    for (const scheme of chosen ? [] : ["dark", "light"]) {
      await this.page.emulateMedia({ colorScheme: scheme });
      await this.page.locator(`.monaco-workbench.${scheme === "dark" ? "vs-dark" : "vs"}`).waitFor();
      await this.page.screenshot({ animations: "disabled", path: path.join(PICTURES, `${name}-${scheme}.png`) });
    }
    if (chosen) {
      await this.page.screenshot({ animations: "disabled", path: path.join(PICTURES, `${name}.png`) });
    }
  }

  /** The processes below code-server whose command line has `part` in it. */
  descendants(part: string): number[] {
    const table = execFileSync("ps", ["-eo", "pid=,ppid=,args="], {
      encoding: "utf8",
    })
      .split("\n")
      .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
      .filter((match) => match !== null)
      .map(([, pid, parent, args]) => ({
        pid: Number(pid),
        parent: Number(parent),
        args: args ?? "",
      }));
    const below = new Set([this.server.pid]);
    for (let size = 0; size !== below.size;) {
      size = below.size;
      for (const { pid } of table.filter((one) => below.has(one.parent))) {
        below.add(pid);
      }
    }
    return table.filter((one) => below.has(one.pid) && one.args.includes(part)).map((one) => one.pid);
  }

  async close(failed = false): Promise<void> {
    if (failed && this.page !== undefined) {
      await this.page
        .screenshot({ path: path.join(tmpdir(), `copydesk-vscode-failed-${this.port}.png`) })
        .catch(() => undefined);
    }
    await this.browser?.close();
    if (this.server?.pid !== undefined && this.server.exitCode === null) {
      const gone = new Promise((resolve) => this.server.once("exit", resolve));
      process.kill(-this.server.pid, "SIGTERM");
      const late = setTimeout(() => process.kill(-(this.server.pid ?? 0), "SIGKILL"), 10_000);
      await gone;
      clearTimeout(late);
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private args(...more: string[]): string[] {
    const { folder, options } = this;
    return [
      ENTRY,
      ...["--config", path.join(folder, "config.yaml"), "--user-data-dir", path.join(folder, "user")],
      ...[
        "--extensions-dir",
        path.join(folder, "extensions"),
        "--disable-telemetry",
        "--disable-update-check",
      ],
      ...["--disable-getting-started-override", "--reconnection-grace-time", "5"],
      ...(options.trust ? [] : ["--disable-workspace-trust"]),
      ...more,
    ];
  }

  private environment(): NodeJS.ProcessEnv {
    const { PORT: _port, PASSWORD: _password, VSCODE_IPC_HOOK_CLI: _hook, ...rest } = process.env;
    return {
      ...rest,
      PATH: `${path.dirname(NODE)}:${rest.PATH ?? ""}`,
      EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "http://127.0.0.1:9" }), // nothing leaves
      RUFF_OF_ANOTHER: ruff(),
      OMP_NUM_THREADS: "1",
      HF_HUB_OFFLINE: "1",
      COPYDESK_MODELS: path.join(this.folder, "models"), // the embedded model runs, whatever is installed here
      ...this.options.env,
    };
  }

  private install(): void {
    const names = [path.join(ROOT, "vscode-client/dist/copydesk.vsix")];
    if (this.options.linter ?? true) {
      names.push(path.join(HERE, "linter/dist/linter.vsix"));
    }
    const args = this.args(...names.flatMap((name) => ["--install-extension", name]));
    execFileSync(NODE, args, { env: this.environment(), stdio: "pipe" });
  }

  private async serve(): Promise<void> {
    this.port = await freePort();
    const log = openSync(path.join(this.folder, "code-server.log"), "a");
    this.server = spawn(
      NODE,
      this.args(
        "--bind-addr",
        `127.0.0.1:${this.port}`,
        "--auth",
        "none",
        "--vscode-option",
        "enable-smoke-test-driver",
      ),
      // As a person starts it who is in the folder.
      { cwd: this.workspace, env: this.environment(), stdio: ["ignore", log, log], detached: true },
    );
    closeSync(log);
    await this.until(async () => {
      assert.equal(
        this.server.exitCode,
        null,
        readFileSync(path.join(this.folder, "code-server.log"), "utf8"),
      );
      try {
        return (await fetch(`http://127.0.0.1:${this.port}/healthz`)).ok;
      } catch {
        return false;
      }
    }, "code-server");
  }

  private async browse(): Promise<void> {
    const executablePath = process.env.COPYDESK_CHROMIUM ?? "/usr/bin/chromium";
    const args = [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ];
    this.browser = await chromium.launch({ executablePath, args });
    const context = await this.browser.newContext({
      viewport: { width: 1200, height: 760 },
    });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(DEADLINE);
    this.page.on("console", (message: Page) => this.messages.push(message.text()));
  }

  /** Load the window. In-host tests name what the page is told by `payload`, and expose their functions before. */
  async load(...payload: [string, string][]): Promise<void> {
    const query = new URLSearchParams({ folder: this.workspace });
    if (payload.length > 0) {
      query.set("payload", JSON.stringify(payload));
    }
    await this.page.goto(`http://127.0.0.1:${this.port}/?${query}`);
    await this.page.locator(".monaco-workbench .statusbar").waitFor();
  }

  get authority(): string {
    return `127.0.0.1:${this.port}`;
  }

  private async statusText(): Promise<string> {
    return (await this.page.locator(".statusbar").first().innerText()).replaceAll("\u00a0", " ");
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
