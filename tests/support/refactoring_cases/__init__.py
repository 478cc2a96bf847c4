"""What refactorings make of a text, by family: name, instruction, text, title, expected text."""

from __future__ import annotations

from refactoring_cases import (
    calls,
    conditions,
    control_flow,
    errors,
    idioms,
    layout,
    loops,
    names,
    signatures,
    statements,
    strings,
    texts,
    type_hints,
    values,
    variables,
)

CASES = {
    "type_hints": type_hints.CASES,
    "calls": calls.CASES,
    "conditions": conditions.CASES,
    "control_flow": control_flow.CASES,
    "errors": errors.CASES,
    "idioms": idioms.CASES,
    "layout": layout.CASES,
    "loops": loops.CASES,
    "names": names.CASES,
    "signatures": signatures.CASES,
    "statements": statements.CASES,
    "strings": strings.CASES,
    "texts": texts.CASES,
    "values": values.CASES,
    "variables": variables.CASES,
}
