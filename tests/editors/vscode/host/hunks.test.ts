// What a person is shown of edits, by whole lines.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { hunksOf, unified } from "../../../../vscode-client/src/hunks";
import { test } from "./harness";

type Edit = [line: number, character: number, endLine: number, endCharacter: number, text: string];

async function check(text: string, edits: Edit[], expected: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content: text });
  const changes = edits.map(([a, b, c, d, newText]) => ({ range: new vscode.Range(a, b, c, d), newText }));
  assert.equal(unified(hunksOf(document, changes)), expected);
}

test("within a line, twice", async () => {
  await check(
    "x == None != y\n",
    [
      [0, 2, 0, 4, "is"],
      [0, 10, 0, 12, "is not"],
    ],
    "-x == None != y\n+x is None is not y",
  );
});

test("a line that goes", async () => {
  await check("a\nb\nc\n", [[1, 0, 2, 0, ""]], "-b");
});

test("lines that come, first, between and last", async () => {
  await check("a\nb\n", [[0, 0, 0, 0, "z\n"]], "+z");
  await check("a\nb\n", [[1, 0, 1, 0, "y\nz\n"]], "+y\n+z");
  await check("a\nb", [[1, 1, 1, 1, "\nc"]], "+c");
});

test("edits that touch are one hunk, in order", async () => {
  await check(
    "    return t\n",
    [
      [0, 0, 0, 4, "    try:\n        "],
      [1, 0, 1, 0, "    except E:\n"],
    ],
    "-    return t\n+    try:\n+        return t\n+    except E:",
  );
});

test("CRLF is no change", async () => {
  await check("a\r\nb\r\n", [[0, 0, 1, 0, "c\r\n"]], "-a\n+c");
});
