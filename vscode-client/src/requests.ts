// `copydesk/edit` as a call: with progress that can be cancelled, and the ways in which it ends as values. Applies nothing.

import * as vscode from "vscode";
import {
  type LanguageClient,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageclient/node";
import { whenSlow } from "./patience";
import { CANCELLED, CONTENT_MODIFIED, type EditAnswer, type EditParams, EditRequest } from "./protocol";
import type { Server } from "./server";
import type { FileChanges, TextChange } from "./staleness";
import type { Status } from "./status";

/** modified: the text a request was about has changed. cancelled: by the person, or for a newer request. */
export type Reply<T> = { kind: "answer"; value: T } | { kind: "modified" } | { kind: "cancelled" };

/** Milliseconds that pass before a person is told that something is being done. */
const PATIENCE = 300;
let number = 0;

/** Ask, and say how it ended. Rejects where the server could not do it. */
export async function asked<T>(work: Promise<T>, token: vscode.CancellationToken): Promise<Reply<T>> {
  try {
    const value = await work;
    return token.isCancellationRequested ? { kind: "cancelled" } : { kind: "answer", value };
  } catch (error) {
    if (error instanceof ResponseError && error.code === CONTENT_MODIFIED) {
      return { kind: "modified" };
    }
    if (token.isCancellationRequested || (error instanceof ResponseError && error.code === CANCELLED)) {
      return { kind: "cancelled" };
    }
    throw error;
  }
}

/** One edit. */
export async function edit(
  server: Server,
  status: Status,
  params: EditParams,
  token: vscode.CancellationToken,
): Promise<Reply<EditAnswer>> {
  const client = await server.ensure();
  if (client === undefined) {
    return { kind: "cancelled" };
  }
  const named = { ...params, workDoneToken: params.token ?? `fix-${++number}` };
  return status.busy(asked(client.sendRequest(EditRequest, named, token), token));
}

/** Work with a progress message that appears when it takes a while, and can be cancelled. */
export async function withProgress<T>(
  server: Server,
  title: string,
  work: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const running = work(source.token);
  const timer = setTimeout(() => {
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      async (progress, token) => {
        token.onCancellationRequested(() => source.cancel());
        const slow = whenSlow(server, (message) => progress.report({ message }));
        await running.catch(() => undefined);
        slow.dispose();
      },
    );
  }, PATIENCE);
  try {
    return await running;
  } finally {
    clearTimeout(timer);
    source.dispose();
  }
}

/** The edits of a `WorkspaceEdit` of ours: of one document, with the version they are for. */
export function changesOf(
  client: LanguageClient,
  edit: WorkspaceEdit,
): { version: number | null; changes: TextChange[] } {
  const [only, ...others] = edit.documentChanges ?? [];
  if (only === undefined || others.length > 0 || !("textDocument" in only)) {
    throw new Error("an edit that is not one of a document");
  }
  return { version: only.textDocument.version, changes: converted(client, only.edits as TextEdit[]) };
}

/** The edits of a `WorkspaceEdit` of several files, and what is to be confirmed about them. */
export function filesOf(client: LanguageClient, edit: WorkspaceEdit): FileChanges[] {
  const annotations = Object.values(edit.changeAnnotations ?? {});
  const [annotation] = annotations;
  return (edit.documentChanges ?? []).map((change) => {
    if (!("textDocument" in change)) {
      throw new Error("an edit that is not one of texts");
    }
    return {
      uri: client.protocol2CodeConverter.asUri(change.textDocument.uri),
      version: change.textDocument.version,
      changes: converted(client, change.edits as TextEdit[]),
      metadata: {
        label: annotation?.label ?? "copydesk",
        description: annotation?.description ?? "",
        needsConfirmation: annotations.some((one) => one.needsConfirmation === true),
      },
    };
  });
}

/** LSP's edits in VS Code's types. */
export function converted(client: LanguageClient, edits: readonly TextEdit[]): TextChange[] {
  return edits.map((edit) => ({
    range: client.protocol2CodeConverter.asRange(edit.range),
    newText: edit.newText,
  }));
}

/** Why there is nothing to apply, as a sentence. */
export function explanation({ status, reason }: EditAnswer): string {
  const what = status === "failed" ? "Copydesk could not do it" : "Copydesk changed nothing";
  return reason === null ? `${what}.` : `${what}: ${reason}.`;
}

/** Tell the person why there is nothing to apply. */
export function explain(answer: EditAnswer): void {
  const show =
    answer.status === "failed" ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  void show(explanation(answer));
}
