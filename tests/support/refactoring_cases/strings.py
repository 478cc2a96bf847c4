"""How strings are put together: name, instruction, text, title, text after."""

from __future__ import annotations

CASES = [
    ("change_conversion", "", "x = f'a {b}'\n", "Show {b} by its repr, quoted: !r", "x = f'a {b!r}'\n"),
    ("f_string", "", "x = a.b + '.' + str(c) + '/'\n", "Use an f-string: f'{a.b}.{c}/'", "x = f'{a.b}.{c}/'\n"),
    ("f_string", "", "x = 'a %s' % b\n", "Use f-strings", "x = f'a {b}'\n"),
    ("f_string", "", "x = u'a {}'.format(b)\n", "Use f-strings", "x = f'a {b}'\n"),
    ("f_string", "", "f('a: '\n  '{!r}'.format(b))\nx = 'e %s' % g, 'c %s' % d\n", "Use f-strings",
     "f('a: '\n  f'{b!r}')\nx = f'e {g}', f'c {d}'\n"),
    ("string_format", "", "y = 'a: ' + repr(b)\n", "Use an f-string with !r, repr: f'a: {b!r}'", "y = f'a: {b!r}'\n"),
    ("string_format", "", "y = f'{repr(a)} {b}'\n", "Use an f-string with !r, repr: f'{a!r} {b}'", "y = f'{a!r} {b}'\n"),
    ("string_format", "", "y = a + '-' + str(b)\n", "Use an f-string: f'{a}-{b}'", "y = f'{a}-{b}'\n"),
    ("string_format", "", "x = f'a {b}'\n", "Use str.format: 'a {}'.format(b)", "x = 'a {}'.format(b)\n"),
    ("lazy_logging", "", "log.info(f\"a {b} {c!r}\")\n", "Pass the values to log.info as arguments, lazily: %s",
     "log.info(\"a %s %r\", b, c)\n"),
    ("lazy_logging", "", "logger.error('a %s' % (b,))\n", "Pass the values to logger.error as arguments, lazily: %s",
     "logger.error('a %s', b)\n"),
    ("f_string", "", 'x = "{b} of {}".format(a, b=c)\n', "Use f-strings", 'x = f"{c} of {a}"\n'),
    ("f_string", "", 'x = "a\\n%s\\n" % b\n', "Use f-strings", 'x = f"a\\n{b}\\n"\n'),
    ("f_string", "", 'x = r"(%s)\\d" % b\n', "Use f-strings", 'x = fr"({b})\\d"\n'),
    ("f_string", "", "x = '/'.join([a, b.c])\n", "Use an f-string: f'{a}/{b.c}'", "x = f'{a}/{b.c}'\n"),
    ("f_string", "use an f-string", "x = a + b\n", 'Use an f-string: f"{a}{b}"', 'x = f"{a}{b}"\n'),
    ("string_format", "", 'x = "{}-{}".format(a, b)\n', 'Use concatenation of strings, just +: a + "-" + b', 'x = a + "-" + b\n'),
    ("f_string", "", "x = 'http://' + f(a, '//')\n", "Use an f-string: f\"http://{f(a, '//')}\"",
     "x = f\"http://{f(a, '//')}\"\n"),
    ("f_string", "", 'x = "_{}_B".format(a.replace("-", "_"))\n', "Use f-strings", "x = f'_{a.replace(\"-\", \"_\")}_B'\n"),
    ("change_conversion", "!r instead of the quotes", "a(f'b \"{c}\" in \"{d}\"')\n", "Show all values by !r instead of quotes",
     "a(f'b {c!r} in {d!r}')\n"),
]  # fmt: skip
