// Accept and Reject above the edited lines, with the next of several edits, and Cancel while the edit is made.

import * as vscode from "vscode";

/** What is shown above a line. next: what the one of several edits is called, behind which there is another. */
export interface Shown {
  document: vscode.TextDocument;
  line: number;
  stage: "running" | "ready";
  next: string | undefined;
}

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private shown: Shown | undefined;
  /** Only while there is something to show: no document is asked about otherwise. */
  private registration: vscode.Disposable | undefined;

  show(wanted: Shown): void {
    const { shown } = this;
    const { document, line, stage, next } = wanted;
    this.shown = wanted;
    if (shown?.document !== document || this.registration === undefined) {
      this.registration?.dispose();
      const selector = { scheme: document.uri.scheme, language: document.languageId };
      this.registration = vscode.languages.registerCodeLensProvider(selector, this);
    } else if (shown.line !== line || shown.stage !== stage || shown.next !== next) {
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
    const { stage, next } = this.shown;
    if (stage === "running") {
      return [lens("$(sync~spin) Editing… Cancel", "copydesk.reject")];
    }
    return [
      lens("$(check) Accept", "copydesk.accept"),
      ...(next === undefined ? [] : [lens(`$(arrow-right) ${next}`, "copydesk.nextAlternative")]),
      lens("$(close) Reject", "copydesk.reject"),
      lens("$(list-tree) Program", "copydesk.showProgram"),
    ];
  }

  dispose(): void {
    this.clear();
    this.changed.dispose();
  }
}
