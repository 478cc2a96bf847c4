"""ruff as a teacher: its own fixes, of real code.

It runs ruff once over a batch of texts, in a folder of its own. Knows ruff's JSON output; nothing of injectors.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from copydesk.errors import TrainingError
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Position, split_lines
from copydesk_training.example import Example

IGNORED = (
    "D,ANN,COM,Q,I,ERA,FA,TC,PTH,INP,CPY,DOC,E501,W191,E1,E2,S101,PLR2004,T20,FIX,TD,EM,BLE,SLF,FBT,ARG,C90,PLR09,"
    "EXE,UP009,UP010"
)
"""Rules about taste or docstrings, and those that would drown the rest."""
MOST_LINES = 12
"""Longer fixes are left out."""
MESSAGE = 160
TIMEOUT = 300


def ruff_fixes(texts: Sequence[str], rng: Random, per_text: int = 6) -> Iterator[tuple[int, Example]]:
    """Examples from ruff's fixes: which text, and one fix applied to it. Safe ones are of the kind `ruff_fix`, others of
    `ruff_unsafe_fix`.

    Rare rules first: no rule has more than a share of a batch, so that batches of a few hundred texts are worth it.
    Raises TrainingError where ruff cannot be run.
    """
    found = check(texts, ("--select", "ALL", "--ignore", IGNORED, "--unsafe-fixes"))
    usable = [d for d in found if d.get("fix") and d["fix"]["edits"] and d.get("code")]
    rng.shuffle(usable)
    totals = Counter(d["code"] for d in usable)
    usable.sort(key=lambda d: totals[d["code"]])  # stable: random within a rule
    most = max(4, len(texts) // 8)
    rules: Counter[str] = Counter()
    taken: Counter[int] = Counter()
    for item in usable:
        k = item["text"]
        if taken[k] >= per_text or rules[item["code"]] >= most:
            continue
        example = _fixed(texts[k], item)
        if example is not None:
            taken[k] += 1
            rules[item["code"]] += 1
            yield k, example


def check(texts: Sequence[str], options: Sequence[str]) -> list[dict[str, Any]]:
    """Every diagnostic of ruff for the texts, with the index of its text under "text", in order."""
    with tempfile.TemporaryDirectory(prefix="copydesk-ruff-") as folder:
        for k, text in enumerate(texts):
            Path(folder, f"t{k}.py").write_bytes(text.encode("utf-8", "surrogatepass"))
        command = [
            sys.executable,
            "-P",
            "-m",
            "ruff",
            "check",
            "--isolated",
            "--no-cache",
            "--no-respect-gitignore",
        ]
        command += ["--target-version", "py311", "--output-format", "json", "--quiet", *options, folder]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, encoding="utf-8", timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TrainingError(f"ruff could not be run: {error}") from error
    if done.returncode not in (0, 1):
        said = done.stderr.strip().split("\n")[-1]
        raise TrainingError(f"ruff failed ({done.returncode}): {said}; `pip install ruff` brings it")
    found: list[dict[str, Any]] = json.loads(done.stdout or "[]")
    for item in found:
        item["text"] = int(Path(item["filename"]).stem[1:])
    found.sort(key=lambda d: (d["text"], d["location"]["row"], d["location"]["column"], d["code"] or ""))
    return found


def _diagnostic(item: dict[str, Any]) -> Diagnostic:
    start, end = _position(item["location"]), _position(item["end_location"])
    code = item["code"] or "invalid-syntax"
    message = item["message"].split("\n")[0]
    return Diagnostic(start, max(start, end), message, code, "Ruff", 1 if code == "invalid-syntax" else 2)


def _position(place: dict[str, int]) -> Position:
    return Position(place["row"] - 1, place["column"] - 1)


def _fixed(text: str, item: dict[str, Any]) -> Example | None:
    edits = sorted(
        item["fix"]["edits"], key=lambda e: (e["location"]["row"], e["location"]["column"]), reverse=True
    )
    first, last = edits[-1]["location"]["row"], edits[0]["end_location"]["row"]
    size = sum(e["content"].count("\n") + 1 + e["end_location"]["row"] - e["location"]["row"] for e in edits)
    if size > MOST_LINES or len(item["message"]) > MESSAGE or "\r" in text:
        return None
    lines = split_lines(text)
    if last > len(lines) + 1:
        return None
    top, bottom = first, min(last, len(lines))
    offsets = [0]
    for line in lines[top - 1 : bottom]:
        offsets.append(offsets[-1] + len(line))
    part = "".join(lines[top - 1 : bottom])
    for edit in edits:
        start, end = (_offset(offsets, edit[key], top) for key in ("location", "end_location"))
        if not 0 <= start <= end <= len(part):
            return None
        part = part[:start] + edit["content"] + part[end:]
    after = "".join(lines[: top - 1]) + part + "".join(lines[bottom:])
    if after == text or not _parses(after):
        return None
    kind = "ruff_fix" if item["fix"]["applicability"] == "safe" else "ruff_unsafe_fix"
    return Example(text, after, EditRequest(diagnostics=[_diagnostic(item)]), kind, True)


def _offset(offsets: Sequence[int], place: dict[str, int], top: int) -> int:
    row = place["row"] - top
    return int(offsets[row] + place["column"] - 1) if 0 <= row < len(offsets) else -1


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
