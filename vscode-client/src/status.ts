// The status-bar item: the model and how it is, and a menu with details and a restart. Knows figures; starts nothing by itself.

import * as vscode from "vscode";
import { inMarkdown } from "./plain_text";
import type { EngineState, Linter, StatusParams } from "./protocol";
import { done } from "./walkthrough";

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

/** Something that is not there, and the command that mends it. */
export interface Missing {
  what: string;
  mend: string;
  command: string;
}

const LINTERS: Partial<Record<Linter, string>> = {
  ruff: "No linter found: using ruff",
  none: "No linter found, and no ruff to use instead",
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

  /** What an edit waits for before it is worked on; undefined where the engine is ready. */
  get waiting(): string | undefined {
    if (this.phase !== "running") {
      return "starting the server…";
    }
    return this.engine.state === "ready" ? undefined : "loading the model…";
  }

  /** Whether there is a better model to be had. */
  get advice(): boolean {
    return this.phase === "running" && typeof this.engine.advice === "string";
  }

  /** What would make it better if it were there. */
  get missing(): Missing[] {
    if (this.phase === "missing") {
      return [{ what: "The language server is not installed", mend: "Install", command: "copydesk.install" }];
    }
    const linter = this.phase === "running" && this.engine.linter ? LINTERS[this.engine.linter] : undefined;
    return [
      ...(this.advice
        ? [{ what: "Standard model not installed", mend: "Get It", command: "copydesk.getModel" }]
        : []),
      ...(linter === undefined
        ? []
        : [{ what: linter, mend: "Find a Linter", command: "copydesk.findLinter" }]),
    ];
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
    if (this.engine.state === "ready" && this.engine.model === "standard") {
      done("standardModel");
    }
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
    const missing = this.missing;
    const hint = missing.length > 0 && this.phase === "running" ? " $(info)" : "";
    this.item.text = `${icon} copydesk${what === "" ? "" : `: ${what}`}${hint}`;
    this.item.accessibilityInformation = {
      label: [`Copydesk: ${busy ? "busy, " : ""}${what}`, ...missing.map((one) => one.what)].join(". "),
      role: "button",
    };
    const bad = (this.phase === "running" && state === "failed") || this.phase === "missing";
    this.item.backgroundColor = bad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    const doing = this.phase !== "running" ? "" : busy ? "busy" : state;
    const tooltip = new vscode.MarkdownString(undefined, true);
    tooltip.isTrusted = { enabledCommands: missing.map(({ command }) => command) };
    for (const line of [this.item.text.replace(/\$\([^)]*\) ?/g, ""), doing, message ?? ""]) {
      tooltip.appendMarkdown(`${inMarkdown(line)}\n\n`);
    }
    for (const { what: lacking, mend, command } of missing) {
      tooltip.appendMarkdown(`$(info) ${lacking}. [${mend}](command:${command})\n\n`);
    }
    this.item.tooltip = tooltip.appendMarkdown("Click for details");
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
