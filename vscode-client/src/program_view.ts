// The last program, as a text to read: first every line of its result with what made it, then the program, and figures last.

import * as vscode from "vscode";
import { type LastProgram, type Origin, ProgramRequest, type ProgramRow } from "./protocol";
import type { Server } from "./server";
import { done } from "./walkthrough";

const SCHEME = "copydesk-program";
const URI = vscode.Uri.parse(`${SCHEME}:/Edit%20Program`);
const MARKS: Record<Origin, string> = { copied: "=", generated: "+", substituted: "~" };

/** A piece of a line of the view that is coloured. */
export interface Coloured {
  line: number;
  start: number;
  end: number;
  origin: Origin;
}

export interface View {
  text: string;
  coloured: Coloured[];
}

/** The view of a program: its text, and which of it is new. */
export function drawn(last: LastProgram): View {
  const name = decodeURIComponent(last.uri.replace(/^.*[/:]/, ""));
  const reason = last.reason === null ? "" : `: ${last.reason}`;
  const unsafe = last.applicability === "unsafe" ? " (unsafe)" : "";
  const head = ["= copied   + generated   ~ generated within the line", ""];
  const figures = [
    `${name}: ${last.status}, ${last.verdict}${unsafe}${reason}`,
    `${count(last, "generated")} tokens generated, ${count(last, "covered")} copied, ${count(last, "forwards")} forwards, ${Math.round(last.ms.total ?? 0)} ms`,
  ];
  const lines = [...head];
  const coloured: Coloured[] = [];
  const digits = String(last.lines.at(-1)?.line ?? 0).length;
  const width = Math.max(0, ...last.lines.map((row) => row.op.length));
  let op = "";
  for (const row of last.lines) {
    const gutter = gutterOf(row, row.op === op ? "" : row.op, digits, width);
    op = row.op;
    let text = gutter;
    for (const [origin, part] of row.parts ?? []) {
      if (origin !== "copied") {
        const whole = row.origin === "generated" ? "generated" : "substituted";
        coloured.push({
          line: lines.length,
          start: text.length,
          end: text.length + part.length,
          origin: whole,
        });
      }
      text += part;
    }
    lines.push(text.trimEnd());
  }
  const program = last.program.trimEnd().split("\n");
  return { text: [...lines, "", ...program, "", ...figures, ""].join("\n"), coloured };
}

function gutterOf(row: ProgramRow, op: string, digits: number, width: number): string {
  if (row.parts === null) {
    return `${" ".repeat(digits)} ⋮ ${op.padEnd(width)} │ ${row.count} lines copied`;
  }
  return `${String(row.line).padStart(digits)} ${MARKS[row.origin]} ${op.padEnd(width)} │ `;
}

function count(last: LastProgram, name: string): number {
  return last.counts[name] ?? 0;
}

export class ProgramView implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private view: View = { text: "", coloured: [] };
  private readonly types = {
    generated: vscode.window.createTextEditorDecorationType({
      backgroundColor: new vscode.ThemeColor("diffEditor.insertedTextBackground"),
    }),
    substituted: vscode.window.createTextEditorDecorationType({
      backgroundColor: new vscode.ThemeColor("diffEditor.insertedTextBackground"),
      border: "1px solid",
      borderColor: new vscode.ThemeColor("editorWarning.foreground"),
    }),
  };
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.colour()),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document.uri.scheme === SCHEME) {
          this.colour();
        }
      }),
    );
  }

  provideTextDocumentContent(): string {
    return this.view.text;
  }

  /** Show the last program beside the text. */
  async show(): Promise<void> {
    const last = await this.server.client?.sendRequest(ProgramRequest);
    if (last === undefined || last === null) {
      void vscode.window.showInformationMessage("Copydesk has made no program yet.");
      return;
    }
    this.view = drawn(last);
    this.changed.fire(URI);
    const document = await vscode.workspace.openTextDocument(URI);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
    this.colour();
    done("programShown");
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.types.generated.dispose();
    this.types.substituted.dispose();
    this.changed.dispose();
  }

  private colour(): void {
    for (const editor of vscode.window.visibleTextEditors.filter(
      (one) => one.document.uri.scheme === SCHEME,
    )) {
      for (const origin of ["generated", "substituted"] as const) {
        const ranges = this.view.coloured
          .filter((one) => one.origin === origin)
          .map((one) => new vscode.Range(one.line, one.start, one.line, one.end));
        editor.setDecorations(this.types[origin], ranges);
      }
    }
  }
}
