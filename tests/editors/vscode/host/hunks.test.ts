// What a person is shown of edits: lines, and in them in brackets the words that go and come.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { hunksOf, unified } from "../../../../vscode-client/src/hunks";
import { test } from "./harness";

type Edit = [line: number, character: number, endLine: number, endCharacter: number, text: string];

async function check(text: string, edits: Edit[], expected: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content: text });
  const changes = edits.map(([a, b, c, d, newText]) => ({ range: new vscode.Range(a, b, c, d), newText }));
  const lines = unified(hunksOf(document, changes)).map(
    ({ sign, parts }) =>
      sign + parts.map(({ kind, text }) => (kind === "same" ? text : `[${text}]`)).join(""),
  );
  assert.equal(lines.join("\n"), expected);
}

test("within a line, twice", async () => {
  await check(
    "x == None != y\n",
    [
      [0, 2, 0, 4, "is"],
      [0, 10, 0, 12, "is not"],
    ],
    "-x [==] None [!=] y\n+x [is] None [is not] y",
  );
});

test("a line that goes", async () => {
  await check("a\nb\nc\n", [[1, 0, 2, 0, ""]], "-[b]");
});

test("lines that come, first, between and last", async () => {
  await check("a\nb\n", [[0, 0, 0, 0, "z\n"]], "+[z]");
  await check("a\nb\n", [[1, 0, 1, 0, "y\nz\n"]], "+[y]\n+[z]");
  await check("a\nb", [[1, 1, 1, 1, "\nc"]], "+[c]");
});

test("edits that touch are one hunk, in order", async () => {
  await check(
    "    return t\n",
    [
      [0, 0, 0, 4, "    try:\n        "],
      [1, 0, 1, 0, "    except E:\n"],
    ],
    "-    return t\n+    [try:]\n+[        ]return t\n+[    except E:]",
  );
});

test("CRLF is no change", async () => {
  await check("a\r\nb\r\n", [[0, 0, 1, 0, "c\r\n"]], "-[a]\n+[c]");
});

test("a line that is written anew shows the words that are new", async () => {
  await check(
    "def greet(name):\n",
    [[0, 0, 1, 0, "def greet(name: str) -> str:\n"]],
    "-def greet(name):\n+def greet(name[: str])[ -> str]:",
  );
  await check(
    "    total = 0\n    for x in xs:\n        total += x\n    return total\n",
    [[0, 0, 4, 0, "    return sum(xs)\n"]],
    "-    [total = 0]\n-[    for x in xs:]\n-[        total += x]\n-[    ]return [total]\n+    return [sum(xs)]",
  );
});
