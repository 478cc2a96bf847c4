"""An edit format in the tokens of one vocabulary: literals, numbers, lines, and whole programs.

Everything is tokenised piece by piece (each literal, each number with its terminator, each line on its own), in prompts,
programs and training alike. In Python's standard library 15.7% of line boundaries fall inside a token when a file is tokenised as
a whole; tokenising piece by piece makes "line → token range" exact and every token stream canonical. The codec works on view text
(every terminator is a newline; only a document's last line may lack one) and on page line numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from copydesk.errors import FormatError, ProgramError, TokenizerError
from copydesk.program import Copy, Gen, Program, Sub, escape, sub_span, unescape
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import Vocabulary

Ids = tuple[int, ...]
Role = Literal["op", "start", "end", "span", "old", "to", "text", "close"]
TITLE_TOKENS = 24
"""Of an edit's description; what is longer is cut."""

LITERALS = (
    "document_open", "document_close", "copy_open", "gen_open", "gen_close",
    "sub_open", "sub_to", "sub_close", "end", "no_eol", "skip",
    "request_open", "scope", "at", "instruction", "program_open",
)  # fmt: skip
_SPECIAL = {
    "document_open": "<doc>", "copy_open": "<copy>", "gen_open": "<gen>", "gen_close": "</gen>",
    "sub_open": "<sub>", "sub_to": "<to>", "sub_close": "</gen>", "end": "<end>", "no_eol": "<noeol>",
    "skip": "<skip>", "request_open": "<req>", "scope": "<scope>", "at": "<at>", "instruction": "<do>",
    "program_open": "<prog>",
}  # fmt: skip
_TAGS = {
    "document_open": "<document>\n", "document_close": "</document>\n", "copy_open": '<copy lines="',
    "gen_open": "<gen>\n", "gen_close": "</gen>\n", "sub_open": '<sub line="', "sub_to": "</old>\n",
    "sub_close": "</sub>\n", "end": "</program>\n", "no_eol": "<noeol/>\n", "skip": "...\n",
    "request_open": "<request>\n", "scope": "scope: ", "at": "line ", "instruction": "instruction: ",
    "program_open": "<program>\n",
}  # fmt: skip


def special_tokens(max_number: int) -> list[str]:
    """The special tokens a `lines` vocabulary must have, line tokens `<L0>`..`<L{max_number}>` included."""
    return ["<pad>", *dict.fromkeys(_SPECIAL.values()), *(f"<L{n}>" for n in range(max_number + 1))]


class Piece(NamedTuple):
    """A run of tokens and its role; training weights the loss by role (spans are context, not output)."""

    role: Role
    ids: Ids


@dataclass(frozen=True, slots=True)
class Literals:
    """Token ids of every fixed piece of the format."""

    document_open: Ids
    document_close: Ids
    copy_open: Ids
    gen_open: Ids
    gen_close: Ids
    sub_open: Ids
    sub_to: Ids
    sub_close: Ids
    end: Ids
    no_eol: Ids
    skip: Ids
    request_open: Ids
    scope: Ids
    at: Ids
    instruction: Ids
    program_open: Ids


class Codec:
    """`EditFormat` × `Vocabulary`. Raises TokenizerError where the vocabulary cannot spell the format."""

    def __init__(self, format: EditFormat, vocabulary: Vocabulary) -> None:
        if format.kind == "rewrite":
            raise FormatError("a rewrite model spells no programs")
        self.format = format
        self.vocabulary = vocabulary
        self.tagged = format.kind == "tags"
        self.literals = self._spell_tags() if self.tagged else self._spell_specials()
        self._newline = tuple(vocabulary.encode("\n"))
        self._line = lru_cache(maxsize=1 << 16)(self._encode_line)
        self._start = lru_cache(maxsize=4096)(self._spell_start)
        self._end = lru_cache(maxsize=4096)(self._spell_end)
        self._substart = lru_cache(maxsize=4096)(self._spell_sub_start)

    # -- literals and numbers ------------------------------------------------------------------------------------

    def _spell_tags(self) -> Literals:
        ids = {name: tuple(self.vocabulary.encode(_TAGS[name])) for name in LITERALS}
        for name, spelled in ids.items():
            if b"".join(self.vocabulary.token_bytes[i] for i in spelled) != _TAGS[name].encode():
                raise TokenizerError(f"the tokenizer cannot spell {_TAGS[name]!r}")
        return Literals(**ids)

    def _spell_specials(self) -> Literals:
        missing = [
            s for s in special_tokens(self.format.max_number)[1:] if self.vocabulary.special(s) is None
        ]
        if missing:
            raise TokenizerError(
                f"the tokenizer has no special token {missing[0]} ({len(missing)} missing in all)"
            )
        ids = {name: (self._special(s),) for name, s in _SPECIAL.items()}
        return Literals(document_close=(), **ids)

    def _special(self, name: str) -> int:
        index = self.vocabulary.special(name)
        if index is None:
            raise TokenizerError(f"the tokenizer has no special token {name}")
        return index

    def number(self, n: int) -> Ids:
        """A line number as the request names it, without terminator."""
        return (self._special(f"<L{n}>"),) if not self.tagged else tuple(self.vocabulary.encode(str(n)))

    def described(self, title: str, line: int) -> Ids:
        """An edit in words, with the page line where it begins (0 for none): what stands for its program where the model judges
        edits. Ends with the line's number: none is a prefix of another.
        """
        words = " ".join(title.split())
        if self.tagged:
            return tuple(self.vocabulary.encode(f"{words}, line {line}\n"))
        return (*self.vocabulary.encode(words)[:TITLE_TOKENS], *self.number(line))

    @property
    def verdict(self) -> int:
        """The token behind the description of an edit that is meant."""
        return self.literals.end[0]

    def _spell_start(self, n: int) -> Ids:
        return tuple(self.vocabulary.encode(f"{n}-")) if self.tagged else self.number(n)

    def _spell_end(self, n: int) -> Ids:
        return tuple(self.vocabulary.encode(f'{n}"/>\n')) if self.tagged else self.number(n)

    def _spell_sub_start(self, n: int) -> Ids:
        return tuple(self.vocabulary.encode(f'{n}">\n')) if self.tagged else self.number(n)

    def copy_start(self, n: int) -> Ids:
        """A copy's first line, terminator included: no spelling is a prefix of another."""
        return self._start(n)

    def copy_end(self, n: int) -> Ids:
        return self._end(n)

    def sub_start(self, n: int) -> Ids:
        return self._substart(n)

    # -- text ----------------------------------------------------------------------------------------------------

    def _encode_line(self, line: str) -> Ids:
        ids = tuple(self.vocabulary.encode(line))
        return ids if line.endswith("\n") else ids + self.literals.no_eol

    def line(self, line: str) -> Ids:
        """Tokens of one view line; a line without a terminator ends in an explicit mark."""
        return self._line(line)

    def numbered(self, n: int, line: str) -> Ids:
        """Line n as a page shows it."""
        return (tuple(self.vocabulary.encode(f"{n}|")) if self.tagged else self.number(n)) + self.line(line)

    def skipped(self, n: int) -> Ids:
        """The numbered line that stands for the lines a page hides."""
        return (
            tuple(self.vocabulary.encode(f"{n}|")) if self.tagged else self.number(n)
        ) + self.literals.skip

    def fragment(self, text: str) -> Ids:
        """Tokens of text that may stop inside a line (the new text of a sub), line by line, escaped where the format needs it."""
        if self.tagged:
            text = escape(text)
        ids: list[int] = []
        for part in _split(text):
            ids += self.vocabulary.encode(part)
        return tuple(ids)

    def body(self, text: str) -> Ids:
        """Tokens of a gen body: whole lines, or ending in the mark for a missing final newline."""
        ids = self.fragment(text)
        return ids if text.endswith("\n") else ids + self.literals.no_eol

    def read_fragment(self, ids: Sequence[int]) -> str:
        text = self.vocabulary.decode(ids)
        return unescape(text) if self.tagged else text

    def read_body(self, ids: Sequence[int]) -> str:
        mark = self.literals.no_eol
        if len(ids) >= len(mark) and tuple(ids[len(ids) - len(mark) :]) == mark:
            return self.read_fragment(ids[: len(ids) - len(mark)])
        return self.read_fragment(ids)

    def may_be_old(self, old: str) -> bool:
        """Whether `old` can be used in a sub without being taken for a tag: old texts are the line's own tokens, not escaped."""
        return not self.tagged or escape(old) == old

    # -- whole programs ------------------------------------------------------------------------------------------

    def span(self, lines: Sequence[Ids], start: int, end: int) -> list[int]:
        """What follows a copy of `start..end` in the context, from the tokens of the page's lines (1-based, inclusive)."""
        if self.format.after_copy == "program":
            return []
        if self.format.after_copy == "tail":
            start = max(start, end - self.format.tail_lines + 1)
        return [i for line in lines[start - 1 : end] for i in line]

    def encode_program(
        self, program: Program, views: Sequence[str], lines: Sequence[Ids], *, open_end: bool
    ) -> list[Piece]:
        """`program` (page numbers, view text) as tokens behind `program_open`, to the end, in the order the model emits them.

        `views` and `lines` are the page's lines as view text and as tokens. `open_end` says that text may still be inserted
        after the last line; otherwise only a forced end can follow a copy of the last line, and no span is written.
        Raises ProgramError where a sub's old text is not a run of its line's own tokens.
        """
        lit = self.literals
        out: list[Piece] = []
        for op in program.ops:
            match op:
                case Copy(start, end):
                    out += [
                        Piece("op", lit.copy_open),
                        Piece("start", self.copy_start(start)),
                        Piece("end", self.copy_end(end)),
                    ]
                    if end < len(lines) or open_end:
                        out.append(Piece("span", tuple(self.span(lines, start, end))))
                case Gen(text):
                    out += [
                        Piece("op", lit.gen_open),
                        Piece("text", self.body(text)),
                        Piece("close", lit.gen_close),
                    ]
                case Sub(start, _, old, new):
                    run = own_run(self, views, lines, start, old)
                    if run is None:
                        raise ProgramError(f"the old text {old!r} is not a run of line {start}'s own tokens")
                    out += [
                        Piece("op", lit.sub_open),
                        Piece("start", self.sub_start(start)),
                        Piece("old", run),
                    ]
                    out += [
                        Piece("to", lit.sub_to),
                        Piece("text", self.fragment(new)),
                        Piece("close", lit.sub_close),
                    ]
        out.append(Piece("op", lit.end))
        return out


def own_run(codec: Codec, views: Sequence[str], lines: Sequence[Ids], start: int, old: str) -> Ids | None:
    """The tokens of `old` if it is a legal old text at line `start` (program.sub_span) and a run of the lines' own tokens."""
    found = sub_span(views, start, old, max_lines=codec.format.sub_lines)
    if found is None or not codec.may_be_old(old):
        return None
    first = len(views[start - 1][: found.offset].encode())
    last = first + len(old.encode())
    run: list[int] = []
    at = 0
    table = codec.vocabulary.token_bytes
    for line in lines[start - 1 : found.end_line]:
        for token in line:
            size = len(table[token])
            if at >= last:
                break
            if at >= first and size:
                if not run and at != first:
                    return None
                run.append(token)
            at += size
    return tuple(run) if at >= last and b"".join(table[t] for t in run) == old.encode() else None


def _split(text: str) -> list[str]:
    """View text at its newlines only (str.splitlines also breaks elsewhere)."""
    parts = text.split("\n")
    return [p + "\n" for p in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
