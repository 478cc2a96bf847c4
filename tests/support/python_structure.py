"""What CPython says of the layer of a text that no parser forgives. Also a program, for other versions than the tests' own:

    python3.13 python_structure.py < TEXTS

reads a JSON list of texts from standard input and writes a list of what is wrong with each: a few words, or null. Needs nothing
but the standard library, and knows nothing of copydesk's own automaton.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tokenize
import warnings

HARD = {"if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async"}
SOFT = {"match", "case"}
PAIRS = {")": "(", "]": "[", "}": "{"}
MESSAGES = re.compile(
    r"unterminated|was never closed|unmatched|does not match|unexpected EOF|line continuation|an indented block"
    r"|unindent does not|backslash|single '}'|cannot include '#'|EOF in multi-line|too many nested parentheses"
    r"|empty expression|tabs and spaces"
)
"""Of the errors that count, in the words of 3.11 and 3.13. The compiler also speaks of indents that are unexpected where any
other error stands at one: which of them really are, the tokens show."""
NEUTRAL = str.maketrans(dict.fromkeys("0123456789", "_") | dict.fromkeys("$?`", "+"))
"""What would stop the tokenizer of 3.12 and later for other reasons: numbers followed by letters, and characters of no token."""


def compiles(text: str) -> bool:
    """Whether this Python compiles a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "text", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        return True


def error_of(text: str) -> str | None:
    """What is wrong, if anything: by the compiler, where it gets that far, and by the tokens."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "text", "exec", dont_inherit=True)
            return None
        except (SyntaxError, ValueError) as error:
            message = getattr(error, "msg", str(error))
            if MESSAGES.search(message):
                return f"compiler: {message}"
        except (RecursionError, MemoryError):
            return "compiler: too deep"
        return by_tokens(_plain(text))


def _plain(text: str) -> str:
    """The text with characters that are no tokens replaced by some that are."""
    text = re.sub(r"[\x00-\x08\x0b\x0d-\x1f\x7f]|!(?!=)", "+", text)
    return re.sub(r"[^\x00-\x7f]", "_", text).translate(NEUTRAL)


def by_tokens(text: str) -> str | None:
    """What is wrong with brackets, quotes, indentation and bodies by the tokens alone."""
    open_brackets: list[str] = []
    line: list[str] = []
    behind, body, colon, lambdas = False, False, False, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind, word = token.type, token.string
            if kind in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER):
                continue
            if kind == tokenize.INDENT:
                if not body:
                    return "unexpected indent"
                body = False
                continue
            if body:
                return "no body"
            if kind == tokenize.DEDENT:
                continue
            if kind == tokenize.NEWLINE:
                if line and line[0] in HARD and not colon:
                    return "no colon"
                body = colon and not behind
                line, behind, colon, lambdas = [], False, False, 0
                continue
            if kind == tokenize.ERRORTOKEN and word.strip() and word[0] in "\"'\\":
                return f"a stray {word[0]}"
            if kind == tokenize.STRING and (wrong := _in_f_string(word)):
                return wrong
            line.append(word)
            if colon:
                behind = True
            if kind == tokenize.OP and word in PAIRS.values():
                open_brackets.append(word)
            elif kind == tokenize.OP and word in PAIRS:
                if not open_brackets or open_brackets.pop() != PAIRS[word]:
                    return f"unmatched {word}"
            elif not open_brackets and line[0] in HARD | SOFT and not colon:
                lambdas += word == "lambda"
                if word == ":":
                    colon, lambdas = not lambdas, max(0, lambdas - 1)
    except (SyntaxError, tokenize.TokenError) as error:
        return f"tokenizer: {error}"
    if open_brackets:
        return f"{open_brackets[-1]} was never closed"
    return "no body" if body else None


def _in_f_string(word: str) -> str | None:
    """What is wrong with an f-string, which is one token before 3.12."""
    if "f" not in word[: word.index(word[-1])].lower():
        return None
    try:
        compile(word, "string", "eval", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        message = getattr(error, "msg", str(error))
        if MESSAGES.search(message):
            return message
    except (RecursionError, MemoryError):
        return None
    return None


if __name__ == "__main__":
    json.dump([error_of(text) for text in json.load(sys.stdin)], sys.stdout)
