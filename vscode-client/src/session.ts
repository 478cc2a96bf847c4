// One edit by instruction, from the request to the person's answer. Hunks are shown as they are decided and applied all at once, when
// they are accepted; where the server is unsure, the person chooses among its alternatives, and the highlighted one is shown. Text that changes elsewhere moves them; where it changes just there, the edit is made once more, and then no more.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { choose } from "./choosing";
import type { Decorations } from "./decorations";
import { hunksOf } from "./hunks";
import type { Lenses } from "./lenses";
import type { EditAnswer, HunkParams } from "./protocol";
import { changesOf, converted, edit, explain } from "./requests";
import type { Server } from "./server";
import { apply, CHANGED, type History, type TextChange } from "./staleness";
import type { Status } from "./status";
import type { Thread } from "./thread";

/** What the session is shown with. */
export interface Stagecraft {
  server: Server;
  status: Status;
  decorations: Decorations;
  lenses: Lenses;
}

/** unanswered: there is no edit, or none that the person wanted of several; they may word the instruction otherwise. */
export type End = "accepted" | "rejected" | "changed" | "unanswered" | "nothing";

interface Piece {
  version: number;
  edits: TextChange[];
}

let number = 0;

export class Session {
  private readonly source = new vscode.CancellationTokenSource();
  private pieces: Piece[] = [];
  private answer: EditAnswer | undefined;
  /** The alternatives, while the person chooses. */
  private offered: Piece[] | undefined;
  private attempts = 0;
  private finish!: (end: End) => void;
  private ended = false;
  /** How it ended. */
  readonly end = new Promise<End>((resolve) => {
    this.finish = resolve;
  });

  constructor(
    private readonly stage: Stagecraft,
    private readonly thread: Thread,
    private readonly history: History,
    private readonly version: number,
    private readonly lines: vscode.Range,
    private readonly instruction: string,
  ) {}

  get document(): vscode.TextDocument {
    return this.history.document;
  }

  /** Whether there is something to accept. */
  get ready(): boolean {
    return this.answer !== undefined && !this.ended;
  }

  /** Make the edit and show it. Returns when there is something to accept, or when it has ended. */
  async run(): Promise<void> {
    const changes = this.history.onDidChange(() => void this.changed());
    void this.end.then(() => {
      changes.dispose();
    });
    try {
      await this.attempt();
    } catch (error) {
      this.over("unanswered");
      throw error;
    }
  }

  /** Apply what is shown, as one step of undo. */
  async accept(): Promise<void> {
    const client = this.stage.server.client;
    const answer = this.answer;
    if (answer?.edit == null || client === undefined || this.ended) {
      return;
    }
    const { changes } = changesOf(client, answer.edit);
    this.ended = true; // its own change is none that overtakes it
    const done = await apply(this.history, answer.version, changes);
    this.close(done ? "accepted" : "changed");
  }

  /** Forget it: nothing of it is in the text. */
  reject(): void {
    this.over("rejected");
  }

  private async attempt(): Promise<void> {
    const client = await this.stage.server.ensure();
    if (client === undefined || this.ended) {
      this.over("unanswered");
      return;
    }
    this.attempts++;
    this.answer = undefined;
    this.offered = undefined;
    this.pieces = [];
    this.draw();
    const token = `copydesk-${++number}`;
    const listening = vscode.Disposable.from(
      this.stage.server.onHunk((hunk) => this.decided(hunk, token)),
      this.stage.server.onRetract((retracted) => {
        if (retracted.token === token) {
          this.pieces = [];
          this.draw();
        }
      }),
    );
    const uri = client.code2ProtocolConverter.asUri(this.document.uri);
    const lines = this.document.validateRange(this.here());
    const params = {
      textDocument: { uri, version: this.document.version },
      range: client.code2ProtocolConverter.asRange(lines),
      instruction: this.instruction,
      token,
    };
    const reply = await edit(this.stage.server, this.stage.status, params, this.source.token).finally(() => {
      listening.dispose();
    });
    if (this.isOver()) {
      return;
    }
    if (reply.kind === "cancelled") {
      this.over("nothing");
    } else if (reply.kind === "modified") {
      await this.again();
    } else if (reply.value.edit === null) {
      await this.unsure(client, reply.value);
    } else {
      const { changes } = changesOf(client, reply.value.edit);
      this.answer = reply.value;
      this.pieces = [{ version: reply.value.version, edits: changes }];
      await this.changed();
    }
  }

  /** No edit came: the person chooses among the alternatives, if there are any, and the one they choose is applied. */
  private async unsure(client: LanguageClient, answer: EditAnswer): Promise<void> {
    const alternatives = (answer.alternatives ?? []).flatMap(({ edit, ...rest }) =>
      edit === null ? [] : [{ ...rest, edit, changes: changesOf(client, edit).changes }],
    );
    if (alternatives.length === 0) {
      explain(answer);
      this.over("unanswered");
      return;
    }
    this.offered = alternatives.map(({ changes }) => ({ version: answer.version, edits: changes }));
    if (this.offered.some((one) => this.fitted([one]) === undefined)) {
      await this.again();
      return;
    }
    const choices = alternatives.map(({ title, probability }, place) => ({
      title,
      probability,
      hunks: hunksOf(this.document, this.fitted(this.offered?.slice(place, place + 1) ?? []) ?? []),
    }));
    const chosen = await choose(
      choices,
      this.instruction,
      (place) => this.highlight(place),
      this.source.token,
    );
    if (this.isOver()) {
      return;
    }
    const one = chosen === undefined ? undefined : alternatives[chosen];
    if (one === undefined) {
      this.over("unanswered");
      return;
    }
    const { edit, verdict, applicability, program } = one;
    this.answer = { ...answer, status: "edited", edit, verdict, applicability, program };
    await this.accept();
  }

  private highlight(place: number): void {
    if (this.offered !== undefined && !this.ended) {
      this.pieces = this.offered.slice(place, place + 1);
      this.draw();
    }
  }

  /** Once more for the text as it is; the second time the person is told. */
  private async again(): Promise<void> {
    if (this.attempts > 1) {
      this.over("changed");
    } else {
      await this.attempt();
    }
  }

  private decided(hunk: HunkParams, token: string): void {
    const client = this.stage.server.client;
    if (hunk.token === token && client !== undefined && !this.ended) {
      this.pieces.push({ version: hunk.baseVersion, edits: converted(client, hunk.edit.edits as never) });
      this.draw();
    }
  }

  /** The text is another, or the edit is there. */
  private async changed(): Promise<void> {
    if (this.ended) {
      return;
    }
    if (this.document.isClosed) {
      this.over("nothing");
    } else if (this.offered?.some((one) => this.fitted([one]) === undefined)) {
      this.over("changed");
    } else if (this.answer !== undefined && this.edits() === undefined) {
      await this.again();
    } else {
      this.draw();
    }
  }

  /** What is shown, in the text of now; undefined where it does not fit. */
  private edits(): TextChange[] | undefined {
    return this.fitted(this.pieces);
  }

  private fitted(pieces: readonly Piece[]): TextChange[] | undefined {
    const all: TextChange[] = [];
    for (const piece of pieces) {
      const there = this.history.rebased(piece.version, piece.edits);
      if (there === undefined) {
        return undefined;
      }
      all.push(...there);
    }
    return all;
  }

  private here(): vscode.Range {
    return this.history.followed(this.version, this.lines);
  }

  private draw(): void {
    const edits = this.edits() ?? [];
    const lines = this.here();
    const stage = this.answer !== undefined ? "ready" : this.offered !== undefined ? "choosing" : "running";
    this.stage.decorations.draw(this.document, lines, edits);
    this.stage.lenses.show(this.document, lines.start.line, stage);
    this.thread.move(lines);
    this.thread.show(this.instruction, this.state(), hunksOf(this.document, edits));
    void vscode.commands.executeCommand("setContext", "copydesk.preview", stage);
  }

  /** Anything may have happened while it was waited for, which the compiler does not know. */
  private isOver(): boolean {
    return this.ended;
  }

  private state(): string {
    if (this.answer === undefined && this.offered !== undefined) {
      return "unsure: which one did you mean?";
    }
    if (this.answer === undefined) {
      return this.attempts > 1 ? "the code changed: once more…" : "editing…";
    }
    const unsafe = this.answer.applicability === "unsafe";
    return this.answer.verdict + (unsafe ? ", may change what the code means" : "");
  }

  private over(end: End): void {
    if (!this.ended) {
      this.ended = true;
      this.close(end);
    }
  }

  private close(end: End): void {
    this.source.cancel();
    this.stage.decorations.clear();
    this.stage.lenses.clear();
    this.thread.dispose();
    void vscode.commands.executeCommand("setContext", "copydesk.preview", undefined);
    if (end === "changed") {
      void vscode.window.showWarningMessage(`Copydesk: ${CHANGED}`);
    }
    this.finish(end);
  }
}
