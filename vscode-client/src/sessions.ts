// The edit by instruction that is going on: one at a time in a window. A new one puts an end to the one before.

import * as vscode from "vscode";
import { Decorations } from "./decorations";
import { Instruction } from "./instruction";
import { Lenses } from "./lenses";
import { editable } from "./places";
import type { Server } from "./server";
import { type End, Session } from "./session";
import type { Histories } from "./staleness";
import type { Status } from "./status";
import { Thread } from "./thread";

export class Sessions implements vscode.Disposable {
  server!: Server;
  private readonly controller = vscode.comments.createCommentController("copydesk", "Copydesk");
  private readonly decorations = new Decorations();
  private readonly lenses = new Lenses();
  private readonly instruction: Instruction;
  private current: Session | undefined;

  constructor(
    private readonly histories: Histories,
    private readonly status: Status,
    memory: vscode.Memento,
  ) {
    this.instruction = new Instruction(this.controller, memory);
  }

  /** The session whose edit is there and waits to be accepted, for those who ask. */
  get ready(): boolean {
    return this.current?.ready ?? false;
  }

  /**
   * Ask for an instruction, which begins as `words`, and edit `lines` by it. Returns when there is something to accept, or nothing to
   * wait for. Where nothing comes of it, it is asked for again with the words there were: to word it otherwise.
   */
  async ask(document: vscode.TextDocument, lines: vscode.Range, words = ""): Promise<void> {
    if (!editable(document)) {
      void vscode.window.showInformationMessage("Copydesk does not edit here.");
      return;
    }
    const { version } = document;
    const history = this.histories.of(document);
    const text = await this.instruction.ask(document, lines, words);
    if (text === undefined) {
      return;
    }
    const session = this.begin(document, history.followed(version, lines), text);
    void session.end.then(async (end) => {
      if (end === "unanswered" && !document.isClosed) {
        await this.ask(document, history.followed(version, lines), text);
      }
    });
    await session.run();
  }

  /** Edit `lines` by an instruction. Returns when there is something to accept, or nothing to wait for. */
  async edit(document: vscode.TextDocument, lines: vscode.Range, instruction: string): Promise<void> {
    await this.begin(document, lines, instruction).run();
  }

  private begin(document: vscode.TextDocument, lines: vscode.Range, instruction: string): Session {
    this.current?.reject();
    // Not the thread the instruction was written in: an answer there would take the keyboard from the text.
    const thread = new Thread(this.controller, document, lines);
    const { server, status, decorations, lenses } = this;
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

  /** Also while it is made: then it is cancelled. */
  reject(): void {
    this.current?.reject();
  }

  /** How the newest session ended, or will; undefined before the first. */
  get end(): Promise<End> | undefined {
    return this.current?.end;
  }

  readonly input = (): Instruction => this.instruction;

  dispose(): void {
    this.current?.reject();
    this.instruction.dispose();
    this.lenses.dispose();
    this.decorations.dispose();
    this.controller.dispose();
  }
}
