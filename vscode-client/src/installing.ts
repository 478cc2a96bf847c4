// The installation as a person sees it: offered once, with progress that can be cancelled, and with another try when it fails.

import * as vscode from "vscode";
import type { Installation, Report } from "./installation";
import type { StandardModel } from "./model";
import { CancelledError } from "./processes";
import { type Server, words } from "./server";
import * as settings from "./settings";
import type { Status } from "./status";

export class Installing {
  private offered = false;
  private going: Promise<boolean> | undefined;

  constructor(
    private readonly installation: Installation,
    private readonly server: Server,
    private readonly model: StandardModel,
    private readonly status: Status,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Ask whether to install, once in a window: not in a folder that is not trusted, nor where a setting names a program. */
  offerOnce(): void {
    if (this.offered || !vscode.workspace.isTrusted || settings.command().length > 0) {
      return;
    }
    this.offered = true;
    void this.offer();
  }

  /** Install and start. One at a time; whether it is there afterwards. */
  async install(): Promise<boolean> {
    this.going ??= this.once().finally(() => {
      this.going = undefined;
    });
    return this.going;
  }

  /** Ask whether to install, as often as the person wants something that needs it. */
  async offer(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage(
        "Copydesk's language server is not installed. Trust this folder to install it.",
      );
      return;
    }
    const install = "Install";
    const message =
      "Copydesk's language server is not installed. Install it into the extension's own storage? It needs Python 3.11 or newer and about 1.4 GB, its model included.";
    if ((await vscode.window.showInformationMessage(message, install, "Not Now")) === install) {
      await this.install();
    }
  }

  private async once(): Promise<boolean> {
    if ((await this.installation.program()) !== undefined) {
      await this.server.stop(); // what is replaced must not run
    }
    this.status.setPhase("installing");
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "Installing Copydesk", cancellable: true },
        async (progress, token) => {
          const report: Report = {
            step: (message) => progress.report({ message }),
            line: (text) => this.output.info(text),
          };
          const choices = { python: settings.python(), torchIndex: settings.torchIndex() };
          const program = await this.installation.install(choices, report, token);
          await this.fetchModel(program, report, token);
        },
      );
    } catch (error) {
      this.status.setPhase(this.server.client === undefined ? "missing" : "running");
      if (!(error instanceof CancelledError)) {
        void this.failed(error);
      }
      return false;
    }
    await this.server.restart();
    return true;
  }

  /** Without the model the server is whole: it runs on the one it carries. */
  private async fetchModel(program: string, report: Report, token: vscode.CancellationToken): Promise<void> {
    try {
      await this.model.fetch([program], report, token);
    } catch (error) {
      if (!(error instanceof CancelledError)) {
        this.output.error(words(error));
        void vscode.window.showWarningMessage(
          `Copydesk is installed and runs on its small model: the better one could not be fetched (${words(error)}). The status menu has another try.`,
        );
      }
    }
  }

  private async failed(error: unknown): Promise<void> {
    this.output.error(words(error));
    const again = "Try Again";
    const log = "Show Log";
    const message = `Copydesk could not be installed: ${words(error)}`;
    const answer = await vscode.window.showErrorMessage(message, again, log);
    if (answer === again) {
      await this.install();
    } else if (answer === log) {
      this.output.show();
    }
  }
}
