// The installation's tests, in a window of their own: they take a while.

import "./installation.test";
import { runAll } from "./harness";

export const run = runAll;
