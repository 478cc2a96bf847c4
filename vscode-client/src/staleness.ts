// Whether an edit still fits its text. VS Code's converter drops the versions of a code action's edit and applies it to whatever is
// there by then; so every edit passes through `apply` here, which knows the version it is for and how its document has changed.

import * as vscode from "vscode";

/** An edit of one version of a document, in VS Code's types. */
export interface TextChange {
  range: vscode.Range;
  newText: string;
}

/** Edits of one file. version: null for a file that was not open. */
export interface FileChanges {
  uri: vscode.Uri;
  version: number | null;
  changes: readonly TextChange[];
  metadata: vscode.WorkspaceEditEntryMetadata;
}

export const CHANGED = "The code changed; nothing was applied.";

/** So many versions of a document are remembered: a request for an older one is not to be had any more. */
const REMEMBERED = 64;

/** One change of whole lines: `first` up to `end` (exclusive) became `count` lines. */
interface LineChange {
  version: number;
  first: number;
  end: number;
  count: number;
}

/** How a document has changed since this was made, by lines. A document that was closed and opened again is another one. */
export class History implements vscode.Disposable {
  private readonly changes: LineChange[] = [];
  private readonly texts = new Map<number, string>();
  private readonly subscription: vscode.Disposable;
  private readonly changed = new vscode.EventEmitter<void>();
  /** After each change of the text. */
  readonly onDidChange = this.changed.event;

  constructor(readonly document: vscode.TextDocument) {
    this.texts.set(document.version, document.getText());
    this.subscription = vscode.workspace.onDidChangeTextDocument((event) => this.record(event));
  }

  /** Where `lines` of `version` are now; undefined where one of them has changed, or nobody knows. */
  moved(version: number, lines: vscode.Range): vscode.Range | undefined {
    if (!this.reaches(version)) {
      return undefined;
    }
    let { start, end } = lines;
    for (const change of this.changes.filter((one) => one.version > version)) {
      if (change.first <= lastLine(new vscode.Range(start, end)) && change.end > start.line) {
        return undefined;
      }
      if (change.first < start.line) {
        const by = change.count - (change.end - change.first);
        start = start.translate(by);
        end = end.translate(by);
      }
    }
    return new vscode.Range(start, end);
  }

  /** Where `lines` of `version` are now, whatever has become of them: the region grows with what was typed in it. */
  followed(version: number, lines: vscode.Range): vscode.Range {
    let [first, last] = [lines.start.line, lines.end.line];
    for (const change of this.changes.filter((one) => one.version > version)) {
      const by = change.count - (change.end - change.first);
      if (change.end <= first) {
        first += by;
        last += by;
      } else if (change.first <= last) {
        first = Math.min(first, change.first);
        last = Math.max(last + by, first);
      }
    }
    return new vscode.Range(first, 0, Math.min(last, this.document.lineCount - 1), lines.end.character);
  }

  /** `edits` of `version` as edits of the text that is there; undefined where a line of theirs has changed. */
  rebased(version: number, edits: readonly TextChange[]): TextChange[] | undefined {
    const before = this.texts.get(version);
    if (before === undefined || this.document.isClosed) {
      return undefined;
    }
    const old = before.split(/\r\n|\r|\n/);
    const result: TextChange[] = [];
    for (const edit of edits) {
      const range = this.moved(version, edit.range);
      if (range === undefined || !this.same(old, edit.range, range)) {
        return undefined;
      }
      result.push({ range, newText: edit.newText });
    }
    return result;
  }

  /** The text of a version that was seen. */
  textOf(version: number): string | undefined {
    return this.texts.get(version);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private reaches(version: number): boolean {
    return !this.document.isClosed && this.texts.has(version);
  }

  /** The lines themselves are compared as well: bookkeeping may be wrong, text is not. */
  private same(old: string[], was: vscode.Range, is: vscode.Range): boolean {
    for (let line = was.start.line; line <= lastLine(was); line++) {
      const now = is.start.line + line - was.start.line;
      if (now >= this.document.lineCount || (old[line] ?? "") !== this.document.lineAt(now).text) {
        return false;
      }
    }
    return true;
  }

  private record(event: vscode.TextDocumentChangeEvent): void {
    if (event.document !== this.document || event.contentChanges.length === 0) {
      return;
    }
    // From the end to the beginning: all ranges are of the text before, so none moves another that comes after it here.
    const sorted = [...event.contentChanges].sort((a, b) => b.rangeOffset - a.rangeOffset);
    for (const change of sorted) {
      const atLineStart =
        change.range.isEmpty && change.range.start.character === 0 && /[\r\n]$/.test(change.text);
      const grown = change.text.split(/\r\n|\r|\n/).length - 1;
      this.changes.push({
        version: event.document.version,
        first: change.range.start.line,
        end: atLineStart ? change.range.start.line : change.range.end.line + 1,
        count: atLineStart ? grown : grown + 1,
      });
    }
    this.texts.set(event.document.version, event.document.getText());
    for (const version of [...this.texts.keys()].slice(0, -REMEMBERED)) {
      this.texts.delete(version);
    }
    this.changed.fire();
  }
}

/** One history per document that somebody asked about, as long as it is open. */
export class Histories implements vscode.Disposable {
  private readonly kept = new Map<vscode.TextDocument, History>();
  private readonly subscription = vscode.workspace.onDidCloseTextDocument((document) => {
    this.kept.get(document)?.dispose();
    this.kept.delete(document);
  });

  /** From now on, or from an earlier question on. */
  of(document: vscode.TextDocument): History {
    let history = this.kept.get(document);
    if (history === undefined) {
      history = new History(document);
      this.kept.set(document, history);
    }
    return history;
  }

  dispose(): void {
    this.subscription.dispose();
    for (const history of this.kept.values()) {
      history.dispose();
    }
  }
}

/**
 * Apply `edits` of `version` to the document of `history`, as one step of undo. False where the text they are for is not there:
 * nothing was applied then.
 */
export async function apply(
  history: History,
  version: number,
  edits: readonly TextChange[],
): Promise<boolean> {
  const fitting = history.rebased(version, edits);
  if (fitting === undefined) {
    return false;
  }
  const edit = new vscode.WorkspaceEdit();
  for (const { range, newText } of fitting) {
    edit.replace(history.document.uri, range, newText);
  }
  // This carries the document's version of this moment: the window refuses it should a change be on its way here.
  return vscode.workspace.applyEdit(edit);
}

/**
 * Apply edits of several files, as one step of undo. Where they need confirmation VS Code shows them first, and applies what the person
 * leaves in. False where the text that one of them is for is not there: nothing was applied then.
 */
export async function applyFiles(histories: Histories, files: readonly FileChanges[]): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  for (const { uri, version, changes, metadata } of files) {
    // Open, a file has a version in VS Code too: a change while the person looks is one that this edit is not for.
    const document = await vscode.workspace.openTextDocument(uri);
    const fitting = version === null ? changes : histories.of(document).rebased(version, changes);
    if (fitting === undefined) {
      return false;
    }
    for (const { range, newText } of fitting) {
      edit.replace(uri, range, newText, { ...metadata, needsConfirmation: false });
    }
    // What needs confirmation is shown first, but with its box empty: each file would have to be ticked. So one edit that changes
    // nothing needs it, and the others are ticked.
    if (metadata.needsConfirmation && edit.size === 1) {
      edit.insert(uri, document.lineAt(document.lineCount - 1).range.end, "", metadata);
    }
  }
  // The person may leave out some of it, or all: that is no change of the text's.
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
  return true;
}

/** The last line of which a range has anything. */
function lastLine(range: vscode.Range): number {
  return range.end.character === 0 && range.end.line > range.start.line ? range.end.line - 1 : range.end.line;
}
