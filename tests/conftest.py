"""Settings of every test: CUDA tests are skipped with their reason where there is no device, nothing goes to a hub,
property tests have no deadline (two busy cores are no reason to fail), and no test runs an installed model that it does not name.
"""

from __future__ import annotations

import gc
import os
import shutil
import socket
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from copydesk.models.installed import (
    CODER,
    STANDARD,
    VARIABLE,
    installed_directory,
    installed_names,
    is_current,
    models_folder,
    not_installed,
)

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

PERSONS_MODELS = "COPYDESK_TESTS_MODELS"
"""The environment variable in which test processes find the folder that models were installed in."""

SLOW_FOLDERS = tuple(Path(__file__).parent / name for name in ("training", "benchmarks", "served"))
"""Tests of how adapters are trained, figures measured and models of other servers asked."""

INSTALLED = pytest.StashKey[list[str]]()
FOLDER = pytest.StashKey[Path]()

settings.register_profile("copydesk", deadline=None, print_blob=True)
settings.load_profile("copydesk")


def pytest_configure(config: pytest.Config) -> None:
    """Give every test, and every process that a test starts, a folder of models without those that would be the default."""
    if PERSONS_MODELS in os.environ:  # a worker, whose controller has done it
        return
    config.stash[INSTALLED] = [
        f"{name} (out of date)" if name in (STANDARD, CODER) and not is_current(name) else name
        for name in installed_names()
    ]
    os.environ[PERSONS_MODELS] = str(models_folder())
    folder = config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="copydesk-models-"))
    for name in installed_names():
        if name not in (STANDARD, CODER):
            (folder / name).symlink_to(models_folder() / name, target_is_directory=True)
    os.environ[VARIABLE] = str(folder)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let pytest-rerunfailures send at once what a worker tells the controller of each test: several small messages, of which TCP
    holds back the second for 40 ms.
    """
    told = getattr(getattr(session.config, "failures_db", None), "sock", None)
    if isinstance(told, socket.socket):
        told.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder that `pytest_configure` made."""
    if FOLDER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)


def pytest_report_header(config: pytest.Config) -> str:
    """Which models are installed, for some tests are only run with one."""
    names = config.stash.get(INSTALLED, [])
    missing = [name for name in (STANDARD, "standard-base") if name not in names]
    lacking = f"; not there, and their tests skipped: {', '.join(missing)}" if missing else ""
    return f"models: {', '.join(['mini', *names])}{lacking}"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected lives as long as the process. The garbage collector never looks at it, neither while it is
    made nor later, when it would be most of what there is to look at.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow as a folder, and skip `cuda` tests without a CUDA device. torch is asked only if there is such a test."""
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in SLOW_FOLDERS):
            item.add_marker(pytest.mark.slow)
    waiting = [item for item in items if item.get_closest_marker("cuda")]
    if not waiting:
        return
    import torch

    if not torch.cuda.is_available():
        for item in waiting:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device, and torch finds none here"))


@pytest.fixture
def standard(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the installed model `standard`, which is the default in this test; skipped where it is not installed."""
    return _of_person(STANDARD, monkeypatch)


@pytest.fixture
def coder(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the installed model `coder`; skipped where it is not installed: no test fetches a gigabyte."""
    return _of_person(CODER, monkeypatch)


def _of_person(name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the model `name` where it was installed; the test is skipped where it is not, or out of date."""
    monkeypatch.setenv(VARIABLE, os.environ[PERSONS_MODELS])
    directory = installed_directory(name)
    if directory is None or not is_current(name):
        pytest.skip(not_installed(name))
    return directory


@pytest.fixture(scope="session")
def standard_base() -> Path:
    """The directory of the installed model `standard-base`; what needs it is skipped where it is not installed."""
    directory = installed_directory("standard-base")
    if directory is None:
        pytest.skip(not_installed("standard-base"))
    return directory
