// The whole lines that an instruction is about, and how they grow and shrink by syntax. The editor's selection shows them.

import * as vscode from "vscode";
import { type SelectionRange, SelectionRangeRequest } from "vscode-languageclient/node";
import type { Server } from "./server";

export class Lines {
  /** 0-based, whole and inclusive. */
  range: vscode.Range;
  /** What they were before they grew, the last one last. */
  private readonly before: vscode.Range[] = [];

  constructor(
    private readonly server: Server,
    readonly editor: vscode.TextEditor,
    range: vscode.Range,
  ) {
    this.range = range;
    this.select();
  }

  /** The next larger piece of syntax round them (1), or the next smaller (-1). False where there is none. */
  async resize(by: 1 | -1): Promise<boolean> {
    const { range } = this;
    let next = by === -1 ? this.before.pop() : undefined;
    if (next === undefined) {
      const around = await this.around();
      next = around[by === 1 ? "find" : "findLast"](
        (one) => !one.isEqual(range) && (by === 1 ? one.contains(range) : range.contains(one)),
      );
      if (next === undefined) {
        return false;
      }
      if (by === 1) {
        this.before.push(range);
      }
    }
    this.range = next;
    this.select();
    return true;
  }

  /** What is shown of an edit shows better without it. */
  deselect(): void {
    const { active } = this.editor.selection;
    this.editor.selection = new vscode.Selection(active, active);
  }

  private select(): void {
    const { start, end } = this.range;
    this.editor.selection = new vscode.Selection(start, this.editor.document.lineAt(end.line).range.end);
  }

  /** What is round the first line's text, the smallest first. */
  private async around(): Promise<vscode.Range[]> {
    const client = this.server.client;
    const { document } = this.editor;
    if (client === undefined) {
      return [];
    }
    const { line } = this.range.start;
    const position = new vscode.Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
    const [found] =
      (await client.sendRequest(SelectionRangeRequest.type, {
        textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
        positions: [position],
      })) ?? [];
    const ranges: vscode.Range[] = [];
    for (let one: SelectionRange | undefined = found; one !== undefined; one = one.parent) {
      ranges.push(wholeLines(client.protocol2CodeConverter.asRange(one.range)));
    }
    return ranges;
  }
}

/** The lines that a range covers; one that ends where a line begins does not cover that line. */
export function wholeLines({ start, end }: vscode.Range): vscode.Range {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return linesRange(start.line, last);
}

/** Whole lines, 0-based and inclusive. */
export function linesRange(first: number, last: number): vscode.Range {
  return new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER);
}
