"""Numbers one more or less, negated, or what an instruction says; values shifted by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    LITERALS,
    is_mentioned,
    mentioned,
    replace_expression,
    values,
)  # fmt: skip
from copydesk.syntax.tree import text_of

_SHIFTING = frozenset({
    "one", "1", "off", "from", "start", "starts", "starting", "based", "count", "counts", "numbering", "more", "behind", "last",
    "zero", "inclusive",
})  # fmt: skip
"""Words of an instruction about a count or an index."""
_SPELLINGS: dict[str, Callable[[int], str]] = {
    "underscore": "{:_}".format, "underscores": "{:_}".format, "separator": "{:_}".format, "separators": "{:_}".format,
    "readable": "{:_}".format, "hex": hex, "hexadecimal": hex, "octal": oct, "binary": bin,
}  # fmt: skip
"""How a number is written, by the word for it."""
_FEW = 24
"""Values of which each may be meant, where the instruction names none."""


def _literals(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if arguments.words & _SHIFTING:
        every = mentioned(values(context), arguments)
        for node in every:
            shown = node.parent is not None and node.parent.type == "interpolation"
            near = is_mentioned(node, arguments) or shown or len(every) <= _FEW
            if node.type in ("identifier", "attribute", "call") and near:
                for shifted in (f"{text_of(node)} + 1", f"{text_of(node)} - 1"):
                    yield f"Shift by one, off by one: {shifted}", replace_expression(context, node, shifted)
    for node in mentioned(context.walk(*LITERALS), arguments):
        old = text_of(node)
        if re.fullmatch(r"\d+", old):
            number = int(old)
            for new, said in (
                (number + 1, "one more"),
                (number - 1, "one less"),
                (2 * number, "twice, double"),
                (number // 2, "half"),
            ):
                yield f"Change {old} to {new}, {said}", replace_expression(context, node, str(new))
            for word, spell in _SPELLINGS.items():
                if word in arguments.words and spell(number) != old:
                    yield (
                        f"Spell the number otherwise, {word}: {spell(number)}",
                        replace_expression(context, node, spell(number)),
                    )
            if arguments.words & {"float", "floats", "decimal"}:
                yield f"Make {old} a float: {old}.0", replace_expression(context, node, f"{old}.0")
        elif re.fullmatch(r"\d+\.\d*", old):
            for made, said in ((2 * float(old), "twice, double"), (float(old) / 2, "half")):
                yield f"Change {old} to {made}, {said}", replace_expression(context, node, str(made))


CHANGE_NUMBER = Refactoring("change_number", "refactor.rewrite.changeNumber", _literals, everywhere=True)
