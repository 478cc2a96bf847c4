// The settings that are this extension's own. The server's are read by the server, through the client.

import * as vscode from "vscode";

export const SECTION = "copydesk";

/** Names in our section that the server does not know: it is not told of them, since it would call them mistakes. */
export const OWN_SETTINGS = ["command", "python", "torchIndex", "languages", "trace"] as const;

function get<T>(name: (typeof OWN_SETTINGS)[number], fallback: T): T {
  return vscode.workspace.getConfiguration(SECTION).get<T>(name) ?? fallback;
}

/** The program that starts the server, with its arguments before `lsp`; empty to look for one. */
export function command(): string[] {
  return get<string[]>("command", []);
}

/** The interpreter that an installation is made from; empty to look for one. */
export function python(): string {
  return get("python", "");
}

/** The package index of CPU builds of torch; empty for pip's own configuration alone. */
export function torchIndex(): string {
  return get("torchIndex", "");
}

/** The languages whose documents the server is told of. */
export function languages(): string[] {
  return get("languages", ["python"]);
}

/** The answer to a `workspace/configuration` of the server: its own settings alone. */
export function withoutOwn(values: unknown): unknown {
  if (values === null || typeof values !== "object") {
    return values;
  }
  const own = new Set<string>(OWN_SETTINGS);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !own.has(name)));
}
