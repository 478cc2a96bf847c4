// A comment thread below the edited lines: first where the instruction is written, then what it comes to. VS Code's comments are the
// one stock input of several lines that opens in place, and the one place between lines that shows text the buffer does not have.

import * as vscode from "vscode";
import { type DiffLine, type Hunk, unified } from "./hunks";
import { inLabel } from "./plain_text";
import type { Part } from "./word_diff";

const AUTHOR = { name: "copydesk" };

/** What the thread shows. Menus ask for it (`commentThread` in the manifest). */
export type Showing = "instruction" | "running" | "ready";

export class Thread implements vscode.Disposable {
  private readonly thread: vscode.CommentThread;

  /** showing: an instruction is asked for in a box. Its buttons and keys are the manifest's. */
  constructor(
    controller: vscode.CommentController,
    document: vscode.TextDocument,
    lines: vscode.Range,
    showing: Showing,
  ) {
    this.thread = controller.createCommentThread(document.uri, below(lines), []);
    this.thread.canReply = showing === "instruction";
    this.thread.contextValue = showing;
    this.name(lines);
    // VS Code opens its Comments panel for the first thread that is unresolved (with the default that the manifest sets).
    this.thread.state = vscode.CommentThreadState.Resolved;
    this.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  /** Say something above the box. */
  say(body: vscode.MarkdownString): void {
    this.thread.comments = [{ body, mode: vscode.CommentMode.Preview, author: AUTHOR }];
  }

  /** Show what the edit would change so far. `title` is one line. */
  show(title: string, state: string, showing: Showing, hunks: readonly Hunk[]): void {
    const body = new vscode.MarkdownString(hunks.length > 0 ? html(unified(hunks)) : "");
    body.supportHtml = true;
    this.thread.label = inLabel(title);
    this.thread.contextValue = showing;
    this.thread.comments = [{ body, mode: vscode.CommentMode.Preview, author: AUTHOR, label: state }];
  }

  /** It is about these lines; a box stays where it is, since it would lose the keyboard. */
  name(lines: vscode.Range): void {
    this.thread.label = `Edit ${lineNames(lines)}`;
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

export function lineNames(lines: vscode.Range): string {
  return lines.isSingleLine
    ? `line ${lines.start.line + 1}`
    : `lines ${lines.start.line + 1}–${lines.end.line + 1}`;
}

/** VS Code lets no style through but colours of its own, in this very form. */
const BACKGROUND: Record<Part["kind"], string> = {
  same: "",
  removed: "background-color:var(--vscode-diffEditor-removedTextBackground);",
  added: "background-color:var(--vscode-diffEditor-insertedTextBackground);",
};
const SIGN: Record<DiffLine["sign"], string> = {
  "-": "color:var(--vscode-gitDecoration-deletedResourceForeground);",
  "+": "color:var(--vscode-gitDecoration-addedResourceForeground);",
};

function html(lines: readonly DiffLine[]): string {
  const span = (style: string, text: string): string => {
    const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    return style === "" ? escaped : `<span style="${style}">${escaped}</span>`;
  };
  const rows = lines.map(
    ({ sign, parts }) =>
      span(SIGN[sign], `${sign} `) + parts.map(({ kind, text }) => span(BACKGROUND[kind], text)).join(""),
  );
  return `<pre>${rows.join("\n")}</pre>`;
}
