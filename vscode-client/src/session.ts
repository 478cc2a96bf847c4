// One edit by instruction, from the request to the person's answer. Hunks are shown as they are decided and applied all at once, when
// they are accepted; where the server is unsure, its alternatives are shown one at a time. Text that changes elsewhere moves them;
// where it changes just there, the edit is made once more, and then no more.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Decorations } from "./decorations";
import { hunksOf } from "./hunks";
import type { Lenses } from "./lenses";
import { whenSlow } from "./patience";
import type { EditAnswer, HunkParams } from "./protocol";
import { changesOf, converted, edit, explanation } from "./requests";
import { reveal } from "./revealing";
import { type Server, words } from "./server";
import { apply, CHANGED, type History, type TextChange } from "./staleness";
import type { Status } from "./status";
import { lineNames, type Thread } from "./thread";
import { done } from "./walkthrough";

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

/** An edit that may be accepted. */
interface Candidate extends Piece {
  /** What is said of it. */
  state: string;
}

/** Lines of text that the thread takes beside the diff that it shows. */
const FRAME = 4;

let number = 0;

export class Session {
  private readonly source = new vscode.CancellationTokenSource();
  /** The hunks that were decided so far, while the edit is made. */
  private pieces: Piece[] = [];
  /** What may be accepted, once the server has answered, and which of it is shown. */
  private candidates: Candidate[] = [];
  private place = 0;
  private attempts = 0;
  private waiting = "";
  /** So many lines of a diff have been scrolled into sight. */
  private revealed = -1;
  private finish!: (end: End) => void;
  private ended = false;
  /** How it ended. */
  readonly end = new Promise<End>((resolve) => {
    this.finish = resolve;
  });
  /** Why it is unanswered: a sentence. */
  reason = "";

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
    return this.candidates.length > 0 && !this.ended;
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
      this.unanswered(`Copydesk could not do it: ${words(error)}.`);
    }
  }

  /** Apply what is shown, as one step of undo. */
  async accept(): Promise<void> {
    const candidate = this.candidates[this.place];
    if (candidate === undefined || this.ended) {
      return;
    }
    this.ended = true; // its own change is none that overtakes it
    const applied = await apply(this.history, candidate.version, candidate.edits);
    if (applied) {
      done("accepted");
    }
    this.close(applied ? "accepted" : "changed");
  }

  /** Show the next of several edits, or the one before it. */
  turn(by: 1 | -1): void {
    const count = this.candidates.length;
    if (count > 1 && !this.ended) {
      this.place = (this.place + by + count) % count;
      this.draw();
    }
  }

  /** The person does not want what is shown; of several edits none, so that they may say it otherwise. */
  reject(): void {
    if (this.candidates.length > 1) {
      this.unanswered("None of these was meant: say it in other words.");
    } else {
      this.over("rejected");
    }
  }

  /** Forget it: nothing of it is in the text. */
  leave(): void {
    this.over("rejected");
  }

  private async attempt(): Promise<void> {
    this.attempts++;
    this.candidates = [];
    this.pieces = [];
    this.waiting = doing(this.stage.status, this.here());
    this.draw();
    const client = await this.stage.server.ensure();
    if (client === undefined || this.ended) {
      this.unanswered("Copydesk's server does not run.");
      return;
    }
    const token = `copydesk-${++number}`;
    const listening = vscode.Disposable.from(
      this.stage.server.onHunk((hunk) => this.decided(hunk, token)),
      this.stage.server.onRetract((retracted) => {
        if (retracted.token === token) {
          this.pieces = [];
          this.draw();
        }
      }),
      whenSlow(this.stage.server, (said) => {
        this.waiting = said;
        this.draw();
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
    } else {
      this.candidates = candidatesOf(client, reply.value);
      this.place = 0;
      if (this.candidates.length === 0) {
        this.unanswered(explanation(reply.value));
      } else {
        await this.changed();
      }
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
    } else if (this.candidates.some((one) => this.fitted([one]) === undefined)) {
      await this.again();
    } else {
      this.draw();
    }
  }

  /** Edits in the text of now; undefined where they do not fit. */
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
    const candidate = this.candidates[this.place];
    const count = this.candidates.length;
    const edits = this.fitted(candidate === undefined ? this.pieces : [candidate]) ?? [];
    const lines = this.here();
    const hunks = hunksOf(this.document, edits);
    const stage = candidate === undefined ? "running" : "ready";
    const numbered = count > 1 ? `[${this.place + 1}/${count}] ${candidate?.state ?? ""}` : undefined;
    const waiting = this.attempts > 1 ? `the code changed: once more, ${this.waiting}` : this.waiting;
    const idle = candidate === undefined && edits.length === 0;
    this.stage.decorations.draw(this.document, lines, edits, idle ? inWords(waiting) : undefined);
    this.stage.lenses.show({ document: this.document, line: lines.start.line, stage, next: numbered });
    this.thread.move(lines);
    const title = this.instruction.split("\n", 1)[0] ?? "";
    const state = candidate === undefined ? inWords(waiting) : (numbered ?? candidate.state);
    this.thread.show(title, state, stage, hunks);
    const height = hunks.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
    if (height > this.revealed) {
      this.revealed = height;
      for (const editor of vscode.window.visibleTextEditors.filter((one) => one.document === this.document)) {
        reveal(editor, lines, height + FRAME);
      }
    }
    void vscode.commands.executeCommand("setContext", "copydesk.preview", stage);
    void vscode.commands.executeCommand("setContext", "copydesk.alternatives", count > 1);
  }

  /** Anything may have happened while it was waited for, which the compiler does not know. */
  private isOver(): boolean {
    return this.ended;
  }

  private unanswered(reason: string): void {
    this.reason = reason;
    this.over("unanswered");
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
    void vscode.commands.executeCommand("setContext", "copydesk.alternatives", undefined);
    if (end === "changed") {
      void vscode.window.showWarningMessage(`Copydesk: ${CHANGED}`);
    }
    this.finish(end);
  }
}

/** What is done about `lines` while there is nothing to show. */
export function doing(status: Status, lines: vscode.Range): string {
  return status.waiting ?? `editing ${lineNames(lines)}…`;
}

/** The same for the person, who may not want to wait. */
export function inWords(waiting: string): string {
  return `${waiting} (Esc cancels)`;
}

/** The edit of an answer, or those that it leaves to the person, the likeliest first. */
function candidatesOf(client: LanguageClient, answer: EditAnswer): Candidate[] {
  const { edit: only, version, verdict, applicability } = answer;
  const unsafe = (what: string): string => (what === "unsafe" ? ", may change what the code means" : "");
  if (only !== null) {
    return [{ version, edits: changesOf(client, only).changes, state: verdict + unsafe(applicability) }];
  }
  return (answer.alternatives ?? []).flatMap((one) =>
    one.edit === null
      ? []
      : [
          {
            version,
            edits: changesOf(client, one.edit).changes,
            state: `${Math.round(one.probability * 100)}%: ${one.title}${unsafe(one.applicability)}`,
          },
        ],
  );
}
