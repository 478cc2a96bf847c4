// What a linter of somebody else's found, mended from the light bulb; the saved file has the expected bytes. In a hostile folder:
// decoys stand in for modules that the server's Python needs, and `python -m` would look there first.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { serverCommand, Workbench } from "../workbench.ts";

// A fix is called by its edit, or, where that is not known in time, by its finding.
const COMPARES_IDENTITY = /(Replace `==` with `is`|Look for a fix: Comparison to `None`.*) \(copydesk\)/;
const REMOVES_IMPORT = /(Remove unused import "os"|Look for a fix: `os` imported but unused.*) \(copydesk\)/;
const NONE = "def first(x, y):\n    if x == None:\n        return y\n    return x\n";
const UNUSED = "import os\nimport sys\n\n\ndef run() -> None:\n    sys.exit(1)\n";
const CRLF = UNUSED.replaceAll("\n", "\r\n");
const ASTRAL = '# 😀𝒳\ndef first(x, y):\n    if x["😀é𝒳"] == None:\n        return y\n    return x\n';
/** Leaves a file beside itself when it runs. */
const DECOY = 'open(__file__ + ".ran", "w").close()\n';
const DECOYS = [
  ...["asyncio", "copydesk", "copydesk_server", "json", "multiprocessing"].map(
    (name) => `${name}/__init__.py`,
  ),
  ...["logging.py", "pygls.py", "sitecustomize.py", "socket.py", "subprocess.py", "tokenize.py", "torch.py"],
];

let bench: Workbench;
let failed = false;

before(async () => {
  bench = await Workbench.open({
    files: {
      "none.py": NONE,
      "unused.py": UNUSED,
      "crlf.py": CRLF,
      "astral.py": ASTRAL,
      "problems.py": UNUSED,
      ...Object.fromEntries(DECOYS.map((name) => [name, DECOY])),
    },
    settings: {
      "copydesk.command": [
        path.join(path.dirname(serverCommand()[0] ?? ""), "python"),
        "-m",
        "copydesk_server",
      ],
    },
  });
  await bench.load();
});
after(async () => bench?.close(failed));

async function fixed(
  name: string,
  line: number,
  column: number,
  title: RegExp,
  expected: string,
): Promise<void> {
  try {
    await bench.edit(name);
    await bench.squiggle();
    await bench.ready();
    await bench.goTo(line, column);
    const changed = bench.page.locator(`.tab[data-resource-name="${name}"].dirty`);
    // A menu takes no click in its first moment.
    await bench.until(async () => {
      const item = await bench.lightBulb(title);
      try {
        await item.click({ timeout: 4000 });
        await changed.waitFor({ timeout: 15_000 });
      } catch {
        await bench.page.keyboard.press("Escape");
      }
      return await changed.isVisible();
    }, `${name} to be changed`);
    await bench.saved(name, expected);
  } catch (error) {
    failed = true;
    throw error;
  }
}

test("a comparison with None", async () => {
  await fixed(
    "none.py",
    2,
    11,
    COMPARES_IDENTITY,
    NONE.replace("== None", "is None"),
  );
});

test("an unused import goes, with its line break", async () => {
  await fixed("unused.py", 1, 8, REMOVES_IMPORT, UNUSED.replace("import os\n", ""));
});

test("a file keeps its CRLF", async () => {
  await fixed("crlf.py", 1, 8, REMOVES_IMPORT, CRLF.replace("import os\r\n", ""));
});

test("characters outside the BMP before and inside the line", async () => {
  await fixed("astral.py", 3, 21, COMPARES_IDENTITY, ASTRAL.replace("== None", "is None"));
});

test("from the Problems panel", async () => {
  try {
    await bench.edit("problems.py");
    await bench.squiggle();
    await bench.command("Problems: Focus on Problems View");
    const row = bench.page.locator(".markers-panel .monaco-list-row", {
      hasText: "`os` imported but unused",
    });
    const item = bench.page.locator(".monaco-menu .action-item", { hasText: REMOVES_IMPORT }).first();
    // A menu takes no click in its first moment, and a key pressed too early is lost.
    await bench.until(async () => {
      try {
        await row.first().click({ timeout: 4000 });
        await bench.page.keyboard.press("Control+.");
        await item.hover({ timeout: 4000 });
        await bench.page.keyboard.press("Enter");
        await bench.page.locator('.tab[data-resource-name="problems.py"].dirty').waitFor({ timeout: 4000 });
        return true;
      } catch {
        await bench.page.keyboard.press("Escape");
        return false;
      }
    }, "the fix in the panel");
    await bench.edit("problems.py");
    await bench.saved("problems.py", UNUSED.replace("import os\n", ""));
  } catch (error) {
    failed = true;
    throw error;
  }
});

test("nothing of the folder was imported by the server that made these fixes", () => {
  const files = readdirSync(bench.workspace, { recursive: true, encoding: "utf8" });
  assert.ok(DECOYS.every((name) => files.includes(name)));
  assert.deepEqual(
    files.filter((name) => name.endsWith(".ran")),
    [],
  );
});
