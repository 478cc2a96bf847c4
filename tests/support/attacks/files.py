"""What is no regular file, in the place of everything copydesk reads in a folder."""

from __future__ import annotations

from attacks.arena import TEXT, Arena
from special_files import SPECIAL

CONFIGURATION = (".copydesk.toml", "ruff.toml", "pyproject.toml", ".ruff.toml")
READ = (
    *CONFIGURATION,
    ".gitignore",
    ".ignore",
    ".git/info/exclude",
    ".git/config",
    ".git/HEAD",
    ".git/index",
    "b.py",
    "c.pyi",
)


def _put(arena: Arena, names: tuple[str, ...], most: int) -> list[str]:
    """Some of `names` as special files in `folder`."""
    folder = arena.folder / "folder"
    folder.mkdir(exist_ok=True)
    (folder / "a.py").write_text(TEXT)
    chosen = arena.random.sample(names, arena.random.randrange(1, most))
    for name in chosen:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        put = arena.random.choice(list(SPECIAL))
        if put.__name__ == "link_to_a_pipe":  # its pipe has a name of its own
            (path.parent / "the-pipe").unlink(missing_ok=True)
        put(path)
    return chosen


def server(arena: Arena) -> None:
    """The server opens such a folder, runs its linter there and mends what is in it."""
    _put(arena, CONFIGURATION, 4)
    folder = arena.folder / "folder"
    with arena.server(folders=[folder], settings={"lint": "on"}) as server:
        uri = server.open((folder / "a.py").as_uri(), TEXT)
        for name in CONFIGURATION:
            change = {"uri": (folder / name).as_uri(), "type": 2}
            server.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        assert server.settled(server.edit(uri)) in ("edited", "-32803")
        server.close(uri)
        arena.tried()


def fix(arena: Arena) -> None:
    """The command ends, says what it could not read, and leaves alone what it could not know."""
    chosen = _put(arena, READ, 5)
    folder = arena.folder / "folder"
    code, said = arena.command("fix", "--write", "--select", "E711", "--device", "cpu", ".", cwd=folder)
    assert "Traceback" not in said, said
    mended = (folder / "a.py").read_text() != TEXT
    assert code == 2 or mended or "1 refused" in said, (chosen, code, said)
    arena.tried()
