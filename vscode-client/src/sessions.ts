// The edit by instruction that is going on: one at a time in a window. A new one puts an end to the one before.

import * as vscode from "vscode";
import { Decorations } from "./decorations";
import { Instruction } from "./instruction";
import { Lenses } from "./lenses";
import { editable } from "./places";
import { type Refusal, suggestions } from "./refusal";
import type { Server } from "./server";
import { doing, type End, inWords, Session } from "./session";
import type { Histories } from "./staleness";
import type { Status } from "./status";
import { Thread } from "./thread";

export class Sessions implements vscode.Disposable {
  private theServer!: Server;
  private readonly controller = vscode.comments.createCommentController("copydesk", "Copydesk");
  private readonly decorations = new Decorations();
  private readonly lenses = new Lenses();
  readonly input: Instruction;
  private current: Session | undefined;

  constructor(
    private readonly histories: Histories,
    private readonly status: Status,
    memory: vscode.Memento,
  ) {
    this.input = new Instruction(this.controller, memory);
    // A thread comes into sight late: VS Code holds changes of threads back, but not those of decorations.
    this.input.onDidSubmit(({ document, lines }) => {
      this.decorations.draw(document, lines, [], inWords(doing(this.status, lines)));
    });
  }

  set server(server: Server) {
    this.theServer = this.input.server = server;
  }

  /** The session whose edit is there and waits to be accepted, for those who ask. */
  get ready(): boolean {
    return this.current?.ready ?? false;
  }

  /**
   * Ask for an instruction, which begins as `words`, and edit `lines` by it. Returns when there is something to accept, or nothing to
   * wait for. Where nothing comes of it, it is asked for again with the words there were, the reason, and what works instead.
   */
  async ask(editor: vscode.TextEditor, lines: vscode.Range, words = "", refusal?: Refusal): Promise<void> {
    const { document } = editor;
    if (!editable(document)) {
      void vscode.window.showInformationMessage("Copydesk does not edit here.");
      return;
    }
    const { version } = document;
    const history = this.histories.of(document);
    const asked = await this.input.ask(editor, lines, words, refusal);
    if (asked === undefined) {
      return;
    }
    const { text } = asked;
    const session = this.begin(document, history.followed(version, asked.lines), text);
    void session.end.then(async (end) => {
      const [there] = vscode.window.visibleTextEditors.filter((one) => one.document === document);
      if (end === "unanswered" && there !== undefined) {
        const again = history.followed(version, asked.lines);
        await this.ask(there, again, text, {
          reason: session.reason,
          advice: this.status.advice,
          suggestions: suggestions(this.theServer, document, again, text),
        });
      }
    });
    await session.run();
  }

  /** Edit `lines` by an instruction. Returns when there is something to accept, or nothing to wait for. */
  async edit(document: vscode.TextDocument, lines: vscode.Range, instruction: string): Promise<void> {
    const session = this.begin(document, lines, instruction);
    void session.end.then((end) => {
      if (end === "unanswered") {
        void vscode.window.showWarningMessage(session.reason);
      }
    });
    await session.run();
  }

  private begin(document: vscode.TextDocument, lines: vscode.Range, instruction: string): Session {
    this.current?.leave();
    // Not the thread the instruction was written in: an answer there would take the keyboard from the text.
    const thread = new Thread(this.controller, document, lines, "running");
    const { theServer: server, status, decorations, lenses } = this;
    const session = new Session(
      { server, status, decorations, lenses },
      thread,
      this.histories.of(document),
      document.version,
      lines,
      instruction,
    );
    this.current = session;
    return session;
  }

  accept(): Promise<void> | undefined {
    return this.current?.accept();
  }

  /** Show the next of several edits (1), or the one before it (-1). */
  turn(by: 1 | -1): void {
    this.current?.turn(by);
  }

  /** Also while it is made: then it is cancelled. */
  reject(): void {
    this.current?.reject();
  }

  /** How the newest session ended, or will; undefined before the first. */
  get end(): Promise<End> | undefined {
    return this.current?.end;
  }

  dispose(): void {
    this.current?.leave();
    this.input.dispose();
    this.lenses.dispose();
    this.decorations.dispose();
    this.controller.dispose();
  }
}
