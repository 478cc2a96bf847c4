"""A commit's subject as somebody would ask for the change: markers, ticket numbers and names taken off, the verb as a request.

Knows words alone; whether they fit a change is `determined.py`.
"""

from __future__ import annotations

import re

LONGEST = 100
"""Characters; a longer subject tells a story."""

_CONVENTIONAL = re.compile(
    r"(?i)^(?:fix|feat|perf|refactor|style|chore|docs?|tests?|build|ci|enh|bug|mnt|maint|sty|typ|tst|dep|dev|cln|bld|clean)"
    r"(?:\([\w./, -]+\))?!?:\s*"
)
_TICKET = r"(?:(?:#|gh-|bpo-|lp:|bug:?\s?#?|issue\s?#?|ticket\s?#?|pr\s?#?)\d+|[A-Z]{2,}-\d+|\d{4,})"
_LEADING = re.compile(
    rf"(?i)^(?:(?:fix(?:e[sd])?|closes?|close[sd]|refs?|re|resolves?|addresses|see|part of|issue)\s+)?{_TICKET}"
    rf"(?:(?:\s*(?:,|and)\s*){_TICKET})*\s*(?:--|[:,.–—-])?\s+"
)
_MARKER = re.compile(r"^(?:\[[^\]]{1,30}\]|:\w+:|\([^)]{1,20}\)|[*•-])[:\s]*")
_TRAILING = re.compile(
    rf"(?i)\s*(?:\(\s*(?:(?:fix(?:e[sd])?|closes?|refs?|see|issue|pr|backport of|thanks)?[\s:]*{_TICKET}[\s,;]*)+\)"
    rf"|[,;:.–—-]*\s*(?:(?:fix(?:e[sd])?|closes?|refs?|see|for|in|re|from)[\s:]*)?(?:#|gh-|bpo-){{1}}\d+"
    r"|[.,;]?\s*\(?thanks?,?(?: to)? [^)]*\)?|\s*\(by [^)]*\)|\s*\(r\d+\)|\s*\[(?:ci skip|skip ci)\])[.\s]*$"
)
_TESTS_TOO = re.compile(
    r"(?i)\s*(?:,|;|\+|&| and| with)+ (?:also |then )?(?:(?:add|adds|added|adding|fix|update|updated|write|test|tests|testing"
    r"|include)(?: |$))?(?:a |an |some |the |more |new |its |unit[ -]?|regression[ -]?|corresponding |relevant |associated )*"
    r"(?:tests?|test ?cases?|docs?|documentation|changelog|release ?notes?|news|coverage)(?: \w+){0,4}$"
)
_DANGLING = re.compile(
    r"(?i)[\s,;:.(-]+(?:issues?|fix(?:e[sd])?|closes?|resolves?|refs?|see|ticket|bug|gh|pr|re|for|in|from)$"
)
_ROLE = re.compile(r":(?:\w+:)?\w+:`~?([^`<>]+)`")
_MODULE = re.compile(r"^(?P<module>[\w./*-]+(?:\.py|/[\w./*-]*)?):\s+(?=\S)")

_VERBS = {
    "add": "adds added adding", "allow": "allows allowed allowing", "avoid": "avoids avoided avoiding",
    "call": "calls called calling", "catch": "catches caught catching", "change": "changes changed changing",
    "check": "checks checked checking", "convert": "converts converted converting", "correct": "corrects corrected correcting",
    "delete": "deletes deleted deleting", "deprecate": "deprecates deprecated deprecating",
    "disable": "disables disabled disabling", "drop": "drops dropped dropping", "enable": "enables enabled enabling",
    "ensure": "ensures ensured ensuring", "expose": "exposes exposed exposing", "fix": "fixes fixed fixing",
    "handle": "handles handled handling", "ignore": "ignores ignored ignoring", "implement": "implements implemented",
    "improve": "improves improved improving", "include": "includes included including",
    "increase": "increases increased increasing", "initialize": "initializes initialized initializing",
    "log": "logs logged logging", "make": "makes made making", "move": "moves moved moving", "pass": "passes passed passing",
    "prevent": "prevents prevented preventing", "raise": "raises raised raising", "reduce": "reduces reduced reducing",
    "remove": "removes removed removing", "rename": "renames renamed renaming", "replace": "replaces replaced replacing",
    "return": "returns returned returning", "set": "sets setting", "simplify": "simplifies simplified simplifying",
    "skip": "skips skipped skipping", "sort": "sorts sorted sorting", "stop": "stops stopped stopping",
    "support": "supports supported supporting", "switch": "switches switched switching", "update": "updates updated updating",
    "use": "uses used using", "warn": "warns warned warning",
}  # fmt: skip
_REQUEST = {form: verb for verb, forms in _VERBS.items() for form in forms.split()}

_IDLE = re.compile(
    r"(?i)^(?:merge|revert|backport|bump|release|version|prepare|wip|fixup|squash|amend|import from|sync|initial|misc|oops"
    r"|cleanups?|clean ?up|refactor(?:ing|ed)?|improve(?:ments?)?|tweaks?|polish|reformat|format(?:ting)?|lint|pep ?-?8|black"
    r"|isort|whitespace|style|nit|address|review|respond|feedback|more|another|some|minor|small|tiny|quick|temp|try|attempt"
    r"|first|start|continue|further|progress|test|tests|experiment|hack|work|working|done|doc|docs|documentation|changelog"
    r"|changes|news|todo|note|notes|ok|and|also|again|still|finally|hopefully|maybe|now|possible|potential|various|several"
    r"|general|generic|post|pre|update (?:the )?(?:changelog|docs?|version|changes|news|copyright|year|translations?|test))\b"
)
_VAGUE = re.compile(
    r"(?i)\b(?:review|feedback|nits?|suggest(?:ed|ions?)|(?:as )?requested|per (?:comments?|discussion)"
    r"|(?:fix|fixes) (?:the |a |an |some |another |this |that )?(?:bug|bugs|issue|issues|tests?|failing tests?|build|ci"
    r"|travis|error|errors|problem"
    r"|problems|regression|bad merge|merge|lint|flake8|mistake|thing|things|stuff)s?(?: in\b.*| with\b.*)?$|typos?$|clean ?ups?$|"
    r"follow[- ]?up|cherry[- ]?pick|backport|changelog|svn|conflicts?|codecov|pull request|pr comments?|commit|"
    r"https?://|work in progress|wip)\b"
    r"|\b(?:chapter|narrative|readme|copyright|tutorial|translations?|docs build|python ?2(?:\.\d)?|py2\w*|coverage)\b"
    r"|\btests?\b(?!ing|_|\.)|\bfor now\b|\btemporar|^\W|@\w|https?:|\?$|\.\.\.$|…$|--$"
)


def instruction_of(subject: str) -> str | None:
    """The request a subject stands for; None where it says too little, too much, or nothing about the code."""
    text = subject.strip()
    if _IDLE.match(text):
        return None
    for _ in range(4):
        shorter = _TRAILING.sub("", _CONVENTIONAL.sub("", _LEADING.sub("", _MARKER.sub("", text)))).strip()
        if shorter == text:
            break
        text = shorter
    module = _MODULE.match(text)
    if module and not _REQUEST.get(module["module"].lower()):
        text = text[module.end() :]
    text = _DANGLING.sub("", _TESTS_TOO.sub("", text.rstrip(".!;:, ")))
    text = _ROLE.sub(r"`\1`", text).replace("``", "`").strip().rstrip(".!;:, ")
    text = re.sub(r"\s+", " ", text) if text.isprintable() else ""
    if (
        not 12 <= len(text) <= LONGEST
        or len(text.split()) < 3
        or text.count("`") % 2
        or text.count("(") != text.count(")")
    ):
        return None
    if _IDLE.match(text) or _VAGUE.search(text) or re.search(_TICKET, text) or ". " in text:
        return None
    first, _, rest = text.partition(" ")
    text = f"{_REQUEST.get(first.lower(), first)} {rest}"
    return text if re.match(r"[a-z]+[A-Z_.(]|`", text) else text[0].upper() + text[1:]


OPERATIONS: dict[str, re.Pattern[str]] = {
    name: re.compile(rf"(?i)\b(?:{words})")
    for name, words in (
        ("rename", r"renam"),
        ("typo", r"typos?\b|spell|misspel|grammar|capitali[sz]ation"),
        ("docstring", r"doc ?-?strings?\b|documentation|docs?\b"),
        ("comment", r"comments?\b"),
        ("type hint", r"typ(?:e|ing) (?:hint|annot|check|comment)|annotat|typing\b|mypy"),
        ("deprecate", r"deprecat"),
        ("default", r"defaults?\b"),
        ("raise", r"raise|exceptions?\b|\w+Error\b"),
        ("log", r"log(?:s|ging|ger)?\b|debug|warn"),
        ("message", r"messages?\b|help text|wording|error text"),
        ("import", r"imports?\b"),
        (
            "unused",
            r"unused|unneeded|unnecessary|redundant|obsolete|useless|dead\b|superfluous|leftover|duplicate|no longer",
        ),
        ("remove", r"^(?:remove|delete|drop|get rid|don't|do not|stop|no)\b"),
        ("replace", r"replac|instead of|rather than|^switch|^convert|^use\b|in favou?r of|^prefer|^change"),
        (
            "argument",
            r"arg(?:s|ument|uments)?\b|kwargs?\b|param(?:s|eter|eters)?\b|keyword|options?\b|flags?\b|^pass\b",
        ),
        ("return", r"returns?\b"),
        (
            "guard",
            r"\bif\b|when\b|unless|\bNone\b|empty|missing|check|ensure|avoid|prevent|skip|ignore|handle",
        ),
        ("add", r"^(?:add|allow|include|support|expose|enable|set|increase|make|call)\b"),
    )
}
"""What a request asks for, by its words: the first that fits is the one counted."""


def operation_of(instruction: str) -> str:
    """The operation a request is counted under; `other` where none is named."""
    return next((name for name, words in OPERATIONS.items() if words.search(instruction)), "other")
