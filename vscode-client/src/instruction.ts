// Where a person writes an instruction: several lines, below the lines it is about, with the earlier ones to be had again. Where
// nothing came of one, it is there again with the reason and with what can be done instead.

import * as vscode from "vscode";
import type { CodeAction } from "vscode-languageclient/node";
import { Lines } from "./lines";
import { type Refusal, spoken } from "./refusal";
import { reveal } from "./revealing";
import type { Server } from "./server";
import { Thread } from "./thread";

const KEY = "copydesk.instructions";
const REMEMBERED = 50;
/** The scheme of the text of a comment that is being written. */
const INPUT = "comment";
const EXAMPLES = "add type hints · rename data to rows · return early if path is empty · use an f-string";
/** Lines of text that the box is as high as, about, and those that a refusal takes. */
const HEIGHT = 8;
const REFUSAL_HEIGHT = 5;
const TRIES = 5;

/** What a person asks for. */
export interface Asked {
  text: string;
  lines: vscode.Range;
}

interface Open {
  thread: Thread;
  lines: Lines;
  /** What it begins with, and why that was refused. */
  words: string;
  refusal: Refusal | undefined;
  input: vscode.TextDocument | undefined;
  suggestions: readonly CodeAction[];
  done: (text: string | undefined) => void;
}

export class Instruction implements vscode.Disposable {
  server!: Server;
  private open: Open | undefined;
  /** How far back in the history the person has gone, what was written before that, and what stands there since. */
  private back = 0;
  private draft = "";
  private turned = "";
  private turning: Promise<void> = Promise.resolve();
  /** Arrows go through the history, unless they have lines of the person's own to move in. */
  private readonly following = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document === this.open?.input) {
      void vscode.commands.executeCommand("setContext", "copydesk.ownLines", this.ownLines(document));
    }
  });

  private readonly submitted = new vscode.EventEmitter<{
    document: vscode.TextDocument;
    lines: vscode.Range;
  }>();
  /** Something was written and sent: before anything else is done, so that the person sees at once that it was. */
  readonly onDidSubmit = this.submitted.event;

  private readonly opening = vscode.workspace.onDidOpenTextDocument((document) => {
    if (document.uri.scheme === INPUT) {
      void this.opened(document);
    }
  });

  constructor(
    private readonly controller: vscode.CommentController,
    private readonly memory: vscode.Memento,
  ) {
    controller.options = { prompt: "What is to become of these lines?", placeHolder: EXAMPLES };
  }

  /** The earlier instructions, newest first. */
  get history(): readonly string[] {
    return this.memory.get<string[]>(KEY, []);
  }

  /**
   * Ask, with `words` to begin with, which were refused. Undefined where the person does not want to after all. The text has the
   * keyboard again afterwards.
   */
  async ask(
    editor: vscode.TextEditor,
    range: vscode.Range,
    words = "",
    refusal?: Refusal,
  ): Promise<Asked | undefined> {
    this.close(undefined);
    if (!vscode.workspace.getConfiguration("comments").get<boolean>("visible", true)) {
      // Whoever has turned comments off gets a line instead of an editor.
      const title = "Copydesk: edit the selected lines";
      const prompt = refusal?.reason ?? "";
      const text = await vscode.window.showInputBox({ title, prompt, value: words, placeHolder: EXAMPLES });
      return this.remember(text, range);
    }
    this.back = 0;
    const lines = new Lines(this.server, editor, range);
    const thread = new Thread(this.controller, editor.document, range, "instruction");
    const written = new Promise<string | undefined>((done) => {
      this.open = { thread, lines, words, refusal, input: undefined, suggestions: [], done };
    });
    void vscode.commands.executeCommand("setContext", "copydesk.instructing", true);
    void vscode.commands.executeCommand("setContext", "copydesk.ownLines", false);
    const text = await written;
    thread.dispose();
    if (text !== undefined) {
      lines.deselect();
    }
    void giveKeyboard(editor.document); // nothing that the person sees waits for it
    return this.remember(text, lines.range);
  }

  /** The person is done: `reply` is what the box's button was pressed with. */
  submit(reply: vscode.CommentReply | undefined): void {
    this.close(reply?.text ?? this.open?.input?.getText() ?? "");
  }

  cancel(): void {
    this.close(undefined);
  }

  /** An action that is offered instead of what was refused; the box closes. Undefined where there is none of that number. */
  suggestion(index: number): { document: vscode.TextDocument; action: CodeAction } | undefined {
    const action = this.open?.suggestions[index];
    const document = this.open?.lines.editor.document;
    if (action === undefined || document === undefined) {
      return undefined;
    }
    this.cancel();
    return { document, action };
  }

  /**
   * Write an earlier instruction (1), or a later one (-1), in place of what is written. arrow: by a key that moves the cursor in lines of
   * the person's own.
   */
  turn(by: 1 | -1, arrow = false): Promise<void> {
    // One after the other: an edit of a text that another one is changing is refused.
    this.turning = this.turning.then(() => this.turnOnce(by, arrow));
    return this.turning;
  }

  /** Ask about more lines (1), or fewer (-1), by syntax. */
  async resize(by: 1 | -1): Promise<void> {
    const { open } = this;
    if (open !== undefined && (await open.lines.resize(by)) && this.open === open) {
      open.thread.name(open.lines.range);
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
    this.following.dispose();
    this.submitted.dispose();
    this.opening.dispose();
    this.close(undefined);
  }

  /** The box is there. What is said above it comes later: with a comment it would open closed. */
  private async opened(input: vscode.TextDocument): Promise<void> {
    const { open } = this;
    // VS Code makes a box for every thread, for previews too, and takes it away again: by the time it has answered, it has.
    await vscode.commands.executeCommand("setContext", "copydesk.instructing", open !== undefined);
    if (open === undefined || this.open !== open || input.isClosed) {
      return;
    }
    open.input = input;
    await giveBoxKeyboard();
    const { thread, words, refusal } = open;
    const { editor, range } = open.lines;
    reveal(editor, range, refusal === undefined ? HEIGHT : HEIGHT + REFUSAL_HEIGHT);
    if (words !== "") {
      await this.write(words);
    }
    if (refusal !== undefined) {
      thread.say(spoken(refusal, []));
      const found = await refusal.suggestions.catch(() => []);
      if (found.length > 0 && this.open === open) {
        open.suggestions = found;
        thread.say(spoken(refusal, found));
      }
    }
  }

  private ownLines(input: vscode.TextDocument): boolean {
    const text = input.getText();
    return text.includes("\n") && !(this.back > 0 && text === this.turned);
  }

  private async turnOnce(by: 1 | -1, arrow: boolean): Promise<void> {
    const input = this.open?.input;
    if (input === undefined || (arrow && this.ownLines(input))) {
      return;
    }
    if (this.back === 0) {
      this.draft = input.getText();
    }
    const wanted = Math.min(Math.max(this.back + by, 0), this.history.length);
    if (wanted !== this.back) {
      this.back = wanted;
      this.turned = wanted === 0 ? this.draft : (this.history[wanted - 1] ?? "");
      await this.write(this.turned);
    }
  }

  private async write(text: string): Promise<void> {
    const input = this.open?.input;
    // An edit is refused where the text's version is news to come: so it is for a box that has just opened.
    for (let tries = 0; input !== undefined && !input.isClosed && tries < TRIES; tries++) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(input.uri, new vscode.Range(0, 0, input.lineCount, 0), text);
      if (await vscode.workspace.applyEdit(edit)) {
        return;
      }
    }
  }

  private remember(text: string | undefined, lines: vscode.Range): Asked | undefined {
    const wanted = text?.trim() ?? "";
    if (wanted === "") {
      return undefined;
    }
    const others = this.history.filter((one) => one !== wanted);
    void this.memory.update(KEY, [wanted, ...others].slice(0, REMEMBERED));
    return { text: wanted, lines };
  }

  private close(text: string | undefined): void {
    const { open } = this;
    this.open = undefined;
    if (open !== undefined) {
      if (text !== undefined && text.trim() !== "") {
        this.submitted.fire({ document: open.lines.editor.document, lines: open.lines.range });
      }
      void vscode.commands.executeCommand("setContext", "copydesk.instructing", false);
      open.done(text);
    }
  }
}

/** To the box at the selection's end. No call does that to a thread that an extension has made; these commands do. */
async function giveBoxKeyboard(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.focusCommentOnCurrentLine");
  await vscode.commands.executeCommand("widgetNavigation.focusNext");
}

/** To the editor that shows a document; where none does any more, to none. */
async function giveKeyboard(document: vscode.TextDocument): Promise<void> {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  if (editor?.viewColumn !== undefined) {
    await vscode.window.showTextDocument(document, { viewColumn: editor.viewColumn, preserveFocus: false });
  }
}
