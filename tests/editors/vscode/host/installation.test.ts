// The installation as it can fail: cancelled, without a Python, without a registry. `ui/newcomer.test.ts` has it succeed.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { Installation, progressOf } from "../../../../vscode-client/src/installation";
import { progressOf as progressOfModel } from "../../../../vscode-client/src/model";
import { CancelledError, ProcessError } from "../../../../vscode-client/src/processes";
import { NoPythonError } from "../../../../vscode-client/src/python";
import { test } from "./harness";

const bundle = (): string => {
  const extension = vscode.extensions.getExtension("copydesk.copydesk");
  assert.ok(extension);
  return path.join(extension.extensionPath, "bundle");
};
const CHOICES = { python: process.env.PYTHON_OF_TESTS ?? "", torchIndex: "" };

async function within(run: (storage: string) => Promise<void>): Promise<void> {
  const storage = mkdtempSync(path.join(tmpdir(), "copydesk-storage-"));
  try {
    await run(storage);
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

test("cancelled in the middle, nothing is left of it", async () => {
  await within(async (storage) => {
    const installation = new Installation(bundle(), storage);
    const source = new vscode.CancellationTokenSource();
    const report = {
      line: () => undefined,
      step: (message: string) => {
        if (message.startsWith("installing torch")) {
          source.cancel();
        }
      },
    };
    await assert.rejects(installation.install(CHOICES, report, source.token), CancelledError);
    assert.deepEqual(readdirSync(storage), []);
    assert.equal(await installation.program(), undefined);
  });
});

test("a Python that is none, and an index that is none: the reason is said", async () => {
  await within(async (storage) => {
    const installation = new Installation(bundle(), storage);
    const { token } = new vscode.CancellationTokenSource();
    const report = { line: () => undefined, step: () => undefined };
    const bad = { ...CHOICES, python: "/bin/sh" };
    await assert.rejects(installation.install(bad, report, token), NoPythonError);
    const nowhere = {
      PIP_INDEX_URL: "http://127.0.0.1:9/simple",
      PIP_CONFIG_FILE: "/dev/null",
      PIP_FIND_LINKS: "",
      PIP_EXTRA_INDEX_URL: "",
      PIP_RETRIES: "0",
    };
    const before = { ...process.env };
    try {
      Object.assign(process.env, nowhere);
      await assert.rejects(installation.install(CHOICES, report, token), ProcessError);
    } finally {
      for (const name of Object.keys(nowhere)) {
        process.env[name] = before[name];
        if (before[name] === undefined) {
          delete process.env[name];
        }
      }
    }
    assert.deepEqual(readdirSync(storage), []);
  });
});

test("pip's lines as progress", async () => {
  assert.equal(progressOf("Collecting torch==2.13.0"), "torch==2.13.0");
  assert.equal(
    progressOf("  Downloading https://host/a/b/torch-2.13.0-cp311.whl (200 MB)"),
    "torch-2.13.0-cp311.whl",
  );
  assert.equal(progressOf("Installing collected packages: a, b"), "unpacking");
  assert.equal(progressOf("Requirement already satisfied: a"), undefined);
});

test("the model command's lines as progress", () => {
  assert.equal(progressOfModel("downloading 40%"), "downloading 40%");
  assert.equal(progressOfModel("waiting for another copydesk"), "waiting for another copydesk");
  assert.equal(progressOfModel("/home/me/.cache/copydesk/models/standard"), undefined);
  assert.equal(progressOfModel("copydesk: the disk is full"), undefined);
});
