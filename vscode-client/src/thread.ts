// A comment thread below the edited lines: first where the instruction is written, then what it comes to. VS Code's comments are the
// one stock input of several lines that opens in place, and the one place between lines that shows text the buffer does not have.

import * as vscode from "vscode";
import { type Hunk, unified } from "./hunks";

const AUTHOR = { name: "copydesk" };

export class Thread implements vscode.Disposable {
  private readonly thread: vscode.CommentThread;

  constructor(controller: vscode.CommentController, document: vscode.TextDocument, lines: vscode.Range) {
    this.thread = controller.createCommentThread(document.uri, below(lines), []);
    this.thread.canReply = false;
    // VS Code opens its Comments panel for the first thread that is unresolved (with the default that the manifest sets).
    this.thread.state = vscode.CommentThreadState.Resolved;
    this.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  /** Ask for the instruction, which begins as `words`. The button and its key are the manifest's (`comments/comment/context`). */
  ask(words: string): void {
    this.thread.label = `Edit ${lineNames(this.thread.range)} with an instruction (Shift+Enter: a new line)`;
    this.thread.contextValue = "instruction";
    this.thread.comments = [
      { body: words, mode: vscode.CommentMode.Editing, author: AUTHOR, contextValue: "instruction" },
    ];
  }

  /** Show what the edit would change so far. */
  show(instruction: string, state: string, hunks: readonly Hunk[]): void {
    const body = new vscode.MarkdownString();
    if (hunks.length > 0) {
      body.appendCodeblock(unified(hunks), "diff");
    }
    this.thread.label = instruction.split("\n", 1)[0] ?? "";
    this.thread.contextValue = "preview";
    this.thread.comments = [
      { body, mode: vscode.CommentMode.Preview, author: AUTHOR, label: state, contextValue: "preview" },
    ];
  }

  /** The edited lines are elsewhere. */
  move(lines: vscode.Range): void {
    const range = below(lines);
    if (!this.thread.range.isEqual(range)) {
      this.thread.range = range;
    }
  }

  dispose(): void {
    this.thread.dispose();
  }
}

function below(lines: vscode.Range): vscode.Range {
  return new vscode.Range(lines.start.line, 0, lines.end.line, 0);
}

function lineNames(lines: vscode.Range): string {
  return lines.isSingleLine
    ? `line ${lines.start.line + 1}`
    : `lines ${lines.start.line + 1}–${lines.end.line + 1}`;
}
