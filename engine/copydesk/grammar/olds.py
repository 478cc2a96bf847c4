"""The old text of a sub, token by token: which runs of a line's own tokens identify one place in it.

An old text is a run of the page's own tokens on character boundaries that begins in a given line, is unique according to
`program.sub_span`, ends inside the scope and contains no raw tag. A line that the tokenizer cannot spell (SmolLM2 has no token
for some control characters) has no old text. One `Olds` covers one page and caches what it computes for each line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.program import sub_span
from copydesk.prompting.codec import Codec, Ids


@dataclass(frozen=True, slots=True)
class OldRun:
    """A complete old text: its last line, and whether it includes that line's newline (then the new text
    must end in one)."""

    text: str
    end_line: int
    ends_line: bool


@dataclass(frozen=True, slots=True)
class OldState:
    """Progress in an old text at `line`: tokens emitted so far match the line's own at every index of
    `starts`.

    `closing` holds progress in the literal `sub_to`, with the run it would close: (tokens of it seen,
    start, length). `done` is set once the literal is complete.
    """

    line: int
    limit: int
    starts: tuple[int, ...]
    length: int = 0
    closing: tuple[tuple[int, int, int], ...] = ()
    done: OldRun | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """The tokens from the start of a line, and for each token index in that line the legal ends of a run that begins
    there."""

    tokens: Ids
    ends: dict[int, frozenset[int]]
    furthest: dict[int, int]


class Olds:
    """Old texts on one page: `views` are its lines as view text, `lines` their tokens (`Codec.line`)."""

    def __init__(self, codec: Codec, views: Sequence[str], lines: Sequence[Ids]) -> None:
        self._codec, self._views, self._lines = codec, views, lines
        self._cache: dict[tuple[int, int], _Line] = {}
        self._to = codec.literals.sub_to

    def has_legal_old(self, line: int, limit: int) -> bool:
        """Whether some old text begins in `line` and ends in line `limit` or before."""
        return bool(self._at(line, limit).ends)

    def legal_runs(self, line: int, limit: int) -> list[Ids]:
        """Every old text at `line`, as tokens."""
        at = self._at(line, limit)
        return [at.tokens[a:b] for a, ends in at.ends.items() for b in sorted(ends)]

    def start(self, line: int, limit: int) -> OldState:
        """The state after the number of a sub's first line; `limit` is `Rules.sub_limit(line)`."""
        return OldState(line, limit, tuple(self._at(line, limit).ends))

    def allowed(self, state: OldState) -> tuple[int, ...]:
        """Tokens from which some legal old text can still be completed, ascending. Never empty before
        `done`."""
        at = self._at(state.line, state.limit)
        out = {self._to[n] for n, _, _ in state.closing}
        for start in state.starts:
            here = start + state.length
            if here < at.furthest[start]:
                out.add(at.tokens[here])
            if here in at.ends[start]:
                out.add(self._to[0])
        return tuple(sorted(out))

    def advance(self, state: OldState, token: int) -> OldState | None:
        """The state after `token`, None if it is not allowed."""
        at, length = self._at(state.line, state.limit), state.length
        begun = [(0, a, length) for a in state.starts if a + length in at.ends[a]]
        closing = tuple((n + 1, a, k) for n, a, k in (*state.closing, *begun) if self._to[n] == token)
        starts = tuple(
            a for a in state.starts if a + length < at.furthest[a] and at.tokens[a + length] == token
        )
        # A complete `sub_to` wins; own tokens that spell the same would put a raw tag into the old text.
        for n, start, size in closing:
            if n == len(self._to):
                run = self._run(state.line, at.tokens[start : start + size])
                return OldState(state.line, state.limit, (), length, (), run)
        if not starts and not closing:
            return None
        return OldState(state.line, state.limit, starts, length + 1, closing)

    def closing_path(self, state: OldState) -> Ids:
        """A shortest run of tokens from `state` to `done`. Empty if it is done."""
        if state.done:
            return ()
        at = self._at(state.line, state.limit)
        paths = [self._to[n:] for n, _, _ in state.closing]
        for start in state.starts:
            here = start + state.length
            paths += [at.tokens[here:end] + self._to for end in at.ends[start] if end >= here]
        return min(paths, key=len)

    def _run(self, line: int, tokens: Ids) -> OldRun:
        text = self._codec.vocabulary.decode(tokens)
        # A newline ends a line, so lines are counted up to the last byte.
        return OldRun(text, line + text[:-1].count("\n"), text.endswith("\n"))

    def _at(self, line: int, limit: int) -> _Line:
        limit = min(limit, line + self._codec.format.sub_lines - 1)
        found = self._cache.get((line, limit))
        if found is None:
            found = self._cache[line, limit] = self._scan(line, limit)
        return found

    def _text_tokens(self, line: int) -> Ids:
        ids = self._lines[line - 1]
        # A last line without a terminator ends in a mark that is not text.
        return (
            ids
            if self._views[line - 1].endswith("\n")
            else ids[: len(ids) - len(self._codec.literals.no_eol)]
        )

    def _is_spelled(self, line: int) -> bool:
        """Whether the line's tokens spell its text; otherwise their offsets are not offsets in the text."""
        spelled = self._codec.vocabulary.token_bytes
        text = self._views[line - 1].encode("utf-8", "surrogatepass")
        return b"".join(spelled[token] for token in self._text_tokens(line)) == text

    def _scan(self, line: int, limit: int) -> _Line:
        limit = next((k - 1 for k in range(line, limit + 1) if not self._is_spelled(k)), limit)
        tokens = tuple(t for k in range(line, limit + 1) for t in self._text_tokens(k))
        own = len(self._text_tokens(line)) if limit >= line else 0
        text = "".join(self._views[line - 1 : limit])
        spelled = self._codec.vocabulary.token_bytes
        # Character offset of each token, -1 inside a character; offsets[len(tokens)] is the end.
        character = {len(text[:k].encode()): k for k in range(len(text) + 1)} if not text.isascii() else None
        offsets, at = [0], 0
        for token in tokens:
            at += len(spelled[token])
            offsets.append(at if character is None else character.get(at, -1))
        ends: dict[int, frozenset[int]] = {}
        shortest = 1
        for a in range(own):
            if offsets[a] < 0:
                continue
            # If the run from a + 1 is unique so is the longer one from a: the shortest unique run's end only ever moves on.
            shortest = max(shortest, a + 1)
            while shortest <= len(tokens) and not self._unique(line, text, offsets[a], offsets[shortest]):
                shortest += 1
            legal = []
            for b in range(shortest, len(tokens) + 1):
                if offsets[b] >= 0:
                    if not self._codec.may_be_old(text[offsets[a] : offsets[b]]):
                        break
                    legal.append(b)
            if legal:
                ends[a] = frozenset(legal)
        return _Line(tokens, ends, {a: max(legal) for a, legal in ends.items()})

    def _unique(self, line: int, text: str, start: int, end: int) -> bool:
        if end < 0:
            return False
        span = sub_span(self._views, line, text[start:end], max_lines=self._codec.format.sub_lines)
        return span is not None and span.offset == start
