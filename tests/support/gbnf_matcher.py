"""llama.cpp's way of matching GBNF, in small: a set of stacks, advanced by characters and by tokens.

Of the language it reads what `copydesk.grammar.gbnf` prints: literals, classes, tokens by id, groups, `*`, `+`, `?` and `|`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_PIECE = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|\[(\^?)((?:[^\]\\]|\\.)*)\]|<\[(\d+)\]>|([a-z][\w-]*)|([()|*+?]))'
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}

Stack = tuple[Any, ...] | None
"""What is still to be matched, as a linked list: (element, rest)."""


class GbnfMatcher:
    """One grammar. `accepts` takes tokens with the text of each, "" for one that ends inside a character."""

    def __init__(self, source: str) -> None:
        self._rules: dict[str, list[list[Any]]] = {}
        self._made = 0
        for line in source.splitlines():
            name, _, body = line.partition(" ::= ")
            assert name not in self._rules, f"{name} is there twice"
            self._rules[name] = []
            self._rules[name] = self._parse(body)
        named = {e[1] for ways in self._rules.values() for way in ways for e in way if e[0] == "rule"}
        assert named <= self._rules.keys(), f"undefined: {named - self._rules.keys()}"

    def accepts(self, tokens: Sequence[tuple[int, str]]) -> bool:
        stacks = self.start()
        for token, text in tokens:
            stacks = self.behind(stacks, token, text)
        return None in stacks

    def start(self) -> set[Stack]:
        return self._expanded({(("rule", "root"), None)})

    def behind(self, stacks: set[Stack], token: int, text: str) -> set[Stack]:
        """The stacks behind a token; none where it may not come."""
        if stacks:
            taken = {stack[1] for stack in stacks if text and stack and stack[0] == ("token", token)}
            reading = {stack for stack in stacks if stack and stack[0][0] == "class"}
            for character in text:
                reading = self._expanded(
                    {stack[1] for stack in reading if stack and _matches(stack[0], character)}
                )
            return self._expanded(taken) | reading
        return set()

    def _expanded(self, stacks: set[Stack]) -> set[Stack]:
        """Stacks with a character or a token on top, or empty ones."""
        found: set[Stack] = set()
        seen: set[Stack] = set()
        todo = list(stacks)
        while todo:
            stack = todo.pop()
            if stack in seen:
                continue
            seen.add(stack)
            if stack is None or stack[0][0] != "rule":
                found.add(stack)
                continue
            for way in self._rules[stack[0][1]]:
                rest = stack[1]
                for element in reversed(way):
                    rest = (element, rest)
                todo.append(rest)
        return found

    def _parse(self, body: str) -> list[list[Any]]:
        ways, end = self._ways(body, 0)
        assert end == len(body), f"left over: {body[end:]!r}"
        return ways

    def _ways(self, body: str, at: int) -> tuple[list[list[Any]], int]:
        ways: list[list[Any]] = [[]]
        last = 0
        while at < len(body):
            found = _PIECE.match(body, at)
            assert found, f"cannot read {body[at : at + 30]!r}"
            literal, negated, inside, token, name, sign = found.groups()
            if sign == ")":
                return ways, at
            at, way = found.end(), ways[-1]
            if sign == "|":
                ways.append([])
            elif sign == "(":
                inner, at = self._ways(body, at)
                last, at = len(way), at + len(re.match(r"\s*\)", body[at:])[0])  # type: ignore[index]
                way.append(self._rule(inner))
            elif sign:
                way[last:] = [self._repeated(way[last:], sign)]
            else:
                last = len(way)
                if literal is not None:
                    way += [("class", False, character) for character in _unescaped(literal)]
                elif inside is not None:
                    way.append(("class", bool(negated), _unescaped(inside)))
                else:
                    way.append(("token", int(token)) if token else ("rule", name))
        return ways, at

    def _rule(self, ways: list[list[Any]]) -> tuple[str, str]:
        self._made += 1
        self._rules[f"#{self._made}"] = ways
        return ("rule", f"#{self._made}")

    def _repeated(self, elements: list[Any], sign: str) -> tuple[str, str]:
        if sign == "?":
            return self._rule([elements, []])
        again = self._rule([])
        self._rules[again[1]] += [[*elements, again], []]
        return again if sign == "*" else self._rule([[*elements, again]])


def _matches(element: Any, character: str) -> bool:
    return element[0] == "class" and (character in element[2]) != element[1]


def _unescaped(text: str) -> str:
    text = re.sub(r"\\x([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)
