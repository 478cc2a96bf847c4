"""Whether a package's licence lets its text be trained on: a decision with its evidence, to be recorded.

Permissive licences only. A stated SPDX expression is believed first, then classifiers, then the free-text field, then the
licence files. What none of them settles is refused. It reads metadata it is handed; nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message

PERMISSIVE = frozenset(
    {
        "MIT", "MIT-0", "MIT-CMU", "HPND", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0",
        "PSF-2.0", "Python-2.0", "CNRI-Python", "ISC", "Zlib", "BSL-1.0", "CC0-1.0", "Unlicense",
    }
)  # fmt: skip

_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "CMU License (MIT-CMU)": "MIT-CMU",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}
_NAMES = re.compile(
    r"""(?ix)^(?:the\ )?(?:new\ |modified\ )?(?:
      (?P<MIT>mit(?:\ licen[cs]e)?)
    | (?P<BSD>(?:[0-3]-clause\ )?bsd(?:[-\ ][0-3][-\ ]clause)?(?:\ licen[cs]e)?)
    | (?P<Apache>apache(?:[-\ ]?(?:software\ )?(?:licen[cs]e)?,?\ ?(?:version\ |v)?-?2(?:\.0)?(?:\ licen[cs]e)?)?)
    | (?P<PSF>psf(?:-2\.0)?|python\ software\ foundation\ licen[cs]e)
    | (?P<ISC>isc(?:\ licen[cs]e)?)
    )$"""
)
_SPDX_OF = {"MIT": "MIT", "BSD": "BSD", "Apache": "Apache-2.0", "PSF": "PSF-2.0", "ISC": "ISC"}
# Sentences that only the licence itself has; all text is compared with its white space collapsed.
_TEXTS = {
    "MIT": "permission is hereby granted, free of charge, to any person obtaining a copy",
    "BSD": "redistribution and use in source and binary forms, with or without modification",
    "Apache-2.0": "apache license version 2.0, january 2004",
    "PSF-2.0": "python software foundation license version 2",
    "ISC": "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee",
}
_COPYLEFT = re.compile(
    r"gnu (?:lesser |affero |library )?general public|mozilla public licen[cs]e|eclipse public licen[cs]e",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """`licence` is an SPDX name or expression, `unknown` where none was found; `evidence` says where it was read."""

    accepted: bool
    licence: str
    evidence: str


def decide(metadata: Message, licence_texts: Sequence[str] = ()) -> Decision:
    """The decision on a distribution, from its core metadata and the texts of its licence files. Raises: never."""
    expression = metadata.get("License-Expression")
    if expression:
        return Decision(permitted(expression), expression, "License-Expression")
    classifiers = [
        value.rsplit(" :: ", 1)[-1]
        for value in metadata.get_all("Classifier", [])
        if value.startswith("License ::") and value != "License :: OSI Approved"
    ]
    if classifiers:
        named = [_CLASSIFIERS.get(value, value) for value in classifiers]
        # Several classifiers may mean a choice or a mixture: only where each is permissive does it not matter which.
        return Decision(all(name in PERMISSIVE for name in named), " AND ".join(named), "classifiers")
    field = (metadata.get("License") or "").strip()
    if field:
        match = _NAMES.match(field)
        if match is not None and match.lastgroup is not None:
            return Decision(True, _SPDX_OF[match.lastgroup], "License field")
        if len(field) < 100 and re.fullmatch(r"[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*", field):
            return Decision(permitted(field), field, "License field")
    found = recognise([*licence_texts, field])
    if found is not None:
        return Decision(found in PERMISSIVE, found, "licence text")
    return Decision(False, "unknown", "no licence found")


def permitted(expression: str) -> bool:
    """Whether an SPDX expression can be satisfied with permissive licences: every part of an AND, one of an OR."""
    tokens = re.findall(r"[()]|[\w.+-]+", expression)
    value, rest = _disjunction(tokens)
    return value and not rest


def recognise(texts: Sequence[str]) -> str | None:
    """The licence whose own words are in `texts`; `copyleft` where any of them names such a one."""
    joined = " ".join(" ".join(texts).split())
    if _COPYLEFT.search(joined):
        return "copyleft"
    lowered = joined.lower()
    return next((name for name, sentence in _TEXTS.items() if sentence in lowered), None)


def _disjunction(tokens: list[str]) -> tuple[bool, list[str]]:
    value, tokens = _conjunction(tokens)
    while tokens and tokens[0].upper() == "OR":
        other, tokens = _conjunction(tokens[1:])
        value = value or other
    return value, tokens


def _conjunction(tokens: list[str]) -> tuple[bool, list[str]]:
    value, tokens = _part(tokens)
    while tokens and tokens[0].upper() == "AND":
        other, tokens = _part(tokens[1:])
        value = value and other
    return value, tokens


def _part(tokens: list[str]) -> tuple[bool, list[str]]:
    if not tokens:
        return False, []
    if tokens[0] == "(":
        value, rest = _disjunction(tokens[1:])
        return value, rest[1:] if rest[:1] == [")"] else [")"]
    name, rest = tokens[0], tokens[1:]
    if rest[:1] and rest[0].upper() == "WITH":
        # An exception only ever adds permissions; it makes no copyleft licence a permissive one.
        rest = rest[2:]
    return name in PERMISSIVE, rest
