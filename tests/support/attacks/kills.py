"""SIGKILL at random moments: of the engine, of the server, of a command that writes."""

from __future__ import annotations

import os
import signal
import time

import psutil

from attacks.arena import TEXT, Arena

FILES = 8
GONE = 30.0
"""Seconds in which a process whose parent is gone must be gone too."""
OLD = (
    "import os\nimport sys\n\n\ndef first(x, y):\n    if x == None:\n        return y\n    return sys.argv\n"
)
MOMENTS = 4


def engine(arena: Arena) -> None:
    """Whoever asked is answered, the next engine has the same texts, and nothing has to be opened again."""
    with arena.server() as server:
        uri = server.open("untitled:a.py", TEXT)
        for _ in range(MOMENTS):
            pid = server.loaded()["pid"]
            asked = [server.edit(uri) for _ in range(arena.random.randrange(1, 4))]
            time.sleep(arena.random.random() * 0.3)
            os.kill(pid, signal.SIGKILL)
            for ident in asked:
                server.settled(ident)
            server.loaded(besides=pid)
            # A change behind the kill: both mirrors have it, or the edit would not fit.
            end = {"line": 99, "character": 0}
            server.change(uri, {"range": {"start": end, "end": end}, "text": "# more\n"})
            assert server.settled(server.edit(uri)) in ("edited", "-32803")
            arena.tried()
        server.close(uri)


def server(arena: Arena) -> None:
    """No engine is left behind."""
    with arena.server() as server:
        server.expected_code = None
        uri = server.open("untitled:a.py", TEXT)
        below = psutil.Process(server.process.pid).children(recursive=True)
        server.edit(uri)
        time.sleep(arena.random.random() * 0.5)
        server.process.kill()
        _, left = psutil.wait_procs(below, timeout=GONE)
        assert not left, f"left behind: {[process.pid for process in left]}"
        server.closed()
        server._answers.clear()  # the edit may have been quicker
        arena.tried()


def fix(arena: Arena) -> None:
    """Every file is as it was or as it shall be, and another run ends what the killed ones began."""
    tree = arena.folder / "tree"
    tree.mkdir()
    for number in range(FILES):
        (tree / f"{number}.py").write_text(OLD)
    arguments = ("fix", "--write", "--select", "F401,E711", "--quiet", "--device", "cpu", str(tree))
    began = time.monotonic()
    code, said = arena.command(*arguments, cwd=arena.folder)
    whole = time.monotonic() - began
    new = (tree / "0.py").read_text()
    assert new == OLD.replace("import os\n", "").replace("== None", "is None"), said
    assert code == 0, said
    for _ in range(MOMENTS):
        for number in range(FILES):
            (tree / f"{number}.py").write_text(OLD)
        process = arena.start(*arguments, cwd=arena.folder)
        time.sleep(whole * (0.5 + arena.random.random() / 2))  # before, it imports
        process.kill()
        process.wait()
        for number in range(FILES):
            assert (tree / f"{number}.py").read_text() in (OLD, new), "a file that is neither old nor new"
        arena.tried()
    code, said = arena.command(*arguments, cwd=arena.folder)
    assert code == 0, said
    assert {path.name for path in tree.iterdir()} == {f"{number}.py" for number in range(FILES)}
    assert {path.read_text() for path in tree.iterdir()} == {new}
