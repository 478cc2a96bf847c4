"""Random programs over documents that a parser holds: three kinds of models, and whether what comes of them parses."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

from copydesk.decode.sampling import Sampler
from copydesk.prompting.codec import Codec
from copydesk.pushdown.languages import effects_for, without_mark
from copydesk.schemas.catalogue import schema_for
from copydesk.schemas.effects import schema_effects
from copydesk.schemas.problems import new_problem, valid
from copydesk.text.document import split_lines, view_line
from decoding import Desk
from json_texts import DOCUMENTS
from mock_model import MockModel
from random_pages import check_scope, random_scope
from schema_texts import VALID

REGIMES = ("uniform", "structure", "nesting")
"""What a model's text is like: any token alike, mostly punctuation, or as deep as it goes."""


def mock(codec: Codec, regime: str, seed: int) -> MockModel:
    """Text tokens have nearly equal logits, but for what the regime says; those that end a text or a string are raised, so that
    programs end."""
    model = MockModel(codec.vocabulary.size, seed=seed, scale=0.5)
    literals = codec.literals
    model.tilt([literals.gen_close[0], literals.sub_close[0]], 8.0)
    model.tilt(_made_of(codec, b'"\n'), 3.0)
    model.tilt([literals.gen_open[0], literals.sub_open[0]], 6.0)
    if regime != "uniform":
        model.tilt(_made_of(codec, b'{}[],:"\n'), 5.0)
    if regime == "nesting":
        model.tilt(_made_of(codec, b"{["), 1.0)
    return model


def _made_of(codec: Codec, marks: bytes) -> list[int]:
    return [t for t, text in enumerate(codec.vocabulary.token_bytes) if text and not text.strip(marks)]


def parses(text: str, language: str) -> bool:
    """By Python's parser for JSON; with comments by the automaton, which other tests hold to it."""
    if language == "json":
        json.loads(text.removeprefix("\ufeff"))
        return True
    lines = without_mark([view_line(line) for line in split_lines(text)])
    effects = effects_for(language, lines)
    return effects is not None and effects.whole(lines)


def run_schema_programs(codec: Codec, random: Random, count: int, *, max_tokens: int = 200) -> Counter[str]:
    """The same over texts that are valid under their schemas. Fails for one whose result does not fit the schema's automaton, or
    that is not valid and passes the check; counts those that it refuses."""
    found: Counter[str] = Counter()
    for number in range(count):
        name = random.choice(list(VALID))
        text, schema, language = VALID[name], schema_for(name), random.choice(["json", "jsonc"])
        assert schema is not None
        desk = Desk.of(
            codec, text, random_scope(random, 1, len(split_lines(text))), language=language, schema=schema
        )
        model = mock(codec, REGIMES[number % 3], random.randrange(4))
        sampler = Sampler(1.0, 1.0, random.randrange(1 << 30))
        outcome, _, _ = desk.decode(model, sampler=sampler, max_tokens=max_tokens)
        assert outcome.program is not None
        after = check_scope(text, desk, desk.document_scope, outcome.program)
        lines = [view_line(line) for line in split_lines(after)]
        assert schema_effects(schema, "jsonc", lines) is not None, (name, str(outcome.program), after)
        ended = "refused" if outcome.truncated else "unchanged" if after == text else "edited"
        if new_problem(schema, text, after) is not None:
            ended = "invalid"
        else:
            assert valid(schema, after)
        found[ended] += 1
    return found


def run_programs(codec: Codec, random: Random, count: int, *, max_tokens: int = 200) -> Counter[str]:
    """Decodes `count` random programs and counts how they ended. Fails for one whose result does not parse or that leaves its
    scope."""
    found: Counter[str] = Counter()
    for number in range(count):
        language = random.choice(["json", "json", "jsonc"])
        text = random.choice(DOCUMENTS[language])
        lines = split_lines(text)
        window = (1, len(lines))
        if len(lines) > 4 and random.random() < 0.3:
            first = random.randint(1, len(lines) - 2)
            window = (first, random.randint(first, len(lines)))
        scope = random_scope(random, *window)
        desk = Desk.of(codec, text, scope, window=window, language=language)
        model = mock(codec, REGIMES[number % 3], random.randrange(4))
        sampler = Sampler(1.0, 1.0, random.randrange(1 << 30))
        outcome, _, _ = desk.decode(model, sampler=sampler, max_tokens=max_tokens)
        assert outcome.program is not None
        after = check_scope(text, desk, desk.document_scope, outcome.program)
        assert parses(after, language), (scope, window, str(outcome.program), after)
        ended = "refused" if outcome.truncated else "unchanged" if after == text else "edited"
        found[ended] += 1
        found[f"{REGIMES[number % 3]} {ended}"] += 1
    return found
