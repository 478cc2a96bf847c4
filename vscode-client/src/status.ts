// The status-bar item: the model and how it is, and a menu with details and a restart. Knows figures; starts nothing by itself.

import * as vscode from "vscode";
import type { EngineState, StatusParams } from "./protocol";

export type Phase = "missing" | "installing" | "stopped" | "starting" | "running";

const ICONS: Record<EngineState, string> = {
  idle: "$(circle-outline)",
  loading: "$(sync~spin)",
  ready: "$(edit-sparkle)",
  restarting: "$(sync~spin)",
  failed: "$(error)",
  closed: "$(circle-slash)",
};

const WORDS: Record<Phase, string> = {
  missing: "not installed",
  installing: "installing…",
  stopped: "stopped",
  starting: "starting…",
  running: "",
};

export class Status implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private phase: Phase = "stopped";
  private engine: StatusParams = { state: "idle", message: null };
  private running = 0;

  constructor() {
    this.item = vscode.window.createStatusBarItem("copydesk.status", vscode.StatusBarAlignment.Right, 100);
    this.item.name = "Copydesk";
    this.item.command = "copydesk.showStatus";
    this.draw();
    this.item.show();
  }

  /** What is shown, for a person who listens and for tests. */
  get text(): string {
    return this.item.text;
  }

  setPhase(phase: Phase): void {
    this.phase = phase;
    if (phase === "starting") {
      this.engine = { state: "idle", message: null };
    }
    this.draw();
  }

  /** `copydesk/status` said so. */
  setEngine(engine: StatusParams): void {
    this.engine = { ...this.engine, ...engine };
    this.draw();
  }

  /** Work that somebody waits for. */
  async busy<T>(work: Promise<T>): Promise<T> {
    this.running++;
    this.draw();
    try {
      return await work;
    } finally {
      this.running--;
      this.draw();
    }
  }

  dispose(): void {
    this.item.dispose();
  }

  private draw(): void {
    const { state, message } = this.engine;
    const what = this.describe();
    const busy = this.phase === "running" && this.running > 0;
    const icon = busy ? "$(loading~spin)" : this.icon();
    this.item.text = `${icon} copydesk${what === "" ? "" : `: ${what}`}`;
    this.item.accessibilityInformation = {
      label: `Copydesk: ${busy ? "busy, " : ""}${what}`,
      role: "button",
    };
    const bad = (this.phase === "running" && state === "failed") || this.phase === "missing";
    this.item.backgroundColor = bad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    const doing = this.phase !== "running" ? "" : busy ? "busy" : state;
    const better =
      this.phase === "running" && this.engine.advice ? "A better model can be had: click to get it" : "";
    this.item.tooltip = [
      this.item.text.replace(/\$\([^)]*\) /, ""),
      doing,
      message ?? "",
      better,
      "Click for details",
    ]
      .filter((line) => line !== "")
      .join("\n");
  }

  private icon(): string {
    switch (this.phase) {
      case "running":
        return ICONS[this.engine.state];
      case "starting":
      case "installing":
        return "$(sync~spin)";
      default:
        return "$(circle-slash)";
    }
  }

  private describe(): string {
    if (this.phase !== "running") {
      return WORDS[this.phase];
    }
    const { state, model, name, device } = this.engine;
    switch (state) {
      case "ready":
        return `${model ?? name ?? "model"} · ${device ?? "cpu"}`;
      case "loading":
        return "loading the model…";
      case "restarting":
        return "restarting…";
      case "failed":
        return "no model";
      default:
        return state;
    }
  }
}

/** The lines of a menu: what the figures of `copydesk/status` say. */
export function details(engine: StatusParams): vscode.QuickPickItem[] {
  const rows: [string, unknown][] = [
    ["Model", engine.name],
    ["Device", engine.device],
    ["Precision", engine.dtype],
    ["Languages", Array.isArray(engine.languages) ? engine.languages.join(", ") : undefined],
    ["State", engine.message === null ? engine.state : `${engine.state}: ${engine.message}`],
    ["Warm pages", engine.warm_pages],
    ["Cache", share(engine.cache_bytes, engine.cache_budget)],
    ["Open documents", engine.openDocuments],
    ["Inline completions", ghostText(engine.inlineCompletions)],
  ];
  return rows
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([label, value]) => ({ label, description: String(value), alwaysShow: true }));
}

function ghostText(counts: unknown): string | undefined {
  const { shown, accepted } = (counts ?? {}) as { shown?: number; accepted?: number };
  return shown ? `${shown} shown, ${accepted ?? 0} accepted` : undefined;
}

function share(used: unknown, budget: unknown): string | undefined {
  if (typeof used !== "number" || typeof budget !== "number") {
    return undefined;
  }
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 1048576)} MiB`;
  return `${mebibytes(used)} of ${mebibytes(budget)}`;
}
