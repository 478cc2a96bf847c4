"""What a diagnostic leaves to choose from. In the examples `[|…|]` is what the diagnostic covers."""

from __future__ import annotations

import random

import pytest

from copydesk.quickfixes.replacement import Replacement
from copydesk.request import Diagnostic
from copydesk.text.document import Position, split_lines
from copydesk_training.defects import KINDS
from copydesk_training.defects.registry import draw
from defect_files import files
from quick_fixes import replacement


def read(text: str, message: str, code: str | None = None) -> tuple[Diagnostic, list[str]]:
    start = text.index("[|")
    text = text.replace("[|", "", 1)
    end = text.index("|]")
    text = text.replace("|]", "", 1)

    def position(offset: int) -> Position:
        return Position(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)

    return Diagnostic(position(start), position(end), message, code), split_lines(text)


def check(
    text: str, message: str, offered: list[str], code: str | None = None, refused: list[str] | None = None
) -> None:
    diagnostic, lines = read(text, message, code)
    found = replacement(diagnostic, lines)
    assert found is not None
    choices = [*found.texts, *found.imports]
    assert len(set(choices)) == len(choices)
    for choice in offered:
        assert choice in choices, choices
    for choice in refused or ():
        assert choice not in choices


BODY = """
import os


class Box:
    def fill(self, colour):
        self.weight = colour
        shelf = [colour]
        return {use}

    def empty(self):
        # a comment about colours
        return "a string with words"
"""


def test_an_undefined_name_becomes_a_name_of_the_document() -> None:
    check(
        BODY.format(use="[|colur|]"),
        "Undefined name `colur`",
        ["colour"],
        refused=["shelf", "colur", "string", "comment", "return"],
    )


def test_or_a_builtin_a_module_or_a_keyword() -> None:
    check("x = [|pritn|](1)\n", "undefined name 'pritn'", ["print"])
    check("x = [|josn|].loads(y)\n", '"josn" is not defined', ["json"])
    check("[|retrun|] x\n", '"retrun" is not defined', ["return"])


def test_or_an_attribute_of_self() -> None:
    check(BODY.format(use="[|weight|]"), "Undefined name `weight`", ["self.weight"])
    diagnostic, lines = read(BODY.format(use="[|weight|]"), "Undefined name `weight`")
    found = replacement(diagnostic, lines)
    assert found is not None
    assert found.texts[0] == "self.weight"


def test_or_an_import() -> None:
    check("x = [|json|].loads(y)\n", "NameError: name 'json' is not defined", ["import json\n"])
    check("x = [|Path|](y)\n", "Undefined name `Path`", ["from pathlib import Path\n"])
    check("x = [|np|].zeros(3)\n", "Undefined name `np`", ["import numpy as np\n"])
    check("x: [|Callable|]\n", "F821 x", ["from collections.abc import Callable\n"], "F821")


def test_a_name_marked_by_its_line_alone_is_found_by_the_message() -> None:
    check("[|x = foo(lenght)|]\nlength = 1\n", "NameError: name 'lenght' is not defined", ["length"])
    check("[|x = foo(lenght)|]\nlength = 1\n", "undefined name 'lenght'", ["length"])


def test_an_attribute_becomes_an_attribute() -> None:
    check(
        "a.append(1)\nb.extend(2)\na.[|apend|](3)\n",
        '"list[int]" has no attribute "apend"; maybe "append"?',
        ["append"],
        "attr-defined",
    )


def test_a_misspelt_keyword_becomes_a_keyword() -> None:
    check("def f(a):\n    retrun [|a|]\n", "SyntaxError: invalid syntax", ["return"], refused=["a", "f"])
    check("for x inn [|y|]:\n    pass\n", "invalid syntax", ["in"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[|import os|]\n", "`os` imported but unused"),
        ("x = [|zzqqj|]\n", "Undefined name `zzqqj`"),  # an import nobody can guess
        ("def f([|)|]:\n    pass\n", "invalid syntax"),
        ("x = [|1|]\n", "Undefined name"),
    ],
)
def test_nothing_is_narrowed(text: str, message: str) -> None:
    diagnostic, lines = read(text, message)
    assert replacement(diagnostic, lines) is None


def test_other_languages_and_places_outside() -> None:
    diagnostic, lines = read("x = [|foo|];\n", "'foo' is not defined.")
    assert replacement(diagnostic, lines, "javascript") is None
    far = Diagnostic(Position(9, 0), Position(9, 1), "Undefined name `x`")
    assert replacement(far, lines) is None
    assert replacement(far, []) is None


def test_new_texts_of_a_sub() -> None:
    place = Replacement(1, 4, 9, ("value", "valid", "other"))
    text = "x = vaule + 1\n"
    assert place.new_texts(text, 4, 9) == ["value", "valid", "other"]
    assert place.new_texts(text, 3, 11) == [" value +", " valid +", " other +"]
    assert place.new_texts(text, 6, 9) == ["lue", "lid"]  # "va" stays
    assert place.new_texts(text, 6, 8) == ["lu"]  # and "e"
    assert place.new_texts(text, 10, 13) == []


SHARES = {"undefined_name": 0.95, "missing_self": 0.9, "attribute_typo": 0.85, "keyword_typo": 0.9}


@pytest.mark.parametrize("kind", SHARES)
def test_the_right_text_is_among_them(kind: str) -> None:
    right = total = 0
    for k, file in enumerate(files()):
        for seed in range(2):
            example = draw(KINDS[kind], file, random.Random(f"{seed}/{k}"))
            if example is None:
                continue
            total += 1
            before, after = split_lines(example.before), split_lines(example.after)
            found = replacement(example.request.diagnostics[0], before)
            if found is not None:
                line = before[found.line - 1]
                made = {line[: found.start] + text + line[found.end :] for text in found.texts}
                right += after[found.line - 1] in made
    assert total >= 60
    assert right >= SHARES[kind] * total, f"{right} of {total}"
