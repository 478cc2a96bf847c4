"""`copydesk doctor`: what copydesk would run with, and what is missing for it to run.

It looks and changes nothing: no model is loaded, no folder made, no network asked, but for the server of a model that is named by
its address. Only that and the device check import torch. Of other programs only ruff is run, for its version. Without git or an
editor's client nothing is missing: copydesk works without them.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path

import platformdirs

from copydesk import __version__
from copydesk.errors import CopydeskError
from copydesk.files.executables import find_executable
from copydesk.models.installed import (
    BUILT_IN,
    advice,
    default_model,
    installed_directory,
    installed_names,
    is_name,
    models_folder,
    not_installed,
)
from copydesk.served.address import is_served
from copydesk_server.editor_clients import editor_clients
from copydesk_server.printable import printable
from copydesk_server.ruff import Ruff

# What models/directory.py says; not imported from there, because the doctor has to work where torch cannot be imported.
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")
_RUFF_SECONDS = 10.0
_LIBRARIES = ("torch", "transformers", "tokenizers", "safetensors", "llguidance", "numpy")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    subject: str
    state: str
    ok: bool = True


def run(args: argparse.Namespace) -> int:
    """Print the report; 1 if something is missing. `--quiet` leaves only what is missing."""
    findings = list(examine(args.model, args.device, args.served_model))
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        if not (args.quiet and finding.ok):
            mark = "" if finding.ok else "  <- missing"
            sys.stdout.write(f"{finding.subject:<{width}}  {finding.state}{mark}\n")
    return 0 if all(finding.ok for finding in findings) else 1


def examine(model: str | None, device: str, served_model: str | None = None) -> Iterator[Finding]:
    """Everything the doctor looks at, in order."""
    yield Finding("copydesk", __version__)
    yield Finding("python", f"{platform.python_version()} ({platform.system()} {platform.machine()})")
    for library in _LIBRARIES:
        try:
            yield Finding(library, metadata.version(library))
        except metadata.PackageNotFoundError:
            yield Finding(library, "not installed", ok=False)
    yield _ruff()
    yield _git()
    yield _device(device)
    yield Finding("cache folder", _folder(Path(platformdirs.user_cache_dir("copydesk"))))
    yield Finding("models", f"{', '.join(installed_names()) or 'none installed'} ({models_folder()})")
    yield from _damaged_models()
    if model is not None and is_served(model):
        yield from _server(model, served_model)
    else:
        yield _model(model)
    yield from _editors()


def embedded_model() -> Traversable:
    """Where the embedded model would be, found without importing the engine's torch."""
    return resources.files("copydesk") / "models" / "mini"


def _ruff() -> Finding:
    found = Ruff.find()
    if found is None:
        return Finding("ruff", "not found; `copydesk fix` needs it: pip install 'copydesk[ruff]'", ok=False)
    try:
        done = subprocess.run(
            [str(found.program), "--version"], capture_output=True, timeout=_RUFF_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("ruff", f"{found.program} cannot be run: {error}", ok=False)
    said = done.stdout.decode("utf-8", "replace").strip().removeprefix("ruff ")
    return Finding("ruff", printable(f"{said} ({found.program})"))


def _git() -> Finding:
    program = find_executable("git")
    if program is None:
        return Finding(
            "git", "not found; copydesk reads repositories without it, to restore what it wrote you need it"
        )
    return Finding("git", str(program))


def _damaged_models() -> Iterator[Finding]:
    """The installed models that lack files."""
    for name in installed_names():
        directory = installed_directory(name)
        lacking = _lacking(directory) if directory is not None else []
        if lacking:
            state = f"{name}: lacks {', '.join(lacking)}; run `copydesk model get {name}`"
            yield Finding("models", state, ok=False)


def _editors() -> Iterator[Finding]:
    clients = list(editor_clients(Path.home()))
    for client in clients:
        yield Finding("editor", f"{client.editor} ({printable(str(client.place))})")
    if not clients:
        yield Finding("editor", "no client found; README.md, Editors, says how to set one up")


def _device(asked: str) -> Finding:
    try:
        import torch
    except ImportError as error:
        return Finding("device", f"torch cannot be imported: {error}", ok=False)
    if asked == "cpu" or not torch.cuda.is_available():
        return Finding("device", f"cpu, {torch.get_num_threads()} threads", ok=asked != "cuda")
    memory = torch.cuda.get_device_properties(0).total_memory
    return Finding("device", f"cuda, {torch.cuda.get_device_name(0)}, {memory / 2**30:.0f} GiB")


def _folder(folder: Path) -> str:
    return str(folder) if folder.is_dir() else f"{folder} (made when first needed)"


def _model(asked: str | None) -> Finding:
    name = asked or default_model()
    if name == BUILT_IN and not embedded_model().is_dir():
        return Finding("model", f"{name}, the embedded model: not in this build", ok=False)
    if name == BUILT_IN:
        return _directory(f"{name}, the embedded model", embedded_model(), advice(name))
    if (installed := installed_directory(name)) is not None:
        return _directory(name, installed, advice(name))
    if is_name(name) and not Path(name).exists():
        return Finding("model", not_installed(name), ok=False)
    if not Path(name).exists():
        return Finding("model", f"{name}: no such directory; it would be taken as a hub id")
    return _directory(name, Path(name))


def _server(address: str, served_model: str | None) -> Iterator[Finding]:
    """What the server of a served model says and can do: it is asked as it is before it is used."""
    try:
        from copydesk.serving.served_loading import load_served

        loaded = load_served(address, served_model, None)
    except (CopydeskError, ImportError) as error:
        yield Finding("model", printable(f"{address}: {error}"), ok=False)
        return
    served = loaded.served
    assert served is not None
    told, abilities = served.description, served.dialect.abilities
    yield Finding("model", printable(f"{told.model} ({address})"))
    lanes = "a request at a time" if told.lanes == 1 else f"{told.lanes} requests at a time"
    yield Finding("server", printable(f"{told.software}; {told.context:,} tokens of context; {lanes}"))
    grammars = (
        "keeps to grammars" if abilities.grammars else "knows no grammars: what does not fit is refused"
    )
    if served.codec is None:
        yield Finding("served", f"rewrites text; {grammars}")
        return
    ways = {"decisions": "one by one", "whole": "as a whole"}
    yield Finding(
        "served",
        f"writes programs, decided {ways[served.way]} (a request takes {served.round_trip * 1e3:.0f} ms); {grammars}; "
        + (
            "probabilities are told: choices are exact"
            if abilities.scores
            else "no probabilities: the law is local"
        ),
    )


def _directory(name: str, directory: Traversable, advised: str | None = None) -> Finding:
    lacking = _lacking(directory)
    if lacking:
        return Finding("model", f"{name}: lacks {', '.join(lacking)}", ok=False)
    return Finding("model", f"{name}; {advised}" if advised else name)


def _lacking(directory: Traversable) -> list[str]:
    """The files a model directory needs and has not."""
    present = {entry.name for entry in directory.iterdir()} if directory.is_dir() else set()
    lacking = [] if "config.json" in present else ["config.json"]
    if not present.intersection(_TOKENIZER_FILES):
        lacking.append(_TOKENIZER_FILES[0])
    if not any(name.endswith(".safetensors") for name in present):
        lacking.append("*.safetensors")
    return lacking
