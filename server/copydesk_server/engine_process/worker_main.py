"""Where a child with the engine begins: standard streams, signals, the pipe. Then the function that the parent named takes over.

The process ends with its parent: the end of the pipe is noticed on a thread of its own, also while a model is loading. Imports
nothing heavy, so that the pipe is read first.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from copydesk_server.engine_process.inbox import Inbox
from copydesk_server.engine_process.messages import EngineSettings, Message, decode, encode

LOG_FORMAT = "%(asctime)s %(levelname)s engine %(name)s: %(message)s"

ENVIRONMENT = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    # Both keep a compiled kernel for each shape of product, a thousand of them by default, and pages that are typed into have
    # ever new shapes: hundreds of MiB in a day. 64 hold those of decoding.
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "64",
    "LRU_CACHE_CAPACITY": "64",  # of torch's own layer over oneDNN
}
"""What the libraries are told before they are loaded; a person's own environment counts more."""


class Channel:
    """The child's end. `inbox`: what the parent says, in order. `flags[slot]` is not zero for a job that is to stop."""

    def __init__(self, send: Callable[[bytes], None], flags: Any) -> None:
        self.inbox = Inbox()
        self.flags = flags
        self._send = send
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """From any thread."""
        frame = encode(message)
        with self._lock:
            self._send(frame)


def run(entry: str, connection: Connection, flags: Any, settings: EngineSettings, beat: float) -> NoReturn:
    """The process's whole life. entry: "module:function", called with the channel and the settings. beat: seconds between two
    signs of life.
    """
    with contextlib.suppress(OSError):  # without a stderr there is nowhere to write to, which is fine too
        os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal belongs to the parent
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    settings = prepare(settings)
    channel = Channel(connection.send_bytes, flags)
    threading.Thread(target=_read, args=(connection, channel), name="pipe", daemon=True).start()
    threading.Thread(target=_beat, args=(channel, beat), name="beat", daemon=True).start()
    live(entry, channel, settings)


def prepare(settings: EngineSettings) -> EngineSettings:
    """Make this process an engine's: its environment, log and folder. Returns the settings as they are meant from there."""
    if sys.stderr is not None:
        faulthandler.enable()
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    configure_logging(settings.log_file, settings.log_level)
    return leave_folder(settings)


def live(entry: str, channel: Channel, settings: EngineSettings) -> NoReturn:
    """Do what `entry` says, and end the process with it."""
    code = 1
    try:
        module, _, function = entry.partition(":")
        getattr(importlib.import_module(module), function)(channel, settings)
        code = 0
    except BrokenPipeError:
        pass  # the parent is gone, and the reader is about to notice
    except BaseException:
        logging.getLogger(__name__).exception("the engine stopped")
    finally:
        logging.shutdown()
        os._exit(code)  # no thread, atexit handler or device may hold the process back


def leave_folder(settings: EngineSettings) -> EngineSettings:
    """Work in the installation's own folder, not in the one that the server was started in, where a library might look for files.

    Returns the settings with a model directory as it was meant there.
    """
    model = settings.model
    if model is not None and os.path.isdir(os.path.expanduser(model)):
        settings = replace(settings, model=os.path.abspath(os.path.expanduser(model)))
    os.chdir(os.path.dirname(os.__file__))
    return settings


def _read(connection: Connection, channel: Channel) -> None:
    while True:
        try:
            frame = connection.recv_bytes()
        except (EOFError, OSError):
            os._exit(0)  # the parent is gone, however it went
        message = decode(frame)
        if message["kind"] == "bye":
            os._exit(0)
        channel.inbox.put(message, len(frame), _end_with_parent)


def _end_with_parent() -> None:
    """While nothing is read, the end of the pipe is not noticed."""
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(0)


def _beat(channel: Channel, seconds: float) -> None:
    """Say that the process lives, whatever its other threads are doing."""
    with contextlib.suppress(OSError):  # the parent is gone, and the reader is about to notice
        while True:
            channel.send({"kind": "alive"})
            time.sleep(seconds)


def configure_logging(file: str | None, level: str) -> None:
    """Logs go to stderr, and to a file only its owner reads. A file that cannot be opened is said on stderr, once."""
    root = logging.getLogger()
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    problem: OSError | None = None
    if file is not None:
        try:
            handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            handlers.append(logging.StreamHandler(os.fdopen(handle, "a", encoding="utf-8")))
        except OSError as error:
            problem = error
    for old in root.handlers[:]:
        root.removeHandler(old)
        if isinstance(old, logging.StreamHandler) and old.stream not in (sys.stderr, sys.stdout):
            old.stream.close()
    for handler in handlers:
        handler.setFormatter(logging.Formatter(LOG_FORMAT))
        root.addHandler(handler)
    root.setLevel(level.upper() if level.upper() in logging.getLevelNamesMapping() else logging.WARNING)
    if problem is not None:
        logging.getLogger(__name__).warning("no log file: %s", problem)
