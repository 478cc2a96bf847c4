// What the extension host runs: the window names this file's bundle as `extensionTestsPath`.

import "./hunks.test";
import "./installation.test";
import "./places.test";
import "./session.test";
import "./staleness.test";
import { runAll } from "./harness";

export const run = runAll;
