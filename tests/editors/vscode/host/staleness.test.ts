// Edits and the text they are for: an edit that comes too late is made once more, and then nothing is applied.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { actions, choose, complain, opened, running } from "./extension";
import { test, until } from "./harness";

const NONE = "def first(x, y):\n    if x == None:\n        return y\n    return x\n";
const FIXED = NONE.replace("== None", "is None");

async function type(editor: vscode.TextEditor, line: number, character: number, text: string): Promise<void> {
  assert.ok(await editor.edit((edit) => edit.insert(new vscode.Position(line, character), text)));
}

async function listed(
  text: string,
): Promise<{ editor: vscode.TextEditor; action: vscode.CodeAction | undefined }> {
  await running();
  const editor = await opened(text);
  const diagnostic = complain(editor.document);
  let action: vscode.CodeAction | undefined;
  await until(async () => {
    const found = await actions(editor.document, diagnostic.range);
    action = found.find((one) => one.title.startsWith("Look for a fix: "));
    return action !== undefined; // refactorings may be there before the finding is known
  }, "an action");
  return { editor, action };
}

test("an action has a command in place of its edit, and its own kind and diagnostic", async () => {
  const { action } = await listed(NONE);
  assert.ok(action);
  assert.equal(action.kind?.value, vscode.CodeActionKind.QuickFix.value);
  assert.match(action.title, /Comparison to `None`/);
  assert.equal(action.edit, undefined);
});

test("a fix, and one step of undo", async () => {
  const { editor, action } = await listed(NONE);
  assert.equal(await choose(action), "applied");
  assert.equal(editor.document.getText(), FIXED);
  await vscode.commands.executeCommand("undo");
  assert.equal(editor.document.getText(), NONE);
});

test("lines typed above between the menu and the choice move the fix", async () => {
  const { editor, action } = await listed(NONE);
  await type(editor, 0, 0, "# 😀\n");
  assert.equal(await choose(action), "applied");
  assert.equal(editor.document.getText(), `# 😀\n${FIXED}`);
});

test("a change of the very line: once more where the tool still says so", async () => {
  const { editor, action } = await listed(NONE);
  await type(editor, 1, 7, "z");
  complain(editor.document);
  assert.equal(await choose(action), "applied");
  assert.equal(editor.document.getText(), FIXED.replace("if x", "if zx"));
});

test("a change that settles it: nothing is applied", async () => {
  const { editor, action } = await listed(NONE);
  const line = new vscode.Range(1, 4, 1, 17);
  assert.ok(await editor.edit((edit) => edit.replace(line, "if not x:")));
  vscode.languages.getDiagnostics(editor.document.uri);
  const text = editor.document.getText();
  complainNothing(editor.document);
  assert.equal(await choose(action), "changed");
  assert.equal(editor.document.getText(), text);
});

test("an answer that comes after a change is moved, or not applied", async () => {
  const api = await running();
  const { editor } = await listed(NONE);
  const { document } = editor;
  const history = api.histories.of(document);
  const { version } = document;
  const edits = [{ range: new vscode.Range(1, 9, 1, 11), newText: "is" }];
  await type(editor, 0, 0, "# above\n");
  assert.equal(history.rebased(version, edits)?.[0]?.range.start.line, 2, "moved with its line");
  await type(editor, 2, 4, " ");
  assert.equal(history.rebased(version, edits), undefined, "its line has changed");
  assert.equal(history.rebased(version + 999, edits), undefined, "a version nobody has seen");
});

function complainNothing(document: vscode.TextDocument): void {
  const diagnostic = complain(document);
  diagnostic.message = "something else";
}
