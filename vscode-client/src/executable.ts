// Which program starts the server: the setting's, the extension's own installation, or the first on PATH. Never one that lies in
// an opened folder: opening a folder must not run what is in it.

import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";

const WINDOWS = process.platform === "win32";

/** The first file on PATH with one of these names that may be run; undefined for none. */
export async function onPath(...names: string[]): Promise<string | undefined> {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const endings = WINDOWS ? [".exe", ".cmd", ".bat"] : [""];
  for (const name of names) {
    for (const folder of folders) {
      for (const ending of endings) {
        const file = path.join(folder, name + ending);
        if ((await isProgram(file)) && !(await inWorkspace(file))) {
          return file;
        }
      }
    }
  }
  return undefined;
}

/** Whether a file is there and may be run. */
export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Whether a file lies in an opened folder, or is a link into one. */
export async function inWorkspace(file: string): Promise<boolean> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const real = [file, await resolved(file)];
  for (const folder of [...folders, ...(await Promise.all(folders.map(resolved)))]) {
    if (real.some((one) => contains(folder, one))) {
      return true;
    }
  }
  return false;
}

function contains(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

async function resolved(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return file;
  }
}
