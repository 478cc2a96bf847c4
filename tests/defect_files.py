"""Clean files for the tests of defects: a part of the standard library, the same one every time."""

from __future__ import annotations

import random
import sysconfig
from functools import cache
from pathlib import Path

from copydesk.training.defects.parsed import ParsedFile

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


@cache
def files() -> tuple[ParsedFile, ...]:
    """Those of `MODULES` and `TYPED` that this Python has and that parse, in a fixed order."""
    plain = _parsed(MODULES)
    random.Random(0).shuffle(plain)
    return (*plain, *_parsed(TYPED))


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
