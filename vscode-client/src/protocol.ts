// What this client and the server say to each other beyond LSP. ARCHITECTURE.md has the table; nothing here acts.

import {
  NotificationType,
  type Position,
  type Range,
  RequestType,
  RequestType0,
  type TextDocumentEdit,
  type Diagnostic as WireDiagnostic,
  type WorkspaceEdit,
} from "vscode-languageclient/node";

/** The client speaks of a text by its version: what has changed since is for the server to judge. */
export interface VersionedDocument {
  uri: string;
  version: number;
}

export interface EditParams {
  textDocument: VersionedDocument;
  range?: Range;
  instruction?: string;
  diagnostic?: WireDiagnostic;
  /** Asks for hunks, named so. */
  token?: string;
  /** Named, so that the server does not ask for a progress bar of its own. */
  workDoneToken?: string;
}

export type EditStatus = "edited" | "unchanged" | "refused" | "failed";

export type Verdict = "confirmed" | "checked" | "unsure" | "refused" | "unchanged";

/** One of the edits that an unsure answer leaves to the person. `edit` is null where it changes nothing, or a check refuses it. */
export interface Alternative {
  title: string;
  /** From 0 to 1. */
  probability: number;
  edit: WorkspaceEdit | null;
  program: string | null;
  verdict: Verdict;
  applicability: "safe" | "unsafe";
  reason: string | null;
  checks: string[];
}

export interface EditAnswer {
  status: EditStatus;
  reason: string | null;
  /** The version `edit` is for. */
  version: number;
  edit: WorkspaceEdit | null;
  program: string | null;
  baseVersion: number;
  verdict: Verdict;
  applicability: "safe" | "unsafe";
  checks: string[];
  ms: Record<string, number>;
  /** How likely the edit is among those the model chose from; null where it did not choose so. */
  confidence: number | null;
  /** Of an unsure answer, for this very version; the likeliest first. A server of the person's own choice may know none. */
  alternatives?: Alternative[];
}

export interface HunkParams {
  token: string;
  seq: number;
  baseVersion: number;
  edit: TextDocumentEdit;
}

export type Origin = "copied" | "generated" | "substituted";

/** `parts` is null where `count` copied lines are far from any change. */
export interface ProgramRow {
  line: number;
  count: number;
  origin: Origin;
  op: string;
  parts: [Origin, string][] | null;
}

export interface LastProgram {
  uri: string;
  status: EditStatus;
  reason: string | null;
  verdict: string;
  applicability: string;
  program: string;
  lines: ProgramRow[];
  counts: Record<string, number>;
  ms: Record<string, number>;
}

export type EngineState = "idle" | "loading" | "ready" | "restarting" | "failed" | "closed";

/** Who reports on Python: another tool, ruff in copydesk for want of one, or nobody. */
export type Linter = "other" | "ruff" | "none";

export interface StatusParams {
  state: EngineState;
  message: string | null;
  model?: string;
  name?: string;
  device?: string;
  dtype?: string;
  /** How to get a better model; null where there is none to be had. */
  advice?: string | null;
  linter?: Linter;
  [figure: string]: unknown;
}

export const EditRequest = new RequestType<EditParams, EditAnswer, void>("copydesk/edit");
export const ProgramRequest = new RequestType0<LastProgram | null, void>("copydesk/program");
export const StatusRequest = new RequestType0<StatusParams, void>("copydesk/status");

export const HunkNotification = new NotificationType<HunkParams>("copydesk/hunk");
export const RetractNotification = new NotificationType<{ token: string }>("copydesk/retract");
export const StatusNotification = new NotificationType<StatusParams>("copydesk/status");
export const DiagnosticsNotification = new NotificationType<{
  uri: string;
  version: number;
  diagnostics: WireDiagnostic[];
}>("copydesk/diagnostics");
/** There is more to show than the server answered when it was last asked for inline completions. */
export interface MoreInlineCompletions {
  uri: string;
  version: number;
  position: Position;
}

export const InlineCompletionsNotification = new NotificationType<MoreInlineCompletions>(
  "copydesk/inlineCompletions",
);
export const VisibleRangesNotification = new NotificationType<{ uri: string; ranges: Range[] }>(
  "copydesk/visibleRanges",
);

/** The text a request was about has changed. */
export const CONTENT_MODIFIED = -32801;
/** The person, or a newer request, has put an end to a request. */
export const CANCELLED = -32800;
