"""Programs in the place of `copydesk engine`: the scripted host over standard streams, and others that are no engine.

python engine_programs.py scripted             `engine_hosts.serve`
python engine_programs.py answers HEX…         the frames of these bodies, behind the greeting; then it waits as below
python engine_programs.py bytes HEX            these bytes, and then it waits for its input's end
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from copydesk_server.engine_process import stdio_main
from copydesk_server.engine_process.frames import LENGTH, frame_of
from copydesk_server.engine_process.handshake import engine_hello
from copydesk_server.engine_process.messages import EngineSettings

SCRIPTED = (sys.executable, str(Path(__file__).resolve()), "scripted")
ENGINE = (sys.executable, "-m", "copydesk_server", "engine")
REAL = (*ENGINE, "--model", "mini")


def answering(*messages: Any) -> tuple[str, ...]:
    """A command that greets and then says this, whatever it is told."""
    return (*SCRIPTED[:2], "answers", *(json.dumps(message).encode().hex() for message in messages))


def writing(data: bytes) -> tuple[str, ...]:
    """A command that writes these bytes."""
    return (*SCRIPTED[:2], "bytes", data.hex())


def main(what: str, *rest: str) -> None:
    if what == "scripted":
        stdio_main.run("engine_hosts:serve", EngineSettings())
    if what == "answers":
        os.write(1, frame_of(engine_hello()))
    for body in map(bytes.fromhex, rest):
        os.write(1, LENGTH.pack(len(body)) + body if what == "answers" else body)
    while os.read(0, 1 << 16):
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
