// Tests that run inside the extension host: a list of them, run one after the other, said to the console and told by the exit code.

type Test = { name: string; run: () => Promise<void> };

const DEADLINE = 60_000;
const tests: Test[] = [];

/** Declare a test. */
export function test(name: string, run: () => Promise<void>): void {
  tests.push({ name, run });
}

/** Run them all. Rejects where one of them fails, after all have run. */
export async function runAll(): Promise<void> {
  const failed: string[] = [];
  for (const { name, run } of tests) {
    try {
      await run();
      console.log(`host ok: ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`host failed: ${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
    }
  }
  if (failed.length > 0) {
    throw new Error(`${failed.length} of ${tests.length} failed: ${failed.join("; ")}`);
  }
  console.log(`host done: ${tests.length} passed`);
}

/** Wait for a condition. */
export async function until(
  ready: () => boolean | Promise<boolean>,
  what: string,
  deadline = DEADLINE,
): Promise<void> {
  const end = Date.now() + deadline;
  while (!(await ready())) {
    if (Date.now() > end) {
      throw new Error(`waited ${deadline / 1000} s for ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
