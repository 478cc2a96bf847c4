// What a person is told where nothing came of an instruction: why, and what can be done instead.

import * as vscode from "vscode";
import { type CodeAction, CodeActionRequest, Command } from "vscode-languageclient/node";
import { inMarkdown } from "./plain_text";
import type { Server } from "./server";

const MOST = 3;

export interface Refusal {
  /** A sentence. */
  reason: string;
  /** Whether there is a better model to be had. */
  advice: boolean;
  /** Actions that work there; they may come later. */
  suggestions: Promise<readonly CodeAction[]>;
}

/** The refusal as a text with commands in it, of which `suggestions` are known by now. */
export function spoken(
  { reason, advice }: Refusal,
  suggestions: readonly CodeAction[],
): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = {
    enabledCommands: ["copydesk.instruction.submit", "copydesk.instruction.suggestion", "copydesk.getModel"],
  };
  text.appendMarkdown(
    `${inMarkdown(reason)}\n\nEnter [$(refresh) Retry](command:copydesk.instruction.submit)`,
  );
  if (advice) {
    text.appendMarkdown(" · [$(cloud-download) Get the standard model](command:copydesk.getModel)");
  }
  if (suggestions.length > 0) {
    const links = suggestions.map(({ title }, index) => {
      const name = title.replace(/ \(copydesk\)$/, "").replace(/[\\[\]]/g, "\\$&");
      return `Alt+${index + 1} [${name}](command:copydesk.instruction.suggestion?${encodeURIComponent(JSON.stringify([index]))})`;
    });
    text.appendMarkdown(`\n\nWhat works here: ${links.join(" · ")}`);
  }
  return text;
}

/** The refactorings that apply to these lines: those first that share most words with the instruction. */
export async function suggestions(
  server: Server,
  document: vscode.TextDocument,
  lines: vscode.Range,
  instruction: string,
): Promise<readonly CodeAction[]> {
  const client = server.client;
  if (client === undefined) {
    return [];
  }
  const found = await client.sendRequest(CodeActionRequest.type, {
    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
    range: client.code2ProtocolConverter.asRange(document.validateRange(lines)),
    context: { diagnostics: [], only: ["refactor"] },
  });
  const asked = stems(instruction);
  const shared = ({ title }: CodeAction): number => [...stems(title)].filter((one) => asked.has(one)).length;
  return (found ?? [])
    .filter(
      (one): one is CodeAction =>
        !Command.is(one) && one.disabled === undefined && (one.data as Known)?.copydesk === "refactoring",
    )
    .sort((a, b) => shared(b) - shared(a))
    .slice(0, MOST);
}

type Known = { copydesk?: string } | undefined;

/** The words of a text, without their endings. */
function stems(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).map((word) => word.slice(0, 5)));
}
