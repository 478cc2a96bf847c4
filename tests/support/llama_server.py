"""llama.cpp's `llama-server`, built once from the source that the PyPI package `llama-cpp-python` carries, and run on loopback;
its `llama-quantize` beside it.

Source, build and models lie in the user's cache folder, outside the checkout. `COPYDESK_LLAMA_SERVER` names a program
that is there already.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO

from filelock import FileLock
from platformdirs import user_cache_path

from copydesk.files.atomic import replacing
from copydesk.models.installed import installed_directory
from copydesk_server.model_store.gguf_export import export_gguf

VARIABLE = "COPYDESK_LLAMA_SERVER"
PACKAGE = "llama-cpp-python==0.3.36"
SERVER = "llama-server"
QUANTIZE = "llama-quantize"
JOBS = "2"
SECONDS = 3600
OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_APP=OFF", "-DLLAMA_BUILD_UI=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF", "-DLLAMA_OPENSSL=OFF",
    "-DGGML_CCACHE=OFF",
)  # fmt: skip


def folder() -> Path:
    return user_cache_path("copydesk") / "llama.cpp"


def missing() -> str:
    """Why there is no server and none can be built; "" where there is one, or what it takes."""
    if named := os.environ.get(VARIABLE):
        return "" if Path(named).is_file() else f"${VARIABLE} names no file"
    if _built(SERVER).is_file():
        return ""
    lacking = [name for name in ("cmake", "make", "c++") if shutil.which(name) is None]
    return f"llama.cpp cannot be built: no {lacking[0]}" if lacking else ""


def program() -> Path:
    """The server's program, built where there is none, which takes minutes."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    return built(SERVER)


def source() -> Path:
    """llama.cpp's own source."""
    return folder() / "source" / "vendor" / "llama.cpp"


def built(target: str) -> Path:
    """A program of llama.cpp, built where there is none."""
    folder().mkdir(parents=True, exist_ok=True)
    with FileLock(folder() / "build.lock"):
        if not _built(target).is_file():
            _build(target)
    return _built(target)


def _built(target: str) -> Path:
    return folder() / "build" / "bin" / target


def _build(target: str) -> None:
    place = folder()
    if not (source() / "CMakeLists.txt").is_file():
        packed = place / "sdist"
        packed.mkdir(parents=True, exist_ok=True)
        fetch = (
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--no-binary",
            "llama-cpp-python",
            PACKAGE,
            "-d",
            str(packed),
        )
        subprocess.run([sys.executable, *fetch], check=True, capture_output=True, timeout=SECONDS)
        (archive,) = packed.glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            (top,) = {member.name.partition("/")[0] for member in tar.getmembers()}
            tar.extractall(place / "unpacked", filter="data")
        shutil.rmtree(place / "source", ignore_errors=True)
        (place / "unpacked" / top).rename(place / "source")
    build = place / "build"
    build.mkdir(exist_ok=True)
    with (build / "build.log").open("w") as log:
        for command in (
            ["cmake", str(source()), "-G", "Unix Makefiles", *OPTIONS],
            ["make", f"-j{JOBS}", target],
        ):
            subprocess.run(command, cwd=build, check=True, stdout=log, stderr=log, timeout=SECONDS)


def exported(name: str, precision: str = "bf16") -> Path:
    """An installed model as a GGUF file, made anew where the model is newer."""
    directory = installed_directory(name)
    assert directory is not None
    path = folder() / f"{name}.{precision}.gguf"
    if not path.is_file() or path.stat().st_mtime < (directory / "model.safetensors").stat().st_mtime:
        with replacing(path) as partial:
            export_gguf(directory, partial, name, precision, lambda *_: None)
    return path


def quantized(name: str, kind: str = "Q8_0") -> Path:
    """The same in a type of llama.cpp's own, made by its `llama-quantize`."""
    original = exported(name)
    path = folder() / f"{name}.{kind}.gguf"
    if not path.is_file() or path.stat().st_mtime < original.stat().st_mtime:
        with replacing(path) as partial:
            command = [str(built(QUANTIZE)), str(original), str(partial), kind]
            subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    return path


class LlamaServer:
    """One model on a free port, until `close`."""

    def __init__(self, model: Path, alias: str, log: IO[bytes], *more: str, threads: int = 1) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [
            str(program()), "-m", str(model), "--alias", alias, "--host", "127.0.0.1", "--port", str(self.port),
            "-c", "8192", "--parallel", "1", "-t", str(threads), *more,
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self._wait(300.0)

    @property
    def address(self) -> str:
        return f"llamacpp:http://127.0.0.1:{self.port}"

    def _wait(self, seconds: float) -> None:
        """Until the model is loaded."""
        late = threading.Event()
        timer = threading.Timer(seconds, late.set)
        timer.start()
        try:
            while self._process.poll() is None and not late.is_set():
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
                        if answer.status == 200:
                            return
                except (urllib.error.URLError, OSError):
                    late.wait(0.1)
            raise AssertionError(f"llama-server has not come up (exit status {self._process.poll()})")
        finally:
            timer.cancel()

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
