// What edits do to a text, by whole lines and by words within them: what a person is shown of them. Knows no editor.

import type * as vscode from "vscode";
import type { TextChange } from "./staleness";
import { type Part, wordDiff } from "./word_diff";

/** Lines from `first` on: `before` becomes `after`. */
export interface Hunk {
  first: number;
  before: string[];
  after: string[];
}

/** What a text is made of, as far as is needed here. */
export interface Lines {
  readonly lineCount: number;
  lineAt(line: number): { text: string };
}

/** The hunks of edits that are in order and apart. Edits of one line are one hunk. */
export function hunksOf(text: Lines, edits: readonly TextChange[]): Hunk[] {
  const groups: TextChange[][] = [];
  for (const edit of edits) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group !== undefined && before !== undefined && edit.range.start.line <= before.range.end.line) {
      group.push(edit);
    } else {
      groups.push([edit]);
    }
  }
  return groups.map((group) => hunk(text, group)).reduce<Hunk[]>(joined, []);
}

/** With `next`, which is one with the last hunk where it begins just behind it. */
function joined(hunks: Hunk[], next: Hunk): Hunk[] {
  const last = hunks.at(-1);
  if (last === undefined || last.first + last.before.length !== next.first) {
    return [...hunks, next];
  }
  const before = [...last.before, ...next.before];
  return [...hunks.slice(0, -1), { first: last.first, before, after: [...last.after, ...next.after] }];
}

/** The words that go, come and stay in a hunk, in order. */
export function partsOf({ before, after }: Hunk): Part[] {
  return wordDiff(before.join("\n"), after.join("\n"));
}

/** A line of a unified diff, in parts. */
export interface DiffLine {
  sign: "-" | "+";
  parts: Part[];
}

/** As a unified diff without its head. */
export function unified(hunks: readonly Hunk[]): DiffLine[] {
  return hunks.flatMap((hunk) => {
    const parts = partsOf(hunk);
    return [
      ...linesOf(hunk.before.length, parts, "added").map((line) => ({ sign: "-" as const, parts: line })),
      ...linesOf(hunk.after.length, parts, "removed").map((line) => ({ sign: "+" as const, parts: line })),
    ];
  });
}

/** The `count` lines of one side of a diff: all parts but those of the other side. */
function linesOf(count: number, parts: readonly Part[], other: Part["kind"]): Part[][] {
  const lines: Part[][] = count > 0 ? [[]] : [];
  for (const { kind, text } of count > 0 ? parts.filter((one) => one.kind !== other) : []) {
    text.split("\n").forEach((piece, index) => {
      if (index > 0) {
        lines.push([]);
      }
      if (piece !== "") {
        lines.at(-1)?.push({ kind, text: piece });
      }
    });
  }
  return lines;
}

function hunk(text: Lines, edits: readonly TextChange[]): Hunk {
  const first = edits[0]?.range.start.line ?? 0;
  const last = edits.at(-1)?.range.end.line ?? first;
  const before: string[] = [];
  for (let line = first; line <= last; line++) {
    before.push(line < text.lineCount ? text.lineAt(line).text : "");
  }
  const after = applied(before, first, edits);
  // A range that ends where a line begins, or begins where one ends, has that line in it without a change.
  while (before.length > 0 && after.length > 0 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  let same = 0;
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) {
    same++;
  }
  return { first: first + same, before: before.slice(same), after: after.slice(same) };
}

function applied(lines: readonly string[], first: number, edits: readonly TextChange[]): string[] {
  const text = lines.join("\n");
  const offset = ({ line, character }: vscode.Position): number =>
    lines.slice(0, line - first).reduce((sum, one) => sum + one.length + 1, 0) + character;
  let result = "";
  let done = 0;
  for (const { range, newText } of edits) {
    result += text.slice(done, offset(range.start)) + newText.replace(/\r\n?/g, "\n");
    done = Math.min(offset(range.end), text.length);
  }
  return (result + text.slice(done)).split("\n");
}
