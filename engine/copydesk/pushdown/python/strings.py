"""One byte of Python within a string or a field of an f-string: what CPython 3.11 and 3.13 read alike."""

from __future__ import annotations

from dataclasses import replace

from copydesk.pushdown.python.modes import (
    BRACKETS,
    CLOSERS,
    Code,
    Field,
    Host,
    Hosts,
    Mode,
    Quotes,
    Step,
    String,
)
from copydesk.pushdown.python.words import LATER, STRING_PREFIXES, in_word

MOST_HOSTS, MOST_BRACKETS = 3, 8
"""Fields within fields, and brackets within a field, that are followed."""
_QUOTES, _NEWLINE, _BACKSLASH = b"\"'", 0x0A, 0x5C


def opened(word: str, byte: int, hosts: Hosts = ()) -> String | None:
    """The string that a quotation mark begins behind `word`; None for another byte."""
    if byte not in _QUOTES:
        return None
    prefix = word.lower() if word in STRING_PREFIXES else ""
    formatted = "f" in prefix
    return String(Quotes(byte, False, formatted, formatted and "r" in prefix), "opened", hosts)


def string_step(mode: String, byte: int) -> Step | None:
    """A byte in a string; None where it cannot stand there."""
    quotes, part, hosts = mode.quotes, mode.part, mode.hosts
    text = replace(mode, part="text")
    if part == "opened":
        if byte != quotes.mark:
            return text, (), True
        return (_closed(mode) if _shared(mode) else replace(mode, part="twice")), (), False
    if part == "twice":
        if byte == quotes.mark:
            return replace(text, quotes=replace(quotes, triple=True)), (), False
        return _closed(mode), (), True
    if part == "escape":
        return _escaped(mode, byte)
    if part in ("one", "two") and byte == quotes.mark:
        return (replace(mode, part="two") if part == "one" else _closed(mode)), (), False
    if part == "{" and byte != 0x7B:
        return _field(quotes, hosts), (), True
    if part == "}" and byte != 0x7D:
        return None
    if part in ("{", "}"):
        return text, (), False
    if part == "\\N":
        return (replace(mode, part="name"), (), False) if byte == 0x7B else None
    if part == "name":
        ends = byte in _QUOTES or byte in (_NEWLINE, _BACKSLASH, 0x7B)
        return None if ends else ((text if byte == 0x7D else mode), (), False)
    if byte == quotes.mark:
        return (replace(mode, part="one") if quotes.triple else _closed(mode)), (), False
    if any(byte == host.quotes.mark for host in hosts):
        return None
    if byte == _NEWLINE and not (quotes.triple and _many_lines(hosts)):
        return None
    if byte == _BACKSLASH:
        return None if hosts else (replace(mode, part="escape"), (), False)
    if quotes.formatted and byte in b"{}":
        if byte == 0x7B and len(hosts) == MOST_HOSTS:
            return None
        return replace(mode, part="{" if byte == 0x7B else "}"), (), False
    return text, (), False


def _escaped(mode: String, byte: int) -> Step:
    """Behind a backslash, which protects no brace."""
    text = replace(mode, part="text")
    if mode.quotes.formatted and byte in b"{}":
        return text, (), True
    if mode.quotes.formatted and not mode.quotes.raw and byte == 0x4E:
        return replace(mode, part="\\N"), (), False
    return text, (), False


def _field(quotes: Quotes, hosts: Hosts, in_spec: bool = False) -> Field:
    return Field((*hosts, Host(quotes, "", in_spec)))


def _shared(mode: String) -> bool:
    """Whether a host is quoted with the same marks, three of them."""
    return any(host.quotes.mark == mode.quotes.mark for host in mode.hosts)


def _closed(mode: String) -> Mode:
    if not mode.hosts:
        return Code()
    return Field(mode.hosts, "closed", chr(mode.quotes.mark)) if _shared(mode) else Field(mode.hosts, "code")


def _many_lines(hosts: Hosts) -> bool:
    return all(host.quotes.triple for host in hosts)


def field_step(mode: Field, byte: int) -> Step | None:
    """A byte in a field; None where it cannot stand there."""
    hosts, char = mode.hosts, chr(byte)
    host = hosts[-1]
    if (
        byte in (_BACKSLASH, 0x23) and mode.part != "spec"
    ):  # `\` and `#`: before 3.12 they may not stand there
        return None
    if mode.part == "spec":
        return _spec(mode, byte)
    if mode.part == "closed" and char == mode.word:
        return None
    if mode.part == "start" and char in "}!:=":  # no expression
        return None
    if mode.part == "<" and char == "=":
        return Field(hosts, "code"), (), False
    if mode.part in ("=", "done", "!", "converted"):
        return _behind_expression(mode, byte)
    if in_word(byte):
        longer = mode.word + char if mode.part == "word" and mode.word else char
        begun = mode.part != "word" or mode.word
        return Field(hosts, "word", longer if begun and longer in LATER else ""), (), False
    if byte in _QUOTES:
        if any(byte == each.quotes.mark and not each.quotes.triple for each in hosts):
            return None
        string = opened(mode.word if mode.part == "word" else "", byte, hosts)
        assert string is not None
        return string, (), False
    if byte == _NEWLINE and not _many_lines(hosts):
        return None
    if char in " \t\f\n":
        return Field(hosts, "start" if mode.part == "start" else "code"), (), False
    if char in BRACKETS:
        if len(host.brackets) == MOST_BRACKETS:
            return None
        return Field((*hosts[:-1], replace(host, brackets=host.brackets + char)), "code"), (), False
    if char == "}" and not host.brackets:
        return _behind_field(hosts), (), False
    if char in CLOSERS:
        if host.brackets[-1:] != BRACKETS[CLOSERS.index(char)]:
            return None
        return Field((*hosts[:-1], replace(host, brackets=host.brackets[:-1])), "code"), (), False
    if char in "<>=!" and not host.brackets:
        return Field(hosts, "<" if char in "<>" else "=" if char == "=" else "!"), (), False
    if char == ":" and not host.brackets:
        return Field(hosts, "spec"), (), False
    return Field(hosts, "code"), (), False


def _behind_expression(mode: Field, byte: int) -> Step | None:
    """Behind `=` or `!`, which end an expression unless they are half of an operator."""
    hosts, part, char = mode.hosts, mode.part, chr(byte)
    if part in ("=", "!") and char == "=":
        return Field(hosts, "code"), (), False
    if part == "!":
        return (Field(hosts, "converted"), (), False) if char in "rsa" else None
    if char == "}":
        return _behind_field(hosts), (), False
    if char == ":":
        return Field(hosts, "spec"), (), False
    if part != "converted" and char in " \t":
        return Field(hosts, "done"), (), False
    return (Field(hosts, "!"), (), False) if part != "converted" and char == "!" else None


def _spec(mode: Field, byte: int) -> Step | None:
    hosts = mode.hosts
    if byte in (_NEWLINE, _BACKSLASH) or any(byte == host.quotes.mark for host in hosts):
        return None
    if byte == 0x7B:
        deepest = hosts[-1].in_spec or len(hosts) == MOST_HOSTS
        return None if deepest else (_field(hosts[-1].quotes, hosts, True), (), False)
    return (_behind_field(hosts) if byte == 0x7D else mode), (), False


def _behind_field(hosts: Hosts) -> Mode:
    """Where the innermost field is over."""
    if hosts[-1].in_spec:
        return Field(hosts[:-1], "spec")
    return String(hosts[-1].quotes, "text", hosts[:-1])
