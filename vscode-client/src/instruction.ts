// Where a person writes an instruction: several lines, below the lines it is about, with the earlier ones to be had again.

import * as vscode from "vscode";
import { Thread } from "./thread";

const KEY = "copydesk.instructions";
const REMEMBERED = 50;
/** The scheme of the text of a comment that is being written. */
const INPUT = "comment";

export class Instruction implements vscode.Disposable {
  private open: { thread: Thread; done: (text: string | undefined) => void } | undefined;
  /** How far back in the history the person has gone, and what was written before that. */
  private back = 0;
  private draft = "";
  private turning: Promise<void> = Promise.resolve();

  constructor(
    private readonly controller: vscode.CommentController,
    private readonly memory: vscode.Memento,
  ) {}

  /** The earlier instructions, newest first. */
  get history(): readonly string[] {
    return this.memory.get<string[]>(KEY, []);
  }

  /**
   * Ask, with `words` to begin with. Undefined where the person does not want to after all. The text has the keyboard again
   * afterwards.
   */
  async ask(document: vscode.TextDocument, lines: vscode.Range, words = ""): Promise<string | undefined> {
    this.close(undefined);
    if (!vscode.workspace.getConfiguration("comments").get<boolean>("visible", true)) {
      // Whoever has turned comments off gets a line instead of an editor.
      const title = "Copydesk: edit the selected lines";
      return this.remember(await vscode.window.showInputBox({ title, value: words }));
    }
    this.back = 0;
    const thread = new Thread(this.controller, document, lines);
    const written = new Promise<string | undefined>((done) => {
      this.open = { thread, done };
    });
    thread.ask(words);
    void vscode.commands.executeCommand("setContext", "copydesk.instructing", true);
    const text = this.remember(await written);
    thread.dispose();
    await giveKeyboard(document);
    return text;
  }

  /** The person is done: `comment` is what the comment's button was pressed with. */
  submit(comment: vscode.Comment | undefined): void {
    const body = comment?.body ?? this.input()?.getText() ?? "";
    this.close(typeof body === "string" ? body : body.value);
  }

  cancel(): void {
    this.close(undefined);
  }

  /** Write an earlier instruction (1), or a later one (-1), in place of what is written. */
  turn(by: 1 | -1): Promise<void> {
    // One after the other: an edit of a text that another one is changing is refused.
    this.turning = this.turning.then(() => this.turned(by));
    return this.turning;
  }

  private async turned(by: 1 | -1): Promise<void> {
    const input = this.input();
    if (input === undefined) {
      return;
    }
    if (this.back === 0) {
      this.draft = input.getText();
    }
    const wanted = Math.min(Math.max(this.back + by, 0), this.history.length);
    if (wanted !== this.back) {
      this.back = wanted;
      await this.write(wanted === 0 ? this.draft : (this.history[wanted - 1] ?? ""));
    }
  }

  /** Choose an earlier instruction from a list. */
  async choose(): Promise<void> {
    const found = await vscode.window.showQuickPick([...this.history], { title: "Earlier instructions" });
    if (found !== undefined) {
      await this.write(found);
    }
  }

  dispose(): void {
    this.close(undefined);
  }

  private async write(text: string): Promise<void> {
    const input = this.input();
    if (input !== undefined) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(input.uri, new vscode.Range(0, 0, input.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
    }
  }

  private input(): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.findLast((one) => one.uri.scheme === INPUT && !one.isClosed);
  }

  private remember(text: string | undefined): string | undefined {
    const wanted = text?.trim() ?? "";
    if (wanted === "") {
      return undefined;
    }
    const others = this.history.filter((one) => one !== wanted);
    void this.memory.update(KEY, [wanted, ...others].slice(0, REMEMBERED));
    return wanted;
  }

  private close(text: string | undefined): void {
    const { open } = this;
    this.open = undefined;
    if (open !== undefined) {
      void vscode.commands.executeCommand("setContext", "copydesk.instructing", false);
      open.done(text);
    }
  }
}

/** To the editor that shows a document; where none does any more, to none. */
async function giveKeyboard(document: vscode.TextDocument): Promise<void> {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  if (editor?.viewColumn !== undefined) {
    await vscode.window.showTextDocument(document, { viewColumn: editor.viewColumn, preserveFocus: false });
  }
}
