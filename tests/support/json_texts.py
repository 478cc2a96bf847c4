"""JSON for tests: values, effects of both kinds of JSON, and goals."""

from hypothesis import strategies as st

from copydesk.pushdown.automaton import ACCEPTED
from copydesk.pushdown.effects import Effects, LineEffects
from copydesk.pushdown.goals import Goal
from copydesk.pushdown.json_grammar import json_automaton

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
EFFECTS = {comments: Effects(json_automaton(comments)) for comments in (False, True)}


def goal_behind(effects: Effects, lines: list[str], place: int) -> Goal:
    """What has to be reached in front of the lines behind line `place`, for the whole to be a text of the language."""
    rest = LineEffects(effects, lines).of(place + 1, len(lines)) + effects.end
    return Goal(
        effects.automaton,
        {
            state: {old for old, new in cases if new == (ACCEPTED,)}
            for state, (_, cases) in rest.behind.items()
        },
    )


PACKAGE = """{
  "name": "left-pad",
  "version": "1.3.0",
  "description": "String left pad — ünïcödé",
  "main": "index.js",
  "scripts": {
    "test": "node test",
    "bench": "node perf/perf.js"
  },
  "keywords": ["leftpad", "left", "pad"],
  "repository": {
    "type": "git",
    "url": "git@github.com:stevemao/left-pad.git"
  },
  "devDependencies": {
    "benchmark": "^2.1.0",
    "fast-check": "0.0.8",
    "tape": "*"
  },
  "files": [],
  "engines": {},
  "private": false
}
"""
TSCONFIG = """{
  // What the compiler is given.
  "compilerOptions": {
    "target": "ES2022", /* and
       nothing older */
    "strict": true,
    "paths": {"@/*": ["./src/*"]},
    "lib": [
      "ES2022",
      "DOM",
    ],
  },
  "include": ["src"],
  // "exclude" is not needed.
}
"""
WORKFLOW = """{"name": "ci",
 "on": {"push": {"branches": ["main"]}, "pull_request": null},
 "jobs": {
  "test": {"runs-on": "ubuntu-latest", "steps": [
    {"uses": "actions/checkout@v4"},
    {"run": "npm ci && npm test", "env": {"CI": true, "RETRIES": 3, "RATE": -1.5e-3}}
  ]}
 }}"""
ROWS = "[\n" + ",\n".join(f"  [{n}, {n * n}, [{n % 3}, [true]]]" for n in range(12)) + "\n]\n"
NESTED = "\n".join(["["] * 24 + ['{"leaf": "\\u00e9\\n"}'] + ["]"] * 24) + "\n"
DOCUMENTS = {"json": [PACKAGE, WORKFLOW, ROWS, NESTED, "0\n", "{}\n", '"text"'], "jsonc": [TSCONFIG, PACKAGE]}
"""Documents by language. Each parses."""
