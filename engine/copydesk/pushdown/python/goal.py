"""How text leads from one configuration of Python's layer to another: some way always does.

What is open is closed, lines that open blocks make the levels of indentation that are missing, and a line is begun that stands
where the goal does. Such text is written only where a model's tokens are spent.
"""

from __future__ import annotations

from copydesk.errors import GrammarError
from copydesk.pushdown.automaton import Config
from copydesk.pushdown.python.layer import Layer
from copydesk.pushdown.python.lexer import LINE_START
from copydesk.pushdown.python.modes import (
    BRACKETS,
    CLOSERS,
    TABS,
    Backslash,
    Code,
    Colon,
    Comment,
    Field,
    FirstWord,
    Hosts,
    LineStart,
    Mode,
    Quotes,
    String,
    Word,
)
from copydesk.pushdown.python.stack import (
    BEGUN,
    BODY,
    BRACKET,
    INLINE,
    MAYBE_OPENER,
    OPENED,
    OPENER,
    PARAMETERS,
    STATEMENT,
    line_place,
)

_LINES = {
    STATEMENT: "1",
    OPENER: "if 1",
    OPENED: "if 1: ",
    INLINE: "if 1: 1",
    MAYBE_OPENER: "match 1",
    BODY: "if 1:\n",
}
"""The shortest lines of each kind that can stand anywhere."""
_INSIDE = {"<": "1<", "=": "1=", "!": "1!", "done": "1= ", "converted": "1!r", "spec": "1:", "start": " "}


class Goal:
    """The text behind which everything is as `target` says."""

    def __init__(self, layer: Layer, target: Config) -> None:
        self.layer, self.target = layer, target

    def leads(self, config: Config) -> bool:  # noqa: ARG002
        """Whether some text leads from `config` to the goal."""
        return True

    def path(self, config: Config) -> bytes:
        """A text that leads there from `config`."""
        return self._led(config, ("",))

    def closing(self, config: Config, *, ends_line: bool) -> bytes:
        """The same. ends_line: one that ends with a newline; the goal must stand at the beginning of a line."""
        return self._led(config, ("\n", "\\\n") if ends_line else ("",))

    def _led(self, config: Config, ends: tuple[str, ...]) -> bytes:
        if config == self.target and "" in ends:
            return b""
        near = self._near(config)
        for text in (near, self._settled(config)):
            if text is None:
                continue
            found = text if text is near else text + self._built(self._behind(config, text))
            for end in ("", *ends) if found.endswith(ends) else ends:
                whole = (found + end).encode()
                if self.layer.run(config, whole) == self.target:
                    return whole
        raise GrammarError(f"no text leads to {self.layer.lexer.modes[self.target[0]]}")

    def _behind(self, config: Config, text: str) -> Config:
        found = self.layer.run(config, text.encode())
        assert found is not None, (self.layer.lexer.modes[config[0]], text)
        return found

    def _near(self, config: Config) -> str | None:
        """Brackets and quotes closed and opened in one line; None where that is not enough."""
        if config == self.target:
            return ""
        closed = self._unquoted(config)
        (state, stack), (_, wanted) = self._behind(config, closed), self.target
        place = line_place(wanted)
        if stack[: line_place(stack)] != wanted[:place] or wanted[place - 1] < STATEMENT:
            return None
        if not isinstance(self.layer.lexer.modes[state], Code):
            return None
        kept = place
        while kept < min(len(stack), len(wanted)) and stack[kept] == wanted[kept]:
            kept += 1
        pairs = "".join(CLOSERS[symbol - BRACKET] for symbol in reversed(stack[kept:]))
        pairs += "".join(BRACKETS[symbol - BRACKET] for symbol in wanted[kept:])
        return f"{closed}{pairs} {self._mode_text()}"

    def _settled(self, config: Config) -> str:
        """What leads to where a line of its own may begin."""
        text = ""
        while True:
            state, stack = self._behind(config, text)
            mode, top = self.layer.lexer.modes[state], stack[-1]
            if top < BEGUN and state == LINE_START:
                return text
            if not isinstance(mode, Code | LineStart):
                text += _leaving(mode)
            elif top >= BRACKET:
                text += CLOSERS[top - BRACKET]
            elif top == BODY:
                text += f"\n{_deeper(stack[-2])}1\n"
            elif top in (OPENER, PARAMETERS):
                text += ":1 "
            elif top == OPENED:
                text += "1 "
            else:
                text += "\n"

    def _unquoted(self, config: Config) -> str:
        """What leads out of a string, a comment or a word."""
        text = ""
        while True:
            mode = self.layer.lexer.modes[self._behind(config, text)[0]]
            if isinstance(mode, Code | LineStart):
                return text
            text += _leaving(mode)

    def _built(self, config: Config) -> str:
        """What leads from where a line may begin to the target."""
        stack, wanted = config[1], self.target[1]
        place = line_place(wanted)
        size = next((k for k, symbol in enumerate(wanted) if symbol >= BEGUN), len(wanted))
        levels, line = wanted[:size], wanted[size:place]
        common = 0
        while common < min(size, len(stack)) and levels[common] == stack[common]:
            common += 1
        text = "".join(f"{_indentation(levels[k - 1])}if 1:\n" for k in range(common, size))
        if (common == size < len(stack) and not line) or (common < size and not line):
            text += f"{_indentation(levels[-1])}1\n"
        if line and line[0] == BEGUN:
            return text + _indentation(levels[-1]) + self._mode_text()
        if line:
            text += _indentation(levels[-1]) + _LINES[line[0]] + " lambda 1" * (len(line) - 1)
            text += "".join(BRACKETS[symbol - BRACKET] for symbol in wanted[place:])
            text += "" if line[0] == BODY else " "
        return text + self._mode_text()

    def _mode_text(self) -> str:
        """What leads from between two tokens, or from the start of a line, to the target's place in its line."""
        stack = self.target[1]
        mode, fresh = self.layer.lexer.modes[self.target[0]], stack[-1] < BEGUN or stack[-1] == BODY
        newline = "" if fresh or stack[-1] == BEGUN else "\n"
        lambdas = stack[-1] in (OPENER, MAYBE_OPENER, PARAMETERS)
        colon = "" if stack[-1] == OPENED else "lambda: " if lambdas else ": "
        match mode:
            case LineStart(level=level):
                return newline + _indentation(level)
            case FirstWord(word=word):
                return newline + word
            case Comment(own=own):
                return newline + "#" if own else "#"
            case Word(word=word):
                return word or "1"
            case Colon():
                return ":"
            case Code(colon=after, continued=continued):
                return colon * after + "\\\n" * continued
            case Backslash(colon=after):
                return colon * after + "\\"
            case String(quotes=quotes, part=part, hosts=hosts):
                return _hosts_text(hosts) + _string_text(quotes, part)
            case Field(hosts=hosts, part=part, word=word):
                return _hosts_text(hosts, inside=False) + _field_text(hosts, part, word)


def _leaving(mode: Mode) -> str:
    """A step out of a string, a field, a comment or a word."""
    match mode:
        case Comment() | Backslash():
            return "\n"
        case String(part="escape"):
            return "x"
        case String(part="\\N"):
            return "{"
        case String(part="{" | "}" as part):
            return part
        case String(part="name"):
            return "}"
        case String(part="twice"):
            return " "
        case String(quotes=quotes):
            return chr(quotes.mark)
        case Field(part="start"):
            return "1"
        case Field(part="!"):
            return "r"
        case Field(hosts=hosts, part=part):
            brackets = "" if part == "spec" else hosts[-1].brackets
            return CLOSERS[BRACKETS.index(brackets[-1])] if brackets else "}"
    return " "


def _string_text(quotes: Quotes, part: str) -> str:
    mark = chr(quotes.mark)
    prefix = ("rf" if quotes.raw else "f") if quotes.formatted else ""
    if part in ("opened", "twice"):
        return prefix + mark * (1 if part == "opened" else 2)
    inside = {"escape": "\\", "one": mark, "two": mark * 2, "{": "{", "}": "}", "\\N": "\\N", "name": "\\N{"}
    return prefix + mark * (3 if quotes.triple else 1) + " " + inside.get(part, "")


def _hosts_text(hosts: Hosts, *, inside: bool = True) -> str:
    """Strings and fields down to the innermost; inside: into its expression, and the brackets in it."""
    text = ""
    for number, host in enumerate(hosts):
        text += "{" if host.in_spec else _string_text(host.quotes, "{")
        last = number == len(hosts) - 1
        if last and not inside:
            break
        text += "1:" if not last and hosts[number + 1].in_spec else "1 " + host.brackets
    return text


def _field_text(hosts: Hosts, part: str, word: str) -> str:
    if part in _INSIDE:
        return _INSIDE[part]
    text = "1 " + hosts[-1].brackets + " "
    if part == "word":
        return text + (word or "1")
    return text + (f"{word}a{word}" if part == "closed" else "")


def _indentation(level: int) -> str:
    return "\t" * (level - TABS) if level >= TABS else " " * level


def _deeper(level: int) -> str:
    return _indentation(level) + ("\t" if level >= TABS else " ")
