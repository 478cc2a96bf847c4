"""A `TokenGrammar` in llguidance's dialect of Lark: what vLLM and SGLang take as a grammar.

A token is `<[id]>`; no pattern matches a special token, so text that spells one is just text.
"""

from __future__ import annotations

from copydesk.grammar.token_grammar import START, Fenced, Ref, Symbol, Text, TokenGrammar

_TERMINALS = {"lines": r"/([^\r\n]*\n)+/", "open": r"/([^\r\n]*\n)*[^\r\n]+/", "any": r"/[^\r]+/"}


def llguidance_source(grammar: TokenGrammar) -> str:
    """The grammar's text. `START` is `start` in it, as Lark wants it."""
    terminals: dict[str, str] = {}
    rules = []
    for name, ways in grammar.rules.items():
        spelled = (" ".join(_symbol(symbol, terminals) for symbol in way) for way in ways)
        rules.append(f"{name}: " + "\n  | ".join(spelled))
    assert START in grammar.rules
    return "\n".join([*rules, *(f"{name}: {pattern}" for name, pattern in terminals.items())]) + "\n"


def _symbol(symbol: Symbol, terminals: dict[str, str]) -> str:
    match symbol:
        case int():
            return f"<[{symbol}]>"
        case Ref(name):
            return name
        case Text(kind):
            terminals[kind.upper()] = _TERMINALS[kind]
            return "ANY?" if kind == "any" else kind.upper()
        case Fenced(ticks):
            rest = r"[^\r\n]*"
            begun = rf"`{{1,{ticks - 1}}}([^`\r\n]{rest})?"
            terminals["LINE"] = rf"/[ \t]*([^` \t\r\n]{rest}|{begun})?\n/"
            return f'LINE* "{"`" * ticks}"'
