"""Two ways to say the same, or nearly."""

from __future__ import annotations

PAIRS = """
X.__class__.__name__ => type(X).__name__
X.__class__ <=> type(X)
type(X) => type(X).__name__
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
re.findall(X, Y)[0] => re.search(X, Y).group(1)
re.findall(X, Y)[0] => re.search(X, Y)[1] | words subscript index
X.findall(Y)[0] => X.search(Y).group(1)
X.group(Y) <=> X[Y] | words group groups match
re.sub(X, Y, Z) => X.sub(Y, Z)
re.match(X, Y) => X.match(Y)
re.search(X, Y) => X.search(Y)
X[0:Y] => X[:Y]
X[0::Y] => X[::Y]
X[:len(X)] => X[:]
any(X for X in Y if Z) => any(Z for X in Y)
any(X.endswith(Y) for Y in Z) => X.endswith(tuple(Z))
any(X.startswith(Y) for Y in Z) => X.startswith(tuple(Z))
tuple(map(X, Y)) => tuple(X(item) for item in Y)
list(X) <=> [*X]
list(X) + list(Y) => [*X, *Y]
-1 * X => -X
X.randrange(0, Y) => X.randrange(Y)
X * -1 => -X
-X => abs(X)
X *= -1 <=> X = -X
X *= -1 => X = abs(X)
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
{**X, Y: Z} <=> X | {Y: Z}
dict(X, **Y) <=> {**X, **Y}
X.union(Y) <=> X | Y
X.intersection(Y) <=> X & Y
X.difference(Y) <=> X - Y
bool(X & Y) => not X.isdisjoint(Y)
bool(len(X & Y)) => not X.isdisjoint(Y)
len(X & Y) > 0 => not X.isdisjoint(Y)
len(X & Y) == 0 => X.isdisjoint(Y)
X.issubset(Y) <=> X <= Y
X.issuperset(Y) <=> X >= Y
not any(X for Y in Z) => all(not X for Y in Z)
all(X for Y in Z) => not any(not X for Y in Z)
isinstance(X, Y | Z) <=> isinstance(X, (Y, Z))
isinstance(X, (Y, type(None))) => X is None or isinstance(X, Y)
isinstance(X, (type(None), Y)) => X is None or isinstance(X, Y)
isinstance(X, Y) => type(X) == Y
isinstance(X, Y) => type(X) is Y
not isinstance(X, Y) => type(X) != Y
not isinstance(X, Y) => type(X) is not Y
isinstance(X, Y.__class__) => type(X) is type(Y)
not isinstance(X, Y.__class__) => type(X) is not type(Y)
not isinstance(X, Y.__class__) => type(X) is not Y.__class__
isinstance(X, type(Y)) => type(X) is type(Y)
type({}) => dict
type([]) => list
type(()) => tuple
type('') => str
type("") => str
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
X == Y or Z == Y => Y in (X, Z)
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
X.strip().split() => X.split()
X.split('\\n') <=> X.splitlines()
X.encode('utf-8') <=> X.encode()
X.encode('utf8') => X.encode()
X.decode('utf8') => X.decode()
X.decode('utf-8') <=> X.decode()
X.encode('utf8') => X.encode('utf-8')
print(X, end='') => sys.stdout.write(X)
print(X) => print(X, file=sys.stderr)
print(X, file=sys.stderr) => print(X)
sys.exit(X) <=> raise SystemExit(X)
exit(X) => sys.exit(X)
time.time() <=> time.monotonic()
datetime.now().timestamp() => time.time()
datetime.datetime.now().timestamp() => time.time()
time.time() <=> time.perf_counter()
datetime.utcnow() => datetime.now(timezone.utc)
datetime.datetime.utcnow() => datetime.datetime.now(datetime.timezone.utc)
datetime.now() => datetime.now(timezone.utc)
datetime.datetime.now() => datetime.datetime.now(datetime.timezone.utc)
pow(X, Y, Z) <=> X ** Y % Z
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
os.path.split(X)[1] <=> os.path.basename(X)
os.path.split(X)[0] <=> os.path.dirname(X)
os.path.dirname(X) <=> Path(X).parent
Path(X) => Path(X).resolve()
os.remove(X) <=> os.unlink(X)
os.remove(X) => X.unlink()
os.mkdir(X) <=> os.makedirs(X)
os.makedirs(X) => os.makedirs(X, exist_ok=True)
os.mkdir(X) => os.makedirs(X, exist_ok=True)
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
dict(list(X.items()) + list(Y.items())) => {**X, **Y}
dict(X.items() + Y.items()) => {**X, **Y}
dict(list(X.items()) + list(Y.items())) => X | Y | words pipe operator union or
range(X - 1, -1, -1) <=> reversed(range(X))
json.loads(X.read()) => json.load(X)
json.loads(X.read().decode()) => json.load(X)
json.loads(X.read().decode(Y)) => json.load(X)
X.write(json.dumps(Y)) => json.dump(Y, X)
__import__(X) => importlib.import_module(X)
__import__(X, Y, Z, W) => importlib.import_module(X)
X.get(Y) or Z => X.get(Y, Z)
X in Y and Y[X] + 1 or 1 => Y.get(X, 0) + 1
Y[X] + 1 if X in Y else 1 => Y.get(X, 0) + 1
X in Y and Y[X] or Z => Y.get(X, Z)
X.get(Y) => X.pop(Y, None) | words pop remove take
X.split(Y)[0] <=> X.partition(Y)[0] | words partition rpartition split rsplit
X.split(Y, 1)[0] <=> X.partition(Y)[0] | words partition rpartition split rsplit
X.split(Y, 1)[1] <=> X.partition(Y)[2] | words partition rpartition split rsplit
X.split(Y)[-1] <=> X.rpartition(Y)[2] | words partition rpartition split rsplit
X.rsplit(Y, 1)[0] <=> X.rpartition(Y)[0] | words partition rpartition split rsplit
X.rsplit(Y, 1)[1] <=> X.rpartition(Y)[2] | words partition rpartition split rsplit
X.rsplit(Y, 1)[-1] <=> X.rpartition(Y)[2] | words partition rpartition split rsplit
X, Y = Z.split(W, 1) <=> X, _, Y = Z.partition(W)
X, Y = Z.rsplit(W, 1) <=> X, _, Y = Z.rpartition(W)
X.split(Y)[0] => X.split(Y, 1)[0] | words once maxsplit 1 one only first last
X.split(Y)[-1] => X.rsplit(Y, 1)[-1] | words once maxsplit 1 one only first last
X[len(Y):] => X.removeprefix(Y)
X[:-len(Y)] => X.removesuffix(Y)
X.replace(Y, '') => X.removeprefix(Y) | words prefix removeprefix start beginning
X.replace(Y, '') => X.removesuffix(Y) | words suffix removesuffix end
(X // Y, X % Y) <=> divmod(X, Y)
os.path.join(X, Y) => Path(X) / Y
os.path.exists(X) => Path(X).exists()
os.path.isfile(X) => Path(X).is_file()
os.path.isdir(X) => Path(X).is_dir()
os.path.isfile(X) => X.is_file()
os.path.isdir(X) => X.is_dir()
os.path.basename(X) => Path(X).name
os.path.abspath(X) => Path(X).resolve()
os.path.expanduser(X) => Path(X).expanduser()
os.path.splitext(X)[1] => Path(X).suffix
os.path.splitext(os.path.basename(X))[0] => Path(X).stem
os.listdir(X) => Path(X).iterdir()
open(X).read() => Path(X).read_text()
open(X, 'rb').read() => Path(X).read_bytes()
{X: Y for X, Y in zip(V, W)} => dict(zip(V, W))
[X for Y in Z for X in Y] => list(chain.from_iterable(Z))
[X for Y in Z for X in Y] => list(itertools.chain.from_iterable(Z))
re.compile(X).match(Y) => re.match(X, Y)
re.compile(X).search(Y) => re.search(X, Y)
re.compile(X).sub(Y, Z) => re.sub(X, Y, Z)
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
X and Y or Z => Y if X else Z
X if Y else False => Y and X
1 if X else 0 => int(X)
X - Y > 0 => X > Y
X - Y >= 0 => X >= Y
X - Y < 0 => X < Y
X - Y == 0 => X == Y
X - Y != 0 => X != Y
True if X else Y => X or Y
False if X else Y => not X and Y
X if Y else None => Y and X
max(X, Y) <=> X if X > Y else Y
min(X, Y) <=> X if X < Y else Y
X if X >= Y else Y => max(X, Y)
X if X <= Y else Y => min(X, Y)
not X or not Y <=> not (X and Y)
not X and not Y <=> not (X or Y)
X == Z and Y == Z => X == Y == Z
X == Y and Z == N => (X, Z) == (Y, N)
bytes(X, encoding='utf-8') => X.encode('utf-8')
bytes(X, 'utf-8') <=> X.encode('utf-8')
bytes(X, 'utf-8') => X.encode()
str(X, 'utf-8') <=> X.decode('utf-8')
str(X, encoding='utf-8') => X.decode('utf-8')
X.pop() => next(iter(X)) | words next iter
X.split(' ') => X.split()
X.lower() == Y.lower() => X.casefold() == Y.casefold()
(X + Y - 1) // Y <=> math.ceil(X / Y)
X // Y + 1 => math.ceil(X / Y)
float('inf') <=> math.inf
float('-inf') <=> -math.inf
float('nan') <=> math.nan
sum(X) / len(X) => statistics.mean(X)
sum(X) / len(X) => statistics.fmean(X)
sorted(X, key=Y)[0] => min(X, key=Y)
sorted(X, key=Y)[-1] => max(X, key=Y)
sorted(X, reverse=True)[0] => max(X)
sorted(X)[::-1] <=> sorted(X, reverse=True)
list(reversed(sorted(X))) => sorted(X, reverse=True)
reversed(sorted(X)) => sorted(X, reverse=True)
Z.join(map(X, Y)) => Z.join(X(item) for item in Y)
os.path.dirname(os.path.abspath(X)) => Path(X).resolve().parent
os.path.join(os.path.dirname(X), Y) => Path(X).with_name(Y)
os.path.getsize(X) => Path(X).stat().st_size
os.path.getmtime(X) => Path(X).stat().st_mtime
os.stat(X).st_size <=> os.path.getsize(X)
os.stat(X).st_mtime <=> os.path.getmtime(X)
os.path.expanduser('~') => Path.home()
os.rename(X, Y) <=> os.replace(X, Y)
X.setDaemon(Y) => X.daemon = Y
X.isAlive() => X.is_alive()
X.getName() => X.name
X.setName(Y) => X.name = Y
threading.currentThread() => threading.current_thread()
self.assertTrue(X == Y) => self.assertEqual(X, Y)
self.assertTrue(X in Y) => self.assertIn(X, Y)
self.assertFalse(X in Y) => self.assertNotIn(X, Y)
self.assertTrue(X is None) => self.assertIsNone(X)
self.assertTrue(isinstance(X, Y)) => self.assertIsInstance(X, Y)
self.assertTrue(not X) => self.assertFalse(X)
self.assertEqual(X, None) => self.assertIsNone(X)
self.assertEqual(X, True) => self.assertTrue(X)
self.assertEqual(X, False) => self.assertFalse(X)
self.assertEqual(len(X), 0) => self.assertFalse(X)
self.assertEqual(X, Y) => assert X == Y
self.assertTrue(X) => assert X
self.assertFalse(X) => assert not X
self.assertIn(X, Y) => assert X in Y
self.assertIsNone(X) => assert X is None
X.strftime('%Y-%m-%d') <=> X.isoformat()
time.sleep(X) => await asyncio.sleep(X)
asyncio.get_event_loop().run_until_complete(X) => asyncio.run(X)
random.random() * X => random.uniform(0, X)
random.randint(0, X - 1) <=> random.randrange(X)
int(random.random() * X) => random.randrange(X)
''.join(reversed(X)) <=> X[::-1]
len(X.split(Y)) - 1 => X.count(Y)
sum(1 for X in Y if X == Z) => Y.count(Z)
len([X for X in Y if X == Z]) => Y.count(Z)
X.__setitem__(Y, Z) => X[Y] = Z
X.__str__() => str(X)
X.__repr__() => repr(X)
X.__iter__() => iter(X)
X.__next__() => next(X)
X.__eq__(Y) => X == Y
X.__call__(Y) => X(Y)
sys.stdout.write(X + '\\n') => print(X)
sys.stderr.write(X + '\\n') => print(X, file=sys.stderr)
sys.stderr.write(X) => print(X, file=sys.stderr, end='')
os.system(X) => subprocess.run(X, shell=True, check=True)
os.popen(X).read() => subprocess.check_output(X, shell=True, text=True)
subprocess.check_call(X) => subprocess.run(X, check=True)
subprocess.check_output(X) => subprocess.run(X, check=True, capture_output=True).stdout
subprocess.Popen(X).wait() => subprocess.call(X)
defaultdict(lambda: {}) => defaultdict(dict)
collections.defaultdict(lambda: 0) => collections.defaultdict(int)
collections.defaultdict(lambda: []) => collections.defaultdict(list)
collections.defaultdict(lambda: {}) => collections.defaultdict(dict)
max(X, key=lambda Y: X[Y]) => max(X, key=X.get)
sorted(X, key=lambda Y: X[Y]) => sorted(X, key=X.get)
X.split(None) => X.split()
zip(range(len(X)), X) => enumerate(X)
zip(itertools.count(), X) => enumerate(X)
functools.lru_cache(maxsize=None) <=> functools.cache
lru_cache(maxsize=None) <=> cache
int(X) == X => X.is_integer()
X.days * 86400 + X.seconds => X.total_seconds()
X.lstrip().rstrip() => X.strip()
X.rstrip().lstrip() => X.strip()
str(X).zfill(Y) => f'{X:0{Y}}'
X.rjust(Y, '0') => X.zfill(Y)
hex(X)[2:] => f'{X:x}'
bin(X).count('1') => X.bit_count()
X = X + [Y] => X.append(Y)
X % 2 == 1 <=> X % 2 | words odd even remainder parity explicit truthy compare one 1
X & 1 <=> X % 2 | words modulo bit bitwise odd even remainder parity
X >> 1 <=> X // 2 | words shift shifts bit bits half halve divide division
X << 1 <=> X * 2 | words shift shifts bit bits double twice multiply
1 << X <=> 2 ** X | words shift shifts bit bits power two
X.strip(' ') => X.strip() | words whitespace any tabs newline newlines argument default
X.strip() => X.strip(' ') | words blanks spaces blank space
X[0] if X else Y => next(iter(X), Y) | words next iter iterator
-(-X // Y) <=> math.ceil(X / Y)
X.lower().strip() <=> X.strip().lower() | words first before order swap then after
hasattr(X, NAME) and X.NAME is not None => getattr(X, NAME, None) is not None
hasattr(X, NAME) and X.NAME => getattr(X, NAME, None)
"""
"""Single capitals and NAME stand for any expression, the same one on both sides; NAME is a text there and the attribute it names
elsewhere. `<=>` holds both ways. Not all mean the same in every case: which one is wanted, an instruction says.
Where words stand behind a bar, it must have one of them.
"""
