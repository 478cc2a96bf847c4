"""Settings of every test: CUDA tests are skipped with their reason where there is no device, nothing goes to a hub, and
property tests have no deadline (two busy cores are no reason to fail)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from copydesk.models.installed import installed_directory, not_installed

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

settings.register_profile("copydesk", deadline=None, print_blob=True)
settings.load_profile("copydesk")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip `cuda` tests without a CUDA device. torch is asked only if there is such a test to run."""
    waiting = [item for item in items if item.get_closest_marker("cuda")]
    if not waiting:
        return
    import torch

    if not torch.cuda.is_available():
        for item in waiting:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device, and torch finds none here"))


@pytest.fixture(scope="session")
def standard_base() -> Path:
    """The directory of the installed model `standard-base`; what needs it is skipped where it is not installed."""
    directory = installed_directory("standard-base")
    if directory is None:
        pytest.skip(not_installed("standard-base"))
    return directory
