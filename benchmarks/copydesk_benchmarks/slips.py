"""Names as people get them wrong: slips of the fingers, of the memory, and of a rename that missed a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

_BESIDE = {
    "q": "wa", "w": "qes", "e": "wrd", "r": "etf", "t": "ryg", "y": "tuh", "u": "yij", "i": "uok", "o": "ipl", "p": "o",
    "a": "qsz", "s": "awdx", "d": "sefc", "f": "drgv", "g": "fthb", "h": "gyjn", "j": "hukm", "k": "jil", "l": "ko",
    "z": "ax", "x": "zsc", "c": "xdv", "v": "cfb", "b": "vgn", "n": "bhm", "m": "nj",
}  # fmt: skip
_SHORTER = {
    "argument": "arg", "arguments": "args", "buffer": "buf", "callback": "cb", "config": "cfg", "configuration": "config",
    "connection": "conn", "context": "ctx", "count": "cnt", "current": "cur", "database": "db", "destination": "dest",
    "directory": "dir", "document": "doc", "element": "elem", "environment": "env", "error": "err", "exception": "exc",
    "expression": "expr", "function": "func", "index": "idx", "information": "info", "iterator": "it", "length": "len",
    "maximum": "max", "message": "msg", "minimum": "min", "number": "num", "object": "obj", "options": "opts",
    "parameter": "param", "parameters": "params", "pattern": "pat", "position": "pos", "previous": "prev",
    "reference": "ref", "request": "req", "response": "resp", "result": "res", "source": "src", "string": "str",
    "temporary": "tmp", "value": "val", "values": "vals", "variable": "var", "attribute": "attr", "attributes": "attrs",
}  # fmt: skip
_BRITISH = {
    "color": "colour", "behavior": "behaviour", "center": "centre", "initialize": "initialise", "normalize": "normalise",
    "serialize": "serialise", "serializer": "serialiser", "serialized": "serialised", "optimize": "optimise",
    "license": "licence", "canceled": "cancelled", "gray": "grey", "neighbor": "neighbour", "neighbors": "neighbours",
    "honor": "honour", "favorite": "favourite", "catalog": "catalogue", "recognize": "recognise",
    "authorization": "authorisation", "authorize": "authorise", "organization": "organisation", "dialog": "dialogue",
    "parametrize": "parametrise", "visualize": "visualise", "analyze": "analyse", "tokenize": "tokenise",
}  # fmt: skip
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+|\d+|_+")


def _inner(name: str, random: Random) -> int:
    """A place in the name; nine in ten are not its first."""
    return random.randrange(0 if random.random() < 0.1 else 1, len(name))


def swapped(name: str, random: Random) -> str:
    at = min(_inner(name, random), len(name) - 2)
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def dropped(name: str, random: Random) -> str:
    at = _inner(name, random)
    return name[:at] + name[at + 1 :]


def doubled(name: str, random: Random) -> str:
    at = _inner(name, random)
    return name[: at + 1] + name[at:]


def neighbouring(name: str, random: Random) -> str:
    at = _inner(name, random)
    beside = _BESIDE.get(name[at].lower())
    if beside is None:
        return name
    key = random.choice(beside)
    return name[:at] + (key.upper() if name[at].isupper() else key) + name[at + 1 :]


def cased(name: str, random: Random) -> str:
    """Another convention: `get_name` as `getName`, `fileName` as `filename` or `file_name`, `Node` as `node`."""
    parts = [part for part in _PARTS.findall(name) if part.strip("_")]
    others = [
        parts[0].lower() + "".join(part.capitalize() for part in parts[1:]),
        "".join(part.capitalize() for part in parts),
        "_".join(part.lower() for part in parts),
        name.lower(),
    ]
    return random.choice(others)


def numbered(name: str, random: Random) -> str:
    """Singular for plural, or the other way round."""
    del random
    return name[:-1] if name.endswith("s") else name + "s"


def underscored(name: str, random: Random) -> str:
    """An underscore more or less, in front or inside."""
    if "_" in name.strip("_") and random.random() < 0.5:
        at = name.index("_", len(name) - len(name.lstrip("_")) + 1)
        return name[:at] + name[at + 1 :]
    return name[1:] if name.startswith("_") else f"_{name}"


def abbreviated(name: str, random: Random) -> str:
    """One word of it shortened, or written out, as programmers do."""
    return _word_exchanged(name, random, {**_SHORTER, **{short: word for word, short in _SHORTER.items()}})


def british(name: str, random: Random) -> str:
    return _word_exchanged(name, random, {**_BRITISH, **{word: own for own, word in _BRITISH.items()}})


SLIPS: dict[str, Callable[[str, Random], str]] = {
    "letters swapped": swapped,
    "letter dropped": dropped,
    "letter doubled": doubled,
    "neighbouring key": neighbouring,
    "case": cased,
    "plural": numbered,
    "underscore": underscored,
    "abbreviation": abbreviated,
    "British or American": british,
}
"""What becomes of a name; the name itself where the slip does not apply."""

_NEW_PARTS = ("new", "current", "raw", "full", "base", "inner", "first", "own")
_OTHER_WORDS = ("payload", "entry", "subject", "outcome", "chunk", "handle", "record", "piece")


def extended(name: str, random: Random) -> str:
    """A name for a rename: the same with a word before or behind it, or without one of its words."""
    words = name.strip("_").split("_")
    if len(words) > 1 and random.random() < 0.4:
        return "_".join(words[1:] if random.random() < 0.5 else words[:-1])
    part = random.choice(_NEW_PARTS)
    return f"{part}_{name}" if random.random() < 0.6 else f"{name}_{part}"


def unrelated(name: str, random: Random) -> str:
    """A name for a rename: another word."""
    del name
    return random.choice(_OTHER_WORDS)


def _word_exchanged(name: str, random: Random, words: dict[str, str]) -> str:
    places = [
        (match.span(), words[match.group().lower()])
        for match in _parts(name)
        if match.group().lower() in words
    ]
    if not places:
        return name
    (start, end), word = random.choice(places)
    old = name[start:end]
    new = word.upper() if old.isupper() else word.capitalize() if old[0].isupper() else word
    return name[:start] + new + name[end:]


def _parts(name: str) -> Iterator[re.Match[str]]:
    return _PARTS.finditer(name)
