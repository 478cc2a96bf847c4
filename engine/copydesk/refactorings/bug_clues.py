"""Clues to a bug that syntax and scopes give by themselves, and the edits that follow each of them up.

A name that nothing binds there, a variable that is read before it has a value, a result that is not returned, a parameter that is
not stored, a comparison that always comes out the same, a test for None that guards what needs a value, arguments in each other's
places. They are looked for where somebody asks for a bug without saying which.
Sound code has hardly any (`benchmarks/LOG.md`), so that what there is mostly is the bug. No other kind of bug is known here.
"""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tree_sitter import Node, Tree

from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.refactorings.validity import still_parses
from copydesk.syntax.scopes import COMPREHENSIONS, Visible, is_use, visible_names
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import text_of

MOST = 5
"""Edits that follow one clue up."""
LIKELY = 10.0
"""The score of the first edit of a clue."""
STEP = 4.0
"""What an edit loses by being one point less likely than the first."""
MOST_WORDS = 14
"""Who says more says what is wrong."""
_ASKS = re.compile(
    r"\b(?:bugs?|buggy|br+oken?|wrong|fail(?:s|ed|ing|ure)?|re[vi]{2,3}ew|regression|incorrect|strange|crash(?:es|ed)?|sanity|"
    r"repair|red|off|mistakes?|errors?|fixme|debug (?:this|that|it)|proofread|verify|correct|"
    r"(?:this|it|that) (?:works?|worked)|work again|"
    r"(?:does ?n[o']t|not) work|"
    r"(?:is|looks?|are) (?:this|it|that)? ?(?:right|ok(?:ay)?|correct|fine|good)|check (?:this|that|it|the logic)|"
    r"fix (?:it|this|that|so|my|problems?|whatever|if)|what it should|do(?:es)? what|tests? pass|expect(?:ed)?|"
    r"fix (?:the|this) (?:code|function|method|logic|tests?|problem|error))\b|"
    r"^(?:pls |please )?(?:fix|check|correct)(?: and fix)?\W*$",
    re.IGNORECASE,
)
_STOCK = frozenset({
    "a", "about", "again", "all", "an", "and", "any", "anything", "are", "as", "at", "be", "because", "bet", "break",
    "broke", "broken", "bug", "buggy", "bugs", "can", "change", "changed", "check", "checked", "ci", "code", "commit",
    "correct", "correctly", "could", "crash", "crashes", "customer", "debug", "do", "does", "doesn't", "doing", "don't",
    "double", "double-check", "error", "errors", "expect", "expected", "eyes", "fail", "failing", "fails", "find", "fine",
    "fix", "fixme", "for", "function", "function's", "get", "give", "gives", "good", "got", "has", "have", "having",
    "head", "hello", "help", "here", "hey", "hi", "how", "i", "i'm", "i've", "if", "in", "incorrect", "is", "isn't",
    "issue", "issues", "it", "it's", "its", "just", "kindly", "last", "logic", "look", "looks", "made", "make", "may",
    "maybe", "me", "method", "might", "mine", "mistake", "mistakes", "must", "my", "need", "needed", "needs", "no", "not",
    "now", "of", "off", "ok", "okay", "one", "or", "otherwise", "out", "over", "pair", "pass", "passes", "please", "pls",
    "possible", "potential", "problem", "problems", "proofread", "red", "regression", "repair", "reports", "result",
    "results", "returns", "review", "right", "run", "sanity", "says", "second", "see", "seems", "should", "so", "solve",
    "some", "somebody", "someone", "something", "somewhere", "strange", "sure", "test", "tests", "than", "thank",
    "thanks", "that", "that's", "the", "them", "then", "there", "there's", "these", "thing", "think", "this", "those",
    "thx", "to", "true", "typo", "usual", "verify", "want", "was", "we", "what", "what's", "whatever", "where", "where's",
    "whether", "which", "why", "with", "work", "worked", "working", "works", "would", "wrong", "yes", "yesterday", "you",
    "your",
})  # fmt: skip
"""Words that say no more than that there may be a bug."""
_COMPARED = frozenset({"==", "!=", "<", ">", "<=", ">=", "is", "is not"})
_NO_EFFECT = COMPREHENSIONS | {
    "identifier", "dictionary", "list", "set", "tuple", "binary_operator", "comparison_operator", "boolean_operator",
    "not_operator", "conditional_expression", "unary_operator",
}  # fmt: skip
"""Expressions that do nothing where they stand alone. An attribute, a subscript or a call may."""

_TAKING = frozenset({"pop", "popleft", "popitem"})
"""What fails on what is empty; None has no attribute at all."""

_Clue: TypeAlias = Sequence[tuple[str, Splice, float]]
"""What may be meant in place of what stands there, the likeliest first: a title, and how likely it is."""


def asks_for_bug(instruction: str) -> bool:
    """Whether an instruction wants a bug found, and does not say which."""
    words = instruction.split()
    return len(words) <= MOST_WORDS and _ASKS.search(" ".join(words)) is not None


def says_no_more(instruction: str) -> bool:
    """Whether an instruction that asks for a bug says nothing at all of it."""
    return set(re.findall(r"[^\W\d]['\w]*|\d+|[`\"<>=()\[\]]", instruction.lower())) <= _STOCK


def followed_up(context: RefactoringContext, tree: Tree) -> Iterator[Candidate]:
    """The edits that the clues in the selected lines lead to, the likeliest of each first; none of code that does not parse.
    Raises: never.
    """
    for clue in () if context.broken else _clues(context, tree):
        for title, splice, fit in clue[:MOST]:
            edits = spliced(context.lines, [splice])
            if edits and still_parses(context, edits):
                yield Candidate(title, edits, LIKELY - STEP * (clue[0][2] - fit))


def _clues(context: RefactoringContext, tree: Tree) -> Iterator[_Clue]:
    starred = any(
        one.type == "wildcard_import"
        for node in tree.root_node.named_children
        if node.type == "import_from_statement"
        for one in node.named_children
    )
    for node in context.walk("identifier"):
        if not starred and is_use(node):
            yield _unbound(node, tree)
    for node in context.walk("function_definition"):
        yield from map(_not_returned, _lost_results(node))
        yield from _not_stored(node)
    for node in context.walk("comparison_operator"):
        yield from _always_the_same(node, tree)
    for node in context.walk("if_statement", "conditional_expression", "while_statement"):
        yield from _used_where_missing(node)
    for node in context.walk("call"):
        yield from _swapped(node, tree)


# -- names without a value


def _unbound(node: Node, tree: Tree) -> _Clue:
    name, function = text_of(node), _function(node)
    if name.startswith("__") or name == "_" or hasattr(builtins, name) or function is None or _guarded(node):
        return ()
    visible = {each.name: each for each in visible_names(tree, start_of(node))}
    if name not in visible:
        why = "which nothing defines here"
    elif _is_read_too_early(visible[name], node):
        why = "which has no value yet"
    else:
        return ()
    # Patterns bind names as well, and so may other functions.
    if next(_below(function, "match_statement"), None) is not None:
        return ()
    if re.search(rf"\b(?:global|nonlocal)\b.*\b{name}\b", text_of(tree.root_node)):
        return ()
    others = [
        each
        for each in visible.values()
        if each.local and not each.own and each.name not in (name, "self", "cls")
    ]
    fits = {each.name: _fit(each, node, function) for each in others}
    return [
        (f"Use {other} instead of {name}, {why}", _instead(node, other), fit)
        for other, fit in sorted(fits.items(), key=lambda told: -told[1])
    ]


def _is_read_too_early(visible: Visible, node: Node) -> bool:
    """Whether the only statement that gives a local variable its value reads it."""
    above = node.parent
    while above is not None and above.type not in ("assignment", "augmented_assignment", "block", "module"):
        if above.type == "lambda" or above.type in COMPREHENSIONS:
            return False
        above = above.parent
    target = above.child_by_field_name("left") if above is not None and above.type == "assignment" else None
    if target is None:
        return False
    targets = target.named_children if target.type == "pattern_list" else [target]
    assigned = visible.name in map(text_of, targets)
    return assigned and visible.own and visible.local and not visible.distance


def _fit(other: Visible, node: Node, function: Node) -> float:
    """How likely `other` is meant by `node`: it is read nowhere, used in the same way, on the same line, or spelt alike where the
    function has that spelling nowhere else.
    """
    name, wrong, text, parent = re.escape(other.name), text_of(node), text_of(function), node.parent
    slip = len(re.findall(rf"\b{wrong}\b", text)) == 1
    line = text.split("\n")[node.start_point[0] - function.start_point[0]]
    behind = None
    if parent is not None and parent.named_children[0] == node:
        if parent.type == "attribute":
            behind = rf"\.{text_of(parent.named_children[-1])}\b"
        elif parent.type == "subscript":
            behind = r"\["
    return (
        3.0 * bool(slip and difflib.get_close_matches(other.name, [wrong], 1, 0.7))
        + 2.0 * (not other.read)
        + 2.0 * bool(behind and re.search(rf"\b{name}{behind}", text))
        + 1.5 * bool(re.search(rf"(?<![\w.]){name}\b(?! *=[^=])", line))
        + 0.5 * other.earlier
        - 0.2 * other.distance
    )


def _guarded(node: Node) -> bool:
    """Whether somebody may have reckoned with an unknown name, or it is looked up in a class."""
    above = node.parent
    while above is not None and above.type != "function_definition":
        if above.type in ("try_statement", "class_definition"):
            return True
        if above.type == "if_statement" and "version" in text_of(above.named_children[0]):
            return True
        above = above.parent
    return False


def _function(node: Node | None) -> Node | None:
    while node is not None and node.type != "function_definition":
        node = node.parent
    return node


# -- results and parameters that come to nothing


def _lost_results(function: Node) -> Iterator[Node]:
    """What a function ends with in some branch, and does not return."""
    name, body = function.child_by_field_name("name"), function.child_by_field_name("body")
    if name is None or body is None or text_of(name) in ("__init__", "__new__") or "yield" in text_of(body):
        return
    waiting = [body]
    while waiting:
        statements = [one for one in waiting.pop().named_children if one.type != "comment"]
        if not statements:
            continue
        last = statements[-1]
        if last.type in ("if_statement", "with_statement"):
            waiting += _blocks(last)
        elif last.type == "expression_statement" and last.named_child_count == 1:
            value = last.named_children[0]
            if value.type in _NO_EFFECT and (value.type != "identifier" or len(statements) > 1):
                yield value


def _blocks(statement: Node) -> Iterator[Node]:
    for one in statement.named_children:
        if one.type == "block":
            yield one
        elif one.type in ("elif_clause", "else_clause"):
            yield from (part for part in one.named_children if part.type == "block")


def _not_returned(value: Node) -> _Clue:
    begin = start_of(value)
    first = text_of(value).split("\n")[0]
    return [(f"Return {first}: by itself it has no effect", Splice(begin, begin, "return "), 0.0)]


def _not_stored(function: Node) -> Iterator[_Clue]:
    """`self.name = other` in a function whose parameter `name` nobody reads."""
    body = function.child_by_field_name("body")
    if body is None:
        return
    names = {name_of(one) for one in list_parameters(function)} - {"", "self", "cls"}
    used = {text_of(one) for one in _below(body, "identifier") if is_use(one)}
    for node in _below(body, "assignment"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if (
            left is None
            or right is None
            or not text_of(left).startswith("self.")
            or right.type != "identifier"
        ):
            continue
        name = text_of(left).removeprefix("self.")
        found = next((one for one in (name, name.lstrip("_")) if one in names - used), None)
        if found is not None and text_of(right) in names:
            yield [(f"Store {found} in self.{name}: the parameter is not used", _instead(right, found), 0.0)]


# -- values where there are none, and arguments in each other's places


def _used_where_missing(node: Node) -> Iterator[_Clue]:
    """What a test finds to be None or empty, and what it guards looks into all the same."""
    if node.type == "conditional_expression":
        guarded, test = node.named_children[0], node.named_children[1]
        if found := re.fullmatch(r"(\w+) is None", text_of(test)):
            yield from _flipped(test, found[1], guarded, "is None", "is not None")
        if found := re.fullmatch(r"(\w+) is not None", text_of(test)):
            yield from _flipped(test, found[1], node.named_children[2], "is not None", "is None")
        return
    condition, block = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    block = block or node.child_by_field_name("body")
    if condition is None or block is None:
        return
    if found := re.fullmatch(r"(\w+) is None", text_of(condition)):
        yield from _flipped(condition, found[1], block, "is None", "is not None")
    elif found := re.fullmatch(r"not (\w+)", text_of(condition)):
        yield from _flipped(condition, found[1], block, "not ", "")


def _flipped(test: Node, name: str, guarded: Node, old: str, new: str) -> Iterator[_Clue]:
    """The test the other way round, where what it guards first looks into `name`, and gives it no value before."""
    first = next((one for one in _below(guarded, "identifier") if text_of(one) == name), guarded)
    parent = first.parent
    if parent is None or parent.type not in ("attribute", "subscript") or text_of(first) != name:
        return
    fails = parent.type == "subscript" or "None" in old or text_of(parent.named_children[-1]) in _TAKING
    if fails and parent.named_children[0] == first:
        text = text_of(test).replace(old, new)
        yield [(f"Test {text}: {name} is used there", _instead(test, text), 0.0)]


def _swapped(call: Node, tree: Tree) -> Iterator[_Clue]:
    """Two arguments that are called as each other's parameters, of a function that the document defines."""
    called, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if called is None or given is None:
        return
    name = text_of(called).rpartition(".")[2]
    arguments = given.named_children
    if [one.type for one in arguments].count("identifier") < 2 or "list_splat" in (
        one.type for one in arguments
    ):
        return
    defined = [
        one
        for one in _below(tree.root_node, "function_definition")
        if (title := one.child_by_field_name("name")) is not None and text_of(title) == name
    ]
    if len(defined) != 1:
        return
    names = [name_of(one) for one in list_parameters(defined[0])]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    said = [text_of(one) for one in arguments]
    for k, one in enumerate(said[: len(names)]):
        if one in names and names.index(one) > k and names.index(one) < len(said):
            other = names.index(one)
            if said[other] == names[k] and arguments[k].start_point[0] == arguments[other].end_point[0]:
                between = text_of(given).encode()
                begin, end = (
                    arguments[k].end_byte - given.start_byte,
                    arguments[other].start_byte - given.start_byte,
                )
                text = f"{said[other]}{between[begin:end].decode()}{one}"
                splice = Splice(start_of(arguments[k]), end_of(arguments[other]), text)
                yield [(f"Swap the arguments {one} and {said[other]}, as {name} has them", splice, 0.0)]


# -- comparisons that always come out the same


def _always_the_same(node: Node, tree: Tree) -> Iterator[_Clue]:
    """Two calls that are alike, and a length that is to be negative."""
    if len(node.named_children) != 2 or len(node.children) != 3:
        return
    left, right = node.named_children
    if left.type == "call" and text_of(left).startswith("len(") and re.fullmatch(r"-\d+", text_of(right)):
        yield [(f"Compare {text_of(left)} with 0: a length is never negative", _instead(right, "0"), 0.0)]
    if left.type != "call" or text_of(left) != text_of(right) or text_of(node.children[1]) not in _COMPARED:
        return
    called, given = right.child_by_field_name("function"), right.child_by_field_name("arguments")
    if called is None or given is None or [one.type for one in given.named_children] != ["identifier"]:
        return
    (argument,) = given.named_children
    said = f"Compare {text_of(left)} with {text_of(called)}(%s), not with itself"
    apart = (text_of(argument), "_", "self", "cls")
    others = [each.name for each in visible_names(tree, start_of(node)) if each.local and not each.own]
    yield [(said % name, _instead(argument, name), 0.0) for name in others if name not in apart]


def _instead(node: Node, text: str) -> Splice:
    return Splice(start_of(node), end_of(node), text)


def _below(node: Node, kind: str) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == kind:
            yield one
        waiting += reversed(one.named_children)
