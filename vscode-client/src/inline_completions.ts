// Ghost text. The language client asks the server for it, and VS Code shows it; but VS Code asks when something is typed, which is
// before any tool has spoken. So it is had to ask again, of this extension alone, where the server knows more by then.

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { editable } from "./places";
import type { MoreInlineCompletions } from "./protocol";
import type { Server } from "./server";

export const inlineCompletions: Middleware = {
  provideInlineCompletionItems: (document, position, context, token, next) =>
    editable(document) ? next(document, position, context, token) : null,
};

/** Have VS Code ask again for as long as the cursor is where it asked last. extension: whose ghost text is asked for. */
export function followInlineCompletions(server: Server, extension: string): vscode.Disposable {
  return server.onMoreInlineCompletions((more) => {
    if (isThere(server, more)) {
      // As if the person had asked: otherwise VS Code does not ask again about the same text and place. Versions that know no
      // arguments ask every extension.
      void vscode.commands.executeCommand("editor.action.inlineSuggest.trigger", {
        providerId: `${extension}:*`,
        explicit: true,
      });
    }
  });
}

/** Whether the cursor is still there, in an editor whose person wants ghost text. */
function isThere(server: Server, { uri, version, position }: MoreInlineCompletions): boolean {
  const client = server.client;
  const editor = vscode.window.activeTextEditor;
  return (
    client !== undefined &&
    editor !== undefined &&
    client.code2ProtocolConverter.asUri(editor.document.uri) === uri &&
    editor.document.version === version &&
    editor.selections.length === 1 &&
    editor.selection.isEmpty &&
    editor.selection.active.isEqual(client.protocol2CodeConverter.asPosition(position)) &&
    vscode.workspace.getConfiguration("editor", editor.document).get("inlineSuggest.enabled", true)
  );
}
