// Tells the server which lines a person sees, in whatever editors show them: what is in sight is made ready first.

import * as vscode from "vscode";
import { known } from "./places";
import { VisibleRangesNotification } from "./protocol";
import type { Server } from "./server";

const PAUSE = 100;

/** Push the visible ranges of every document in sight, one message for changes close together. */
export function pushVisibleRanges(server: Server): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;

  const push = (): void => {
    const client = server.client;
    if (client === undefined) {
      return;
    }
    const seen = new Map<vscode.TextDocument, vscode.Range[]>();
    for (const editor of vscode.window.visibleTextEditors) {
      if (known(editor.document)) {
        seen.set(editor.document, [...(seen.get(editor.document) ?? []), ...editor.visibleRanges]);
      }
    }
    for (const [document, ranges] of seen) {
      void client.sendNotification(VisibleRangesNotification, {
        uri: client.code2ProtocolConverter.asUri(document.uri),
        ranges: ranges.map((range) => client.code2ProtocolConverter.asRange(range)),
      });
    }
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(push, PAUSE);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorVisibleRanges(soon),
    vscode.window.onDidChangeVisibleTextEditors(soon),
    server.onDidStart(soon),
    new vscode.Disposable(() => clearTimeout(timer)),
  );
}
