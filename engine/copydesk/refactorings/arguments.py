"""What stands in an instruction that an edit could use: names, pieces of code, texts. Nothing is read of what it says."""

from __future__ import annotations

import builtins
import keyword
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from copydesk.refactorings.code_words import annotation, expression

LONGEST_RUN = 12
"""Words that one piece of code may have."""
MOST = 40
"""Arguments of one kind that are kept, the first ones."""
LONGEST = 1000
"""Characters of an instruction that are looked at."""

FUNCTION_WORDS = frozenset({
    "a", "all", "an", "and", "any", "are", "at", "be", "but", "by", "can", "do", "don", "every", "here", "in", "instead",
    "into", "is", "isn", "it", "its", "just", "let", "me", "my", "no", "of", "off", "on", "one", "only", "or", "our", "out",
    "over", "please", "should", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "too", "us", "use", "using", "want", "we", "which", "with", "would", "you", "your",
})  # fmt: skip
"""Words of a sentence that are no names in it, unless they are marked as such."""
QUOTED = re.compile(r"(\"{3}|```|(?<!\w)'(?=.*'(?!\w))|[\"`])(.+?)\1")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?!\w)")
_DOTTED = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_NUMBER = re.compile(r"(?<![\w.])(?<![A-Za-z]-)-?\d[\w.]*\b")  # no 8 in "utf-8"
_CHUNK = re.compile(r"(?:[\"'][^\"']*[\"']|\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s])+")
_WORD = re.compile(r"\w+|[<>=!]=|//|\*\*|[<>+*/%|]|(?<= )-(?= )")
_TRIMMED = ".,:;!?"
_MARKED = re.compile(r"[^\w]|\d|_|[a-z][A-Z]")
_ASSIGNMENT = re.compile(
    r"(?<![\w.])[^\W\d]\w* ?= ?(?:[\"'][^\"']*[\"']|\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s\"'()=,;`])+"
)
_INTRODUCING = re.compile(r"(?::|->|#|,|\b(?:saying|says?|be|reads?|to|with|as)) (?=\S)")
_ENDS = re.compile(r" (?=on |above |before |over |in |at |for |instead )|, | \(|;")
"""What a text may stand behind, and before; not every one of these is one."""
_SIGN = re.compile(r"\bis (?=[<>=!]=|[<>] )")
"""What people put before a sign: "x is >= 0"."""
_CODE = re.compile(r"[()\[\]{}<>=+*/%|.'\"-]|\b(?:not|and|or|is|in)\b")


_PRINT = re.compile(
    r"\bprint\(|\b(?:use|using|with|by|to|of|as|call|plain|than) (?:a |the )?print\b|\bprint(?:,| instead| is| function)"
)
"""Where the function is meant: "add a debug print of it" and "print it" name nothing that stands in code."""
_HYPHENED = re.compile(r"[A-Za-z]+(?:-[a-z]{2,})+")
"""A word like "f-string" or "re-raise": English, and no difference, unless it is quoted."""
_CONTRAST = re.compile(r", not ")
"""Stands in "None, not False": English, and no tuple."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments in the order of the instruction, none twice.

    words: every word of it, in lower case, and every operator. names: identifiers, no keywords. dotted: names with dots in
    them. code: expressions of more than a name, literals too. assignments: `name=value`. pairs: `key: value`. types: what
    could annotate something. texts: what stands in quotes, or behind a word that may introduce it.
    """

    instruction: str = ""
    words: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    dotted: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """What could be a value: code, constants, and names."""
        return tuple(dict.fromkeys([*self.code, *self.names]))

    @property
    def exceptions(self) -> tuple[str, ...]:
        """Names of exception types: those of Python, and what is called one."""
        return tuple(name for name in [*self.names, *self.dotted] if _is_exception(name))

    def mentions(self, code: str) -> bool:
        """Whether it stands in the instruction, and not as a part of another word."""
        at = self.instruction.find(code)
        while code and at >= 0:
            before, behind = self.instruction[:at][-1:], self.instruction[at + len(code) :][:1]
            if not (_is_word(code[0]) and _is_word(before)) and not (_is_word(code[-1]) and _is_word(behind)):
                return True
            at = self.instruction.find(code, at + 1)
        return False


def arguments_of(instruction: str) -> Arguments:
    """What stands in an instruction, by its form alone."""
    text = re.sub(r"[\r\n\t]+", " ", instruction[:LONGEST]).strip()
    quoted = [found[2].strip() for found in QUOTED.finditer(text)]
    bare = re.sub(r"[`\"]", " ", text)
    marked = {name for piece in quoted for name in _NAME.findall(piece)}
    names = [
        name
        for name in _NAME.findall(bare)
        if not keyword.iskeyword(name) and (name in marked or name not in FUNCTION_WORDS)
        if name != "print" or name in marked or _PRINT.search(text)
    ]
    dotted = [name for name in _DOTTED.findall(text) if not any(map(keyword.iskeyword, name.split(".")))]
    code = list(_code(_SIGN.sub("", text), quoted))
    types = [
        found
        for words in (*quoted, *code, *names, *dotted)
        if (found := annotation(words.removeprefix("-> "))) is not None
    ]
    return Arguments(
        instruction=text,
        words=frozenset(word.lower() for word in _WORD.findall(text)),
        names=_first([*(n for n in names if _MARKED.search(n)), *names]),
        dotted=_first(dotted),
        code=_first(code),
        assignments=_first(
            re.sub(r" ?= ?", "=", found, count=1) for found in _ASSIGNMENT.findall(text) if _assigns(found)
        ),
        pairs=_first(_pairs(text)),
        types=_first([*types, *(t for t in ("None", "False", "True") if re.search(rf"\b{t}\b", text))]),
        texts=_first(_texts(text, quoted)),
    )


def _code(text: str, quoted: Iterable[str]) -> Iterator[str]:
    """Runs of words that are an expression, the longest first at each place: those in quotes, and any others."""
    for piece in quoted:
        if _CODE.search(piece) and (code := _expression(piece)):
            yield code
    for found in re.finditer(r"(?<!\w)([\"'])[^\"']*\1(?!\w)", text):
        if code := _expression(found[0]):
            yield code
    yield from (number for number in _NUMBER.findall(text) if _expression(number))
    for word in ("None", "True", "False"):
        if re.search(rf"\b{word}\b", text, re.IGNORECASE):
            yield word
    chunks = [(found.start(), found.end()) for found in _CHUNK.finditer(text)]
    for k, (start, _) in enumerate(chunks):
        for _, end in reversed(chunks[k : k + LONGEST_RUN]):
            piece = text[start:end].strip("`@").strip(_TRIMMED).strip("`@")
            if _CONTRAST.search(text[max(0, start - 2) : end]):
                continue
            if piece and _CODE.search(piece) and not _HYPHENED.fullmatch(piece):
                if code := _expression(piece):
                    yield code
                if (value := piece.partition("=")[2].strip()) and _assigns(piece) and _CODE.search(value):
                    yield value
    for found in re.finditer(r"\(([^()]+)\)", text):
        if code := _expression(found[1]):
            yield code


def _pairs(text: str) -> Iterator[str]:
    """Runs of words round a colon that could be an entry of a dict, or a name with its type."""
    chunks = [(found.start(), found.end()) for found in _CHUNK.finditer(text)]
    for k, (start, stop) in enumerate(chunks):
        if ":" in text[start : stop + 1].strip("`"):
            for _, end in reversed(chunks[k : k + LONGEST_RUN]):
                piece = text[start:end].strip("`").strip(_TRIMMED).strip("`")
                head, sign, value = piece.partition(" = ")
                typed = ":" in head and _expression("{" + head + "}") is not None
                if typed and (not sign or _expression(value) is not None):
                    yield piece
    for found in re.finditer(r"\(([^()]+)\)", text):
        yield from _pairs(found[1])


def _assigns(text: str) -> bool:
    name, _, value = text.partition("=")
    return name.strip().isidentifier() and _expression(value.strip()) is not None


def _expression(text: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return expression(text)


def _texts(text: str, quoted: Iterable[str]) -> Iterator[str]:
    yield from quoted
    if (last := text.rpartition(": ")[2].strip()) != text:
        yield last
    for found in _INTRODUCING.finditer(text):
        tail = text[found.end() :].lstrip("#").strip()
        yield tail
        yield tail.rstrip(".!")
        yield from (tail[: end.start()] for end in _ENDS.finditer(tail))
    yield text


def _first(found: Iterable[str]) -> tuple[str, ...]:
    kept: dict[str, None] = {}
    for one in found:
        kept[one] = None
        if len(kept) == MOST:
            break
    return tuple(kept)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _is_exception(name: str) -> bool:
    last = name.rpartition(".")[2]
    kind = getattr(builtins, last, None)
    known = isinstance(kind, type) and issubclass(kind, BaseException)
    return known or last.endswith(("Error", "Exception", "Warning"))
