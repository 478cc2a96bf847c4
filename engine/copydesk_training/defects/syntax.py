"""Text that does not parse: colons, brackets, quotes, commas and keywords gone wrong."""

from __future__ import annotations

import ast
import keyword
import re
import tokenize
from random import Random

from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import ParsedFile, Token
from copydesk_training.defects.parsing import Finding, at_newline, syntax_defect, token_behind
from copydesk_training.defects.typos import typo

TRIES = 8
_OPENS = {")": "(", "]": "[", "}": "{"}
_HEADER = re.compile(
    r"[ \t]*(?:async[ \t]+)?(if|elif|for|while|with|def|class|try|except|else|finally|match|case)\b.*:[ \t]*$"
)


def missing_colon(file: ParsedFile, rng: Random) -> Defect | None:
    """A header without its colon."""
    places = file.cached("missing_colon", lambda: _colons(file))
    if not places:
        return None
    at = rng.choice(places)
    broken = Broken(file, [Edit(at, at + 1, "")])
    start, end = at_newline(broken, at)
    found = "newline"
    return syntax_defect(
        broken,
        rng,
        at,
        ruff=Finding(f"Expected `:`, found {found}", start, end),
        pyright=Finding('Expected ":"', start, end),
    )


def missing_bracket(file: ParsedFile, rng: Random) -> Defect | None:
    """A bracket that is never closed (mostly), or never opened."""
    pairs = file.cached("brackets", lambda: _brackets(file))
    if not pairs:
        return None
    opening, closing, outer = rng.choice(pairs)
    if rng.random() < 0.15:
        broken = Broken(file, [Edit(opening.start, opening.end, "")])
        place = broken.offset(closing.start)
        return syntax_defect(
            broken,
            rng,
            closing.start,
            ruff=Finding(_unmatched(file, closing, outer), place, place + 1),
            pyright=Finding("Expected expression", place, place + 1),
        )
    broken = Broken(file, [Edit(closing.start, closing.end, "")])
    mark = opening.string
    never = Finding(f'"{mark}" was not closed', opening.start, opening.end)
    return syntax_defect(broken, rng, closing.start, ruff=_unclosed(broken, closing), pyright=never)


def _unmatched(file: ParsedFile, closing: Token, outer: Token | None) -> str:
    """What ruff says of a bracket that nothing opened, `outer` being the one it stands in."""
    if outer is not None:
        return f"Expected `,`, found `{closing.string}`"
    if _HEADER.match(file.text[file.line_start(closing.start) : file.line_end(closing.end)]):
        return f"Expected `:`, found `{closing.string}`"
    return "Expected a statement"


def _unclosed(broken: Broken, closing: Token) -> Finding | None:
    """Where ruff notices: at a statement's keyword it steps back to the line break."""
    behind = token_behind(broken.text, closing.start)
    if behind is None:
        return None
    name, start, end = behind
    breaks = "\n" in broken.text[closing.start : start]
    if breaks and name.startswith("`") and name.strip("`") in _STATEMENTS:
        start, end = at_newline(broken, closing.start)
        return Finding(f"Expected `{closing.string}`, found newline", start, end)
    if name.strip("`") in (")", "]", "}", ",") and not breaks:
        return Finding(f"Expected `{closing.string}`, found {name}", start, end)
    if breaks and name.startswith("`") and name.strip("`").isidentifier():
        return None  # an expression goes on there, and ruff with it
    wanted = "," if closing.string != "]" else "]"
    return Finding(f"Expected `{wanted}`, found {name}", start, end)


_STATEMENTS = frozenset(
    {"assert", "async", "break", "class", "continue", "def", "del", "global", "import", "nonlocal", "pass", "raise",
     "return", "try", "while", "with"}
)  # fmt: skip


def extra_bracket(file: ParsedFile, rng: Random) -> Defect | None:
    """A closing bracket twice, or of the wrong kind."""
    pairs = file.cached("brackets", lambda: _brackets(file))
    if not pairs:
        return None
    opening, closing, outer = rng.choice(pairs)
    if rng.random() < 0.3:
        wrong = rng.choice([c for c in ")]}" if c != closing.string])
        broken = Broken(file, [Edit(closing.start, closing.end, wrong)])
        start, end = broken.span()
        ruff = Finding(f"Expected `,`, found `{wrong}`", start, end)
        pyright = Finding(f'"{opening.string}" was not closed', opening.start, opening.end)
        return syntax_defect(broken, rng, closing.start, ruff=ruff, pyright=pyright)
    if rng.random() < 0.2:
        broken = Broken(file, [Edit(opening.end, opening.end, opening.string)])
        pyright = Finding(f'"{opening.string}" was not closed', opening.start, opening.end)
        return syntax_defect(broken, rng, closing.start, ruff=_unclosed(broken, closing), pyright=pyright)
    broken = Broken(file, [Edit(closing.end, closing.end, closing.string)])
    start, end = broken.span()
    return syntax_defect(
        broken,
        rng,
        closing.start,
        ruff=Finding(_unmatched(file, closing, outer), start, end),
        pyright=Finding("Expected expression", start, end),
    )


def missing_quote(file: ParsedFile, rng: Random) -> Defect | None:
    """A string that is not closed (mostly), or not opened."""
    strings = file.cached("missing_quote", lambda: _strings(file))
    if not strings:
        return None
    token = rng.choice(strings)
    quote = token.end - 1
    rest = file.text[token.end : file.line_end(token.end)]
    if rng.random() < 0.2 and file.text[token.start] in "\"'":
        at, first = token.start, quote - 1
    else:
        at, first = quote, token.start
    broken = Broken(file, [Edit(at, at + 1, "")])
    if file.text[quote] in rest:
        # Quotes pair up differently to the end of the line: the last one is left over.
        first = broken.text.rindex(file.text[quote], 0, file.line_end(token.end) - 1)
    end = broken.text.find("\n", first)
    end = len(broken.text) if end < 0 else end
    return syntax_defect(
        broken,
        rng,
        token.start,
        ruff=Finding("missing closing quote in string literal", first, end),
        pyright=Finding("String literal is unterminated", first, end),
    )


def missing_comma(file: ParsedFile, rng: Random) -> Defect | None:
    """Two items with no comma between them."""
    places = file.cached("missing_comma", lambda: _commas(file))
    for _ in range(min(TRIES, len(places))):
        opening, comma = rng.choice(places)
        broken = Broken(file, [Edit(comma, comma + 1, "")])
        behind = token_behind(broken.text, comma)
        if behind is None:
            continue
        name, start, end = behind
        mark = file.text[opening]
        found = syntax_defect(
            broken,
            rng,
            comma,
            ruff=Finding(f"Expected `,`, found {name}", start, end),
            pyright=Finding(f'"{mark}" was not closed', opening, opening + 1),
        )
        if found is not None:
            return found
    return None


def keyword_typo(file: ParsedFile, rng: Random) -> Defect | None:
    """A misspelt keyword."""
    places = file.cached("keyword_typo", lambda: _keywords(file))
    for _ in range(min(TRIES, len(places))):
        token = rng.choice(places)
        bad = typo(rng, token.string)
        if bad is None or bad in file.words:
            continue
        broken = Broken(file, [Edit(token.start, token.end, bad)])
        start, end = broken.span()
        behind = token_behind(broken.text, end)
        first = not file.text[file.line_start(token.start) : token.start].strip()
        ruff = pyright = None
        if first and behind is not None and "\n" not in broken.text[end : behind[1]]:
            if behind[0] == "`:`" and not broken.text[behind[2] : file.line_end(behind[2])].strip():
                place = at_newline(broken, behind[2])
                ruff, pyright = (
                    Finding("Expected an expression", *place),
                    Finding("Expected expression", *place),
                )
            elif behind[0][0] != "`":
                ruff = Finding("Simple statements must be separated by newlines or semicolons", *behind[1:])
                pyright = Finding("Statements must be separated by newlines or semicolons", *behind[1:])
        if pyright is None or rng.random() < 0.4:
            pyright = Finding(f'"{bad}" is not defined', start, end, "reportUndefinedVariable")
        found = syntax_defect(broken, rng, token.start, ruff=ruff, pyright=pyright)
        if found is not None:
            return found
    return None


def assignment_in_condition(file: ParsedFile, rng: Random) -> Defect | None:
    """`=` where a condition needs `==`."""
    places = file.cached("assignment", lambda: _equalities(file))
    if not places:
        return None
    at = rng.choice(places)
    broken = Broken(file, [Edit(at, at + 2, "=")])
    start, end = broken.span()
    return syntax_defect(
        broken,
        rng,
        at,
        ruff=Finding("Expected `:`, found `=`", start, end),
        pyright=Finding('Expected ":"', start, end),
    )


# -- places ------------------------------------------------------------------------------------------------


def _colons(file: ParsedFile) -> list[int]:
    found: list[int] = []
    for line, start in enumerate(file.starts, 1):
        end = file.line_end(start)
        content = file.text[start:end]
        if line not in file.string_lines and ":" in content and _HEADER.match(content):
            found.append(start + content.rindex(":"))
    return found


def _brackets(file: ParsedFile) -> list[tuple[Token, Token, Token | None]]:
    """Pairs of brackets and the one round them, those that close within a few lines; of a run of closing ones only the
    last.
    """
    found: list[tuple[Token, Token, Token | None]] = []
    stack: list[Token] = []
    tokens = file.tokens
    for k, token in enumerate(tokens):
        if token.type != tokenize.OP:
            continue
        if token.string in "([{":
            stack.append(token)
        elif token.string in _OPENS and stack:
            opening = stack.pop()
            behind = tokens[k + 1] if k + 1 < len(tokens) else None
            run = behind is not None and behind.start == token.end and behind.string == token.string
            near = file.line_at(token.end) - file.line_at(opening.start) <= 6
            if near and not run and token.string in _OPENS and _OPENS[token.string] == opening.string:
                found.append((opening, token, stack[-1] if stack else None))
    return found


def _strings(file: ParsedFile) -> list[Token]:
    return [
        t
        for t in file.tokens
        if t.type == tokenize.STRING
        and t.end - t.start > 3
        and t.string[-3:] not in ('"""', "'''")
        and "\n" not in t.string
        and "\\" not in t.string
    ]


def _commas(file: ParsedFile) -> list[tuple[int, int]]:
    """Commas between two items, each with the bracket it stands in."""
    found: list[tuple[int, int]] = []
    stack: list[int] = []
    tokens = file.tokens
    for k, token in enumerate(tokens):
        if token.type != tokenize.OP:
            continue
        if token.string in ("(", "[", "{"):
            stack.append(token.start)
        elif token.string in _OPENS and stack:
            stack.pop()
        elif token.string == "," and stack and k + 1 < len(tokens) and tokens[k + 1].string not in _OPENS:
            if tokens[k + 1].type != tokenize.COMMENT:
                found.append((stack[-1], token.start))
    return found


def _keywords(file: ParsedFile) -> list[Token]:
    return [
        t
        for t in file.tokens
        if t.type == tokenize.NAME
        and len(t.string) >= 2
        and keyword.iskeyword(t.string)
        and t.string[0].islower()
    ]


def _equalities(file: ParsedFile) -> list[int]:
    found: list[int] = []
    for node in file.of(ast.If, ast.While):
        tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        for test in tests:
            if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
                between = file.text[file.end(test.left) : file.start(test.comparators[0])]
                if between.strip() == "==":
                    found.append(file.end(test.left) + between.index("="))
    return found
