// Where copydesk acts and where it does not; whose settings say what runs; what is not looked up in an opened folder.

import assert from "node:assert/strict";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { inWorkspace, onPath } from "../../../../vscode-client/src/executable";
import { withoutOwn } from "../../../../vscode-client/src/settings";
import { actions, complain, opened, running } from "./extension";
import { test, until } from "./harness";

const NONE = "def first(x, y):\n    if x == None:\n        return y\n    return x\n";

function folder(): string {
  const found = vscode.workspace.workspaceFolders?.[0];
  assert.ok(found);
  return found.uri.fsPath;
}

test("no actions in a diff, while the same file has them in an editor of its own", async () => {
  await running();
  const file = vscode.Uri.file(path.join(folder(), "diffed.py"));
  await vscode.workspace.fs.writeFile(file, Buffer.from(NONE));
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document);
  const { range } = complain(document);
  await until(async () => (await actions(document, range)).length > 0, "an action in the editor");
  const other = await vscode.workspace.openTextDocument({ content: "x = 1\n", language: "python" });
  await vscode.commands.executeCommand("vscode.diff", other.uri, file, "a diff");
  await until(
    () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff,
    "the diff",
  );
  assert.deepEqual(await actions(document, range), []);
  await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  await vscode.window.showTextDocument(document);
  assert.ok((await actions(document, range)).length > 0, "and again in the editor");
});

test("no actions in a notebook's cells", async () => {
  await running();
  const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, NONE, "python");
  const notebook = await vscode.workspace.openNotebookDocument(
    "jupyter-notebook",
    new vscode.NotebookData([cell]),
  );
  await vscode.window.showNotebookDocument(notebook);
  const document = notebook.cellAt(0).document;
  assert.equal(document.languageId, "python");
  assert.deepEqual(await actions(document, complain(document).range), []);
});

test("no actions in another language, nor in a text that is not a file's", async () => {
  await running();
  const { document } = await opened(NONE, "plaintext");
  assert.deepEqual(await actions(document, complain(document).range), []);
});

test("all tools' findings and what is in sight reach the server", async () => {
  const api = await running();
  const client = api.server.client;
  assert.ok(client);
  const { document } = await opened(NONE);
  complain(document);
  // The server answers from what was pushed when a request for actions names none.
  await until(async () => {
    const found: { title: string }[] | null = await client.sendRequest("textDocument/codeAction", {
      textDocument: { uri: document.uri.toString() },
      range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } },
      context: { diagnostics: [], only: ["quickfix"] },
    });
    return (found ?? []).some((one) => one.title.includes("Comparison to `None`"));
  }, "the pushed diagnostics");
});

test("a folder's settings cannot name a program, a model or a device", async () => {
  const api = await running();
  const settings = path.join(folder(), ".vscode/settings.json");
  await mkdir(path.dirname(settings), { recursive: true });
  const evil = {
    "copydesk.command": ["/bin/false"],
    "copydesk.model": "evil",
    "copydesk.device": "cuda",
    "copydesk.candidates": 3,
  };
  await writeFile(settings, JSON.stringify(evil));
  const read = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("copydesk");
  await until(() => read().get("candidates") === 3, "the folder's settings");
  assert.notDeepEqual(read().get("command"), ["/bin/false"]);
  assert.equal(read().get("model"), null);
  assert.equal(read().get("device"), "auto");
  const program = await api.server.program();
  assert.notEqual(program?.[0], "/bin/false");
  await rm(settings);
  await until(() => read().get("candidates") === 1, "the folder's settings to be gone");
});

test("a program in an opened folder is not run, by whatever name it is known", async () => {
  const inside = path.join(folder(), "bin");
  await mkdir(inside, { recursive: true });
  const program = path.join(inside, "copydesk-of-the-folder");
  await writeFile(program, "#!/bin/sh\nexit 1\n");
  await chmod(program, 0o755);
  const outside = path.join(path.dirname(folder()), "link-from-outside");
  await mkdir(outside, { recursive: true });
  await symlink(program, path.join(outside, "copydesk-of-the-folder")).catch(() => undefined);
  const before = process.env.PATH;
  try {
    process.env.PATH = [inside, outside, "relative", before].join(path.delimiter);
    assert.equal(await onPath("copydesk-of-the-folder"), undefined);
    assert.notEqual(await onPath("sh"), undefined);
  } finally {
    process.env.PATH = before;
  }
  assert.ok(await inWorkspace(program));
  assert.ok(await inWorkspace(path.join(outside, "copydesk-of-the-folder")));
  assert.ok(!(await inWorkspace("/bin/sh")));
});

test("the server is not told of the extension's own settings", async () => {
  const values = withoutOwn({
    command: ["x"],
    python: "x",
    torchIndex: "x",
    languages: [],
    trace: {},
    lint: "on",
  });
  assert.deepEqual(values, { lint: "on" });
});

test("a restart brings another server, and the status says how it is", async () => {
  const api = await running();
  const first = api.server.client;
  await vscode.commands.executeCommand("copydesk.restart");
  await until(() => / · (cpu|cuda)/.test(api.status.text), "the model again");
  assert.ok(api.server.client);
  assert.notEqual(api.server.client, first);
});
