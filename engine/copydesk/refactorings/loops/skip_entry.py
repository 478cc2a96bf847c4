"""An entry of a loop left out: `if …: continue` about what the loop reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, comments_above
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.requested import BLANK, affix_tests, blank_test
from copydesk.refactorings.spoken import named_in
from copydesk.syntax.tree import identifiers, text_of

ASKING = frozenset({
    "skip", "skipped", "skips", "continue", "ignore", "ignored", "ignoring", "next", "leave", "omit", "drop", "over",
    "without", "left", "out", "alone", "belong", "use", "never", "aren", "isn", "duplicate", "duplicates", "twice", "already",
    "seen", "only", "discard", "reject", "unless", "no", "none", "empty", "don", "doesn", "shouldn", "not", "nothing",
    "missing", "can", "pass", "filter", "exclude",
})  # fmt: skip
"""Words of an instruction about entries that are not wanted."""
_STATES = (
    ("none null missing unset without no lacks", "{0} is None"),
    ("empty falsy nothing no without missing", "not {0}"),
    ("zero 0", "{0} == 0"),
    ("negative", "{0} < 0"),
    ("string strings str", "isinstance({0}, str)"),
    ("private underscore underscores leading", '{0}.startswith("_")'),
    ("hidden dot dots dotfiles", '{0}.startswith(".")'),
    ("digit digits numeric number numbers", "not {0}.isdigit()"),
    ("digit digits numeric number numbers", "{0}.isdigit()"),
    ("callable", "not callable({0})"),
    ("comment comments hash", '{0}.startswith("#")'),
    ("exist exists missing", "not os.path.exists({0})"),
    ("directory directories folder folders", "os.path.isdir({0})"),
    ("directory directories folder folders", "not {0}.is_file()"),
)
"""What may be the case with an entry that is left out: words for it, and the test."""
_ENTRY = re.compile(r"([\"'])([^\"']+)\1")
_MOST = 6


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & ASKING:
        return
    for loop in context.starting("for_statement"):  # whose head may be all that is selected
        clauses, left = clauses_of(context, loop), loop.child_by_field_name("left")
        if not clauses or left is None or not clauses[0].statements:
            continue
        places = _places(left, clauses[0].statements)
        named = named_in(arguments, [name.rpartition(".")[2] for name in places])
        subjects = [name for name in places if name.rpartition(".")[2] in named] or list(places)
        for subject in subjects[:_MOST]:
            for test in _tests(context, subject, loop, arguments):
                for statement in places[subject]:
                    indent = context.indent(statement)
                    line = comments_above(context, statement.start_point[0] + 1)
                    lines = [f"{indent}if {test}:\n", f"{indent}    continue\n"]
                    yield f"Skip an entry, continue, if {test}", insert_lines(line, lines)


def _places(left: Node, body: list[Node]) -> dict[str, list[Node]]:
    """What the loop binds or reads of that, and the statements before which it can be looked at: as soon as it is known, and of
    what it binds where that is read first, if something is done for each entry before.
    """
    found: dict[str, list[Node]] = {}
    names = [left] if left.type == "identifier" else identifiers(left)
    own = [text_of(name) for name in names if text_of(name) != "_"]
    for name in own:
        found[name] = [body[0]]
    for k, statement in enumerate(body):
        for node in _dotted(statement):
            if text_of(node).partition(".")[0] in own:
                found.setdefault(text_of(node), [statement])
        sides = assigned(statement)
        if sides is not None and sides[0].type == "identifier" and k + 1 < len(body):
            found[text_of(sides[0])] = [body[k + 1]]
    for name, places in found.items():
        first = next((one for one in body if any(text_of(n) == name for n in identifiers(one))), None)
        late = first is not None and first not in places and first.start_byte > places[0].start_byte
        if first is not None and late and any(_does(one) for one in body[: body.index(first)]):
            places.append(first)
    return found


def _does(statement: Node) -> bool:
    """Whether a statement does more than to give names to values, in some cases or in all of them."""
    if statement.type == "if_statement":
        blocks = [statement, *statement.children_by_field_name("alternative")]
        bodies = [block.child_by_field_name(field) for block in blocks for field in ("consequence", "body")]
        return any(_does(one) for body in bodies if body is not None for one in statements_of(body))
    sides = assigned(statement)
    return sides is None or sides[0].type != "identifier"


def _dotted(statement: Node) -> Iterator[Node]:
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.type == "attribute" and node.parent is not None and "(" not in text_of(node):
            if node.parent.type != "call" or node.parent.child_by_field_name("function") != node:
                yield node
        waiting += node.named_children


def _tests(context: RefactoringContext, subject: str, loop: Node, arguments: Arguments) -> list[str]:
    body = text_of(loop)
    said = [test for words, test in _STATES if arguments.words & set(words.split())]
    found = [test.format(subject) for test in said if "os." not in test or context.knows("os.path")]
    if f"isinstance({subject}, " in body or f"if {subject}:" in body:
        # Not all types have an order; and where the loop asks for more than 0, there it is said.
        found = [test for test in found if test != f"{subject} < 0"]
    found += [test.format(subject) for test in affix_tests(arguments)]
    if arguments.words & BLANK:
        found.append(blank_test(body, subject))
    for key in dict.fromkeys(re.findall(rf"\b{re.escape(subject)}(?:\[|\.get\()([\"']\w+[\"'])", body)):
        spelt = _ENTRY.fullmatch(key)
        if spelt is not None and spelt[2].lower() in arguments.words:
            found += [f"{key} not in {subject}", f"not {subject}.get({key})"]
    return found or [f"not {subject}", f"{subject} is None"]


SKIP_ENTRY = Refactoring("skip_entry", "refactor.rewrite.skipEntry", _propose)
