// What the extension host runs: the window names this file's bundle as `extensionTestsPath`.

import "./staleness.test";
import "./places.test";
import { runAll } from "./harness";

export const run = runAll;
