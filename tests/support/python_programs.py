"""Random programs over real Python files that are held to Python's layer, and what CPython says of what comes of them."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import python_structure
from copydesk.decode.sampling import Sampler
from copydesk.prompting.codec import Codec
from copydesk.text.document import split_lines
from decoding import Desk
from mock_model import MockModel
from random_pages import check_scope, random_scope

REGIMES = ("uniform", "structure", "nesting")
"""What a model's text is like: any token alike, mostly punctuation, blanks and keywords, or as deep as it goes."""
LARGEST = 12_000
"""Bytes of a file."""
CLOSING = (b"\n", b'"', b"'", b")", b"]", b"}", b":", b'"""', b"'''")
STRUCTURE = "()[]{}:=,'\"#\\ \t\n"
OPENERS = ("if", "else", "def", "class", "for", "while", "try", "with", "match", "case", "lambda", "async")


@cache
def documents() -> tuple[str, ...]:
    """Files of the standard library that compile here."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    found = []
    for path in sorted([*folder.glob("*.py"), *folder.glob("json/*.py"), *folder.glob("email/*.py")]):
        if 0 < path.stat().st_size <= LARGEST:
            text = path.read_text("utf-8", "replace").replace("\r\n", "\n")
            if python_structure.error_of(text) is None:
                found.append(text)
    return tuple(found)


def mock(codec: Codec, regime: str, seed: int) -> MockModel:
    """Text tokens have nearly equal logits, but for what the regime says; those that end a text, or close what must be closed
    before, are raised, so that programs end."""
    model = MockModel(codec.vocabulary.size, seed=seed, scale=0.5)
    literals, spelled = codec.literals, codec.vocabulary.token_bytes
    model.tilt([literals.gen_close[0], literals.sub_close[0]], 12.0)
    model.tilt([literals.gen_open[0], literals.sub_open[0]], 6.0)
    model.tilt([t for t, text in enumerate(spelled) if text in CLOSING], 6.5)
    model.tilt(_made_of(spelled, b"\n"), 1.5)
    if regime != "uniform":
        model.tilt(_made_of(spelled, STRUCTURE.encode()), 3.0)
        model.tilt(
            [t for t, text in enumerate(spelled) if text.decode("utf-8", "replace").strip() in OPENERS], 4.0
        )
    if regime == "nesting":
        model.tilt(_made_of(spelled, b"([{"), 1.0)
        model.tilt(_made_of(spelled, b" \n:"), 1.0)
    return model


def _made_of(spelled: Sequence[bytes], marks: bytes) -> list[int]:
    return [token for token, text in enumerate(spelled) if text and not text.strip(marks)]


def errors_elsewhere(python: str, texts: Sequence[str]) -> list[str | None]:
    """What another Python says of each text."""
    found = subprocess.run(
        [python, python_structure.__file__],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    errors: list[str | None] = json.loads(found.stdout)
    return errors


def run_programs(
    codec: Codec, random: Random, count: int, *, max_tokens: int = 160, pythons: Sequence[str] = ()
) -> Counter[str]:
    """Decodes `count` random programs and counts how they ended. Fails for one that leaves its scope, or in whose result this
    Python, or one of `pythons`, finds an error of the layer."""
    found: Counter[str] = Counter()
    results: list[tuple[str, str]] = []
    for number in range(count):
        text = random.choice(documents())
        lines = split_lines(text)
        window = (1, len(lines))
        if len(lines) > 30:
            first = random.randint(1, len(lines) - 20)
            window = (first, min(len(lines), first + random.randint(4, 40)))
        scope = random_scope(random, *window)
        desk = Desk.of(codec, text, scope, window=window, language="python")
        model = mock(codec, REGIMES[number % 3], random.randrange(4))
        sampler = Sampler(1.0, 1.0, random.randrange(1 << 30))
        outcome, _, _ = desk.decode(model, sampler=sampler, max_tokens=max_tokens)
        assert outcome.program is not None
        after = check_scope(text, desk, desk.document_scope, outcome.program)
        wrong = python_structure.error_of(after)
        assert wrong is None, (wrong, scope, window, str(outcome.program))
        results.append((after, str(outcome.program)))
        ended = "refused" if outcome.truncated else "unchanged" if after == text else "edited"
        found[ended] += 1
        found[f"{REGIMES[number % 3]} {ended}"] += 1
    for python in pythons:
        errors = errors_elsewhere(python, [after for after, _ in results])
        for (after, program), wrong in zip(results, errors, strict=True):
            assert wrong is None, (python, wrong, program, after)
    return found
