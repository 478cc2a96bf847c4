"""ruff for tests: the real one, and programs in its place."""

from __future__ import annotations

from pathlib import Path

from copydesk.request import Diagnostic
from copydesk.text.document import Position
from copydesk_server.ruff import Ruff


def the_ruff() -> Ruff:
    ruff = Ruff.find()
    assert ruff is not None, "ruff belongs to the development environment (constraints.txt)"
    return ruff


def ruff_that(folder: Path, script: str) -> Ruff:
    """A program that does what a shell script says."""
    program = folder / "ruff"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Ruff(program)


def found(
    line: int, first: int, last: int, code: str | None, message: str, source: str = "Ruff"
) -> Diagnostic:
    """A diagnostic within one 0-based line."""
    severity = 1 if code == "invalid-syntax" else 2
    return Diagnostic(Position(line, first), Position(line, last), message, code, source, severity)
