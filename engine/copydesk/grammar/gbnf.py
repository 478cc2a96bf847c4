"""A `TokenGrammar` in GBNF, the grammar language of llama.cpp.

A token is `<[id]>`. To llama.cpp a special token is also the characters that spell it, so new text must not spell one that the
grammar names: `</gen>` would be both the end of a text and part of it. Such text is left out of the language; everything else is
as in `llguidance_source.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.errors import GrammarError
from copydesk.grammar.token_grammar import START, Fenced, Ref, Symbol, Text, TokenGrammar

_RULE = {"lines": "line+", "open": "line* piece", "any": "line* piece?"}


def gbnf(grammar: TokenGrammar, specials: Mapping[int, str]) -> str:
    """The grammar's text. specials: every special token's text by its id.

    Raises GrammarError for special tokens that are not spelled in angle brackets, where the grammar has text.
    """
    names = sorted(specials[token] for token in grammar.tokens if token in specials)
    rules: dict[str, str] = {}
    for name, ways in grammar.rules.items():
        spelled = (" ".join(_symbol(symbol, rules, names) for symbol in way) for way in ways)
        rules["root" if name == START else name] = " | ".join(spelled)
    return "".join(f"{name} ::= {rule}\n" for name, rule in rules.items())


def _symbol(symbol: Symbol, rules: dict[str, str], names: list[str]) -> str:
    match symbol:
        case int():
            return f"<[{symbol}]>"
        case Ref(name):
            return "root" if name == START else name
        case Text(kind):
            _add_text(rules, names)
            return f"({_RULE[kind]})"
        case Fenced(ticks):
            _add_fenced(rules, ticks)
            return f'fenced* "{"`" * ticks}"'


def _add_text(rules: dict[str, str], names: list[str]) -> None:
    """`line`, a line with its newline, and `piece`, which has none and is not empty; neither spells one of `names`.

    An automaton follows what could become a name. Names have `<` in front and nowhere else, so a mismatch falls back to the start
    or to a new `<`.
    """
    if "line" in rules:
        return
    if any(not name.startswith("<") or "<" in name[1:] for name in names):
        raise GrammarError("a special token of the model is not spelled in angle brackets")
    prefixes = sorted({name[:k] for name in names for k in range(1, len(name))})
    node = {prefix: f"n{k}" for k, prefix in enumerate(prefixes)}
    for kind, ends in (("line", '"\\n"'), ("piece", "")):
        states = [
            ("", kind if kind == "line" else "piece-on"),
            *((p, f"{kind}-{n}") for p, n in node.items()),
        ]
        plain = states[0][1]
        for prefix, state in states:
            continued = {name[len(prefix)] for name in names if name.startswith(prefix) and name != prefix}
            ways = [ends] if ends else ['""']
            if names:
                continued.add("<")
            other = "".join(_in_class(c) for c in sorted(continued))
            ways.append(f"[^\\r\\n{other}] {plain}")
            for c in sorted(continued):
                if prefix + c in node:
                    ways.append(f'"{_quoted(c)}" {kind}-{node[prefix + c]}')
                elif c == "<":
                    ways.append(f'"<" {kind}-{node["<"]}')
            rules[state] = " | ".join(ways)
    first = f"[^\\r\\n{'<' if names else ''}] piece-on"
    rules["piece"] = f'{first} | "<" piece-{node["<"]}' if names else first


def _add_fenced(rules: dict[str, str], ticks: int) -> None:
    """`fenced`, a line that does not begin with the fence, indented or not."""
    rules["fenced"] = '"\\n" | [ \\t] indented | [^` \\t\\r\\n] rest | "`" tick1'
    rules["indented"] = '"\\n" | [ \\t] indented | [^` \\t\\r\\n] rest | "`" tick1'
    rules["rest"] = '"\\n" | [^\\r\\n] rest'
    for k in range(1, ticks):
        more = f' | "`" tick{k + 1}' if k + 1 < ticks else ""
        rules[f"tick{k}"] = f'"\\n" | [^`\\r\\n] rest{more}'


def _in_class(character: str) -> str:
    return f"\\x{ord(character):02X}" if character in "[]\\^-" else character


def _quoted(character: str) -> str:
    return "\\" + character if character in '"\\' else character
