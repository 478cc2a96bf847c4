"""A program that ends in every way a program can, each in a fork of its own; prints one line of JSON: way → wait status.

Run by test_interpreter_exit.py as a process of its own: a fork is only safe before there are threads, and the end of an
interpreter cannot be tested within it.
"""

from __future__ import annotations

import _thread
import gc
import json
import os
import select
import signal
import sys
import threading
from collections.abc import Callable

import torch

from copydesk.editor import Document, Editor
from copydesk.errors import EditorClosedError
from copydesk.request import EditRequest
from copydesk.serving.loaded_model import LoadedModel

TEXT = "import os\n\n\ndef f(x):\n    if x == None:\n        return 1\n    return 2\n" * 40
TIMEOUT = 60.0

torch.set_num_threads(1)
TOOLKIT = LoadedModel.load("mini", device="cpu")
gc.freeze()  # or every fork would copy what it collects at its end


def started() -> tuple[Editor, Document]:
    """An editor whose thread is warming."""
    editor = Editor(TOOLKIT)
    return editor, editor.open("a.py", TEXT)


KEPT = []
"""What lives as long as the interpreter."""


def edit_for_ever(document: Document, begun: threading.Event) -> None:
    try:
        while True:
            for _ in document.stream(EditRequest(scope=[(4, 7)], instruction="rename x to why")):
                begun.set()
    except EditorClosedError:
        return


def editing(document: Document, *, daemon: bool) -> threading.Thread:
    begun = threading.Event()
    thread = threading.Thread(target=edit_for_ever, args=(document, begun), daemon=daemon)
    thread.start()
    begun.wait()
    return thread


def end() -> None:
    KEPT.append(started())


def end_after_an_edit() -> None:
    editor, document = started()
    document.edit(EditRequest(scope=[(4, 7)], instruction="rename x to why"))
    KEPT.append((editor, document))


def end_in_a_function() -> None:
    started()


def exit_with_3() -> None:
    KEPT.append(started())
    sys.exit(3)


def exception() -> None:
    KEPT.append(started())
    raise ValueError("meant")


def interrupt() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    _, document = started()
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    while True:
        document.edit(EditRequest(scope=[(4, 7)], instruction="rename x to why"))


def daemon_edits() -> None:
    editing(started()[1], daemon=True)


def two_daemons_edit() -> None:
    _, document = started()
    editing(document, daemon=True)
    editing(document, daemon=True)


def thread_edits_until_closed() -> None:
    editor, document = started()
    thread = editing(document, daemon=False)
    editor.close()
    thread.join()


def close_twice() -> None:
    editor, _ = started()
    editor.close()
    editor.close()


def with_block() -> None:
    with started()[0] as editor:
        editor.open("b.py", TEXT)
    editor.close()
    assert editor.closed


def exit_in_a_with_block() -> None:
    with started()[0]:
        sys.exit(3)


def stream_left_open() -> None:
    _, document = started()
    stream = document.stream(EditRequest(scope=[(4, 7)], instruction="rename x to why"))
    next(stream)
    KEPT.append(stream)


def two_editors() -> None:
    KEPT.extend([started(), started()])


def fork_while_warming() -> None:
    KEPT.append(started())
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0


WAYS: list[Callable[[], None]] = [
    end, end_after_an_edit, end_in_a_function, exit_with_3, exception, interrupt, daemon_edits, two_daemons_edit,
    thread_edits_until_closed, close_twice, with_block, exit_in_a_with_block, stream_left_open, two_editors, fork_while_warming,
]  # fmt: skip


def in_a_fork(way: Callable[[], None]) -> int | None:
    """The wait status; None for a way that never ends. A child returns 0 here, as `way` becomes what is left of the program."""
    sys.stdout.flush()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)  # `writer` closes when the process ends
        os.dup2(2, 1)
        way()
        sys.exit()
    os.close(writer)
    ended, _, _ = select.select([reader], [], [], TIMEOUT)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    os.close(reader)
    status = os.waitpid(pid, 0)[1]
    return status if ended else None


if __name__ == "__main__":
    statuses = {way.__name__: in_a_fork(way) for way in WAYS}
    sys.stdout.write(json.dumps(statuses))
