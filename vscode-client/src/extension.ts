// Puts the parts together. What each of them does is its own file's.

import path from "node:path";
import * as vscode from "vscode";
import type { CodeAction, Range as WireRange } from "vscode-languageclient/node";
import { Actions, linesRange, RUN } from "./actions";
import { pushDiagnostics } from "./diagnostics";
import { followInlineCompletions, inlineCompletions } from "./inline_completions";
import { Installation } from "./installation";
import { Installing } from "./installing";
import { StandardModel } from "./model";
import { editable, known } from "./places";
import { ProgramView } from "./program_view";
import { StatusRequest } from "./protocol";
import { Server } from "./server";
import { Sessions } from "./sessions";
import { OWN_SETTINGS, SECTION, withoutOwn } from "./settings";
import { Histories } from "./staleness";
import { details, Status } from "./status";
import { pushVisibleRanges } from "./visible_ranges";

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
  context.subscriptions.push(pushDiagnostics(server), pushVisibleRanges(server));
  context.subscriptions.push(followInlineCompletions(server, context.extension.id));
  context.subscriptions.push(...commands(sessions, actions, programs, server, model, installing, output));
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
  output: vscode.LogOutputChannel,
): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  const chosen = (): { document: vscode.TextDocument; lines: vscode.Range } | undefined => {
    const editor = vscode.window.activeTextEditor;
    return editor && { document: editor.document, lines: linesOf(editor.selection) };
  };
  return [
    register(RUN, (document: vscode.TextDocument, action: CodeAction) => actions.run(document, action)),
    register("copydesk.editWithInstruction", async (from?: { range: WireRange }) => {
      const here = chosen();
      if (here !== undefined) {
        const range = from && server.client?.protocol2CodeConverter.asRange(from.range);
        await sessions.ask(here.document, range === undefined ? here.lines : linesOf(range));
      }
    }),
    register("copydesk.applyRecipe", async () => {
      const here = chosen();
      if (here === undefined || !editable(here.document)) {
        return;
      }
      const found = await actions.recipes(here.document, here.lines);
      const picked = await vscode.window.showQuickPick(
        found.map((action) => ({ label: action.title, action })),
        {
          title: "Copydesk: recipes",
          placeHolder: found.length > 0 ? "" : "No recipes: see copydesk.recipes",
        },
      );
      if (picked !== undefined) {
        await actions.run(here.document, picked.action);
      }
    }),
    register("copydesk.accept", () => sessions.accept()),
    register("copydesk.reject", () => sessions.reject()),
    register("copydesk.instruction.submit", (comment?: vscode.Comment) => sessions.input().submit(comment)),
    register("copydesk.instruction.cancel", () => sessions.input().cancel()),
    register("copydesk.instruction.earlier", () => sessions.input().turn(1)),
    register("copydesk.instruction.later", () => sessions.input().turn(-1)),
    register("copydesk.instruction.history", () => sessions.input().choose()),
    register("copydesk.showProgram", () => programs.show()),
    register("copydesk.showOutput", () => output.show()),
    register("copydesk.restart", () => server.restart()),
    register("copydesk.install", () => installing.install()),
    register("copydesk.getModel", () => model.get()),
    register("copydesk.showStatus", () => menu(server, model, installing)),
  ];
}

/** The lines a selection covers; one that ends at the start of a line does not cover that line. */
function linesOf(selection: vscode.Range): vscode.Range {
  const { start, end } = selection;
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return linesRange(start.line, last);
}

async function menu(server: Server, model: StandardModel, installing: Installing): Promise<void> {
  const engine = await server.client?.sendRequest(StatusRequest);
  const figures = engine === undefined ? [] : details(engine);
  const doing = (label: string, run: () => unknown): vscode.QuickPickItem & { run: () => unknown } => ({
    label,
    run,
  });
  const run = vscode.commands.executeCommand;
  const missing = engine === undefined && (await server.program().catch(() => [""])) === undefined;
  const better = typeof engine?.advice === "string";
  const picked = await vscode.window.showQuickPick(
    [
      ...(better ? [doing("$(cloud-download) Get the standard model", () => model.get())] : []),
      ...(missing ? [doing("$(cloud-download) Install the server", () => installing.install())] : []),
      doing("$(debug-restart) Restart the server", () => server.restart()),
      doing("$(output) Show the log", () => run("copydesk.showOutput")),
      doing("$(list-tree) Show the last program", () => run("copydesk.showProgram")),
      doing("$(gear) Settings", () => run("workbench.action.openSettings", "@ext:copydesk.copydesk")),
      { label: "", kind: vscode.QuickPickItemKind.Separator, run: () => undefined },
      ...figures.map((item) => ({ ...item, run: () => undefined })),
    ],
    { title: "Copydesk" },
  );
  await picked?.run();
}
