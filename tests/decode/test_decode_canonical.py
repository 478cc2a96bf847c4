"""Canonical tokens: what the engine writes is, token for token, what training writes for the same program."""

from __future__ import annotations

from random import Random

import pytest

from token_streams import check_streams

PROGRAMS = 1_000
CODECS = ("qwen_like", "llama3_like", "line_tokens", "bytes", "line_bytes")
MANY = 7
"""As many times more programs among the slow tests."""


@pytest.mark.parametrize("name", CODECS)
def test_token_streams_are_those_of_training(name: str) -> None:
    check_streams(name, PROGRAMS // len(CODECS), Random(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", CODECS)
def test_many_token_streams_are(name: str) -> None:
    check_streams(name, MANY * PROGRAMS // len(CODECS), Random(f"many {name}"))
