"""Text inside a code fence: every mask against a plain reading of what such text may be, and a way to the end from everywhere."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from copydesk.errors import GrammarError
from copydesk.grammar.fenced import ILLEGAL, FencedText
from copydesk.prompting.vocabulary import ByteVocabulary, Vocabulary
from vocabularies import llama3_like, plain_bytes, qwen_like

VOCABULARIES = [plain_bytes, qwen_like, llama3_like]


def begins_utf8(text: bytes) -> bool:
    """Whether these bytes are whole characters and perhaps the beginning of one more."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.end == len(text) and error.reason == "unexpected end of data"
    return True


def read(text: bytes, length: int) -> bool | None:
    """True for a whole answer, False for the beginning of one, None for anything else."""
    fence = b"`" * length
    if not begins_utf8(text) or b"\r" in text:
        return None
    lines = text.split(b"\n")
    for number, line in enumerate(lines):
        if line.startswith(fence):
            behind = line[length:] + b"".join(lines[number + 1 :])
            return True if not behind.strip(b" \t") else None
        if line.lstrip(b" \t").startswith(fence):
            return None
    return False


@pytest.mark.parametrize("words", VOCABULARIES)
@pytest.mark.parametrize("length", [3, 4, 7])
def test_masks_say_what_may_follow(words: Callable[[], Vocabulary], length: int) -> None:
    vocabulary = words()
    text = FencedText(vocabulary, length)
    random = Random(length)
    spelled = vocabulary.token_bytes
    wanted = [t for t, s in enumerate(spelled) if s and (b"`" in s or s.strip() == b"" or s[0] >= 0x80)]
    for _ in range(6):
        state, written = text.start, b""
        for _ in range(25):
            allow, ids = text.shorter_list(state)
            legal = np.isin(np.arange(vocabulary.size), ids, invert=not allow)
            expected = [bool(s) and read(written + s, length) is not None for s in spelled]
            assert legal.tolist() == expected
            token = random.choice(
                [t for t in (wanted if random.random() < 0.7 else range(len(spelled))) if legal[t]]
            )
            state, written = text.advance(state, token), written + spelled[token]
            if state == text.closed:
                assert read(written, length) is True
                break
            assert read(written, length) is False
            way_out = b"".join(spelled[t] for t in text.closing_path(state))
            assert read(written + way_out, length) is True


@pytest.mark.parametrize("words", VOCABULARIES)
def test_nothing_follows_a_closed_text(words: Callable[[], Vocabulary]) -> None:
    text = FencedText(words(), 3)
    assert text.shorter_list(text.closed)[1].size == 0
    assert text.closing_path(text.closed) == []
    assert text.advance(text.closed, 0) == ILLEGAL


def test_a_vocabulary_that_cannot_close_a_fence_is_refused() -> None:
    class NoBackticks(ByteVocabulary):
        @property
        def token_bytes(self) -> list[bytes]:
            return [b"" if b == b"`" else b for b in super().token_bytes]

    with pytest.raises(GrammarError, match="could never be closed"):
        FencedText(NoBackticks(), 3)
    assert FencedText(ByteVocabulary(), 3).closing_path(FencedText(ByteVocabulary(), 3).start)
