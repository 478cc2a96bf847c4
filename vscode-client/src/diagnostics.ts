// Tells the server what all tools have found: a server is told only of its own diagnostics otherwise. Knows no tool.

import * as vscode from "vscode";
import { known } from "./places";
import { DiagnosticsNotification } from "./protocol";
import type { Server } from "./server";

const PAUSE = 50;

/** Push each document's diagnostics whenever they change, one message for changes close together. */
export function pushDiagnostics(server: Server): vscode.Disposable {
  const waiting = new Map<string, NodeJS.Timeout>();

  const push = (uri: vscode.Uri): void => {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    const client = server.client;
    if (document === undefined || client === undefined || !known(document)) {
      return;
    }
    const found = vscode.languages
      .getDiagnostics(uri)
      .map((one) => client.code2ProtocolConverter.asDiagnostic(one));
    void client.sendNotification(DiagnosticsNotification, {
      uri: client.code2ProtocolConverter.asUri(uri),
      version: document.version,
      diagnostics: found,
    });
  };
  const soon = (uri: vscode.Uri): void => {
    const key = uri.toString();
    clearTimeout(waiting.get(key));
    waiting.set(
      key,
      setTimeout(() => {
        waiting.delete(key);
        push(uri);
      }, PAUSE),
    );
  };
  const all = (): void => {
    for (const document of vscode.workspace.textDocuments) {
      soon(document.uri);
    }
  };
  return vscode.Disposable.from(
    vscode.languages.onDidChangeDiagnostics((event) => {
      for (const uri of event.uris) {
        soon(uri);
      }
    }),
    vscode.workspace.onDidOpenTextDocument((document) => soon(document.uri)),
    server.onDidStart(all),
    new vscode.Disposable(() => {
      for (const timer of waiting.values()) {
        clearTimeout(timer);
      }
    }),
  );
}
