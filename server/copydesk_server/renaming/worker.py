"""The process that renames: one request from standard input, one answer to standard output, and its end.

It parses what somebody else wrote, so it may be slow, grow or crash: it has limits of its own, and who started it may end it at
any time.
"""

from __future__ import annotations

import os
import signal
import sys

from copydesk_server.isolation import clean_paths, isolate

MOST_MEMORY = 4 << 30
"""Bytes of address space."""


def main() -> int:
    """0, whatever the answer is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal belongs to the parent
    clean_paths()
    isolate()
    os.chdir(os.path.dirname(os.__file__))  # not the folder that the parent was started in
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    import json

    from copydesk_server.renaming.request import RenameRequest

    request, scratch = RenameRequest.decode(sys.stdin.buffer.read())
    _limit(request.limits.seconds)
    json_answer = json.dumps(_answer(request, scratch))
    out.write(json_answer.encode())
    out.flush()
    return 0


def _answer(request: object, scratch: str) -> dict[str, object]:
    from pathlib import Path

    from copydesk.text.document import content, split_lines
    from copydesk.text.position import character_of
    from copydesk_server.errors import RenameRefusedError
    from copydesk_server.renaming.plan import plan_rename
    from copydesk_server.renaming.request import RenameAnswer, RenamedFile, RenameRequest

    assert isinstance(request, RenameRequest)
    try:
        rename = plan_rename(request, Path(scratch))
    except RenameRefusedError as error:
        return {"refused": str(error)}
    except (RecursionError, MemoryError) as error:
        return {"refused": f"the project's files are too much for the analysis ({type(error).__name__})"}
    files = []
    for file in rename.files:
        lines = split_lines(file.file.text)
        places = []
        for line, column in file.places:
            text = content(lines[line])
            start, end = (
                character_of(text, at, request.encoding) for at in (column, column + len(rename.old))
            )
            places.append((line, start, end))
        files.append(RenamedFile(file.file.path, tuple(places), file.file.digest))
    return RenameAnswer(rename.old, rename.new, tuple(files)).as_json()


def _limit(seconds: float) -> None:
    try:
        import resource
    except ImportError:  # Windows: whoever started it ends it
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    most = int(seconds) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main())
