"""Undefined names and missing imports as people meet them: real files with one name misspelt or one import taken out.

    python -m copydesk_benchmarks undefined_names [--names 160] [--imports 120] [--models none,mini,standard] [--seed 0]

The packages are those of `copydesk_training/heldout.txt`, fetched by pip as wheels into a temporary folder (or `--wheels DIR`,
kept there). Each case is a file of its own, and what ruff reports of it (F821) is what copydesk is asked; unknown attributes,
which ruff does not report, are said in pyright's words. `none` takes the first candidate without a model.

*exact*: the file is what it was. *same*: an import that binds the same, elsewhere or written otherwise. *wrong*: another edit,
shown as a fix. *refused*: nothing is shown. *listed*: the right edit is among the candidates.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import json
import keyword
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile, zip_longest
from pathlib import Path
from random import Random

from copydesk.editor import Editor
from copydesk.quickfixes.registry import quick_fixes
from copydesk.quickfixes.scope import diagnostic_scope
from copydesk.request import Diagnostic, EditRequest
from copydesk.syntax.tree import parse
from copydesk.text.document import Position, split_lines
from copydesk_benchmarks import slips
from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.standalone.headless_packages import held_out, unpack
from copydesk_server.project_imports import ProjectImports, with_project_imports
from copydesk_server.ruff import Ruff
from copydesk_training.statistics import Share

TRIES = 400
"""Files and places that are tried for one case."""
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class Case:
    """group: what was done. path: of the file. right: its text before; wrong: with the mistake in it."""

    group: str
    path: Path
    right: str
    wrong: str
    diagnostic: Diagnostic
    note: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a case. listed: whether the right edit is among the candidates; None where that is not known."""

    outcome: str
    text: str
    reason: str | None
    listed: bool


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--names", type=int, default=160)
    parser.add_argument("--imports", type=int, default=120)
    parser.add_argument("--models", default="none,mini,standard", help="with commas; none: candidates alone")
    parser.add_argument("--packages", help="instead of all that are held out, with commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wheels", help="keep the wheels here")
    parser.add_argument(
        "--project", choices=("on", "off"), default="on", help="whether the project's imports are known"
    )
    parser.add_argument("--cases", help="keep the cases here, and take them from there when it exists")
    parser.add_argument("--json", help="write every case and its answers here")
    args = parser.parse_args()
    ruff = Ruff.find()
    if ruff is None:
        parser.error("ruff is not there")
    names = args.packages.split(",") if args.packages else held_out()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        packages = unpack(names, Path(args.wheels or home / "wheels"), home / "all", "F821")
        files = sorted((home / "all").rglob("*.py"))
        random = Random(args.seed)
        kept = Path(args.cases) if args.cases else None
        if kept is not None and kept.exists():
            cases = read_cases(kept, home / "all")
        else:
            cases = [
                *drawn(files, home / "all", random, ruff, args.names, misspelt),
                *drawn(files, home / "all", random, ruff, args.imports, without_import),
            ]
            if kept is not None:
                kept.write_text(json.dumps([written(case, home / "all") for case in cases]))
        indexes = {path: ProjectImports(path) for path in (home / "all").iterdir() if path.is_dir()}
        if args.project == "on":
            cases = [
                in_project(case, indexes[home / "all" / case.path.relative_to(home / "all").parts[0]])
                for case in cases
            ]
        answers = {name: asked(name, cases) for name in args.models.split(",")}
        if args.json:
            Path(args.json).write_text(json.dumps(dumped(cases, answers, home), indent=1))
    print(f"`python -m copydesk_benchmarks undefined_names {' '.join(sys.argv[1:])}`\n")
    print(f"{hardware()}; seed {args.seed}; one case a file; {', '.join(packages)}.\n")
    for name, found in answers.items():
        print(f"{name}\n\n{table(cases, found)}\n")
    return 0


# -- cases -----------------------------------------------------------------------------------------------------------


def drawn(
    files: Sequence[Path],
    root: Path,
    random: Random,
    ruff: Ruff,
    count: int,
    make: Callable[[Path, str, ast.Module, Random, Ruff], Case | None],
) -> list[Case]:
    """At most `count` cases, each from a file of its own, from all packages in turn."""
    cases: list[Case] = []
    packages: dict[str, list[Path]] = defaultdict(list)
    for path in random.sample(files, len(files)):
        packages[path.relative_to(root).parts[0]].append(path)
    turns = zip_longest(*packages.values())
    for path in (path for turn in turns for path in turn if path is not None):
        if len(cases) == count:
            break
        text = path.read_text("utf-8", "replace")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        if "\r" in text or len(tree.body) < 3 or ruff.check(text, path, select="F821"):
            continue
        case = make(path, text, tree, random, ruff)
        if case is not None:
            cases.append(case)
    return cases


def misspelt(path: Path, text: str, tree: ast.Module, random: Random, ruff: Ruff) -> Case | None:
    """One use of a name or of an attribute of `self`, misspelt; or the one use that a rename missed."""
    kind = random.choice([*slips.SLIPS, *slips.SLIPS, "rename", "rename", "attribute"])
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)]
    random.shuffle(nodes)
    words = {node.id for node in nodes if isinstance(node, ast.Name)}
    for node in nodes[:TRIES]:
        if not isinstance(node.ctx, ast.Load):
            continue
        if isinstance(node, ast.Attribute):
            case = _attribute(path, text, node, random) if kind == "attribute" else None
        elif kind == "rename":
            case = _left_over(path, text, tree, node, random, words, ruff)
        elif kind != "attribute" and len(node.id) > 2 and (kind != "case" or node.id not in _BUILTINS):
            new = slips.SLIPS[kind](node.id, random)
            case = (
                _reported(
                    f"name: {kind}",
                    path,
                    text,
                    _put(text, node, node.id, new),
                    node,
                    ruff,
                    f"{node.id} as {new}",
                )
                if _usable(new, node.id)
                else None
            )
        else:
            case = None
        if case is not None:
            return case
    return None


def _left_over(
    path: Path, text: str, tree: ast.Module, node: ast.Name, random: Random, words: set[str], ruff: Ruff
) -> Case | None:
    """A local variable renamed everywhere but in one place."""
    function = next(
        (
            each
            for each in ast.walk(tree)
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            and each.lineno <= node.lineno <= (each.end_lineno or 0)
            and any(
                isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store)
                for n in ast.walk(each)
            )
            and not any(isinstance(n, ast.arg) and n.arg == node.id for n in ast.walk(each))
            and not any(
                isinstance(n, ast.FunctionDef | ast.Lambda | ast.ListComp)
                for n in ast.walk(each)
                if n is not each
            )
        ),
        None,
    )
    if function is None:
        return None
    related = random.random() < 0.6
    new = (slips.extended if related else slips.unrelated)(node.id, random)
    if new in words or not _usable(new, node.id):
        return None
    uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == node.id]
    right = wrong = text
    for use in sorted(uses, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        right = _put(right, use, node.id, new)
        if use is not node:
            wrong = _put(wrong, use, node.id, new)
    group = "rename: a word more or less" if related else "rename: another word"
    return _reported(group, path, right, wrong, None, ruff, f"{new} as {node.id}", name=node.id)


def _attribute(path: Path, text: str, node: ast.Attribute, random: Random) -> Case | None:
    if not (isinstance(node.value, ast.Name) and node.value.id == "self") or len(node.attr) < 3:
        return None
    slip = random.choice(sorted(slips.SLIPS))
    new = slips.SLIPS[slip](node.attr, random)
    if not _usable(new, node.attr) or f".{new}" in text or f"def {new}" in text:
        return None
    wrong = _put(text, node, f"self.{node.attr}", f"self.{new}")
    if wrong == text or node.end_lineno is None or node.end_col_offset is None:
        return None
    line = text.split("\n")[node.end_lineno - 1].encode()[: node.end_col_offset].decode()
    start = Position(node.end_lineno - 1, len(line) - len(node.attr))
    end = Position(start.line, start.character + len(new))
    message = f'Cannot access attribute "{new}" for class "Owner*"'
    said = Diagnostic(start, end, message, "reportAttributeAccessIssue", "Pyright")
    return Case("attribute of self", path, text, wrong, said, f"{node.attr} as {new}")


def without_import(path: Path, text: str, tree: ast.Module, random: Random, ruff: Ruff) -> Case | None:
    """One name that a module imports at its top, no longer imported."""
    statements = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    random.shuffle(statements)
    for node in statements:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        alias = random.choice(node.names)
        if alias.name == "*":
            continue
        lines = text.split("\n")
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        kept = [each for each in node.names if each is not alias]
        if kept:
            rest = _without(lines[first:last], alias)
            if rest is None:
                continue
            lines[first:last] = rest
        else:
            lines[first:last] = []
        bound = alias.asname or alias.name.split(".")[0]
        written = ast.unparse(
            ast.Import([alias])
            if isinstance(node, ast.Import)
            else ast.ImportFrom(node.module, [alias], node.level)
        )
        case = _reported(
            _source(node, alias, path), path, text, "\n".join(lines), None, ruff, written, name=bound
        )
        if case is not None:
            return case
    return None


def _source(node: ast.Import | ast.ImportFrom, alias: ast.alias, path: Path) -> str:
    level = node.level if isinstance(node, ast.ImportFrom) else 0
    module = (node.module or "" if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0]
    if level or module in path.parts:
        return "import: of the project"
    form = (
        "from"
        if isinstance(node, ast.ImportFrom)
        else "as"
        if alias.asname
        else "submodule"
        if "." in alias.name
        else "module"
    )
    where = "standard library" if module in sys.stdlib_module_names else "another package"
    return f"import: {where}, {form}"


def _without(lines: list[str], alias: ast.alias) -> list[str] | None:
    """The lines of an import statement without one of its names; None for a form of its own."""
    shown = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
    if len(lines) == 1:
        head, word, listed = lines[0].partition("import ")
        names = [name.strip() for name in listed.split(",")]
        if shown not in names:
            return None
        names.remove(shown)
        return [f"{head}{word}{', '.join(names)}"]
    rest = [line for line in lines if line.strip().rstrip(",") != shown]
    return rest if len(rest) == len(lines) - 1 else None


def _put(text: str, node: ast.expr, old: str, new: str) -> str:
    """The text with `new` in the place of a node that is written `old`; the text itself where it is written otherwise."""
    if node.end_lineno != node.lineno:
        return text
    lines = text.split("\n")
    raw = lines[node.lineno - 1].encode()
    if raw[node.col_offset : node.end_col_offset] != old.encode():
        return text
    lines[node.lineno - 1] = (raw[: node.col_offset] + new.encode() + raw[node.end_col_offset :]).decode()
    return "\n".join(lines)


def _usable(new: str, old: str) -> bool:
    return new != old and new.isidentifier() and not keyword.iskeyword(new) and new not in _BUILTINS


def _reported(
    group: str,
    path: Path,
    right: str,
    wrong: str,
    node: ast.expr | None,
    ruff: Ruff,
    note: str,
    name: str | None = None,
) -> Case | None:
    """The case, where ruff finds the undefined name and nothing else is wrong."""
    if wrong == right:
        return None
    found = ruff.check(wrong, path, select="F821")
    if node is not None:
        found = [each for each in found if each.start.line == node.lineno - 1]
    named = name is None or all(f"`{name}`" in each.message for each in found)
    if not found or not named or any(each.code != "F821" for each in found):
        return None
    return Case(group, path, right, wrong, found[0], note)


def written(case: Case, root: Path) -> dict[str, object]:
    """A case in plain values."""
    said = case.diagnostic
    place = [said.start.line, said.start.character, said.end.line, said.end.character]
    path = case.path.relative_to(root).as_posix()
    texts = {"right": case.right, "wrong": case.wrong, "note": case.note}
    return {
        "group": case.group, "path": path, **texts, "at": place, "message": said.message, "code": said.code, "source": said.source
    }  # fmt: skip


def read_cases(kept: Path, root: Path) -> list[Case]:
    """The cases that `written` wrote."""
    found = []
    for row in json.loads(kept.read_text()):
        line, character, last, end = row["at"]
        said = Diagnostic(
            Position(line, character), Position(last, end), row["message"], row["code"], row["source"]
        )
        found.append(Case(row["group"], root / row["path"], row["right"], row["wrong"], said, row["note"]))
    return found


def in_project(case: Case, index: ProjectImports) -> Case:
    """The case as copydesk is asked it in a project: its other files say how a name is imported."""
    (diagnostic,) = with_project_imports([case.diagnostic], case.path, case.wrong, index)
    return replace(case, diagnostic=diagnostic)


# -- answers ---------------------------------------------------------------------------------------------------------


def asked(model: str, cases: Sequence[Case]) -> list[Answer]:
    """What copydesk makes of each case with a model, or with candidates alone."""
    if model == "none":
        return [first_candidate(case) for case in cases]
    with Editor.load(model, device="cpu", warm=False) as editor:
        return [by_model(editor, case) for case in cases]


def by_model(editor: Editor, case: Case) -> Answer:
    document = editor.open(str(case.path), case.wrong, language="python")
    result = document.edit(EditRequest(diagnostics=[case.diagnostic]))
    document.close()
    return _answer(case, result.text if result.status == "edited" else None, result.reason or result.status)


def first_candidate(case: Case) -> Answer:
    found = next(candidate_texts(case), None)
    return _answer(case, found, "no candidate" if found is None else None)


def candidate_texts(case: Case) -> Iterator[str]:
    """The file with each candidate, likeliest first."""
    lines = split_lines(case.wrong)
    fixes = quick_fixes(case.diagnostic, lines, "python", parse(lines, "python"), 64)
    for candidates in fixes.candidates(sorted(diagnostic_scope(fixes))):
        for edit in candidates.edits:
            changed = list(lines)
            for part in reversed(edit):
                changed[part.first - 1 : part.last] = [part.text]
            yield "".join(changed)


def _answer(case: Case, text: str | None, reason: str | None) -> Answer:
    listed = any(_outcome(case, each) in ("exact", "same") for each in candidate_texts(case))
    if text is None:
        return Answer("refused", "", reason, listed)
    return Answer(_outcome(case, text), text, reason, listed)


def _outcome(case: Case, text: str) -> str:
    if text.rstrip("\n") == case.right.rstrip("\n"):
        return "exact"
    if (
        case.group.startswith("import")
        and _bound(text, case.path) == _bound(case.right, case.path)
        and _rest(text) == _rest(case.right)
    ):
        return "same"
    return "wrong"


def _bound(text: str, path: Path) -> Counter[tuple[str, str]]:
    """What the imports at the top level of a file bind, and to what; `.base` in a package is the `package.base` it stands for."""
    package = _package(path)
    found: Counter[tuple[str, str]] = Counter()
    for node in _parsed(text):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            found.update((alias.asname or alias.name, f"{module}:{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update((alias.asname or alias.name, alias.name) for alias in node.names)
    return found


@cache
def _package(path: Path) -> tuple[str, ...]:
    """The names of the packages a file is in, the outermost first."""
    inside = list(takewhile(lambda folder: (folder / "__init__.py").exists(), path.parents))
    return tuple(folder.name for folder in reversed(inside))


def _rest(text: str) -> list[str]:
    return [ast.dump(node) for node in _parsed(text) if not isinstance(node, ast.Import | ast.ImportFrom)]


def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except SyntaxError:
        return []


# -- tables ----------------------------------------------------------------------------------------------------------


def table(cases: Sequence[Case], answers: Sequence[Answer]) -> str:
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for case, answer in zip(cases, answers, strict=True):
        for group in (case.group, case.group.partition(":")[0] + ": all"):
            groups[group].update(["cases", answer.outcome, *(["listed"] if answer.listed else [])])
    columns = ("cases", "exact", "same", "wrong", "refused", "listed")
    rows = [f"| | {' | '.join(columns)} | right |", "|---" * (len(columns) + 2) + "|"]
    for group in sorted(groups):
        found = groups[group]
        right = Share(found["exact"] + found["same"], found["cases"])
        rows.append(f"| {group} | {' | '.join(str(found[each]) for each in columns)} | {right} |")
    return "\n".join(rows)


def dumped(cases: Sequence[Case], answers: dict[str, list[Answer]], home: Path) -> list[dict[str, object]]:
    """Every case in plain values, with the lines that are about it."""
    return [
        {
            "group": case.group,
            "path": str(case.path.relative_to(home / "all")),
            "note": case.note,
            "line": case.wrong.split("\n")[case.diagnostic.start.line],
            "message": case.diagnostic.message,
            "at": case.diagnostic.start.line + 1,
            "answers": {
                name: {
                    "outcome": found[k].outcome,
                    "listed": found[k].listed,
                    "reason": found[k].reason,
                    "changed": changed_lines(case.wrong, found[k].text),
                }
                for name, found in answers.items()
            },
        }
        for k, case in enumerate(cases)
    ]


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that are only in the text behind."""
    old = Counter(before.split("\n"))
    return [line for line in after.split("\n") if not old[line]][:4] if after else []


if __name__ == "__main__":
    raise SystemExit(main())
