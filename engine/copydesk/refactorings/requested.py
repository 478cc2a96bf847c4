"""What an instruction names, as far as the selection gives it a meaning: subjects, conditions about them, whole statements."""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Container, Iterable, Iterator

from tree_sitter import Node

from copydesk.refactorings.affinity import stem
from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of, returns_value
from copydesk.refactorings.context import RefactoringContext, speaks_of_function
from copydesk.refactorings.expressions import NAMES, callee, children_of, conditions, variables
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.spoken import (
    EMPTY,
    NUMBERS,
    SIGNS,
    abbreviates,
    named_in,
    spoken_types,
    spoken_values,
)
from copydesk.syntax.tree import is_label, text_of

_STATES = (
    ("none null missing absent unset given", "{0} is None"),
    ("empty no without nothing falsy not false", "not {0}"),
    ("negative below", "{0} < 0"),
    ("zero 0", "{0} == 0"),
    ("positive nonpositive", "{0} <= 0"),
    ("positive", "{0} > 0"),
    ("string str text", "isinstance({0}, str)"),
    ("exist exists missing file", "not {0}.exists()"),
    ("set given present true truthy", "{0} is not None"),
)
"""The words that say what is the case with something, and the test for it."""
BLANK = frozenset({"blank", "blanks", "whitespace"})
_OF_TEXTS = (
    "strip|lstrip|rstrip|split|rsplit|startswith|endswith|lower|upper|partition|replace|encode|isdigit"
)
_RETURNED = re.compile(r"\breturn(?:s|ing|ed)? (?:a )?(?P<value>none|0|zero|true|false)\b", re.IGNORECASE)
_SET = frozenset({"set", "given", "true", "truthy", "present", "already"})
_SAID = _SET | {"there", "if", "when", "unless", "once"}
"""Words of an instruction about something that is set."""
_EXITS = frozenset(
    ["return", "bail", "early", "exit", "out", "leave", "stop", "give", "back", "just", "hand"]
)
_SKIPS = frozenset(["skip", "skipped", "skips", "continue", "ignore", "ignored", "next", "over", "drop"])
_STOPS = frozenset(["break", "stop", "first", "enough", "found", "once"])
_STATEMENT = re.compile(
    r"(?<![\w.])(?:return|raise|del|assert|yield|break|continue|pass|await|import|from|global|nonlocal)\b"
    r"|(?<![\w.])[^\W\d][\w.]*: [\w\[\]., |]+ = "
    r"|(?<![\w.])[^\W\d][\w.]*(?:\[[^\]]*\])?(?:, ?[^\W\d][\w.]*)* ?(?:[-+*/|&%]|//)?= ?(?![=\s])|(?<![\w.])[^\W\d][\w.]*\("
)
_LONGEST = 14
_CONSTANTS = ("None", "True", "False", "NotImplemented", "Ellipsis")
_SAME = frozenset(
    {"same", "change", "changes", "changed", "equal", "unchanged", "already", "different", "differs", "twice"}
)
"""Words of an instruction about a value that is there already."""
_KEPT = frozenset({"remember", "keep", "store", "save", "hold", "attribute", "self", "expose", "set"})
"""Words of an instruction that wants a value as an attribute."""
_TYPED = frozenset({
    "typeerror", "type", "types", "anything", "isinstance", "instance", "instances", "only", "must", "accept",
})  # fmt: skip
"""Words of an instruction about what something has to be."""
_COMPARED = re.compile(
    r"\b(less|fewer|smaller|shorter|below|under|more|greater|larger|longer|above|over)(?: than)? (\d+|[a-z]+)\b"
)
_OR_BEYOND = re.compile(
    r"\b(\d+|[a-z]+) (?:and|or) (less|fewer|smaller|below|under|lower|more|greater|larger|above|over|up)\b"
)
_AT_LEAST = re.compile(r"\b(?:at|the) (least|minimum|most|maximum) (?:of |is |be )*(\d+|[a-z]+)\b")
_BETWEEN = re.compile(
    r"\b(?:between|outside|within|range) (?:of )?(?:the range )?[\[(]?(-?\d+(?:\.\d+)?)"
    r"(?: and | to | ?\.\.+ ?| ?[-–] ?|, ?)(-?\d+(?:\.\d+)?)(?![\w.]*\w)"
)
_AFFIX = re.compile(
    r"\b(start|begin|end)(?:s|ning|ing|ting)? (?:with|in) (?:an? )?"
    r"(`[^`]+`|'[^']+'|\"[^\"]+\"|(?:_|[^\w\s'\"`,;])+(?![\w.])|[-./@$%+#]+\w+(?![\w.])"
    r"|(?!(?:the|that|this|it|one|any|upper|lower|what)\b)[a-z]\w*(?=$|,| (?:should|shouldn|is|are|aren|must|don|do)\b))"
)
_BELOW = ("less", "fewer", "smaller", "shorter", "below", "under", "lower")
_PAIR = re.compile(r"(?<![\w.])([^\W\d]\w*),? (?:and|&) ([^\W\d]\w*)(?![\w.(])")
"""Two values that go together: `path and qs`."""
_UNKNOWN = frozenset(
    {"unknown", "missing", "know", "known", "unsupported", "undefined", "exist", "isn", "there", "no"}
)
"""Words of an instruction about a key without an entry."""
_PLAIN = ("true", "false", "integer", "float", "string")
_TEST = re.compile(r"[<>]|[=!]=|\b(?:in|is|not|and|or)\b|\)$")


def requested_statements(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """Whole statements that stand in an instruction, as Python writes them."""
    found: dict[str, None] = {}
    text = re.sub(r"[`]", " ", arguments.instruction)
    for match in _STATEMENT.finditer(text):
        chunks = text[match.start() :].split(" ")[:_LONGEST]
        for end in range(len(chunks), 0, -1):
            piece = " ".join(chunks[:end]).strip().rstrip(".,:;!?").strip()
            if (
                (made := _statement(piece))
                and reads_known_names(context, piece)
                and not speaks_of_function(piece)
            ):
                found[made] = None
                break
    return list(found)[:6]


def composed_statements(context: RefactoringContext, arguments: Arguments) -> Iterator[str]:
    """Statements that an instruction describes: a parameter kept as an attribute, an assertion about what it names."""
    if arguments.words & _KEPT:
        yield from (f"self.{name} = {name}" for name in named_in(arguments, plain_names(context), 3))
    if arguments.words & {"assert", "asserted", "assertion"}:
        for subject in subjects(context, arguments, 3):
            yield f"assert {subject}"
            yield f"assert {subject} is not None"


def _statement(text: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    name = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Name) if body else True
    return text if len(body) == 1 and not name else None


def reads_known_names(context: RefactoringContext, statement: str) -> bool:
    """Whether what it reads is a name of the document, or Python's own."""
    reads = [
        node.id
        for node in ast.walk(ast.parse(statement))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    return all(name[0].isupper() or context.knows(name) for name in reads if name.isidentifier())


def subjects(context: RefactoringContext, arguments: Arguments, most: int = 4) -> list[str]:
    """The variables and attributes of the selection that an instruction names, those that it spells out first."""
    spelt: dict[str, None] = {}
    partly: dict[str, None] = {}
    short: dict[str, None] = {}
    found_by: dict[str, None] = {}
    own = plain_names(context)
    stems = {stem(word) for word in arguments.words}
    for node in context.walk("identifier", "attribute"):
        if node.type == "identifier" and (is_label(node) or _called(node) or _defined(node)):
            continue
        name = text_of(node)
        if "\n" in name or "(" in name or _called(node) or (hasattr(builtins, name) and name not in own):
            continue
        if arguments.mentions(name):
            spelt[name] = None
        elif any(
            len(part) > 2 and {part, f"{part}s", part.removesuffix("s")} & arguments.words
            for part in re.split(r"[._]+", name.rpartition(".")[2].lower())
        ):
            partly[name] = None
        elif _alike(name.rpartition(".")[2].lower(), arguments.words, stems):
            short[name] = None
        elif node.type == "identifier" and _called_for(node) & arguments.words:
            found_by[name] = None
    return list(dict.fromkeys([*spelt, *partly, *short, *found_by]))[:most]


def _alike(name: str, words: Iterable[str], stems: Container[str]) -> bool:
    """Whether a name is short for a word, or of one stem with it: what is queued is in the `queue`."""
    return any(abbreviates(name, word) for word in words) or (len(name) > 4 and stem(name) in stems)


def _called_for(node: Node) -> set[str]:
    """The last word of the function whose value a variable is given: a match is what `re.match` gives."""
    holder = node.parent
    right = (
        holder.child_by_field_name("right") if holder is not None and holder.type == "assignment" else None
    )
    if holder is None or right is None or right.type != "call" or holder.child_by_field_name("left") != node:
        return set()
    last = re.split(r"[._]+", callee(right).lower())[-1]
    return {last, f"{last}es" if last.endswith("ch") else f"{last}s"} if len(last) > 3 else set()


def _defined(node: Node) -> bool:
    """Whether it is the name of a function or a class where that is defined."""
    parent = node.parent
    defining = parent is not None and parent.type in ("function_definition", "class_definition")
    return defining and parent is not None and parent.child_by_field_name("name") == node


def _called(node: object) -> bool:
    parent = getattr(node, "parent", None)
    return parent is not None and parent.type == "call" and parent.child_by_field_name("function") == node


def requested_tests(context: RefactoringContext, arguments: Arguments, most: int = 10) -> list[str]:
    """Conditions: those that stand in an instruction, then what it may say about its subjects."""
    found: dict[str, None] = {}
    for code in arguments.code:
        raised = bool(arguments.exceptions) and code.startswith(arguments.exceptions)
        opened = code.startswith(("(", "[", "{", '"', "'"))
        if _TEST.search(code) and not opened and not raised and context.knows(code):
            found[code] = None
    named = subjects(context, arguments)
    about = [name for name in named if arguments.mentions(name)] or named or plain_names(context)[:2]
    about = (
        about or [name for node in conditions(context)[:2] for name in variables(node) if _is_own(name)][:2]
    )
    types = [
        n for n in arguments.names if n[0].isupper() and n not in _CONSTANTS and context.knows(n, type=True)
    ]
    selected = "".join(line for scope in context.scope for line in context.view(*scope))
    elsewhere = _RETURNED.sub(" ", arguments.instruction)
    returned = {found["value"].lower() for found in _RETURNED.finditer(arguments.instruction)}
    said = arguments.words - {
        word for word in returned if not re.search(rf"\b{word}\b", elsewhere, re.IGNORECASE)
    }
    for subject in about:
        states = [test for words, test in _STATES if said & set(words.split())]
        if context.knows("os.path") and "Path" not in context.words:
            states = [test.replace("{0}.exists()", "os.path.exists({0})") for test in states]
        if arguments.words & BLANK:
            found[blank_test(selected, subject)] = None
        if arguments.words & (_SET if states else _SAID):
            states.append("{0}")
        if arguments.words >= {"not", "none"}:
            states.append("{0} is not None")
        found.update(dict.fromkeys(test.format(subject) for test in states))
        for type in types[:2] if not types or types[0] not in arguments.exceptions else ():
            found[f"not isinstance({subject}, {type})"] = None
            found[f"isinstance({subject}, {type})"] = None
    if arguments.words & _TYPED:
        kinds = [kind for kind in spoken_types(arguments) if kind not in ("object", "Any")]
        for subject in about:
            for kind in kinds[:2]:
                found[f"not isinstance({subject}, {kind})"] = None
                found[f"isinstance({subject}, {kind})"] = None
    for subject in about:
        found.update(dict.fromkeys(test.format(subject) for test in affix_tests(arguments)))
    for low, high in _BETWEEN.findall(arguments.instruction):
        for subject in about:
            found[f"not {low} <= {subject} <= {high}"] = None
            if "outside" not in arguments.words and not arguments.exceptions:
                found[f"{low} <= {subject} <= {high}"] = None
    compared = list(dict.fromkeys(_compared(arguments)))
    numbers = [code for code in arguments.code if re.fullmatch(r"-?\d+", code) and code != "0"]
    for sign, number in compared or [("==", number) for number in numbers[:1]]:
        for subject in about:
            measured = _is_measured(context, subject)
            if measured is not False and sign != "==":
                found[f"len({subject}) {sign} {number}"] = None
            if not measured or sign == "==":
                found[f"{subject} {sign} {number}"] = None
    found.update(dict.fromkeys(_missing_keys(context, arguments)))
    if arguments.words & _SAME:
        for node in context.walk("assignment"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if (
                left is not None
                and right is not None
                and left.type == "attribute"
                and right.type == "identifier"
            ):
                found[f"{text_of(right)} == {text_of(left)}"] = None
                found[f"{text_of(left)} == {text_of(right)}"] = None
    return list(found)[:most]


def _missing_keys(context: RefactoringContext, arguments: Arguments) -> Iterator[str]:
    """That a key that is looked up is in none of the entries, where an instruction says that something is not known."""
    for node in context.walk("subscript") if arguments.words & _UNKNOWN else ():
        owner, *keys = children_of(node)
        plain = len(keys) == 1 and keys[0].type in (*NAMES, "subscript") and "\n" not in text_of(node)
        said = {part for part in re.split(r"\W+|_", text_of(node).lower()) if len(part) > 2}
        stored = node.parent is not None and node.parent.child_by_field_name("left") == node
        if owner.type in NAMES and plain and not stored and said & arguments.words:
            yield f"{text_of(keys[0])} not in {text_of(owner)}"


def _is_own(name: str) -> bool:
    return name not in ("self", "cls") and not hasattr(builtins, name)


def _is_measured(context: RefactoringContext, subject: str) -> bool | None:
    """Whether a value has a length, by what is done with it; False of a number, None where nothing tells."""
    for node in context.walk("identifier", "attribute"):
        parent = node.parent
        if text_of(node) != subject or parent is None:
            continue
        if parent.type in ("typed_parameter", "typed_default_parameter"):
            kind = parent.child_by_field_name("type")
            if kind is not None and re.fullmatch(
                r"(?:int|float)(?: \| None)?|Optional\[(?:int|float)\]", text_of(kind)
            ):
                return False
        called = parent.parent.child_by_field_name("function") if parent.parent is not None else None
        if called is not None and parent.type == "argument_list" and text_of(called) in ("len", "range"):
            return text_of(called) == "len"
        if parent.type in ("for_statement", "for_in_clause") and parent.child_by_field_name("right") == node:
            return True
        if parent.type == "binary_operator" and (sign := parent.child_by_field_name("operator")) is not None:
            if text_of(sign) in ("-", "*", "/", "//"):
                return False
    return None


def blank_test(code: str, subject: str) -> str:
    """That a value is blank: of what is used as a text in the code, that it has nothing but white space."""
    text = re.search(rf"(?<![\w.]){re.escape(subject)}\.(?:{_OF_TEXTS})\(", code) is not None
    return f"not {subject}.strip()" if text else f"not {subject}"


def affix_tests(arguments: Arguments) -> Iterator[str]:
    """What a text is said to begin or to end with, as tests of it: in quotes, or what is no word."""
    for said, text in _AFFIX.findall(arguments.instruction):
        method = "startswith" if said[0] in "sb" else "endswith"
        named = next((sign for sign, words in SIGNS.items() if sign and text in words.split()), None)
        plain = f'"{named}"' if named and named != '"' else quoted(text.strip("`'\"") or text)
        yield f"{{0}}.{method}({plain.replace('{', '{{').replace('}', '}}')})"


def _compared(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """The comparisons that an instruction spells out: `fewer than two` is `< 2`."""
    for word, said in _COMPARED.findall(arguments.instruction.lower()):
        number = said if said.isdecimal() else NUMBERS.get(said)
        if number is not None:
            yield "<" if word in _BELOW else ">", str(number)
    for said, word in _OR_BEYOND.findall(arguments.instruction.lower()):
        number = said if said.isdecimal() else NUMBERS.get(said)
        if number is not None:
            yield "<=" if word in _BELOW else ">=", str(number)
    for word, said in _AT_LEAST.findall(arguments.instruction.lower()):
        number = said if said.isdecimal() else NUMBERS.get(said)
        if number is not None:
            yield from (
                (sign, str(number)) for sign in (("<", ">=") if word in ("least", "minimum") else (">", "<="))
            )


def requested_jumps(context: RefactoringContext, arguments: Arguments, most: int = 8) -> list[str]:
    """How an instruction may want a block to be left: returned from with a value, raised, gone on with."""
    words = arguments.words
    made = [
        s
        for s in requested_statements(context, arguments)
        if re.match(r"return|raise|continue|break|pass", s)
    ]
    made += raises(arguments)
    if words & _SKIPS:
        made.append("continue")
    if words & _STOPS:
        made.append("break")
    loops = any(True for _ in context.walk("for_statement", "while_statement"))
    told = any(jump.startswith("return ") for jump in made)
    if not told and (words & _EXITS or not made or (made == ["continue"] and not loops)):
        named = subjects(context, arguments, 2) if words & _EXITS else ()
        said = [*spoken_values(arguments), *arguments.code, *named]
        pairs = named_pairs(context, arguments)
        said = [value for value in said if value.replace(" and ", ", ") not in pairs]
        values = [value for value in dict.fromkeys([*pairs, *said]) if context.knows(value)]
        values += _named_texts(context, arguments)
        round_it = (function_of(node) for node in context.walk("return_statement"))
        functions = [*context.walk("function_definition"), *filter(None, round_it)]
        bodies = (node.child_by_field_name("body") for node in functions)
        valued = {"return", "none"} <= words or any(
            body is not None and returns_value(body) for body in bodies
        )
        made += ["return None" if valued else "return"]
        made += [f"return {value}" for value in values[:4] if value != "None"]
        made += [f"return {value}" for value in _answers(context)]
        if words & {"early", "leave", "out", "nothing"}:
            made += _given_back(context)
    return list(dict.fromkeys(made))[:most]


def _named_texts(context: RefactoringContext, arguments: Arguments, most: int = 2) -> list[str]:
    """The texts of the selected code that are a word of an instruction as it is spelt, and no plain one."""
    found = {text_of(node): text_of(node).strip("'\"") for node in context.walk("string")}
    return [text for text, word in found.items() if word.isidentifier() and _spelt(word, arguments)][:most]


def _spelt(word: str, arguments: Arguments) -> bool:
    marked = (
        not word.islower() or f"'{word}'" in arguments.instruction or f'"{word}"' in arguments.instruction
    )
    return marked and word in arguments.names


def _given_back(context: RefactoringContext) -> list[str]:
    """What the last selected statement returns, if that is a variable: who leaves early may have it, too."""
    last = list(context.walk("return_statement"))[-1:]
    values = [value for node in last for value in children_of(node) if value.type == "identifier"]
    return [f"return {text_of(value)}" for value in values]


_OF_TYPE = {
    "bool": ("False", "True"), "int": ("0",), "float": ("0.0",), **{kind: (empty,) for kind, empty in EMPTY.items()},
}  # fmt: skip
"""Plain values of a type."""


def _answers(context: RefactoringContext, most: int = 2) -> list[str]:
    """Plain values that the function returns elsewhere, or that are of the type it is annotated to return."""
    returned = (
        node.named_children[0] for node in context.walk("return_statement") if node.named_child_count == 1
    )
    found = [
        text_of(value) for value in returned if value.type in _PLAIN or text_of(value) in ("[]", "{}", "()")
    ]
    function = context.function()
    declared = function.child_by_field_name("return_type") if function is not None else None
    kind = text_of(declared).partition("[")[0].lower() if declared is not None else ""
    return [value for value in dict.fromkeys([*found, *_OF_TYPE.get(kind, ())]) if value != "None"][:most]


def named_pairs(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """Two variables that an instruction names together, as `path, qs`."""
    pairs = _PAIR.findall(arguments.instruction)
    return [f"{one}, {other}" for one, other in pairs if {one, other} <= context.variables()]


def raises(arguments: Arguments) -> list[str]:
    """Raised errors that an instruction names, with the texts that it quotes."""
    calls = [code for code in arguments.code if code.startswith(arguments.exceptions) and code.endswith(")")]
    found = [f"raise {call}" for call in calls if arguments.exceptions]
    for error in arguments.exceptions:
        found += [f"raise {error}({code})" for code in arguments.code if code.startswith(("f'", 'f"'))][:2]
        texts = [text for text in quoted_texts(arguments) if error not in text]
        found += [f"raise {error}({quoted(text)})" for text in texts[:2]]
        found.append(f"raise {error}")
    return found


_IMPLIED = (
    ("ImportError", "import imported imports importable installed"),
    ("FileNotFoundError", "installed"),
    ("KeyError", "key keys entry"),
    ("AttributeError", "attribute attributes attr"),
    ("IndexError", "index range"),
    ("FileNotFoundError", "file files path exist exists vanished gone"),
    ("OSError", "file files open opened read readable directory socket permission"),
    ("UnicodeDecodeError", "decode decoded utf encoding ascii"),
    ("ValueError", "int integer number numeric parse parsed convert converted value float"),
    ("TypeError", "type types typeerror iterable callable none object objects"),
    ("ZeroDivisionError", "divide division zero"),
    ("KeyboardInterrupt", "ctrl interrupt interrupted"),
    ("BaseException", "ctrl interrupt keyboardinterrupt exit generatorexit everything"),
    ("TimeoutError", "timeout timeouts"),
    ("PermissionError", "permission permissions access denied executed executable unreadable"),
    ("FileExistsError", "exists already"),
    ("ConnectionError", "connection connect network"),
    ("StopIteration", "exhausted iterator"),
    ("NotImplementedError", "implemented unsupported"),
    ("RecursionError", "recursion"),
    ("EOFError", "eof end"),
    ("json.JSONDecodeError", "json decode"),
    ("sqlite3.Error", "sqlite sqlite3 database"),
    ("struct.error", "struct unpack"),
    ("subprocess.CalledProcessError", "subprocess process command exit"),
    ("subprocess.SubprocessError", "subprocess"),
    ("subprocess.TimeoutExpired", "timeout"),
    ("socket.error", "socket"),
    ("re.error", "regex pattern re"),
    ("queue.Empty", "queue empty"),
    ("asyncio.CancelledError", "cancel cancelled asyncio"),
    ("asyncio.TimeoutError", "timeout"),
    ("binascii.Error", "base64 binascii hex"),
    ("zlib.error", "zlib compressed"),
    ("yaml.YAMLError", "yaml"),
    ("requests.RequestException", "request requests http"),
    ("shutil.Error", "shutil copy"),
    ("csv.Error", "csv"),
    ("configparser.Error", "config configparser"),
    ("zipfile.BadZipFile", "zip zipfile archive"),
    ("tarfile.TarError", "tar tarfile archive"),
    ("pickle.PickleError", "pickle"),
)
"""The words of instructions that speak of an error without its name."""


def implied_errors(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """The exceptions that an instruction may mean, where it names none: Python's own, and those of modules that are imported."""
    said = list(dict.fromkeys(error for error, words in _IMPLIED if arguments.words & set(words.split())))
    if "installed" in arguments.words:  # a program, or a module
        selected = "".join(line for scope in context.scope for line in context.view(*scope))
        wrong = "FileNotFoundError" if re.search(r"\bimport", selected) else "ImportError"
        said = [error for error in said if error != wrong]
    return [error for error in said if "." not in error or context.knows(error)]


def quoted_texts(arguments: Arguments) -> list[str]:
    """The texts of an instruction that may be a message: those in quotes, then those behind a word that introduces one."""
    found = [text for text in arguments.texts if text != arguments.instruction and len(text) > 1]
    found = [text for text in found if text not in arguments.exceptions]
    # What stands in quotes is there without them, too.
    return [text for text in found if not (text[0] == text[-1] and text[0] in "'\"" and text[1:-1] in found)]


def quoted(text: str) -> str:
    """A text as a string of Python, in double quotes where that is plain."""
    return f'"{text}"' if '"' not in text and "\\" not in text else repr(text)


def logging_calls(context: RefactoringContext, arguments: Arguments) -> Iterator[str]:
    """Calls that print or log what an instruction names."""
    named = [f"{name}" for name in subjects(context, arguments, 2)]
    messages = [t for t in quoted_texts(arguments) if " " in t or "%" in t][:2]
    for call in reporting_functions(context, arguments):
        for message in messages:
            yield f"{call}({quoted(message)})"
            for name in named:
                slot = " %s" if "%" not in message else ""
                yield f"{call}({quoted(message + slot)}, {name})"
        for name in named:
            yield f"{call}({name})"


_LOGGER = re.compile(r"^\s*((?:self\.)?\w+)(?:: \w+)? = (?:\w+\.)?get_?[lL]ogger\(", re.MULTILINE)
"""Where a document makes its logger."""
_LOGGING = re.compile(r"(?<![\w.])((?:self\.)?_?(?:logger|log|LOGGER|LOG|logging))\.\w+\(")


def _logger(context: RefactoringContext) -> str:
    """What the document logs by."""
    text = "".join(context.lines)
    found = _LOGGER.search(text) or _LOGGING.search(text)
    return found[1] if found else "logger"


def reporting_functions(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """`print`, and the methods of the document's logger, as far as an instruction speaks of printing or logging."""
    words = arguments.words
    called = ["print"] if words & {"print", "prints", "printing", "show"} else []
    if words & {"log", "logs", "logging", "logged", "warn", "warning", "debug", "info", "logger"}:
        prefix = context.derived(_logger)
        levels = [w for w in ("debug", "info", "warning", "error", "exception") if w in words]
        levels += ["warning"] if "warn" in words else []
        called += [f"{prefix}.{level}" for level in levels or ("debug", "warning", "exception")]
    return called
