"""The soak itself: what it finds it says, what it drew it draws again, and its table takes the place of the last one."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import lsp_client
import soaking
from attacks import ATTACKS
from attacks.arena import ENGINE, MB, PROTOCOL, Arena, Figures
from copydesk.models.installed import VARIABLE
from copydesk_benchmarks.standalone import soak


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, value in list(ATTACKS.items()):
        monkeypatch.setitem(ATTACKS, name, value)
    for other in (lsp_client, soaking):
        monkeypatch.setattr(other, "DEADLINE", other.DEADLINE)
    monkeypatch.setenv(VARIABLE, os.environ[VARIABLE])  # the soak sets it for its whole process
    before = signal.getsignal(signal.SIGALRM)
    yield soak
    signal.signal(signal.SIGALRM, before)


def test_a_fault_is_said_and_the_others_have_their_turns(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn: list[float] = []

    def loses(arena: Arena) -> None:
        drawn.append(arena.random.random())
        arena.tried()
        raise AssertionError("a file is gone")

    def holds(arena: Arena) -> None:
        assert list(arena.folder.iterdir()) == []
        arena.measured(MB, 1000, 2 * MB)
        arena.tried(3)

    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\nfirst\n\n{script.HEADING}\n\nyesterday\n\n## Other\n\nlast\n")
    ATTACKS.clear()
    ATTACKS.update({"loses": loses, "holds": holds})
    for arguments, code in ((["--out", str(page)], 1), (["--only", "holds"], 0), (["--only", "loses"], 1)):
        monkeypatch.setattr(sys, "argv", ["soak.py", "--minutes", "0", "--seed", "7", *arguments])
        assert script.main() == code
    assert drawn[0] == drawn[1], "the seed brings it again"
    said = capsys.readouterr().out
    assert "seed 7" in said
    written = page.read_text()
    assert written.startswith("# A page\n\nfirst\n\n" + script.HEADING)
    assert written.endswith("\n\n## Other\n\nlast\n")
    assert "yesterday" not in written
    assert "| holds | 1 | 3 | 0 | 1.0 | 0.0 | 2.0 | 0 |" in written
    assert "- loses, round 0: AssertionError: a file is gone" in written


@pytest.mark.parametrize(
    ("protocol", "message", "grown", "holds"),
    [
        (PROTOCOL, 0, ENGINE, True),
        (PROTOCOL + 1, 0, 0, False),
        (PROTOCOL + 4 * MB, MB, 0, True),
        (0, 0, ENGINE + 1, False),
    ],
)
def test_memory_has_bounds(protocol: int, message: int, grown: int, holds: bool, tmp_path: Path) -> None:
    arena = Arena(random.Random(0), tmp_path, Figures())
    if holds:
        arena.measured(protocol, message, grown)
    else:
        with pytest.raises(AssertionError, match="MB"):
            arena.measured(protocol, message, grown)
    assert (arena.figures.protocol, arena.figures.grown) == (protocol, grown), "said either way"


@pytest.mark.parametrize("name", ["a client that does not read", "kills of the server"])
def test_two_attacks(name: str, tmp_path: Path) -> None:
    arena = Arena(random.Random(0), tmp_path, Figures())
    ATTACKS[name](arena)
    assert arena.figures.tried > 0
    assert arena.figures.protocol > 20 * MB, "it was measured"
