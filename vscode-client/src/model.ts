// The standard model: fetched by the server's own command, when the server is installed or when a person asks for it. Never by itself.

import * as vscode from "vscode";
import type { Report } from "./installation";
import { CancelledError, run } from "./processes";
import { type Server, words } from "./server";

const NAME = "standard";

export class StandardModel {
  private going: Promise<boolean> | undefined;

  constructor(
    private readonly server: Server,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Fetch it with this program, the server's. Rejects with CancelledError or ProcessError; nothing is half there then. */
  async fetch(program: string[], report: Report, token: vscode.CancellationToken): Promise<void> {
    const [command = "", ...args] = program;
    report.step("fetching the model");
    await run(command, [...args, "model", "get", NAME], {
      cwd: vscode.env.appRoot,
      env: { ...process.env, PYTHONSAFEPATH: "1" },
      token,
      onLine: (line) => {
        report.line(line);
        const step = progressOf(line);
        if (step !== undefined) {
          report.step(`fetching the model: ${step}`);
        }
      },
    });
  }

  /** Fetch it and start the server again, which takes it then. One at a time; whether it is there afterwards. */
  async get(): Promise<boolean> {
    this.going ??= this.once().finally(() => {
      this.going = undefined;
    });
    return this.going;
  }

  private async once(): Promise<boolean> {
    try {
      const program = await this.server.program();
      if (program === undefined) {
        throw new Error("the server is not installed");
      }
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "Copydesk", cancellable: true },
        (progress, token) =>
          this.fetch(
            program,
            {
              step: (message) => progress.report({ message }),
              line: (text) => this.output.info(text),
            },
            token,
          ),
      );
    } catch (error) {
      if (!(error instanceof CancelledError)) {
        void this.failed(error);
      }
      return false;
    }
    await this.server.restart();
    return true;
  }

  private async failed(error: unknown): Promise<void> {
    this.output.error(words(error));
    const again = "Try Again";
    const log = "Show Log";
    const message = `The model could not be fetched: ${words(error)}`;
    const answer = await vscode.window.showErrorMessage(message, again, log);
    if (answer === again) {
      await this.get();
    } else if (answer === log) {
      this.output.show();
    }
  }
}

/** What a line of `copydesk model get` says of how far it is; undefined for the others. */
export function progressOf(line: string): string | undefined {
  return /^[a-z]+( for another copydesk| +\d+%)?$/.test(line) ? line : undefined;
}
