"""The same said in another way that Python has: a table of pairs, each side with expressions left open."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import rewrite_node
from copydesk.refactorings.expressions import is_value, replace_expression
from copydesk.syntax.tree import text_of

_PAIRS = """
X.__class__.__name__ => type(X).__name__
X.__class__ <=> type(X)
vars(X) <=> X.__dict__
X.__len__() => len(X)
os.environ.get(X) <=> os.getenv(X)
os.environ.get(X, Y) <=> os.getenv(X, Y)
os.environ[X] => os.environ.get(X)
os.getcwd() => Path.cwd()
str(X) <=> os.fspath(X)
open(os.devnull, X) => subprocess.DEVNULL
M.logical_not(X) <=> ~X
M.logical_and(X, Y) <=> X & Y
M.logical_or(X, Y) <=> X | Y
M.dot(X, Y) <=> X @ Y
M.sqrt(X ** 2 + Y ** 2) => M.hypot(X, Y)
not (X == Y).all() => (X != Y).any()
not M.any(X) => M.all(~X)
itertools.chain(*X) => itertools.chain.from_iterable(X)
chain(*X) => chain.from_iterable(X)
re.sub(X, Y, Z) => X.sub(Y, Z)
re.match(X, Y) => X.match(Y)
re.search(X, Y) => X.search(Y)
X[0:Y] => X[:Y]
X[:len(X)] => X[:]
any(X for X in Y if Z) => any(Z for X in Y)
tuple(map(X, Y)) => tuple(X(item) for item in Y)
list(X) <=> [*X]
list(X) + list(Y) => [*X, *Y]
-X => abs(X)
threading.Lock() <=> threading.RLock()
os.stat(X) <=> os.lstat(X)
os.path.exists(X) and not os.path.lexists(X) => os.path.islink(X)
X.isoformat().replace('T', ' ') => X.isoformat(' ')
X < Y < Z => X < Y and Y < Z
X <= Y <= Z => X <= Y and Y <= Z
X <= Y < Z => X <= Y and Y < Z
X < Y <= Z => X < Y and Y <= Z
(X or None) => X
collections.OrderedDict() => {}
defaultdict(lambda: 0) => defaultdict(int)
defaultdict(lambda: []) => defaultdict(list)
lambda X: X.lower() => str.lower
X.dot(Y) <=> X @ Y
M.concatenate((X, Y)) => M.concatenate([X, Y])
pow(X, Y) <=> X ** Y
X * X <=> X ** 2
math.sqrt(X) <=> X ** 0.5
int(X / Y) => X // Y
reduce(operator.mul, X, 1) => math.prod(X)
reduce(operator.mul, X) => math.prod(X)
functools.reduce(operator.mul, X, 1) => math.prod(X)
reduce(operator.add, X, []) => list(chain.from_iterable(X))
reduce(operator.add, X) => sum(X)
sum(X, []) => list(itertools.chain.from_iterable(X))
X |= Y <=> X.update(Y)
X += Y <=> X.extend(Y)
X -= Y <=> X.difference_update(Y)
X &= Y <=> X.intersection_update(Y)
X.update({Y}) => X.add(Y)
X.update([Y]) => X.add(Y)
X.update({Y: Z}) <=> X[Y] = Z
X.extend([Y]) => X.append(Y)
X.append(Y) <=> X.insert(0, Y)
X.insert(0, Y) <=> X.appendleft(Y)
X.pop() <=> X.pop(0)
X.pop(0) <=> X.popleft()
del X[Y] <=> X.pop(Y)
del X[Y] <=> X.pop(Y, None)
del X => X = None
del X[:] <=> X.clear()
X.remove(Y) <=> X.discard(Y)
X = Y => X[:] = Y | words same object identity place keep
{**X, **Y} <=> X | Y
dict(X, **Y) <=> {**X, **Y}
X.union(Y) <=> X | Y
X.intersection(Y) <=> X & Y
X.difference(Y) <=> X - Y
X.issubset(Y) <=> X <= Y
X.issuperset(Y) <=> X >= Y
not any(X for Y in Z) => all(not X for Y in Z)
all(X for Y in Z) => not any(not X for Y in Z)
isinstance(X, Y | Z) <=> isinstance(X, (Y, Z))
isinstance(X, (Y, type(None))) => X is None or isinstance(X, Y)
isinstance(X, (type(None), Y)) => X is None or isinstance(X, Y)
type(X) == Y <=> isinstance(X, Y)
type(X) is Y <=> isinstance(X, Y)
type(X) != Y <=> not isinstance(X, Y)
type(X) is not Y <=> not isinstance(X, Y)
isinstance(X, Y.__class__) => type(X) is type(Y)
not isinstance(X, Y.__class__) => type(X) is not type(Y)
not isinstance(X, Y.__class__) => type(X) is not Y.__class__
isinstance(X, type(Y)) => type(X) is type(Y)
not isinstance(X, type(Y)) => type(X) is not type(Y)
X.__class__ is Y.__class__ <=> isinstance(X, Y.__class__)
hasattr(X, '__call__') => callable(X)
X in Y and Y[X] => Y.get(X)
X.has_key(Y) => Y in X
list(X.keys()) => list(X)
list(X)[0] <=> next(iter(X))
list(X.keys())[0] => next(iter(X))
[Y for Y in X][0] => next(iter(X))
sorted(X)[0] => min(X)
sorted(X)[-1] => max(X)
X[len(X) - 1] => X[-1]
X[:] <=> X.copy()
X[:] <=> list(X)
list(X) <=> X.copy()
dict(X) <=> X.copy()
copy.copy(X) <=> X.copy()
copy.deepcopy(X) <=> copy.copy(X)
X.find(Y) != -1 => Y in X
X.find(Y) >= 0 => Y in X
X.find(Y) > -1 => Y in X
X.find(Y) == -1 => Y not in X
X.find(Y) < 0 => Y not in X
X.count(Y) > 0 => Y in X
X[0] == Y => X.startswith(Y)
X[-1] == Y => X.endswith(Y)
X.endswith(Y) => X[-1] == Y
X.startswith(Y) => X[0] == Y
X[:N] == Y => X.startswith(Y)
X[-N:] == Y => X.endswith(Y)
X[0] != Y => not X.startswith(Y)
X[-1] != Y => not X.endswith(Y)
X.startswith(Y) or X.startswith(Z) => X.startswith((Y, Z))
X.endswith(Y) or X.endswith(Z) => X.endswith((Y, Z))
X == Y or X == Z => X in (Y, Z)
X == Y or X == Z => X in {Y, Z}
X != Y and X != Z => X not in (Y, Z)
X == Y or X == Z => Y in (X, Z)
X.lower() == Y => X.casefold() == Y
len(X) == 0 <=> not X
len(X) < 1 => not X
len(X) > 0 <=> X
len(X) != 0 => X
len(X) >= 1 => X
X == [] => not X
X == {} => not X
X == '' => not X
X != '' => X
X == None => X is None
X != None => X is not None
X == 0 <=> not X
X != -1 <=> X >= 0
X <= 1 <=> X < 2
X > 0 <=> X >= 1
X >= 2 <=> X > 1
X == 0 or X == 1 => X <= 1
X == 0 or X == 1 => X in (0, 1)
set([X]) => {X}
set((X,)) => {X}
'%s' % X <=> str(X)
'{}'.format(X) => str(X)
'%r' % X => repr(X)
''.join([X for Y in Z]) => ''.join(X for Y in Z)
sum([X for Y in Z]) => sum(X for Y in Z)
sum(1 for Y in Z if X) <=> len([Y for Y in Z if X])
len([X for Y in Z]) => sum(1 for Y in Z)
[X for X in Y if X] <=> list(filter(None, Y))
[X for X in Y] => list(Y)
(X for Y in Z) => [X] * len(Z)
X.strip().split() => X.split()
X.split('\\n') <=> X.splitlines()
X.encode('utf-8') <=> X.encode()
X.decode('utf-8') <=> X.decode()
X.encode('utf8') => X.encode('utf-8')
sys.stderr.write(X) => print(X, file=sys.stderr)
sys.stdout.write(X) <=> print(X, end='')
print(X) => print(X, file=sys.stderr)
print(X, file=sys.stderr) => print(X)
sys.exit(X) <=> raise SystemExit(X)
exit(X) => sys.exit(X)
time.time() <=> time.monotonic()
time.time() <=> time.perf_counter()
datetime.utcnow() => datetime.now(timezone.utc)
datetime.datetime.utcnow() => datetime.datetime.now(datetime.timezone.utc)
datetime.now() => datetime.now(timezone.utc)
yaml.load(X) => yaml.safe_load(X)
eval(X) => ast.literal_eval(X)
random.choice(X) <=> secrets.choice(X)
os.path.exists(X) <=> os.path.isfile(X)
os.path.exists(X) <=> os.path.isdir(X)
os.path.abspath(X) <=> os.path.realpath(X)
os.path.join(X, Y) <=> X / Y
os.path.exists(X) => X.exists()
os.path.basename(X) => X.name
os.path.splitext(X)[0] => X
os.path.dirname(X) <=> Path(X).parent
Path(X) => Path(X).resolve()
os.remove(X) <=> os.unlink(X)
os.remove(X) => X.unlink()
os.mkdir(X) <=> os.makedirs(X)
os.makedirs(X) => os.makedirs(X, exist_ok=True)
X.mkdir() => X.mkdir(parents=True, exist_ok=True)
subprocess.call(X) => subprocess.check_call(X)
subprocess.call(X) => subprocess.run(X, check=True)
subprocess.run(X) => subprocess.run(X, check=True)
asyncio.ensure_future(X) <=> asyncio.create_task(X)
X.match(Y) <=> X.fullmatch(Y)
X.match(Y) <=> X.search(Y)
re.match(X, Y) <=> re.fullmatch(X, Y)
re.match(X, Y) <=> re.search(X, Y)
X.any() <=> any(X)
X.all() <=> all(X)
X.sum() <=> np.sum(X)
X.reshape(-1) <=> X.ravel()
X.ravel() <=> X.flatten()
X.reverse() <=> X = X[::-1]
reversed(X) <=> X[::-1]
X.sort() <=> X = sorted(X)
sorted(X) <=> sorted(set(X))
Union[X, Y] <=> X | Y
Union[X, Y, Z] <=> X | Y | Z
Optional[X] <=> X | None
X or Y <=> X if X else Y
X or Y <=> X if X is not None else Y
X if X is not None else Y => X or Y
X if Y else True => not Y or X
X if Y else False => Y and X
True if X else Y => X or Y
False if X else Y => not X and Y
X if Y else None => Y and X
max(X, Y) <=> X if X > Y else Y
min(X, Y) <=> X if X < Y else Y
X if X >= Y else Y => max(X, Y)
X if X <= Y else Y => min(X, Y)
not X or not Y <=> not (X and Y)
not X and not Y <=> not (X or Y)
X == Y and Z == N => (X, Z) == (Y, N)
hasattr(X, NAME) and X.NAME is not None => getattr(X, NAME, None) is not None
hasattr(X, NAME) and X.NAME => getattr(X, NAME, None)
"""
"""Single capitals and NAME stand for any expression, the same one on both sides; NAME is a text there and the attribute it names
elsewhere. `<=>` holds both ways. Not all mean the same in every case: which one is wanted, an instruction says.
Where words stand behind a bar, it must have one of them.
"""
_OPEN = re.compile(r"\b[A-Z]\b")
_ANY = re.compile(r"\b(?:[A-Z]|NAME)\b")
_SPELT = re.compile(r"\.NAME\b")
_ROOTS = (
    "call", "attribute", "subscript", "comparison_operator", "boolean_operator", "not_operator", "binary_operator",
    "unary_operator", "conditional_expression", "dictionary", "generic_type", "list_comprehension", "list",
    "generator_expression",
)  # fmt: skip
_STATEMENTS = ("assignment", "augmented_assignment", "call", "delete_statement")


@dataclass(frozen=True)
class _Pair:
    """One way to say it and the other, as trees and as texts."""

    old: ast.AST
    new: str
    statement: bool
    words: frozenset[str]


@cache
def _pairs() -> dict[type[ast.AST], list[_Pair]]:
    """The pairs by the kind of what stands on the side that is replaced."""
    found: dict[type[ast.AST], list[_Pair]] = {}
    for line in _PAIRS.strip().split("\n"):
        pair, _, words = line.partition(" | words ")
        old, arrow, new = re.split(r" (<?=>) ", pair)
        for one, other in [(old, new), (new, old)][: 2 if arrow == "<=>" else 1]:
            trees = [_tree(side) for side in (one, other)]
            if trees[0] is not None and trees[1] is not None:
                statement = not all(isinstance(tree, ast.expr) for tree in trees)
                found.setdefault(type(trees[0]), []).append(
                    _Pair(trees[0], other, statement, frozenset(words.split()))
                )
    return found


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.AST | None:
    """An expression, or else a statement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            (body,) = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return body.value if isinstance(body, ast.Expr) else body


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk(*_ROOTS, *_STATEMENTS):
        alone = node.parent is not None and node.parent.type in ("expression_statement", "block", "module")
        typed = node.parent is not None and node.parent.type == "type"
        owner = node.parent is not None and node.parent.type == "attribute"
        if not alone and not typed and not owner and not is_value(node):
            continue
        text = text_of(node)
        tree = _tree(text) or _tree(f"({text}\n)")
        for pair in _pairs().get(type(tree), ()) if tree is not None else ():
            if (pair.words and not pair.words & arguments.words) or (pair.statement and not alone):
                continue
            bound: dict[str, str] = {}
            if _fits(pair.old, tree, text if _tree(text) else f"({text}\n)", bound):
                made = _filled(pair.new, bound)
                if made is not None and _is_known(context, pair, arguments):
                    title = f"Use {_ANY.sub('…', pair.new)}: {' '.join(made.split())}"
                    yield (
                        title,
                        (
                            rewrite_node(context.lines, node, made)
                            if pair.statement
                            else replace_expression(context, node, made)
                        ),
                    )


def _fits(old: object, found: object, text: str, bound: dict[str, str]) -> bool:
    """Whether a tree is of a pair's form. bound: is given what its open places are."""
    if isinstance(old, ast.Name) and (_OPEN.fullmatch(old.id) or old.id == "NAME"):
        if not isinstance(found, ast.expr) or isinstance(found, ast.Starred):
            return False
        if old.id == "NAME" and not (isinstance(found, ast.Constant) and isinstance(found.value, str)):
            return False
        segment = ast.get_source_segment(text, found)
        return segment is not None and bound.setdefault(old.id, segment) == segment
    if isinstance(old, ast.Attribute) and old.attr == "NAME" and isinstance(found, ast.Attribute):
        return bound.get("NAME", "")[1:-1] == found.attr and _fits(old.value, found.value, text, bound)
    if type(old) is not type(found):
        return False
    if isinstance(old, ast.AST):
        return all(
            field in ("ctx", "kind", "type_comment")
            or _fits(getattr(old, field), getattr(found, field), text, bound)
            for field in old._fields
        )
    if isinstance(old, list) and isinstance(found, list):
        return len(old) == len(found) and all(
            _fits(one, other, text, bound) for one, other in zip(old, found, strict=True)
        )
    return old == found


def _filled(new: str, bound: dict[str, str]) -> str | None:
    """A side of a pair with its open places filled, each in brackets where it needs them."""

    def put(bracketed: frozenset[str]) -> str:
        spelt = _SPELT.sub(f".{bound.get('NAME', '')[1:-1]}", new)
        return _ANY.sub(lambda m: f"({bound[m[0]]})" if m[0] in bracketed else bound[m[0]], spelt)

    every = frozenset(bound)
    if not set(_ANY.findall(new)) <= every:
        return None
    wanted = _dumped(put(every))
    kept = every
    for name in sorted(every):
        if _dumped(put(kept - {name})) == wanted:
            kept -= {name}
    return put(kept) if wanted is not None else None


def _dumped(text: str) -> str | None:
    tree = _tree(text)
    return ast.dump(tree) if tree is not None else None


def _is_known(context: RefactoringContext, pair: _Pair, arguments: Arguments) -> bool:
    """Whether the names that a pair brings are the document's, Python's own, or the instruction's."""
    tree = _tree(pair.new)
    brought = [] if tree is None else [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]
    return all(_ANY.fullmatch(name) or context.knows(name) or arguments.mentions(name) for name in brought)


EQUIVALENT = Refactoring("equivalent", "refactor.rewrite.equivalent", _propose, everywhere=True)
