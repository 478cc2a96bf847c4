// Accept and Reject above the edited lines, and Cancel while the edit is made or chosen.

import * as vscode from "vscode";

export type Stage = "running" | "choosing" | "ready";

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private shown: { document: vscode.TextDocument; line: number; stage: Stage } | undefined;
  /** Only while there is something to show: no document is asked about otherwise. */
  private registration: vscode.Disposable | undefined;

  show(document: vscode.TextDocument, line: number, stage: Stage): void {
    const { shown } = this;
    this.shown = { document, line, stage };
    if (shown?.document !== document || this.registration === undefined) {
      this.registration?.dispose();
      const selector = { scheme: document.uri.scheme, language: document.languageId };
      this.registration = vscode.languages.registerCodeLensProvider(selector, this);
    } else if (shown.line !== line || shown.stage !== stage) {
      this.changed.fire();
    }
  }

  clear(): void {
    this.shown = undefined;
    this.registration?.dispose();
    this.registration = undefined;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (this.shown?.document !== document) {
      return [];
    }
    const line = Math.min(this.shown.line, document.lineCount - 1);
    const lens = (title: string, command: string): vscode.CodeLens =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command });
    const lenses: Record<Stage, vscode.CodeLens[]> = {
      running: [lens("$(sync~spin) Editing… Cancel", "copydesk.reject")],
      choosing: [lens("$(question) Which one? Cancel", "copydesk.reject")],
      ready: [
        lens("$(check) Accept", "copydesk.accept"),
        lens("$(close) Reject", "copydesk.reject"),
        lens("$(list-tree) Program", "copydesk.showProgram"),
      ],
    };
    return lenses[this.shown.stage];
  }

  dispose(): void {
    this.clear();
    this.changed.dispose();
  }
}
