"""JSON (RFC 8259), and JSON with comments and trailing commas, as `tsconfig.json` has them.

Written so that each open object or array is one symbol of the stack: `key` where a value of an object comes next, `place` where
one of an array does. So what a text does to the stack has few cases, however deep it stands.
"""

from __future__ import annotations

from functools import cache

from copydesk.pushdown.automaton import Automaton
from copydesk.pushdown.grammar import Grammar, any_of, literal, none_of, one_of, optional, plus, star

_DIGIT = one_of("0-9")
_HEX = one_of("0-9", "a-f", "A-F")
ESCAPE = literal("\\") + (one_of('"\\/bfnrt') | literal("u") + _HEX + _HEX + _HEX + _HEX)
CHARACTER = none_of((*range(0x20), 0x22, 0x5C))
INTEGER = optional(literal("-")) + (literal("0") | one_of("1-9") + star(_DIGIT))
FRACTION = literal(".") + plus(_DIGIT)
EXPONENT = one_of("eE") + optional(one_of("+-")) + plus(_DIGIT)
SPACE = one_of(" \t\r\n")
LINE_COMMENT = literal("//") + star(none_of(b"\r\n"))
BLOCK_COMMENT = (
    literal("/*")
    + star(none_of(b"*") | plus(literal("*")) + none_of(b"*/"))
    + plus(literal("*"))
    + literal("/")
)
_STRING = literal('"') + star(CHARACTER | ESCAPE) + literal('"')
_NUMBER = INTEGER + optional(FRACTION) + optional(EXPONENT)
_TERMINALS = {"string": _STRING, "scalar": _NUMBER | any_of("true", "false", "null")}
_RULES = {
    "document": "value",
    "value": "string | scalar | object | array",
    "object": "{ } | members }",
    "members": "key value",
    "key": "head string :",
    "head": "{ | members ,",
    "array": "[ ] | items ]",
    "items": "place value",
    "place": "[ | items ,",
}
_TRAILING = {"object": "{ } | members } | members , }", "array": "[ ] | items ] | items , ]"}

JSON = Grammar.of(_RULES, _TERMINALS, [SPACE])
JSON_WITH_COMMENTS = Grammar.of(_RULES | _TRAILING, _TERMINALS, [SPACE, LINE_COMMENT, BLOCK_COMMENT])


@cache
def json_automaton(comments: bool = False) -> Automaton:
    """comments: also comments and trailing commas."""
    return Automaton.of(JSON_WITH_COMMENTS if comments else JSON)
