"""Comments, docstrings and strings: name, instruction, text, title, text after."""

from __future__ import annotations

HEAD = "def f(a, b=1):\n    c = g(a)\n    return h(c, b)\n"

CASES = [
    ("replace_words", "log says request, should be notification", "f('a request')\n",
     'Replace "request" by "notification" in the text',
     "f('a notification')\n"),
    ("add_comment", 'above `x = 1`: "one"', "x = 1\n", 'Comment "one" above x = 1', "# one\nx = 1\n"),
    ("add_comment", 'comment above g(): "last"', "f()\ng()\n", 'Comment "last" above g()', "f()\n# last\ng()\n"),
    ("add_docstring", 'say "It is."', HEAD, 'Add the docstring "It is."', HEAD.replace("    c", '    """It is."""\n    c', 1)),
    ("change_comment", "", "f()  # one\n", "Move the comment above its line", "# one\nf()\n"),
    ("change_comment", "", "# one\n# two\nf()\n", "Put the comment on one line", "# one two\nf()\n"),
    ("change_docstring", "", 'def f():\n    """\n    One.\n    """\n    g()\n', "Put the docstring on one line",
     'def f():\n    """One."""\n    g()\n'),
    ("change_docstring", 'add "Two is all."', 'def f():\n    """One."""\n    g()\n',
     'Add the paragraph "Two is all." to the docstring',
     'def f():\n    """One.\n\n    Two is all.\n    """\n    g()\n'),
    ("change_message", "include a", 'raise E("no such b")\na = 1\n', "Include a in the message: {a}",
     'raise E(f"no such b: {a}")\na = 1\n'),
    ("change_message", "", 'raise E("no "\n        f"{a}")\n', "Join the message, one string", 'raise E(f"no {a}")\n'),
    ("comment_out", "", "x = 1\n", "Comment out x = 1", "# x = 1\n"),
    ("comment_to_docstring", "", "def f():\n    # one\n    g()\n", "Make the comment a docstring",
     'def f():\n    """one"""\n    g()\n'),
    ("fix_spelling", "", "# recieve it\nreceive()\n", 'Spell "recieve" as "receive"', "# receive it\nreceive()\n"),
    ("leave_out_words", 'drop "very long"', "# a very long way\n", 'Drop "very long" from the text', "# a way\n"),
    ("punctuation", "full stop", 'raise E("no")\n', "Add a full stop, period", 'raise E("no.")\n'),
    ("remove_comments", "", "x = 1  # one\n", "Remove comments", "x = 1\n"),
    ("remove_comments", "", "a()\n# x = 1\n# y = 2\nb()\n", "Remove the commented-out code", "a()\nb()\n"),
    ("replace_words", "colour -> color", "# a Colour and a colour\n", 'Replace "colour" by "color" in the text',
     "# a Color and a color\n"),
    ("replace_words", "version 3.1.0", "# new in 3.2.0\n", 'Replace "3.2.0" by "3.1.0" in the text', "# new in 3.1.0\n"),
    ("replace_words", "True, capital", "# a true value\n", 'Replace "true" by "True" in the text', "# a True value\n"),
    ("change_message", 'say "no" where it fails', "assert a\n", 'Say "no" where the assertion fails', 'assert a, "no"\n'),
    ("splice_wording", 'say "is not allowed"', 'raise E("a not allowed there")\n', 'Say "is not allowed" there',
     'raise E("a is not allowed there")\n'),
]  # fmt: skip
