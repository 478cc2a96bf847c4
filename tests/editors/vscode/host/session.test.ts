// Edits by instruction, without the workbench's widgets: what becomes of a session, and of the one before it.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { opened, running } from "./extension";
import { test, until } from "./harness";

const GREET =
  'import sys\n\n\ndef greet(name):\n    print("hello " + name)\n    return name\n\n\nprint(sys.argv)\n';
const RETURN = "add the return type `str`";
const RETURNS = GREET.replace("greet(name):", "greet(name) -> str:");
const LINES = new vscode.Range(3, 0, 5, 15);

test("shown, accepted, undone in one step; in the buffer only between", async () => {
  const { sessions } = await running();
  const { document } = await opened(GREET);
  await sessions.edit(document, LINES, RETURN);
  assert.ok(sessions.ready);
  assert.equal(document.getText(), GREET);
  await sessions.accept();
  assert.equal(await sessions.end, "accepted");
  assert.equal(document.getText(), RETURNS);
  await vscode.commands.executeCommand("undo");
  assert.equal(document.getText(), GREET);
});

test("a second session ends the first, and is told its own hunks", async () => {
  const { sessions, server } = await running();
  const first = (await opened(GREET)).document;
  const second = (await opened(GREET)).document;
  const told: string[] = [];
  const listening = server.onHunk((hunk) => told.push(hunk.edit.textDocument.uri));
  const going = sessions.edit(first, LINES, RETURN);
  const firstEnd = sessions.end;
  await sessions.edit(second, LINES, RETURN);
  await going;
  assert.equal(await firstEnd, "rejected");
  await sessions.edit(second, LINES, RETURN);
  listening.dispose();
  assert.ok(told.includes(second.uri.toString()), "hunks still arrive once the first has gone");
  assert.ok(sessions.ready);
  await sessions.accept();
  assert.equal(first.getText(), GREET);
  assert.equal(second.getText(), RETURNS);
});

test("a document that is closed is no text to apply anything to", async () => {
  const { sessions } = await running();
  const { document } = await opened(GREET);
  await sessions.edit(document, LINES, RETURN);
  assert.ok(sessions.ready);
  await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  await until(() => document.isClosed, "the document to be closed");
  await sessions.accept();
  assert.equal(await sessions.end, "changed");
});
