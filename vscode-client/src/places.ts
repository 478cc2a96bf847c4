// Where copydesk acts: in files and untitled documents of its languages. Not in a diff, the output or a notebook's cells.

import * as vscode from "vscode";
import type { DocumentSelector } from "vscode-languageclient/node";
import * as settings from "./settings";

const SCHEMES = ["file", "untitled"];

/** The documents the server is told of. */
export function selector(): DocumentSelector {
  return settings.languages().flatMap((language) => SCHEMES.map((scheme) => ({ scheme, language })));
}

/** Whether the server is told of a document. */
export function known(document: vscode.TextDocument): boolean {
  return SCHEMES.includes(document.uri.scheme) && settings.languages().includes(document.languageId);
}

/** Whether edits are offered in a document as it is shown now. A file stays a file in a diff: there the tab says what it is. */
export function editable(document: vscode.TextDocument): boolean {
  return known(document) && !inDiff(document.uri);
}

function inDiff(uri: vscode.Uri): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) {
    return false;
  }
  const shown = uri.toString();
  return input.modified.toString() === shown || input.original.toString() === shown;
}
