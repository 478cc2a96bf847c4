"""What one request cost, in tokens and forward passes."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class Counts:
    """Tokens and forward passes of one request; they are in every result and every benchmark.

    forced:    tokens the grammar left no choice about; they cost no decision.
    copied:    span tokens that went through a forward pass behind their copy.
    drafted:   tokens proposed by a draft and accepted.
    generated: tokens the model had to choose one at a time, structural choices left out.
    choices:   finite choices (ops, spans, names) made as a whole.
    covered:   tokens of the result that copies supplied.
    forwards:  forward passes the request took part in, those that prefilled its prompt included; one fed in pieces counts once.
    prefilled: page tokens computed for this request because they were not warm.
    reused:    page tokens served from the warm cache.

    Of a served model a forward is a request, and prefilled and reused are of all their prompts, as far as the server tells.
    """

    forced: int = 0
    copied: int = 0
    drafted: int = 0
    generated: int = 0
    choices: int = 0
    covered: int = 0
    forwards: int = 0
    prefilled: int = 0
    reused: int = 0

    def as_dict(self) -> dict[str, int]:
        return asdict(self)

    def __iadd__(self, other: Counts) -> Counts:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self
