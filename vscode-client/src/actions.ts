// The light bulb and the Problems panel. What the server lists is shown with a command of ours in place of its edit: VS Code would
// apply the edit of an action to whatever text is there by then, since its converter drops the version. The command takes the edit the
// action came with, or asks for the edit of the diagnostic as it is then, and `staleness.ts` applies it.

import * as vscode from "vscode";
import {
  type CodeAction,
  type CodeActionParams,
  CodeActionRequest,
  CodeActionResolveRequest,
  Command,
  type LanguageClient,
  type Middleware,
  type Diagnostic as WireDiagnostic,
  type WorkspaceEdit,
} from "vscode-languageclient/node";
import { linesRange } from "./lines";
import { editable } from "./places";
import { asked, changesOf, edit, explain, filesOf, withProgress } from "./requests";
import type { Server } from "./server";
import type { Sessions } from "./sessions";
import { apply, applyFiles, CHANGED, type Histories, type History } from "./staleness";
import type { Status } from "./status";
import { done } from "./walkthrough";

export const RUN = "copydesk.runAction";
const REWRITE = "refactor.rewrite.copydesk";

/** What comes with an action of the server's. */
interface Data {
  copydesk: "fix" | "rewrite" | "fixAll" | "fixWorkspace" | "refactoring";
  uri: string;
  version: number;
  lines?: [number, number];
  instruction?: string;
}

type Outcome = "applied" | "nothing" | "changed";

export class Actions {
  server!: Server;

  constructor(
    private readonly histories: Histories,
    private readonly sessions: Sessions,
    private readonly status: Status,
  ) {}

  /** Takes the place of the client's own handling of actions. */
  readonly middleware: Middleware = {
    provideCodeActions: async (document, range, context, token) => {
      const client = this.server.client;
      if (client === undefined || !editable(document)) {
        return null;
      }
      this.histories.of(document);
      const params: CodeActionParams = {
        textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
        range: client.code2ProtocolConverter.asRange(range),
        context: await client.code2ProtocolConverter.asCodeActionContext(context, token),
      };
      try {
        const found = await client.sendRequest(CodeActionRequest.type, params, token);
        return (found ?? []).map((one) => this.shown(client, document, one));
      } catch (error) {
        return client.handleFailedRequest(CodeActionRequest.type, token, error, null);
      }
    },
    // Nothing is left to resolve: an action has its command.
    resolveCodeAction: (action) => action,
  };

  /** What the person chose from the menu. */
  async run(document: vscode.TextDocument, action: CodeAction): Promise<Outcome> {
    const { edit: known, ...rest } = action;
    if (known !== undefined && (await this.applied(document, known))) {
      return "applied";
    }
    const data = action.data as Data | undefined;
    if (data === undefined) {
      void vscode.window.showWarningMessage(`Copydesk: ${CHANGED}`);
      return "changed";
    }
    const [diagnostic] = action.diagnostics ?? [];
    if (data.copydesk === "rewrite") {
      const [first, last] = data.lines ?? [1, 1];
      const lines = this.histories.of(document).followed(data.version, linesRange(first - 1, last - 1));
      await this.sessions.edit(document, lines, data.instruction ?? "");
      return "nothing";
    }
    const titles = {
      fix: "Copydesk: fixing",
      fixAll: "Copydesk: fixing all",
      fixWorkspace: "Copydesk: fixing all in the workspace",
      refactoring: "Copydesk: refactoring",
    };
    const title = titles[data.copydesk];
    const outcome = await withProgress(this.server, title, (token) =>
      data.copydesk === "fix" && diagnostic !== undefined
        ? this.fix(document, data.version, diagnostic, token)
        : data.copydesk === "fixWorkspace"
          ? this.resolveFiles(document, rest, token)
          : this.resolve(document, rest, token),
    );
    if (outcome === "changed") {
      void vscode.window.showWarningMessage(`Copydesk: ${CHANGED}`);
    }
    return outcome;
  }

  /** The rewrites that are offered for some lines: recipes, from the settings and from the folder. */
  async recipes(document: vscode.TextDocument, range: vscode.Range): Promise<CodeAction[]> {
    const client = await this.server.ensure();
    if (client === undefined) {
      return [];
    }
    this.histories.of(document);
    const found = await client.sendRequest(CodeActionRequest.type, {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
      range: client.code2ProtocolConverter.asRange(range),
      context: { diagnostics: [], only: [REWRITE] },
    });
    return (found ?? []).filter((one): one is CodeAction => !Command.is(one) && one.data !== undefined);
  }

  private shown(
    client: LanguageClient,
    document: vscode.TextDocument,
    found: Command | CodeAction,
  ): vscode.CodeAction | vscode.Command {
    if (Command.is(found)) {
      return client.protocol2CodeConverter.asCommand(found);
    }
    const kind =
      found.kind === undefined ? vscode.CodeActionKind.Empty : vscode.CodeActionKind.Empty.append(found.kind);
    const action = new vscode.CodeAction(found.title, kind);
    if (found.diagnostics !== undefined) {
      action.diagnostics = found.diagnostics.map((one) => client.protocol2CodeConverter.asDiagnostic(one));
    }
    if (found.disabled !== undefined) {
      action.disabled = found.disabled;
      return action;
    }
    action.isPreferred = found.isPreferred ?? false;
    action.command =
      found.command !== undefined
        ? client.protocol2CodeConverter.asCommand(found.command)
        : { title: found.title, command: RUN, arguments: [document, found] };
    return action;
  }

  /** Apply the edit that an action came with. False where its lines have changed since. */
  private async applied(document: vscode.TextDocument, edit: WorkspaceEdit): Promise<boolean> {
    const client = this.server.client;
    if (client === undefined) {
      return false;
    }
    const { version, changes } = changesOf(client, edit);
    return version !== null && (await apply(this.histories.of(document), version, changes));
  }

  /** Fix what `diagnostic` of `version` is about. Where its text has changed: once more, if the tool still says so. */
  private async fix(
    document: vscode.TextDocument,
    version: number,
    diagnostic: WireDiagnostic,
    token: vscode.CancellationToken,
  ): Promise<Outcome> {
    const history = this.histories.of(document);
    let wanted: WireDiagnostic | undefined = diagnostic;
    let asOf = version;
    for (let attempt = 0; attempt < 2 && wanted !== undefined; attempt++) {
      const uri = document.uri.toString();
      const params = { textDocument: { uri, version: asOf }, diagnostic: wanted };
      const reply = await edit(this.server, this.status, params, token);
      if (reply.kind === "cancelled") {
        return "nothing";
      }
      if (reply.kind === "answer") {
        const client = this.server.client;
        if (reply.value.edit === null || client === undefined) {
          explain(reply.value);
          lookAgain(document);
          return "nothing";
        }
        if (await apply(history, reply.value.version, changesOf(client, reply.value.edit).changes)) {
          return "applied";
        }
      }
      wanted = this.still(history, version, diagnostic);
      asOf = document.version;
    }
    return "changed";
  }

  /** The same complaint about the text of now; undefined where it is not made any more. */
  private still(history: History, version: number, was: WireDiagnostic): WireDiagnostic | undefined {
    const client = this.server.client;
    const document = history.document;
    if (client === undefined || document.isClosed) {
      return undefined;
    }
    const lines = history.followed(version, client.protocol2CodeConverter.asRange(was.range));
    const found = vscode.languages
      .getDiagnostics(document.uri)
      .map((one) => client.code2ProtocolConverter.asDiagnostic(one))
      .filter((one) => one.message === was.message && one.code === was.code && one.source === was.source);
    const distance = (one: WireDiagnostic): number => Math.abs(one.range.start.line - lines.start.line);
    const [nearest] = found.sort((a, b) => distance(a) - distance(b));
    return nearest !== undefined && distance(nearest) <= lines.end.line - lines.start.line
      ? nearest
      : undefined;
  }

  /** An edit of several files: VS Code shows it, file by file, and applies what the person leaves in. */
  private async resolveFiles(
    document: vscode.TextDocument,
    action: CodeAction,
    token: vscode.CancellationToken,
  ): Promise<Outcome> {
    const client = await this.server.ensure();
    if (client === undefined) {
      return "nothing";
    }
    for (const one of vscode.workspace.textDocuments.filter(editable)) {
      this.histories.of(one); // from now on, so that its edits can be held against its text
    }
    const wanted = { ...action, data: { ...(action.data as Data), version: document.version } };
    const reply = await this.status.busy(
      asked(client.sendRequest(CodeActionResolveRequest.type, wanted, token), token),
    );
    if (reply.kind !== "answer") {
      return reply.kind === "modified" ? "changed" : "nothing";
    }
    if (reply.value.edit === undefined) {
      return "nothing"; // the server has said why
    }
    if (!(await applyFiles(this.histories, filesOf(client, reply.value.edit)))) {
      return "changed";
    }
    done("fixedWorkspace");
    return "applied";
  }

  /** Any other action of the server's: its edit is asked for, and once more where it comes too late. */
  private async resolve(
    document: vscode.TextDocument,
    action: CodeAction,
    token: vscode.CancellationToken,
  ): Promise<Outcome> {
    const history = this.histories.of(document);
    let wanted = action;
    for (let attempt = 0; attempt < 2; attempt++) {
      const client = await this.server.ensure();
      if (client === undefined) {
        return "nothing";
      }
      const work = client.sendRequest(CodeActionResolveRequest.type, wanted, token);
      const reply = await this.status.busy(asked(work, token));
      if (reply.kind === "cancelled") {
        return "nothing";
      }
      if (reply.kind === "answer") {
        if (reply.value.edit === undefined) {
          return "nothing"; // the server has said why
        }
        const { version, changes } = changesOf(client, reply.value.edit);
        if (await apply(history, version ?? document.version, changes)) {
          return "applied";
        }
      }
      wanted = { ...action, data: { ...(action.data as Data), version: document.version } };
    }
    return "changed";
  }
}

/** Have VS Code ask for the actions at the cursor once more: it does where there is another provider. */
function lookAgain({ uri, languageId }: vscode.TextDocument): void {
  const nothing = { provideCodeActions: () => [] };
  const selector = { scheme: uri.scheme, language: languageId };
  vscode.languages.registerCodeActionsProvider(selector, nothing).dispose();
}
