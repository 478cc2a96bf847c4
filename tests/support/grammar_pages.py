"""Random pages, scopes and walks for the tests of the grammar room."""

from __future__ import annotations

import random
from collections.abc import Sequence

import vocabularies
from copydesk.grammar.bodies import Bodies
from copydesk.prompting.codec import Codec, Ids
from copydesk_benchmarks.acceptor import Acceptor, State

ODD_LINES = (
    "é日本 = 'ä\U0001f600'\n", "</old>x</gen>\n", "\n", "a a a a\n", "<noeol/>\n", "x</old\n", "a<</gen\n", "  \n",
    "naïve </ </o\n", "aa\n", "aaa\n",
)  # fmt: skip

_BODIES: dict[str, Bodies] = {}


def bodies(name: str) -> Bodies:
    """The automaton of one of the test vocabularies."""
    if name not in _BODIES:
        _BODIES[name] = Bodies.build(vocabularies.codec(name))
    return _BODIES[name]


def random_views(rng: random.Random, most: int = 9) -> list[str]:
    """A page's lines as view text: code or oddities, the last maybe without terminator."""
    source = rng.choice(vocabularies.corpus()).split("\n")
    at = rng.randrange(len(source) - most)
    views = [line + "\n" for line in source[at : at + rng.randint(0, most)]]
    views = [rng.choice(ODD_LINES) if rng.random() < 0.2 else view for view in views]
    if views and rng.random() < 0.4:
        views[-1] = views[-1][:-1] or "x"
    return views


def random_scope(rng: random.Random, lines: int) -> list[tuple[int, int]]:
    """Up to three ranges, insertion points among them."""
    scope = []
    for _ in range(rng.randint(0, 3)):
        start = rng.randint(1, lines + 1)
        scope.append((start, rng.randint(start - 1, lines)))
    return scope


def random_acceptor(
    rng: random.Random, name: str, at_end: bool | None = None
) -> tuple[Acceptor, list[str], list[Ids]]:
    codec = vocabularies.codec(name)
    views = random_views(rng)
    lines = [codec.line(view) for view in views]
    if at_end is None:
        at_end = (bool(views) and not views[-1].endswith("\n")) or rng.random() < 0.7
    scope = random_scope(rng, len(views))
    return Acceptor.for_page(codec, views, lines, scope, bodies(name), at_end=at_end), views, lines


def random_token(rng: random.Random, acceptor: Acceptor, state: State) -> int:
    """A legal token, with a leaning towards ends and tags where the choice is wide."""
    allowed = acceptor.allowed(state)
    assert len(allowed), f"dead end in {state}"
    if state.phase == "text" and rng.random() < 0.35:
        return acceptor.closing_path(state)[0]
    return int(allowed[rng.randrange(len(allowed))])


def random_stream(
    rng: random.Random, acceptor: Acceptor, lines: Sequence[Ids], budget: int = 200
) -> list[int]:
    """A random program's tokens, spans included. Behind `budget` tokens it takes the shortest way out."""
    codec: Codec = acceptor.codec
    state, ids = acceptor.start(), list[int]()
    while not acceptor.done(state):
        if state.pending_span:
            ids += codec.span(lines, *state.pending_span)
        if budget <= 0:
            token = acceptor.closing_path(state)[0]
        else:
            token = random_token(rng, acceptor, state)
        ids.append(token)
        state = acceptor.advance(state, token)
        budget -= 1
        assert budget > -1000, "the shortest way out does not end"
    return ids
