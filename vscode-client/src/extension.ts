// Puts the parts together. What each of them does is its own file's.

import path from "node:path";
import * as vscode from "vscode";
import type { CodeAction, Range as WireRange } from "vscode-languageclient/node";
import { Actions, RUN } from "./actions";
import { pushDiagnostics } from "./diagnostics";
import { followInlineCompletions, inlineCompletions } from "./inline_completions";
import { Installation } from "./installation";
import { Installing } from "./installing";
import { wholeLines } from "./lines";
import { StandardModel } from "./model";
import { responds, statusOf } from "./patience";
import { editable, known } from "./places";
import { ProgramView } from "./program_view";
import { Server } from "./server";
import { Sessions } from "./sessions";
import { OWN_SETTINGS, SECTION, withoutOwn } from "./settings";
import { Histories } from "./staleness";
import { details, Status } from "./status";
import { pushVisibleRanges } from "./visible_ranges";
import { done } from "./walkthrough";

/** What the tests in the extension host look at. */
export interface Api {
  server: Server;
  status: Status;
  sessions: Sessions;
  actions: Actions;
  histories: Histories;
  installation: Installation;
  installing: Installing;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const output = vscode.window.createOutputChannel("Copydesk", { log: true });
  const status = new Status();
  const histories = new Histories();
  const sessions = new Sessions(histories, status, context.globalState);
  const actions = new Actions(histories, sessions, status);
  const installation = new Installation(
    path.join(context.extensionPath, "bundle"),
    context.globalStorageUri.fsPath,
  );
  const server = new Server(installation, status, output, {
    ...actions.middleware,
    ...inlineCompletions,
    workspace: {
      configuration: async (params, token, next) => {
        const values = await next(params, token);
        return Array.isArray(values) ? values.map(withoutOwn) : values;
      },
    },
  });
  sessions.server = server;
  actions.server = server;
  const model = new StandardModel(server, output);
  const installing = new Installing(installation, server, model, status, output);
  const programs = new ProgramView(server);

  const again = () => void server.stop().then(() => begin(server, installing));

  context.subscriptions.push(output, status, histories, sessions, server, programs);
  context.subscriptions.push(server.onDidStart(() => done("running")));
  context.subscriptions.push(pushDiagnostics(server), pushVisibleRanges(server));
  context.subscriptions.push(followInlineCompletions(server, context.extension.id));
  context.subscriptions.push(
    ...commands(sessions, actions, programs, server, model, installing, status, output),
  );
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(again),
    vscode.workspace.onDidOpenTextDocument(() => void begin(server, installing)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (OWN_SETTINGS.some((name) => event.affectsConfiguration(`${SECTION}.${name}`))) {
        again();
      }
    }),
    vscode.window.onDidChangeActiveTextEditor(where),
    vscode.window.tabGroups.onDidChangeTabs(where),
  );
  where();
  await begin(server, installing);
  return { server, status, sessions, actions, histories, installation, installing };
}

/** Start the server once a document of its languages is open; offer to install it where there is none. */
async function begin(server: Server, installing: Installing): Promise<void> {
  if (!vscode.workspace.textDocuments.some(known) || server.client !== undefined) {
    return;
  }
  if ((await server.start()) === undefined) {
    installing.offerOnce();
  }
}

/** What menus and keys ask: whether copydesk edits in the editor that has the focus. */
function where(): void {
  const document = vscode.window.activeTextEditor?.document;
  const here = document !== undefined && editable(document);
  void vscode.commands.executeCommand("setContext", "copydesk.editable", here);
}

function commands(
  sessions: Sessions,
  actions: Actions,
  programs: ProgramView,
  server: Server,
  model: StandardModel,
  installing: Installing,
  status: Status,
  output: vscode.LogOutputChannel,
): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  const chosen = (): { editor: vscode.TextEditor; lines: vscode.Range } | undefined => {
    const editor = vscode.window.activeTextEditor;
    return editor && { editor, lines: wholeLines(editor.selection) };
  };
  return [
    register(RUN, async (document: vscode.TextDocument, action: CodeAction) => {
      const outcome = await actions.run(document, action);
      if (outcome === "applied" && action.kind?.startsWith("quickfix")) {
        done("fixed");
      }
      return outcome;
    }),
    register("copydesk.editWithInstruction", async (from?: { range: WireRange }) => {
      const here = chosen();
      if (here === undefined) {
        return;
      }
      if (await missing(server)) {
        await installing.offer();
        return;
      }
      const range = from && server.client?.protocol2CodeConverter.asRange(from.range);
      await sessions.ask(here.editor, range === undefined ? here.lines : wholeLines(range));
    }),
    register("copydesk.applyRecipe", async () => {
      const here = chosen();
      if (here === undefined || !editable(here.editor.document)) {
        return;
      }
      const { document } = here.editor;
      const found = await actions.recipes(document, here.lines);
      const picked = await vscode.window.showQuickPick(
        found.map((action) => ({ label: action.title, action })),
        {
          title: "Copydesk: recipes",
          placeHolder: found.length > 0 ? "" : "No recipes: see copydesk.recipes",
        },
      );
      if (picked !== undefined) {
        await actions.run(document, picked.action);
      }
    }),
    register("copydesk.accept", () => sessions.accept()),
    register("copydesk.reject", () => sessions.reject()),
    register("copydesk.nextAlternative", () => sessions.turn(1)),
    register("copydesk.previousAlternative", () => sessions.turn(-1)),
    register("copydesk.instruction.submit", (reply?: vscode.CommentReply) => sessions.input.submit(reply)),
    register("copydesk.instruction.cancel", () => sessions.input.cancel()),
    register("copydesk.instruction.earlier", (arrow?: boolean) => sessions.input.turn(1, arrow)),
    register("copydesk.instruction.later", (arrow?: boolean) => sessions.input.turn(-1, arrow)),
    register("copydesk.instruction.larger", () => sessions.input.resize(1)),
    register("copydesk.instruction.smaller", () => sessions.input.resize(-1)),
    register("copydesk.instruction.suggestion", async (index: number) => {
      const found = sessions.input.suggestion(index);
      if (found !== undefined) {
        await actions.run(found.document, found.action);
      }
    }),
    register("copydesk.instruction.history", () => sessions.input.choose()),
    register("copydesk.showProgram", () => programs.show()),
    register("copydesk.showOutput", () => output.show()),
    register("copydesk.restart", () => server.restart()),
    register("copydesk.install", () => installing.install()),
    register("copydesk.getModel", () => model.get()),
    register("copydesk.findLinter", () =>
      vscode.commands.executeCommand("workbench.extensions.search", "@category:linters python"),
    ),
    register("copydesk.showStatus", () => menu(server, status)),
  ];
}

/** Whether there is no server to start. */
async function missing(server: Server): Promise<boolean> {
  return server.client === undefined && (await server.program().catch(() => [""])) === undefined;
}

async function menu(server: Server, status: Status): Promise<void> {
  const engine = await statusOf(server);
  const silent = server.client !== undefined && !responds(engine);
  const figures = engine !== undefined ? details(engine) : [];
  const doing = (label: string, command: string, ...args: string[]): Entry => ({
    label,
    run: () => vscode.commands.executeCommand(command, ...args),
  });
  const picked = await vscode.window.showQuickPick<Entry>(
    [
      ...status.missing.map(({ what, mend, command }) => ({
        ...doing(`$(info) ${what}`, command),
        description: mend,
      })),
      ...(silent ? [doing("$(warning) The engine does not respond: restart the server", RESTART)] : []),
      doing("$(debug-restart) Restart the server", RESTART),
      doing("$(output) Show the log", "copydesk.showOutput"),
      doing("$(list-tree) Show the last program", "copydesk.showProgram"),
      doing("$(gear) Settings", "workbench.action.openSettings", "@ext:copydesk.copydesk"),
      { label: "", kind: vscode.QuickPickItemKind.Separator },
      ...figures,
    ],
    { title: "Copydesk" },
  );
  await picked?.run?.();
}

const RESTART = "copydesk.restart";

interface Entry extends vscode.QuickPickItem {
  run?: () => unknown;
}
