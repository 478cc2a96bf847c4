// Edits of a JSON file, which no model that comes with copydesk has learnt: they are asked about, and whatever is accepted parses.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Box, scenarios } from "../box.ts";
import { Workbench } from "../workbench.ts";

const TEXT =
  '{\n  "name": "demo",\n  "version": "1.0.0",\n  "private": false,\n  "scripts": {\n    "test": "node --test"\n  }\n}\n';
const FILES = TEXT.replace(/"scripts": .*\n.*\n  }/, '"files": ["lib"]');
const LINES: [number, number] = [2, 7];
const ASKED = "set private to true";

let bench: Workbench;
let box: Box;
const { scenario, failed } = scenarios(test);

before(async () => {
  bench = await Workbench.open({
    files: { "data.json": TEXT, "rejected.json": TEXT, "package.json": FILES },
    settings: { "copydesk.languages": ["python", "json"], "copydesk.precompute": false },
  });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

scenario("it is asked about, with its probability; accepted, the file parses", async () => {
  await box.ask("data.json", LINES, ASKED);
  await box.shown();
  await box.thread.filter({ hasText: /\d+%: Insert/ }).waitFor();
  await bench.picture("json");
  assert.equal(bench.read("data.json"), TEXT, "nothing is written before");
  await bench.focus();
  await bench.page.keyboard.press("Control+Enter");
  await bench.dirty("data.json");
  await box.gone();
  await bench.focus();
  await bench.page.keyboard.press("Control+S");
  await bench.until(async () => bench.read("data.json") !== TEXT, "it to be saved");
  const saved = bench.read("data.json");
  JSON.parse(saved);
  assert.ok(saved.startsWith("{\n") && saved.endsWith("}\n"), "no line outside the selection is touched");
});

scenario("rejected, nothing has happened", async () => {
  await box.ask("rejected.json", LINES, ASKED);
  await box.shown();
  await bench.page.keyboard.press("Escape");
  await bench.saved("rejected.json", TEXT);
});

scenario("what breaks the schema is refused in words", async () => {
  await box.write("package.json", [2, 5], ASKED);
  await box.refused("Copydesk changed nothing: the result breaks the schema of package.json");
  const shown = box.thread.locator(".review-comment-contents");
  const [width, room] = await shown.evaluate((one: Element) => [one.scrollWidth, one.clientWidth]);
  assert.ok(width <= room, "the sentence wraps");
  await bench.picture("json-refused");
  assert.equal(bench.read("package.json"), FILES);
});
