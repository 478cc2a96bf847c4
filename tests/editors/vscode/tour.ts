// The tour (`docs/tour.md`) and its sample project, as the tests follow them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./workbench.ts";

const PAGE = readFileSync(path.join(ROOT, "docs/tour.md"), "utf8").split("## In VS Code")[1] ?? "";

/** The sample project: its files by name. */
export function project(): Record<string, string> {
  const folder = path.join(ROOT, "docs/tour");
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]),
  );
}

export interface Fix {
  line: number;
  column: number;
  title: string;
}

/** The three fixes. */
export const FIXES: Fix[] = [...PAGE.matchAll(/^\| (\d+) \| (\d+) \| (.+) \|$/gm)].map(
  ([, line, column, title]) => ({
    line: Number(line),
    column: Number(column),
    title: title ?? "",
  }),
);

const found = (pattern: RegExp): string[] => {
  const match = pattern.exec(PAGE);
  assert.ok(match !== null, `the tour has ${pattern}`);
  return match.slice(1);
};

/** The instruction, the lines that it is for, and what the first of them becomes. */
const [first, last] = found(/Select lines (\d+) to (\d+)/);
export const LINES: [number, number] = [Number(first), Number(last)];
export const [INSTRUCTION = ""] = found(/```text\n(.*)\n```/);
export const [BECOMES = ""] = found(/```python\n(.*)\n```/);

/** The rename: which name, where, and what it becomes. */
const [old, line, column, name] = found(/With the cursor on `(\w+)` in line (\d+), column (\d+), press `F2` and write `(\w+)`/);
export const RENAME = { old: old ?? "", line: Number(line), column: Number(column), name: name ?? "" };
