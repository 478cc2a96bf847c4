// What a person has done: the contexts that the walkthrough's steps wait for. A command that was run says less: it may have done nothing.

import * as vscode from "vscode";

export type Step = "running" | "fixed" | "fixedWorkspace" | "accepted" | "programShown" | "standardModel";

export function done(step: Step): void {
  void vscode.commands.executeCommand("setContext", `copydesk.${step}`, true);
}
