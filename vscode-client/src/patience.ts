// What a person is told who waits longer than usual: that the engine works on, or that it does not answer at all.

import * as vscode from "vscode";
import { type StatusParams, StatusRequest } from "./protocol";
import type { Server } from "./server";

/** Milliseconds after which they are told, and in which an engine that works says so. */
const LONG = 5000;
const ANSWER = 2000;

/** Until it is disposed of: look every now and then how the engine is, and say so. */
export function whenSlow(server: Server, say: (what: string) => void): vscode.Disposable {
  const begun = Date.now();
  let over = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const alive = responds(await statusOf(server));
    if (!over) {
      const seconds = Math.round((Date.now() - begun) / 1000);
      say(alive ? `still working after ${seconds} s…` : `the engine has not responded for ${seconds} s`);
      timer = setTimeout(() => void look(), LONG);
    }
  };
  timer = setTimeout(() => void look(), LONG);
  return new vscode.Disposable(() => {
    over = true;
    clearTimeout(timer);
  });
}

/** How the engine is; undefined where the server does not say so in time. */
export async function statusOf(server: Server): Promise<StatusParams | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ANSWER));
  const answered = server.client?.sendRequest(StatusRequest).catch(() => undefined);
  return Promise.race([late, answered]);
}

/** Whether the engine does what it is asked: one that stands still gives no figures of its own. */
export function responds(engine: StatusParams | undefined): boolean {
  return engine !== undefined && (engine.state !== "ready" || engine.warm_pages !== undefined);
}
