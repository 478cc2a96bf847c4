// An installation of the server in the extension's own storage: a virtual environment with pinned versions, made from the wheel and
// the constraints that this extension carries. Whole or not there: one that was interrupted is made anew.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type * as vscode from "vscode";
import { isProgram, onPath } from "./executable";
import { run } from "./processes";
import { find } from "./python";

const DONE = "installed.json";
const WINDOWS = process.platform === "win32";

/** Where an installation is told how far it is. */
export interface Report {
  step(message: string): void;
  line(text: string): void;
}

export interface Choices {
  /** The interpreter to make it from; empty to look for one. */
  python: string;
  /** The package index of CPU builds of torch; empty for none. */
  torchIndex: string;
}

export class Installation {
  /** `bundle`: the folder with the wheel and `constraints.txt`. `storage`: the extension's own. */
  constructor(
    private readonly bundle: string,
    private readonly storage: string,
  ) {}

  /** The program that starts the server; undefined where nothing is installed, or another version than this extension's. */
  async program(): Promise<string | undefined> {
    const folder = await this.folder();
    const program = path.join(binaries(folder), WINDOWS ? "copydesk.exe" : "copydesk");
    try {
      await readFile(path.join(folder, DONE));
    } catch {
      return undefined;
    }
    return (await isProgram(program)) ? program : undefined;
  }

  /** Make it. Rejects with CancelledError, ProcessError or NoPythonError; what was there stays until it is replaced. */
  async install(choices: Choices, report: Report, token: vscode.CancellationToken): Promise<string> {
    const folder = await this.folder();
    await mkdir(this.storage, { recursive: true });
    report.step("looking for Python");
    const python = await find(choices.python, token, this.storage);
    report.line(`using ${python}`);
    await rm(folder, { recursive: true, force: true });
    try {
      await this.build(python, folder, choices, report, token);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    await this.removeOthers(folder);
    const program = await this.program();
    if (program === undefined) {
      throw new Error(`nothing to run was installed in ${folder}`);
    }
    return program;
  }

  private async build(
    python: string,
    folder: string,
    choices: Choices,
    report: Report,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const options = {
      cwd: this.storage,
      token,
      env: environment(),
      onLine: (line: string) => report.line(line),
    };
    report.step("making an environment");
    await run(python, ["-I", "-m", "venv", folder], options);
    const constraints = path.join(this.bundle, "constraints.txt");
    const inside = path.join(binaries(folder), WINDOWS ? "python.exe" : "python");
    const pip = async (what: string, ...args: string[]): Promise<void> => {
      report.step(what);
      const head = ["-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install"];
      await run(inside, [...head, "--progress-bar", "off", "--constraint", constraints, ...args], {
        ...options,
        onLine: (line) => {
          report.line(line);
          const step = progressOf(line);
          if (step !== undefined) {
            report.step(`${what}: ${step}`);
          }
        },
      });
    };
    // torch comes first: left to a range, it would be the newest build with all of CUDA.
    const index =
      choices.torchIndex !== "" && !(await hasCuda()) ? ["--extra-index-url", choices.torchIndex] : [];
    await pip("installing torch", ...index, "torch");
    await pip("installing copydesk", `${await this.wheel()}[ruff]`);
    await writeFile(
      path.join(folder, DONE),
      JSON.stringify({ python, wheel: path.basename(await this.wheel()) }),
    );
  }

  /** One folder per wheel and constraints: another version of the extension has another installation. */
  private async folder(): Promise<string> {
    const hash = createHash("sha256");
    hash.update(await readFile(await this.wheel()));
    hash.update(await readFile(path.join(this.bundle, "constraints.txt")));
    return path.join(this.storage, `server-${hash.digest("hex").slice(0, 12)}`);
  }

  private async wheel(): Promise<string> {
    const name = (await readdir(this.bundle)).find((file) => file.endsWith(".whl"));
    if (name === undefined) {
      throw new Error("this build of the extension carries no server");
    }
    return path.join(this.bundle, name);
  }

  private async removeOthers(kept: string): Promise<void> {
    for (const name of await readdir(this.storage)) {
      const folder = path.join(this.storage, name);
      if (name.startsWith("server-") && folder !== kept) {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }
}

/** What a line of pip's says of how far it is; undefined for the others. */
export function progressOf(line: string): string | undefined {
  const found = /^\s*(Collecting|Downloading|Using cached|Installing collected packages)\b:? ?(\S*)/.exec(
    line,
  );
  if (found === null) {
    return undefined;
  }
  const [, what = "", name = ""] = found;
  return what.startsWith("Installing") ? "unpacking" : name.replace(/^.*\//, "");
}

/** CUDA is there where its driver's own tool is. */
async function hasCuda(): Promise<boolean> {
  return (await onPath("nvidia-smi")) !== undefined;
}

function binaries(folder: string): string {
  return path.join(folder, WINDOWS ? "Scripts" : "bin");
}

/** pip's own configuration counts; whatever would make it install elsewhere does not. */
function environment(): NodeJS.ProcessEnv {
  const {
    PIP_TARGET: _t,
    PIP_PREFIX: _p,
    PIP_USER: _u,
    PYTHONPATH: _y,
    PYTHONHOME: _h,
    ...rest
  } = process.env;
  return rest;
}
