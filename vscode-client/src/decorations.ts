// Draws an edit that is not applied: words that go struck out, words that come beside them. Nothing is written into the buffer.

import * as vscode from "vscode";
import { type Hunk, hunksOf, partsOf } from "./hunks";
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

  private readonly hint = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor("editorCodeLens.foreground"),
      margin: "0 0 0 2em",
      fontStyle: "italic",
    },
  });

  /** In every editor that shows the document. waiting: what is being done, while there is nothing else to show. */
  draw(
    document: vscode.TextDocument,
    lines: vscode.Range,
    edits: readonly TextChange[],
    waiting?: string,
  ): void {
    const marks = hunksOf(document, edits).map((hunk) => marksOf(document, hunk));
    for (const editor of vscode.window.visibleTextEditors.filter((one) => one.document === document)) {
      editor.setDecorations(this.region, [lines]);
      const { end } = document.lineAt(document.validatePosition(lines.start).line).range;
      const after = { contentText: waiting ?? "" };
      editor.setDecorations(
        this.hint,
        waiting === undefined ? [] : [{ range: new vscode.Range(end, end), renderOptions: { after } }],
      );
      editor.setDecorations(
        this.deleted,
        marks.flatMap(({ deleted }) => deleted),
      );
      editor.setDecorations(
        this.inserted,
        marks.flatMap(({ inserted }) => inserted),
      );
    }
  }

  clear(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      for (const type of [this.region, this.deleted, this.inserted, this.hint]) {
        editor.setDecorations(type, []);
      }
    }
  }

  dispose(): void {
    this.region.dispose();
    this.deleted.dispose();
    this.inserted.dispose();
    this.hint.dispose();
  }
}

/** The words that go, and those that come, each where it goes; a line break is shown as a sign. */
function marksOf(
  document: vscode.TextDocument,
  hunk: Hunk,
): { deleted: vscode.Range[]; inserted: vscode.DecorationOptions[] } {
  const deleted: vscode.Range[] = [];
  const inserted: vscode.DecorationOptions[] = [];
  if (hunk.before.length === 0) {
    // Lines that are only inserted stand behind the line above them, if there is one.
    const text = hunk.after.join("\n");
    const above = hunk.first > 0;
    const at = above ? document.lineAt(hunk.first - 1).range.end : new vscode.Position(0, 0);
    return { deleted, inserted: [option(at, above ? `\n${text}` : `${text}\n`)] };
  }
  let at = new vscode.Position(hunk.first, 0);
  for (const { kind, text } of partsOf(hunk)) {
    if (kind === "added") {
      inserted.push(option(at, text));
      continue;
    }
    text.split("\n").forEach((piece, index) => {
      const from = index > 0 ? new vscode.Position(at.line + 1, 0) : at;
      at = from.translate(0, piece.length);
      if (kind === "removed" && piece !== "") {
        deleted.push(new vscode.Range(from, at));
      }
    });
  }
  return { deleted, inserted };
}

function option(at: vscode.Position, text: string): vscode.DecorationOptions {
  const line = text.replace(/[^\S\n]*\n[^\S\n]*/g, " ⏎ ");
  const shown = line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
  // Spaces at either end would be taken for none.
  const contentText = shown.replace(/^ +| +$/g, (spaces) => "\u00a0".repeat(spaces.length));
  return { range: new vscode.Range(at, at), renderOptions: { after: { contentText } } };
}
