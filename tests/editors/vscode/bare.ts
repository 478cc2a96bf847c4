// A bare client of the same server, without any editor: what the server says an edit is, to hold the saved file against.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { ROOT, serverCommand } from "./workbench.ts";

const require = createRequire(path.join(ROOT, "vscode-client/package.json"));
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require("vscode-jsonrpc/node");
const { TextDocument } = require("vscode-languageserver-textdocument");

export interface Wanted {
  text: string;
  /** Whole lines, 1-based and inclusive. */
  lines: [number, number];
  instruction: string;
}

/** The text that each edit comes to. One server for all. */
export async function results(wanted: readonly Wanted[]): Promise<string[]> {
  const [program = "", ...args] = serverCommand();
  const server = spawn(program, [...args, "lsp"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, OMP_NUM_THREADS: "1", HF_HUB_OFFLINE: "1" },
  });
  const gone = new Promise((resolve) => server.once("exit", resolve));
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  try {
    const settings = { precompute: false, requestTimeout: 600 }; // the first answer waits for the model
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions: { copydesk: { settings } },
    });
    await connection.sendNotification("initialized", {});
    const found: string[] = [];
    for (const [index, { text, lines, instruction }] of wanted.entries()) {
      const uri = `untitled:${index}.py`;
      const document = TextDocument.create(uri, "python", 1, text);
      await connection.sendNotification("textDocument/didOpen", {
        textDocument: { uri, languageId: "python", version: 1, text },
      });
      const range = { start: { line: lines[0] - 1, character: 0 }, end: { line: lines[1], character: 0 } };
      const textDocument = { uri, version: 1 };
      const answer = await connection.sendRequest("copydesk/edit", { textDocument, range, instruction });
      found.push(TextDocument.applyEdits(document, answer.edit?.documentChanges[0].edits ?? []));
    }
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    await gone;
    return found;
  } finally {
    server.kill(); // it would keep the tests from ending where a request failed
    connection.dispose();
  }
}
