r"""The engine's own languages as Lark grammars for llguidance, one for each structural state.

They are written anew for each state, because one parametric grammar for a whole program has dead ends (copies must advance). A
terminal with a complement must hold its closing literal itself, and the end-of-text token stays out of the grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from copydesk.errors import GrammarError
from copydesk.prompting.codec import Codec, Ids


def choice_grammar(sequences: Iterable[Sequence[int]]) -> str:
    """One of a prefix-free set of token sequences (ops, numbers, old texts). Raises GrammarError if there
    is none."""
    children: list[dict[int, int]] = [{}]
    for sequence in sequences:
        node = 0
        for token in sequence:
            if token not in children[node]:
                children[node][token] = len(children)
                children.append({})
            node = children[node][token]
    if len(children) == 1:
        raise GrammarError("a choice needs at least one sequence")
    rules = []
    for node, step in enumerate(children):
        ways = [f"<[{token}]>" + (f" n{below}" if children[below] else "") for token, below in step.items()]
        if ways:
            rules.append(f"{'start' if node == 0 else f'n{node}'}: {' | '.join(ways)}")
    return "\n".join(rules) + "\n"


def gen_grammar(codec: Codec, drop_eol: bool = False) -> str:
    """A gen body with its closing literal; `drop_eol` as in `Bodies.gen`."""
    lit = codec.literals
    if not codec.tagged:
        start = f"start: LINES {_tokens(lit.gen_close)}"
        if drop_eol:
            start += f" | OPEN {_tokens(lit.no_eol + lit.gen_close)}"
        return f"{start}\nLINES: {_LINES}\n" + (f"OPEN: {_OPEN}\n" if drop_eol else "")
    whole = f'LINES: ({_LINES} & {_NO_TAG}) "</gen>\\n"\n'
    if not drop_eol:
        return f"start: LINES\n{whole}"
    return f'start: LINES | OPEN\n{whole}OPEN: ({_OPEN} & {_NO_TAG}) "<noeol/>\\n</gen>\\n"\n'


def new_grammar(codec: Codec, ends_line: bool = False) -> str:
    """The new text of a sub with its closing literal; `ends_line` as in `Bodies.sub`."""
    text = _LINES if ends_line else _ANY
    if codec.tagged:
        return f'start: TEXT\nTEXT: ({text} & {_NO_TAG}) "</sub>\\n"\n'
    close = _tokens(codec.literals.sub_close)
    # A terminal must not match the empty text.
    return (
        f"start: TEXT {close}"
        + ("" if ends_line else f" | {close}")
        + f"\nTEXT: {text if ends_line else _SOME}\n"
    )


_LINES = r"/([^\r\n]*\n)+/"
_OPEN = r"/([^\r\n]*\n)*[^\r\n]+/"
_ANY = r"/[^\r]*/"
_SOME = r"/[^\r]+/"
_NO_TAG = r"~/(?s:.*)(<\/(gen|sub|old|new)>|<noeol\/>)(?s:.*)/"


def _tokens(ids: Ids) -> str:
    return " ".join(f"<[{token}]>" for token in ids)
