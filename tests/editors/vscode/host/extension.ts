// The extension as its parts offer it to a test in the same host.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Api } from "../../../../vscode-client/src/extension";
import { until } from "./harness";

/** The extension, running, with its model there. */
export async function running(): Promise<Api> {
  const api = await activated();
  if (api.server.client === undefined) {
    await opened("x = 1\n");
  }
  await until(() => / · (cpu|cuda)/.test(api.status.text), "the model");
  return api;
}

export async function activated(): Promise<Api> {
  const extension = vscode.extensions.getExtension<Api>("copydesk.copydesk");
  assert.ok(extension, "the extension is installed");
  return extension.activate();
}

/** A document of this text in an editor, with the diagnostics of a linter that is nobody's. */
export async function opened(text: string, language = "python"): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument({ content: text, language });
  return vscode.window.showTextDocument(document);
}

const found = vscode.languages.createDiagnosticCollection("host-tests");

/** Say E711 of the `== None` of a document, as ruff does. */
export function complain(document: vscode.TextDocument): vscode.Diagnostic {
  const at = document.positionAt(document.getText().indexOf("None"));
  const range = new vscode.Range(at, at.translate(0, 4));
  const message = "Comparison to `None` should be `cond is None`";
  const diagnostic = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Warning);
  diagnostic.code = "E711";
  diagnostic.source = "Ruff";
  found.set(document.uri, [diagnostic]);
  return diagnostic;
}

export async function actions(
  document: vscode.TextDocument,
  range: vscode.Range,
): Promise<vscode.CodeAction[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    document.uri,
    range,
  );
  return all.filter((action) => /\(copydesk/.test(action.title));
}

/** Choose an action: as VS Code does, its edit and then its command. */
export async function choose(action: vscode.CodeAction | undefined): Promise<unknown> {
  assert.ok(action?.command, "an action with a command");
  assert.equal(action.edit, undefined, "VS Code would apply an edit without its version");
  return vscode.commands.executeCommand(action.command.command, ...(action.command.arguments ?? []));
}
