// A reporter of node:test: the test files that something failed in, one a line. Node's own `--test-rerun-failures` knows tests by where
// they are written, and all scenarios of a window are written in `box.ts`: it takes those that failed for others that passed.

import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === "test:summary" && event.data.file !== undefined && !event.data.success) {
      yield `${event.data.file}\n`;
    }
  }
}
