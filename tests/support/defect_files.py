"""For the tests of defects: clean files, a part of the standard library, the same one every time; and which kinds of edits are
asked for in the words of more than one file."""

from __future__ import annotations

import random
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from copydesk_training.defects import KINDS
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.registry import draw
from copydesk_training.example import Example

MODULES = [
    "argparse", "ast", "asyncio/base_events", "asyncio/streams", "asyncio/tasks", "bdb", "calendar", "cmd",
    "codeop", "collections/__init__", "configparser", "contextlib", "copy", "csv", "dataclasses",
    "difflib", "dis", "doctest", "email/message", "enum", "filecmp", "fileinput", "fnmatch", "fractions",
    "functools", "gettext", "glob", "gzip", "heapq", "html/parser", "http/client", "http/cookies",
    "imaplib", "importlib/metadata/__init__", "inspect", "ipaddress", "json/decoder", "json/encoder",
    "logging/__init__", "mailbox", "mimetypes", "netrc", "optparse", "pathlib", "pdb", "pickle",
    "plistlib", "pprint", "queue", "quopri", "random", "reprlib", "sched", "shelve", "shlex", "shutil",
    "smtplib", "socketserver", "statistics", "string", "subprocess", "tarfile", "tempfile", "textwrap",
    "threading", "timeit", "tokenize", "trace", "traceback", "types", "unittest/case", "unittest/mock",
    "urllib/parse", "urllib/request", "uuid", "warnings", "wave", "weakref", "webbrowser", "zipfile",
]  # fmt: skip

TYPED = [
    "tomllib/_parser", "asyncio/timeouts", "importlib/resources/_legacy", "test/libregrtest/result",
    "test/libregrtest/runtests",
]  # fmt: skip
"""Annotated code, of which the others have none; they come last."""
LONGEST = 1200
"""Longer ones are left out: this is about kinds of code, not about much of it."""

WORDING_FILES: dict[str, tuple[str, ...]] = {
    "with_block": ("with_open", "with_lock"),
    "exception_type": ("exception_caught", "exception_raised"),
    "exception_chain": ("exception_chain", "exception_without_cause"),
    "exception_log": ("exception_log", "exception_log_pass"),
    "assert_to_raise": ("assert_to_raise", "assert_to_raise_text"),
    "enumerate": ("enumerate", "enumerate_item"),
    "keyword_only": ("keyword_only", "keyword_only_all"),
    "bail_out": ("bail_out", "guard_state"),
    "delete_line": ("delete_line", "delete_line_selected"),
    "comment_out": ("comment_out", "comment_out_selected"),
    "reword_text": ("reword_text", "reword_part"),
    "add_entry": ("add_entry", "add_argument"),
    "dict_get": ("dict_get", "dict_get_none"),
    "augmented_assignment": ("augmented",),
}
"""The files of `training/wordings/` that a kind draws from, where that is not one file of its own name."""


@cache
def files(*, typed: bool = False) -> tuple[ParsedFile, ...]:
    """Those of `MODULES` that this Python has and that parse, in a fixed order; with `typed` those of `TYPED` behind them."""
    plain = _parsed(MODULES)
    random.Random(0).shuffle(plain)
    return (*plain, *(_parsed(TYPED) if typed else ()))


def diagnosed(kind: str, seed: str) -> Iterator[Example]:
    """What one kind of defect draws from forty of the files, where a diagnostic reports it."""
    rng = random.Random(seed)
    for file in rng.sample(files(), 40):
        example = draw(KINDS[kind], file, rng)
        if example is not None and example.request.diagnostics:
            yield example


def _parsed(names: list[str]) -> list[ParsedFile]:
    root = Path(sysconfig.get_path("stdlib"))
    found: list[ParsedFile] = []
    for name in names:
        path = root / f"{name}.py"
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if text.count("\n") > LONGEST:
                continue
            try:
                found.append(ParsedFile(text))
            except (SyntaxError, ValueError):
                continue
    return found
