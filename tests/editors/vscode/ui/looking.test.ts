// A fix that nobody knows yet: while it is looked for there is a spinner, which says so where the engine stands still; where nothing comes
// of it, the bulb goes. The engine is scripted: it changes nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Box, scenarios, scripted } from "../box.ts";
import { Workbench } from "../workbench.ts";

// One finding, since Enter takes the first of the menu, where no refactoring is offered, for which the bulb would stay.
const TEXT = "class One:\n    pass\n\n\nclass One:\n    pass\n\n\nprint(One())\n";
const TITLE = "Look for a fix: Redefinition of unused `One`";

let bench: Workbench;
let box: Box;
const { scenario, failed } = scenarios(test);

before(async () => {
  bench = await Workbench.open({ files: { "one.py": TEXT, "two.py": TEXT }, linter: false, ...scripted() });
  await bench.load();
  box = new Box(bench);
});
after(async () => bench?.close(failed()));

const bulbs = (): ReturnType<typeof bench.page.locator> =>
  bench.page.locator('.lightBulbWidget:visible, [class*="codicon-gutter-lightbulb"]:visible');

async function look(name: string): Promise<void> {
  await bench.edit(name);
  await bench.ready();
  await bench.squiggle();
  await bench.goTo(5, 7);
  await bulbs().first().waitFor();
  await bench.lightBulb(TITLE);
  await bench.page.keyboard.press("Enter");
}

scenario("it changed nothing: the person is told why, and the bulb goes", async () => {
  await look("one.py");
  await bench.notified("Copydesk changed nothing");
  await bench.until(async () => (await bulbs().count()) === 0, "the bulb to go");
  assert.equal(bench.read("one.py"), TEXT);
});

scenario("while it takes long there is a spinner, and a stalled engine is said so", async () => {
  const told = bench.page.locator(".notifications-center .notification-list-item", {
    hasText: "Copydesk: fixing",
  });
  await box.held(async () => {
    await look("two.py");
    await bench.page.locator('[id="status.notifications"]').click();
    await told.first().waitFor();
    await told.filter({ hasText: /the engine has not responded for \d+ s/ }).waitFor();
    await bench.picture("fix-stalled");
  });
  await told.first().waitFor({ state: "detached" });
  assert.equal(bench.read("two.py"), TEXT);
});
