"""What an instruction names in words and not in code: values, types, functions and methods."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from copydesk.refactorings.arguments import FUNCTION_WORDS, Arguments
from copydesk.refactorings.code_words import literal_type

TYPES = {
    "str": "str strings string text",
    "bytes": "bytes bytestring bytestrings",
    "int": "int ints integer integers",
    "float": "float floats",
    "bool": "bool bools boolean booleans flag",
    "list": "list lists",
    "tuple": "tuple tuples",
    "dict": "dict dicts dictionary dictionaries",
    "set": "set sets",
    "frozenset": "frozenset frozensets",
    "bytearray": "bytearray bytearrays",
    "complex": "complex",
    "range": "range",
    "object": "object",
    "Any": "any anything whatever",
}
"""Types, and words for them."""
SIGNS = {
    r"\n": "newline newlines linebreak linebreaks",
    r"\t": "tab tabs",
    r"\r": "cr carriage",
    ",": "comma commas",
    " ": "space spaces blank blanks",
    "": "nothing empty",
    "-": "dash dashes hyphen hyphens",
    "_": "underscore underscores",
    ".": "dot dots period",
    "/": "slash slashes",
    r"\\": "backslash backslashes",
    ":": "colon colons",
    ";": "semicolon semicolons",
    "|": "pipe pipes",
    "*": "star stars asterisk asterisks wildcard",
    "#": "hash",
    "@": "at-sign",
    "=": "equals",
    "+": "plus",
    "(": "paren parens parenthesis parentheses bracket brackets",
    ")": "paren parens parenthesis parentheses bracket brackets",
    "[": "bracket brackets",
    "]": "bracket brackets",
    "{": "brace braces",
    "}": "brace braces",
    "%": "percent",
    "&": "ampersand",
    "~": "tilde",
    "$": "dollar",
    "!": "exclamation bang",
    "?": "question",
    '"': "quote quotes",
    "'": "apostrophe apostrophes quote quotes",
}
"""Signs as they stand between quotes, and words for them."""
_SIGN_WORDS = frozenset(f"{SIGNS['-']} {SIGNS['_']}".split())
_SWAPPED = str.maketrans("-_", "_-")
NUMBERS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "once": 1, "twice": 2, "first": 0, "last": -1, "dozen": 12, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
    "thousand": 1000,
}  # fmt: skip
"""Whole numbers, and words for them."""
_SECONDS = {
    "ms": 0.001,
    "milliseconds": 0.001,
    "millis": 0.001,
    "s": 1,
    "sec": 1,
    "secs": 1,
    "min": 60,
    "minute": 60,
    "minutes": 60,
    "hour": 3600,
    "hours": 3600,
}
_HALF = re.compile(r"\bhalf an? (second|minute|hour)\b")
_HALVES = {"second": "0.5", "minute": "30", "hour": "1800"}
_BYTES = {"kb": 1024, "kib": 1024, "k": 1024, "mb": 1024**2, "mib": 1024**2, "gb": 1024**3}
_MEASURE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?([a-z]+)\b")
EMPTY = {
    "list": "[]",
    "dict": "{}",
    "dictionary": "{}",
    "string": "''",
    "str": "''",
    "tuple": "()",
    "set": "set()",
}


@lru_cache(maxsize=16)
def spoken_types(arguments: Arguments) -> tuple[str, ...]:
    """The built-in types that are named, whatever the number: `tuples` is one."""
    return tuple(name for name, words in TYPES.items() if arguments.words & set(words.split()))


@lru_cache(maxsize=16)
def spoken_values(arguments: Arguments) -> tuple[str, ...]:
    """Constants that are named in code or in words: numbers with their units, `an empty list`, `False`."""
    text = arguments.instruction.lower()
    found = [
        code
        for code in arguments.code
        if literal_type(code) is not None or code in ("None", "[]", "{}", "()")
    ]
    for number, unit in _MEASURE.findall(text):
        scale = _SECONDS.get(unit) or _BYTES.get(unit)
        if scale is not None:
            made = float(number) * scale
            found.append(f"{made:.10g}")
    found += [_HALVES[unit] for unit in _HALF.findall(text)]
    found += [str(number) for word, number in NUMBERS.items() if word in arguments.words]
    found += [code for kind, code in EMPTY.items() if re.search(rf"\bempty {kind}\b", text)]
    found += [code for code in ("NotImplemented", "Ellipsis") if code.lower() in arguments.words]
    return tuple(dict.fromkeys(found))


_QUOTED = re.compile(r"([\"'`])([^\"'`]+)\1")
_LISTED = re.compile(
    r"([\"'`])[^\"'`]+\1(?:,? (?:and|or|&) |, ?)([\"'`])[^\"'`]+\2(?:(?:,? (?:and|or|&) |, ?)([\"'`])[^\"'`]+\3)*"
)
_ENDINGS = (":", "=", "/")
_TERMS = frozenset({"f-string", "f-strings"})
"""Words for code, and no text in it."""


@lru_cache(maxsize=16)
def _contents(arguments: Arguments) -> tuple[str, ...]:
    """What a text could consist of: what is quoted, signs that stand alone or are named, words as they are spelt."""
    text = arguments.instruction
    found = [made for code in arguments.code if isinstance(made := _literal(code), str)]
    found += list(re.findall(r"[\"'`]([^\"'`]+)[\"'`]", text))
    found += [
        sign
        for sign in re.findall(r"(?<!\S)([^\w\s\"'`]{1,3})(?=[\s,.;]|$)", text)
        if sign not in ("->", "...", "?", "!")
    ]
    signs = {sign: arguments.words & set(words.split()) for sign, words in SIGNS.items()}
    found += [sign for sign, words in signs.items() if words]
    pieces = (piece.rstrip(".,;:!?") for piece in re.findall(r"(?<!\S)[.\-/]?\w[\w./+-]*", text))
    plain = (piece for piece in pieces if piece.lower() not in _TERMS)
    plain = (piece for piece in plain if piece not in ("None", "True", "False"))
    plain = (piece for piece in plain if piece not in arguments.exceptions)
    found += [piece for piece in plain if not any(piece.lower() in words for words in signs.values())]
    return tuple(dict.fromkeys(piece for piece in found if "\\" not in piece or piece in SIGNS))


def literals_like(old: str, arguments: Arguments, most: int = 30) -> list[str]:
    """Literals of the same type and spelling as an old one that the instruction names, those first that it quotes."""
    made = _literal(old)
    found: list[str] = []
    if isinstance(made, bool) or made is None:
        found = [code for code in spoken_values(arguments) if code in ("True", "False", "None")]
    elif isinstance(made, (int, float)):
        found = [code for code in spoken_values(arguments) if type(_literal(code)) in (int, float)]
        if isinstance(made, float):  # of seconds; nobody who says "50 ms" means 50.0
            timed = {n for n, unit in _MEASURE.findall(arguments.instruction.lower()) if unit in _SECONDS}
            found = [code for code in found if code not in timed]
            found = [f"{code}.0" if code.lstrip("-").isdigit() else code for code in found]
    elif isinstance(made, (str, bytes)) and (quote := re.match(r"([rRbBuU]*)(\"{3}|'{3}|[\"'])", old)):
        swapped = (
            made.translate(_SWAPPED) if isinstance(made, str) and arguments.words & _SIGN_WORDS else None
        )
        for content in (*_contents(arguments), *([swapped] if swapped else [])):
            mark = made[-1:] if isinstance(made, str) and content.isalnum() else ""
            if mark in _ENDINGS and f"{content}{mark}" in arguments.instruction:
                content += mark  # "tel:" is one word of what is said of "mailto:"
            if quote[2][0] not in content and content.isprintable():
                found.append(f"{quote[1]}{quote[2]}{content}{quote[2]}")
    return [code for code in dict.fromkeys(found) if code != old][:most]


_NO_ENTRIES = FUNCTION_WORDS | {
    "as", "well", "also", "for", "from", "when", "if", "must", "not", "shouldn", "doesn", "aren", "may", "itself", "has", "have",
    "does", "more", "another", "both", "either", "same", "like", "accept", "allow", "allowed", "ok", "fine", "count", "counts",
    "counted", "even", "just", "check", "nothing", "still", "again", "once", "never", "always", "already", "set", "treated",
    "considered", "here", "there",
}  # fmt: skip


def entries_like(old: str, arguments: Arguments, most: int = 30) -> list[str]:
    """Literals that may stand beside an old one; beside a sign no words, unless these are quoted."""
    quoted = {text for _, text in _QUOTED.findall(arguments.instruction)}
    news = [
        new
        for new in literals_like(old, arguments)
        if new.strip("bBuUrR\"'").lower() not in _NO_ENTRIES or new[1:-1] in quoted
    ]
    if _ONE_SIGN.fullmatch(old) and not old[-2].isalnum():
        news = [
            new
            for new in news
            if not re.search(r"[^\W_]", new.strip("bBuU\"'").lstrip("\\")) or new[1:-1] in quoted
        ]
    return news[:most]


_ONE_SIGN = re.compile(r"[bBuU]?([\"'])(\\?.)\1")


def sign_words(code: str, arguments: Arguments) -> str:
    """The words of an instruction for the signs that stand between quotes in a piece of code, in brackets: ` (slash)`."""
    signs = {sign for _, sign in _ONE_SIGN.findall(code)}
    said = [
        word
        for sign, words in SIGNS.items()
        for word in words.split()
        if sign in signs and word in arguments.words
    ]
    return f" ({' '.join(dict.fromkeys(said))})" if said else ""


@lru_cache(maxsize=16)
def listed_texts(arguments: Arguments) -> tuple[str, ...]:
    """Texts in quotes that an instruction lists, as in `'y' and 't'`; none for one alone."""
    found = _LISTED.search(arguments.instruction)
    return tuple(text for _, text in _QUOTED.findall(found[0])) if found is not None else ()


def listed_like(old: str, arguments: Arguments) -> str | None:
    """Listed texts as entries that are spelt as an old one is, without that one; None where no two are left, or it is no text."""
    quote = re.match(r"([rRbBuU]*)([\"'])", old)
    texts = listed_texts(arguments)
    if quote is None or any(quote[2] in text for text in texts):
        return None
    entries = dict.fromkeys(f"{quote[1]}{quote[2]}{text}{quote[2]}" for text in texts)
    entries.pop(old, None)
    return ", ".join(entries) if len(entries) > 1 else None


def _literal(code: str) -> object:
    try:
        return ast.literal_eval(code)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ...


_VOWELS = re.compile("[aeiou]")


@lru_cache(maxsize=4096)
def abbreviates(name: str, word: str) -> bool:
    """Whether a name is short for a word: its beginning (`param`), or some of its consonants (`src`, `msg`)."""
    if len(name) < 3 or len(word) < len(name) + 2 or name[0] != word[0]:
        return False
    letters = iter(word)
    return word.startswith(name) or (not _VOWELS.search(name) and all(letter in letters for letter in name))


def named_in(arguments: Arguments, names: Iterable[str], most: int = 8) -> list[str]:
    """Those of some names that an instruction spells or names in words: values are `value`, the callback is `done_callback`."""
    spelt: list[str] = []
    alike: list[str] = []
    short: list[str] = []
    words = arguments.words
    for name in names:
        lower = name.lower()
        if name in arguments.names or lower in words:
            spelt.append(name)
        elif (len(lower) > 2 and (f"{lower}s" in words or lower.removesuffix("s") in words)) or (
            "_" in name
            and any(
                (len(part) > 3 or part[-1:].isdigit()) and {part, part.removesuffix("s")} & words
                for part in lower.split("_")
            )
        ):
            alike.append(name)
        elif any(abbreviates(lower, word) for word in words):
            short.append(name)
    return [*spelt, *alike, *short][:most]
