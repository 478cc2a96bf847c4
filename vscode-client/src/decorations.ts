// Draws an edit that is not applied: deleted text struck out, inserted text beside it. Nothing is written into the buffer.

import * as vscode from "vscode";
import { hunksOf } from "./hunks";
import type { TextChange } from "./staleness";

/** So much of inserted text is shown on a line; the thread below shows all of it. */
const SHOWN = 200;

export class Decorations implements vscode.Disposable {
  private readonly region = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.modifiedForeground"),
  });
  private readonly deleted = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("diffEditor.removedTextBackground"),
    textDecoration: "line-through",
  });
  private readonly inserted = vscode.window.createTextEditorDecorationType({
    after: {
      backgroundColor: new vscode.ThemeColor("diffEditor.insertedTextBackground"),
      color: new vscode.ThemeColor("gitDecoration.addedResourceForeground"),
    },
  });

  /** In every editor that shows the document. */
  draw(document: vscode.TextDocument, lines: vscode.Range, edits: readonly TextChange[]): void {
    for (const editor of vscode.window.visibleTextEditors.filter((one) => one.document === document)) {
      editor.setDecorations(this.region, [lines]);
      editor.setDecorations(
        this.deleted,
        edits.map(({ range }) => struck(document, range)).filter((range) => !range.isEmpty),
      );
      editor.setDecorations(this.inserted, insertions(document, edits));
    }
  }

  clear(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      for (const type of [this.region, this.deleted, this.inserted]) {
        editor.setDecorations(type, []);
      }
    }
  }

  dispose(): void {
    this.region.dispose();
    this.deleted.dispose();
    this.inserted.dispose();
  }
}

/** A range that ends where a line begins does not reach that line. */
function struck(document: vscode.TextDocument, range: vscode.Range): vscode.Range {
  return range.end.character === 0 && range.end.line > range.start.line
    ? new vscode.Range(range.start, document.lineAt(range.end.line - 1).range.end)
    : range;
}

/** Text within a line where it goes; whole lines at the end of what they replace. */
function insertions(document: vscode.TextDocument, edits: readonly TextChange[]): vscode.DecorationOptions[] {
  const options: vscode.DecorationOptions[] = [];
  const within = ({ range, newText }: TextChange): boolean => range.isSingleLine && !/[\r\n]/.test(newText);
  for (const { range, newText } of edits.filter((edit) => within(edit) && edit.newText !== "")) {
    options.push(option(range.end, newText));
  }
  for (const hunk of hunksOf(
    document,
    edits.filter((edit) => !within(edit)),
  )) {
    const count = Math.max(hunk.before.length, 1);
    const above = hunk.first > 0 ? 1 : 0;
    hunk.after.slice(0, count).forEach((text, index) => {
      const rest = index === count - 1 ? hunk.after.slice(count) : [];
      // Lines that are only inserted stand behind the line above them.
      const line =
        Math.min(hunk.first + index, document.lineCount - 1) - (hunk.before.length === 0 ? above : 0);
      const at = document.lineAt(line).range.end;
      options.push(option(at, ` ⏎ ${[text, ...rest].map((one) => one.trim()).join(" ⏎ ")}`));
    });
  }
  return options;
}

function option(at: vscode.Position, text: string): vscode.DecorationOptions {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  // Spaces at either end would be taken for none.
  const contentText = shown.replace(/^ +| +$/g, (spaces) => "\u00a0".repeat(spaces.length));
  return { range: new vscode.Range(at, at), renderOptions: { after: { contentText } } };
}
