// The server's life: found, started, restarted, stopped; one client at a time. Knows nothing of what is asked of it.

import * as vscode from "vscode";
import { LanguageClient, type Middleware, RevealOutputChannelOn, State } from "vscode-languageclient/node";
import { inWorkspace, isProgram, onPath } from "./executable";
import type { Installation } from "./installation";
import { selector } from "./places";
import {
  HunkNotification,
  type HunkParams,
  InlineCompletionsNotification,
  type MoreInlineCompletions,
  RetractNotification,
  StatusNotification,
} from "./protocol";
import * as settings from "./settings";
import type { Status } from "./status";

export class Server implements vscode.Disposable {
  private readonly started = new vscode.EventEmitter<LanguageClient>();
  private readonly stopped = new vscode.EventEmitter<void>();
  private readonly hunks = new vscode.EventEmitter<HunkParams>();
  private readonly retractions = new vscode.EventEmitter<{ token: string }>();
  private readonly inlineCompletions = new vscode.EventEmitter<MoreInlineCompletions>();
  /** A client is running: whatever was told the one before must be told again. */
  readonly onDidStart = this.started.event;
  readonly onDidStop = this.stopped.event;
  /** What the server shows of edits. A client has one handler for a notification, and several may want to know. */
  readonly onHunk = this.hunks.event;
  readonly onRetract = this.retractions.event;
  readonly onMoreInlineCompletions = this.inlineCompletions.event;
  private running: LanguageClient | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly installation: Installation,
    private readonly status: Status,
    private readonly output: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
  ) {}

  /** The client that runs; undefined while none does. */
  get client(): LanguageClient | undefined {
    return this.running?.state === State.Running ? this.running : undefined;
  }

  /** The client that runs, after starting one where none does. Undefined where there is no server to be had. */
  async ensure(): Promise<LanguageClient | undefined> {
    return this.client ?? this.start();
  }

  /** Start it, unless it runs. Undefined where nothing is installed. */
  start(): Promise<LanguageClient | undefined> {
    return this.enqueue(async () => {
      if (this.client === undefined) {
        await this.launch();
      }
      return this.client;
    });
  }

  /** End it and start it again, perhaps from another program. */
  restart(): Promise<LanguageClient | undefined> {
    return this.enqueue(async () => {
      await this.end();
      await this.launch();
      return this.client;
    });
  }

  async stop(): Promise<void> {
    await this.enqueue(() => this.end());
  }

  dispose(): void {
    void this.stop();
    this.started.dispose();
    this.stopped.dispose();
    this.hunks.dispose();
    this.retractions.dispose();
    this.inlineCompletions.dispose();
  }

  /** The program and its arguments; undefined where nothing is installed. Rejects for a setting that may not be run. */
  async program(): Promise<string[] | undefined> {
    const [wanted, ...args] = settings.command();
    if (wanted !== undefined) {
      const program = wanted.includes("/") || wanted.includes("\\") ? wanted : await onPath(wanted);
      if (program === undefined || !(await isProgram(program))) {
        throw new Error(`there is no program ${wanted} (setting copydesk.command)`);
      }
      if (await inWorkspace(program)) {
        throw new Error("copydesk.command lies in an opened folder, and what lies there is not run");
      }
      return [program, ...args];
    }
    const found = (await this.installation.program()) ?? (await onPath("copydesk"));
    return found === undefined ? undefined : [found];
  }

  private async launch(): Promise<void> {
    let program: string[] | undefined;
    try {
      program = await this.program();
    } catch (error) {
      this.status.setPhase("stopped");
      void vscode.window.showErrorMessage(`Copydesk: ${words(error)}`);
      return;
    }
    if (program === undefined) {
      this.status.setPhase("missing");
      return;
    }
    await this.run(program);
  }

  private async run([command = "", ...args]: string[]): Promise<void> {
    this.status.setPhase("starting");
    this.output.info(`starting ${command}`);
    const client = new LanguageClient(
      settings.SECTION,
      "Copydesk",
      // The working directory is not the folder's: nothing there is found by accident, by no Python that the setting may name.
      {
        command,
        args: [...args, "lsp"],
        options: { cwd: vscode.env.appRoot, env: { ...process.env, PYTHONSAFEPATH: "1" } },
      },
      {
        documentSelector: selector(),
        outputChannel: this.output,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        // For as long as the server runs: where trust is granted, it is started again.
        initializationOptions: {
          copydesk: {
            askInstruction: true,
            alternatives: true,
            inlineCompletions: true,
            status: true,
            untrusted: !vscode.workspace.isTrusted,
          },
        },
        middleware: this.middleware,
      },
    );
    client.onNotification(StatusNotification, (engine) => this.status.setEngine(engine));
    client.onNotification(HunkNotification, (hunk) => this.hunks.fire(hunk));
    client.onNotification(RetractNotification, (retracted) => this.retractions.fire(retracted));
    client.onNotification(InlineCompletionsNotification, (more) => this.inlineCompletions.fire(more));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.status.setPhase("running");
        this.started.fire(client);
      } else if (newState === State.Stopped && this.running === client) {
        this.status.setPhase("stopped");
        this.stopped.fire();
      }
    });
    this.running = client;
    try {
      await client.start();
    } catch (error) {
      this.running = undefined;
      this.status.setPhase("stopped");
      void vscode.window.showErrorMessage(`Copydesk did not start: ${words(error)}`);
    }
  }

  private async end(): Promise<void> {
    const client = this.running;
    this.running = undefined;
    if (client !== undefined) {
      await client.dispose().catch((error: unknown) => this.output.warn(`while stopping: ${words(error)}`));
      this.stopped.fire();
    }
    this.status.setPhase("stopped");
  }

  /** One after the other: a restart during a start would leave two. */
  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.queue.then(work, work);
    this.queue = next.catch(() => undefined);
    return next;
  }
}

/** What an error says. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
