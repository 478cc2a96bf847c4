// Scrolls so that lines are in sight together with what stands below them, which editors leave out of account.

import * as vscode from "vscode";

/** Lines of the text that stay in sight above what is below them. */
const CONTEXT = 2;
/** Lines that an editor has room for, usually: where a text is shorter, nothing says how many. */
const USUAL = 24;

/** Scroll, where it must be, so that below `lines` there is room for as much as `rows` lines of text. */
export function reveal(editor: vscode.TextEditor, lines: vscode.Range, rows: number): void {
  const first = editor.visibleRanges[0]?.start.line ?? 0;
  const last = editor.visibleRanges.at(-1)?.end.line ?? first;
  const room = Math.max(last - first, last >= editor.document.lineCount - 1 ? USUAL : 0);
  if (first <= lines.start.line && lines.end.line + rows <= first + room) {
    return;
  }
  const above = Math.max(room - rows, CONTEXT);
  const top = Math.max(lines.start.line - 1, lines.end.line - above, 0);
  editor.revealRange(new vscode.Range(top, 0, top, 0), vscode.TextEditorRevealType.AtTop);
}
