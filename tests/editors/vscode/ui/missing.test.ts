// A machine without the server: the status says so and mends it, and so does the key for an instruction, as often as it is pressed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { scenarios } from "../box.ts";
import { Workbench } from "../workbench.ts";

let bench: Workbench;
const { scenario, failed } = scenarios(test);

before(async () => {
  bench = await Workbench.open({
    files: { "one.py": "import os\n" },
    settings: { "copydesk.command": [] },
    linter: false,
    env: { PATH: "/usr/bin:/bin", PYTHONPATH: "" },
  });
  await bench.load();
});
after(async () => bench?.close(failed()));

const offers = (): ReturnType<typeof bench.page.locator> =>
  bench.page.locator(".notifications-center .notification-list-item", {
    hasText: "language server is not installed",
  });

scenario("the status says what is missing, with a button", async () => {
  await bench.edit("one.py");
  await bench.page.locator(".statusbar-item", { hasText: "copydesk: not installed" }).first().waitFor();
  await bench.command("Copydesk: Show Status");
  const row = bench.page.locator(".quick-input-list .monaco-list-row", {
    hasText: "The language server is not installed",
  });
  await row.filter({ hasText: "Install" }).waitFor();
  await bench.picture("missing");
  await bench.page.keyboard.press("Escape");
});

scenario("the key for an instruction offers it again", async () => {
  await bench.page.locator('[id="status.notifications"]').click();
  await offers().first().waitFor();
  await bench.page.mouse.move(0, 0); // what the bell says of itself would lie over the button
  await offers().first().locator(".monaco-button", { hasText: "Not Now" }).click();
  await offers().first().waitFor({ state: "detached" });
  await bench.goTo(1);
  await bench.page.keyboard.press("Control+Alt+E");
  await bench.until(async () => {
    if ((await offers().count()) === 0) {
      await bench.page.locator('[id="status.notifications"]').click();
    }
    return (await offers().count()) === 1;
  }, "another offer");
  assert.equal(await bench.page.locator(".review-widget").count(), 0, "no box that nobody could answer");
});
