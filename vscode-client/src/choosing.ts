// Which of several edits the person means: a list whose highlighted entry is shown in the text. Knows entries; applies nothing.

import * as vscode from "vscode";
import { type Hunk, unified } from "./hunks";

/** An edit that may be meant. `probability` is from 0 to 1. */
export interface Choice {
  title: string;
  probability: number;
  hunks: readonly Hunk[];
}

/**
 * The place of the one that was chosen; undefined where the person leaves, or `token` ends it. `highlight` is called with the place of
 * each entry that the selection comes to, the first one too.
 */
export function choose(
  choices: readonly Choice[],
  instruction: string,
  highlight: (place: number) => void,
  token: vscode.CancellationToken,
): Promise<number | undefined> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { place: number }>();
  list.title = "Copydesk: did you mean one of these?";
  list.placeholder = instruction.split("\n", 1)[0] ?? "";
  list.items = choices.map(({ title, probability, hunks }, place) => ({
    label: title,
    description: `${Math.round(probability * 100)}%`,
    detail: inOneLine(hunks),
    place,
  }));
  return new Promise((resolve) => {
    const ending = token.onCancellationRequested(() => list.hide());
    list.onDidChangeActive(([item]) => item !== undefined && highlight(item.place));
    list.onDidAccept(() => {
      resolve(list.activeItems[0]?.place);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined); // nothing, where one was accepted
      ending.dispose();
      list.dispose();
    });
    list.show();
  });
}

/** The lines that go and that come, as an entry has room for them. */
function inOneLine(hunks: readonly Hunk[]): string {
  return unified(hunks)
    .split("\n")
    .map((line) => `${line.slice(0, 1)} ${line.slice(1).trim()}`)
    .join("  ");
}
