// Finds a Python to make an environment from: the setting's, or the newest on PATH that is new enough.

import path from "node:path";
import type * as vscode from "vscode";
import { inWorkspace, onPath } from "./executable";
import { run } from "./processes";

/** As the package asks (`requires-python`); newer ones than the pins were made for come last. */
const MINOR = ["3.12", "3.11", "3.13", "3.14"];
const OLDEST = [3, 11] as const;

export class NoPythonError extends Error {}

/** An interpreter of 3.11 or newer. `wanted`: the setting. Rejects with NoPythonError. */
export async function find(wanted: string, token: vscode.CancellationToken, cwd: string): Promise<string> {
  if (wanted !== "") {
    if (!path.isAbsolute(wanted) || (await inWorkspace(wanted))) {
      throw new NoPythonError(
        "The setting copydesk.python must be an absolute path outside of the opened folders.",
      );
    }
    if (!(await suits(wanted, token, cwd))) {
      throw new NoPythonError(`${wanted} is no Python ${OLDEST.join(".")} or newer.`);
    }
    return wanted;
  }
  for (const name of [...MINOR.map((minor) => `python${minor}`), "python3", "python"]) {
    const program = await onPath(name);
    if (program !== undefined && (await suits(program, token, cwd))) {
      return program;
    }
  }
  throw new NoPythonError(
    `Copydesk needs Python ${OLDEST.join(".")} or newer. Install one, or name it in the setting copydesk.python.`,
  );
}

async function suits(program: string, token: vscode.CancellationToken, cwd: string): Promise<boolean> {
  const script = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
  try {
    const said = await run(program, ["-I", "-c", script], { cwd, token });
    const [major = 0, minor = 0] = (said.at(-1) ?? "").split(" ").map(Number);
    return major === OLDEST[0] && minor >= OLDEST[1];
  } catch {
    return false;
  }
}
