"""The compiled automaton of JSON accepts what Python's parser does; loops of reductions; grammars that are refused."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.errors import GrammarError
from copydesk.pushdown.automaton import Automaton
from copydesk.pushdown.effects import Effects
from copydesk.pushdown.grammar import Grammar, literal, one_of, plus
from copydesk.pushdown.json_grammar import json_automaton
from json_texts import VALUES

MUTATIONS = st.lists(
    st.tuples(st.integers(0, 400), st.sampled_from(["", *'{}[],:"1-e \n\\/', "tr"])),
    max_size=3,
)


def accepts(automaton: Automaton, text: str) -> bool:
    config = automaton.run(automaton.start, text.encode())
    return config is not None and automaton.accepts(config)


def is_json(text: str) -> bool:
    def no_constant(name: str) -> None:
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return False
    return True


@settings(max_examples=400, deadline=None)
@given(VALUES, MUTATIONS, st.sampled_from([None, 1]), st.booleans())
def test_json_is_what_pythons_parser_accepts(value, mutations, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert accepts(json_automaton(), text)
    for place, new in mutations:
        place %= len(text) + 1
        text = text[:place] + new + text[place + 1 :]
    assert accepts(json_automaton(), text) == is_json(text)
    if is_json(text):
        assert accepts(json_automaton(comments=True), text)


@pytest.mark.parametrize(
    "text", ["[1,]", '{"a": 1,}', "// x\n[1]", "/* a */{}", '{"a"/**/:1 /***/}//', "[/* * / */]"]
)
def test_comments_and_trailing_commas(text):
    assert accepts(json_automaton(comments=True), text)
    assert not accepts(json_automaton(), text)


@pytest.mark.parametrize("text", ["[,]", "{,}", "[1,,]", "/* a", "[1] /", "/ /[]", '{"a",}'])
def test_what_is_no_json_with_comments(text):
    assert not accepts(json_automaton(comments=True), text)


def test_every_prefix_of_a_text_is_viable_and_no_other():
    automaton, text = json_automaton(), '{"a": [1, {"b": -2.5e3}], "c": null}'
    for size in range(len(text)):
        assert automaton.run(automaton.start, text[:size].encode()) is not None
    for wrong in ['{"a"]', "[1}", "{1", '{"a": }', "]", '["a":', "[01"]:
        assert automaton.run(automaton.start, wrong.encode()) is None


@pytest.mark.parametrize(
    ("rules", "pattern"),
    [
        ({"S": "( L )", "L": "a L | a"}, r"\(a+\)"),
        ({"S": "( L )", "L": "L a | a"}, r"\(a+\)"),
        ({"S": "R", "R": "c R |"}, r"c*"),
        ({"S": "A A", "A": "a A | b"}, r"a*ba*b"),
    ],
)
def test_loops_of_reductions_end_at_every_depth(rules, pattern):
    automaton = Automaton.of(Grammar.of(rules, {}))
    nested = ["", "(", "()", "(a)", "(aa)", "(aaa)", f"({'a' * 40})"]
    for text in [*nested, "c", "c" * 30, "aabaab", "bb", "ba", "ababab"]:
        assert accepts(automaton, text) == bool(re.fullmatch(pattern, text)), text


def test_right_recursion_has_no_finite_effects():
    looping = Automaton.of(Grammar.of({"S": "( L )", "L": "a L | a"}, {}))
    assert looping.loops
    with pytest.raises(GrammarError, match="left recursion"):
        Effects(looping)
    assert not Automaton.of(Grammar.of({"S": "( L )", "L": "L a | a"}, {})).loops


def test_a_grammar_of_arithmetic():
    number = plus(one_of("0-9"))
    rules = {"E": "E + T | T", "T": "T * F | F", "F": "( E ) | n"}
    automaton = Automaton.of(Grammar.of(rules, {"n": number}, [literal(" ")]))
    for text in ["1+2*3", "(1 + 2) *33", "((4))"]:
        assert accepts(automaton, text)
    for text in ["1 2", "1+", "(4", "*1", ""]:
        assert not accepts(automaton, text)


@pytest.mark.parametrize("rules", [{"S": "S S | a"}, {"S": "a | A", "A": "a"}])
def test_what_is_not_lr1_is_refused(rules):
    with pytest.raises(GrammarError, match="LR"):
        Automaton.of(Grammar.of(rules, {}))


def test_a_grammar_that_is_lr1_and_not_lalr1():
    rules = {"S": "a A d | b B d | a B e | b A e", "A": "c", "B": "c"}
    automaton = Automaton.of(Grammar.of(rules, {}))
    for text in ["acd", "bcd", "ace", "bce"]:
        assert accepts(automaton, text)
    for text in ["acc", "cd", "acde"]:
        assert not accepts(automaton, text)
