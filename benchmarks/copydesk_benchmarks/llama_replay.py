"""llama.cpp without its HTTP: given tokens are written by its own forwards, drafts and grammars (`llama_replay.cpp`).

The program is compiled against a build of llama.cpp and kept beside it.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from copydesk.errors import CopydeskError
from copydesk.files.atomic import replacing
from copydesk.files.executables import find_executable

SOURCE = Path(__file__).with_suffix(".cpp")
FLAGS = ("-std=gnu++17", "-O2")
LIBRARIES = (
    "common/libllama-common.a", "common/libllama-common-base.a", "src/libllama.a", "ggml/src/libggml.a",
    "ggml/src/libggml-cpu.a", "ggml/src/libggml-base.a", "vendor/hash/libvendor-hash.a",
    "vendor/cpp-httplib/libcpp-httplib.a",
)  # fmt: skip
CONTEXT = 8192
"""Tokens: what the standard model was made for."""


@dataclass(frozen=True, slots=True)
class Drafts:
    """One of llama.cpp's kinds of speculation without a second model, as `--spec-type` names it: the tokens that have to be
    alike, and the most that are drafted."""

    kind: str
    size_n: int = 12
    size_m: int = 48


@dataclass(frozen=True, slots=True)
class Written:
    """Milliseconds of the prompt, and of writing behind it. forwards: of writing alone."""

    prompt_ms: float
    write_ms: float
    forwards: int
    drafted: int
    accepted: int


class Replayer:
    """One model in llama.cpp, until `close`."""

    def __init__(self, program: Path, model: Path, threads: int, log: IO[bytes]) -> None:
        command = [
            str(program), "-m", str(model), "-c", str(CONTEXT), "--parallel", "1", "-t", str(threads), "-tb", str(threads),
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
        greeting = self._read()
        self.build: str = greeting["build"]
        self.system: str = greeting["system"]

    def write(
        self,
        kept: Sequence[int],
        prompt: Sequence[int],
        gold: Sequence[int],
        *,
        drafts: Drafts | None = None,
        grammar: str | None = None,
        free: bool = False,
    ) -> Written:
        """Write `gold` behind `prompt`, or with `free` as many of the model's own tokens. kept: cached already; not timed.

        Raises CopydeskError.
        """
        asked: dict[str, Any] = {
            "kept": list(kept),
            "prompt": list(prompt),
            "gold": list(gold),
            "grammar": grammar,
            "free": free,
        }
        if drafts is not None:
            sizes = asdict(drafts)
            asked |= {"types": [sizes.pop("kind")], **sizes}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = self._read()
        if "error" in answer:
            raise CopydeskError(f"llama.cpp: {answer['error']}")
        return Written(**answer)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise CopydeskError(f"llama.cpp has ended (exit status {self._process.wait()})")
        found: dict[str, Any] = json.loads(line)
        return found


def compiled(build: Path, source: Path) -> Path:
    """The program, compiled where there is none. build, source: llama.cpp's. Raises CopydeskError."""
    libraries = [build / library for library in LIBRARIES]
    key = hashlib.sha256(SOURCE.read_bytes())
    key.update(repr([(str(each), each.stat().st_mtime_ns) for each in libraries]).encode())
    target = build.parent / f"replay-{key.hexdigest()[:16]}"
    if not target.is_file():
        compiler = find_executable("c++", "g++", "clang++")
        if compiler is None:
            raise CopydeskError("llama_replay.cpp needs a C++ compiler")
        includes = [f"-I{source / folder}" for folder in ("common", "include", "ggml/include", "vendor")]
        with replacing(target) as partial:
            command = [
                str(compiler),
                *FLAGS,
                *includes,
                str(SOURCE),
                "-o",
                str(partial),
                *map(str, libraries),
            ]
            done = subprocess.run(
                [*command, "-ldl", "-lm", "-lgomp", "-lpthread"],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise CopydeskError(f"llama_replay.cpp cannot be compiled: {done.stderr.strip()[-500:]}")
            partial.chmod(0o755)
    return target
