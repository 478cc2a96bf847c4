"""Which candidates go best with an instruction: a linear model of the instruction's words and of what each edit changes.

It looks at all candidates, of which the language model then weighs the first: retrieval before reranking, as in search. A
candidate is told by features: its refactoring, the words of its title, what it adds and takes away, and how much of that, and of
the lines it changes, the instruction names. A weight belongs to a pair of a word and a feature; pairs share a table of weights by
their hash. The weights are trained on instructions in people's words (`copydesk_training.ranking`).
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from copydesk.refactorings.affinity import stem
from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.ranking_table import BITS, ranking_table

MOST_WORDS = 24
"""Words and pairs of words of an instruction that are looked at."""
MOST_TOKENS = 6
"""Tokens that an edit adds, and that it takes away, that are looked at."""
HIGHEST_AFFINITY = 5
"""In halves; a higher one is too rare to learn a weight of its own, and counts as this one."""
_TOKEN = re.compile(r"\w+|[^\w\s]+")
_QUOTED = re.compile(r'"[^"]*"')
_MIX = np.uint32(2654435761)


class Proposed(NamedTuple):
    """A candidate, its refactoring, its place among the candidates of that one, and the affinity of its title."""

    refactoring: str
    place: int
    candidate: Candidate
    affinity: float


Hashes: TypeAlias = NDArray[np.uint32]


def words_of(arguments: Arguments) -> list[str]:
    """What is looked at of an instruction: its words by their stems, pairs of neighbours, and `*`, which every one has."""
    found = [stem(word) for word in _TOKEN.findall(arguments.instruction.lower())]
    pairs = [f"{one} {other}" for one, other in pairwise(found)]
    return ["*", *list(dict.fromkeys([*found, *pairs]))[:MOST_WORDS]]


def features_of(
    context: RefactoringContext, arguments: Arguments, proposed: Proposed
) -> tuple[list[str], list[str]]:
    """The features of a candidate: those that go with words, and those that count by themselves."""
    name, place, candidate, fit = proposed
    old: Counter[str] = Counter()
    new: Counter[str] = Counter()
    for edit in candidate.edits:
        old.update(_TOKEN.findall("".join(context.lines[edit.first - 1 : edit.last])))
        new.update(_TOKEN.findall(edit.text))
    added, removed = [*(new - old)], [*(old - new)]
    known = context.words
    title = _TOKEN.findall(_QUOTED.sub(" ", candidate.title.lower()))
    paired = [f"r:{name}", *(f"t:{word}" for word in dict.fromkeys(title) if word not in known)]
    paired += [f"+{token}" for token in _telling(added, known)]
    paired += [f"-{token}" for token in _telling(removed, known)]
    said = [token for token in added if token.lower() in arguments.words]
    foreign = [
        token for token in added if token[0].isidentifier() and token not in known and token not in said
    ]
    named = {n for n in arguments.names if n in known}
    touched = {token for token in (*added, *removed) if token in named}
    wanted = {n for n in arguments.names if n not in known}
    tokens = context.derived(_scope_tokens).intersection(_TOKEN.findall(arguments.instruction))
    spoken_of = {token for token in tokens if token[0].isidentifier() and not keyword.iskeyword(token)}
    about = _share(len(spoken_of.intersection(old)), len(spoken_of))
    lines = sum(edit.last - edit.first + 1 for edit in candidate.edits)
    more = sum(edit.text.count("\n") for edit in candidate.edits) - lines
    buckets = [
        f"said {_share(len(said), len(added))}",
        f"foreign {min(len([t for t in foreign if not keyword.iskeyword(t)]), 3)}",
        f"named {_share(len(touched), len(named))}",
        f"wanted {_share(len(wanted & set(added)), len(wanted))}",
        f"code {any(code in edit.text for code in arguments.code for edit in candidate.edits)}",
        f"place {place.bit_length()}",
        f"lines {min(lines, 4)} {max(-2, min(more, 2))}",
        f"affinity {min(round(2 * fit), HIGHEST_AFFINITY)}",
        f"about {about}",
        f"about {about} {min(lines, 3)}",
    ]
    return paired, [*buckets, *(f"{name}|{bucket}" for bucket in buckets[:6])]


def _scope_tokens(context: RefactoringContext) -> frozenset[str]:
    """What stands in the selected lines."""
    return frozenset(
        token for number in context.numbers() for token in _TOKEN.findall(context.lines[number - 1])
    )


def _telling(tokens: Sequence[str], known: frozenset[str]) -> Iterator[str]:
    """Keywords, operators, and names that the document has not: the others tell nothing in another one."""
    found = [t for t in tokens if not t[0].isidentifier() or keyword.iskeyword(t) or t not in known]
    yield from found[:MOST_TOKENS]


def _share(part: int, whole: int) -> str:
    return "-" if not whole else "all" if part == whole else "some" if part else "none"


def hashes(texts: Sequence[str]) -> Hashes:
    """uint32 [n]: of each text."""
    return np.array([_hash(text) for text in texts], np.uint32)


@lru_cache(1 << 16)
def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "replace"))


def places(words: Hashes, paired: Hashes, single: Hashes) -> Hashes:
    """Where in the table the weights of a candidate are: those of each word with each of its features, and of features alone."""
    pairs = ((words[:, None] * _MIX) ^ paired[None, :]).ravel()
    found: Hashes = (np.concatenate([pairs, single]) * _MIX) >> np.uint32(32 - BITS)
    return found


def score(
    context: RefactoringContext, arguments: Arguments, found: Sequence[Proposed]
) -> NDArray[np.float32]:
    """float32 [n]: how well each candidate goes with the instruction."""
    words, table = hashes(words_of(arguments)), ranking_table()
    out = np.zeros(len(found), np.float32)
    for k, proposed in enumerate(found):
        paired, single = features_of(context, arguments, proposed)
        out[k] = table.total(places(words, hashes(paired), hashes(single)))
    return out
