"""Which files are fit to learn from: hand-written library code, once each, and nothing that is measured on.

Tests and benchmarks, vendored and generated code, data in disguise and copies are refused, each with a reason that the
manifest counts. Knows single files and what it has seen; nothing of packages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from copydesk.errors import TrainingError

_TEST_FOLDER = re.compile(
    r"(?i)^(tests?|testsuite|.*_tests?|tests?_.*|benchmarks?|.*_benchmarks?|asv_bench|fixtures?)$"
)
_TEST_FILE = re.compile(r"(?i)^(test|tests|test_.*|.*_tests?|conftest|bench_.*|.*_bench|.*benchmark.*)$")
_VENDORED = re.compile(
    r"(?i)^(_?vendor(ed|ing)?|_?vendored?_.*|third_?party|extern(al)?s?|_click|pythonwin)$"
)
_GENERATED = re.compile(
    r"(?im)(^\s*#.*\bgenerated (by|from|using)|auto[- ]?generated|automatically generated|@generated"
    r"|do not edit|this file (is|was) generated)"
)
_EVALUATION = re.compile(r"(?i)humaneval|human_eval|\bMBPP\b")
_HEADER = re.compile(r"^\s*def \w+\(.*\).*:\s*$")
_SHINGLE = 5
"""So many code lines in a row are a passage; files that share passages with a held-out one are copies of it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes, lines or characters."""

    file_bytes: int = 200_000
    least_bytes: int = 400
    least_lines: int = 15
    line_characters: int = 240
    package_bytes: int = 8_000_000
    """The share of one package: what is larger is sampled."""
    heldout_overlap: float = 0.15
    """The share of a file's passages that may also stand in held-out packages."""


def refusal(path: str, data: bytes, limits: Limits) -> tuple[str | None, str | None]:
    """The text of a file and None, or None and why it is refused."""
    if (reason := refusal_of_path(path)) is not None:
        return None, reason
    if len(data) > limits.file_bytes:
        return None, "too large"
    if len(data) < limits.least_bytes:
        return None, "too small"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None, "not UTF-8"
    reason = refusal_of_text(text, limits)
    return (text, None) if reason is None else (None, reason)


def refusal_of_path(path: str, *, tests: bool = False) -> str | None:
    """Why a path is refused; `tests` lets tests pass."""
    if any(map(_VENDORED.match, PurePosixPath(path).parts[:-1])):
        return "vendored"
    return "tests and benchmarks" if not tests and is_test(path) else None


def is_test(path: str) -> bool:
    """Whether a file belongs to tests or benchmarks, by its path."""
    parts = PurePosixPath(path).parts
    return any(map(_TEST_FOLDER.match, parts[:-1])) or bool(_TEST_FILE.match(parts[-1].removesuffix(".py")))


def refusal_of_text(text: str, limits: Limits) -> str | None:
    """Why a text is refused, whatever its path; None where it is fit."""
    if "\r" in text or "\0" in text or text.startswith("\ufeff"):
        return "unusual characters"
    lines = text.split("\n")
    if len(lines) < limits.least_lines:
        return "too small"
    if max(map(len, lines)) > limits.line_characters:
        return "long lines"
    if _GENERATED.search(text, 0, 2000):
        return "generated"
    if sum(map(text.count, "0123456789")) > len(text) // 8:
        return "data"
    if _EVALUATION.search(text):
        return "evaluation data"
    return None


class Seen:
    """What was read so far: digests of all files, passages of the held-out ones, and headers of evaluation functions."""

    def __init__(self, evaluation: frozenset[str] = frozenset(), overlap: float = 0.15) -> None:
        self._digests: set[bytes] = set()
        self._passages: set[int] = set()
        self._evaluation = evaluation
        self._overlap = overlap

    def refuses(self, text: str, data: bytes, *, held_out: bool) -> str | None:
        """Why a fit file is left out all the same, or None; then it counts as seen. Held-out files have to come first."""
        digest = hashlib.sha256(data).digest()
        if digest in self._digests:
            return "duplicate"
        if held_out:
            lines = _code_lines(text)
            if not self._evaluation.isdisjoint(lines):
                return "evaluation data"
            self._passages |= _passages(lines)
        elif (reason := self.resembles(text)) is not None:
            return reason
        self._digests.add(digest)
        return None

    def resembles(self, text: str) -> str | None:
        """Why a text may not be learnt from: it holds functions of evaluation data, or passages of held-out files."""
        lines = _code_lines(text)
        if not self._evaluation.isdisjoint(lines):
            return "evaluation data"
        passages = _passages(lines)
        if len(passages & self._passages) > self._overlap * max(1, len(passages)):
            return "resembles a held-out file"
        return None


def _code_lines(text: str) -> list[str]:
    return [line for raw in text.split("\n") if (line := raw.strip()) and not line.startswith("#")]


def _passages(lines: list[str]) -> set[int]:
    # Python's own hash of strings changes from run to run, but which passages are equal does not.
    return {hash(tuple(lines[k : k + _SHINGLE])) for k in range(len(lines) - _SHINGLE + 1)}


def evaluation_headers(paths: Iterable[Path]) -> frozenset[str]:
    """The function headers of evaluation data that no training file may contain, from files of JSON rows or of Python.

    Rows may hold code under any key. Raises TrainingError for a file that cannot be read.
    """
    found: set[str] = set()
    for path in paths:
        try:
            text = path.read_text("utf-8")
            if path.suffix == ".jsonl":
                rows = [json.loads(row) for row in text.split("\n") if row]
                text = "\n".join(value for row in rows for value in row.values() if isinstance(value, str))
        except (OSError, ValueError, AttributeError) as error:
            raise TrainingError(f"cannot read the evaluation data {path}: {error}") from error
        found.update(line.strip() for line in text.split("\n") if _HEADER.match(line))
    return frozenset(header for header in found if len(header) >= 24)
