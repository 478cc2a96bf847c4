// Runs a program to its end, line by line, and ends it with all it has started when it is cancelled. Knows no program.

import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type * as vscode from "vscode";

export interface Options {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
  token?: vscode.CancellationToken;
}

export class CancelledError extends Error {}

export class ProcessError extends Error {
  constructor(
    readonly program: string,
    readonly code: number | null,
    readonly output: readonly string[],
  ) {
    super(output.findLast((line) => line.trim() !== "") ?? `${program} ended with code ${code}`);
  }
}

/** What it wrote, by lines. Rejects with ProcessError where it fails, with CancelledError where it was cancelled. */
export async function run(program: string, args: readonly string[], options: Options): Promise<string[]> {
  const windows = process.platform === "win32";
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: !windows, // a group of its own, so that what it starts ends with it
    windowsHide: true,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      options.onLine?.(line);
    });
  }
  const cancel = options.token?.onCancellationRequested(() => kill(child));
  try {
    const code = await ended(child);
    if (options.token?.isCancellationRequested) {
      throw new CancelledError();
    }
    if (code !== 0) {
      throw new ProcessError(program, code, lines);
    }
    return lines;
  } finally {
    cancel?.dispose();
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined) {
    return;
  }
  if (process.platform === "win32") {
    const taskkill = path.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
    spawn(taskkill, ["/pid", String(child.pid), "/t", "/f"], { windowsHide: true });
    return;
  }
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    child.kill("SIGTERM");
  }
}
