"""Errors that are caught and raised: name, instruction, text, title, text after."""

from __future__ import annotations

_TRY = "def f(a):\n    try:\n        b = a.c\n    except AttributeError:\n        return None\n    return b\n"

CASES = [
    ("change_caught_types", "catch OSError", "try:\n    a()\nexcept (E, F):\n    b()\n", "Catch OSError, too, not (E, F)",
     "try:\n    a()\nexcept (E, F, OSError):\n    b()\n"),
    ("assert_to_raise", "return instead", "def f(a):\n    assert a\n    g()\n", "Return instead of the assert",
     "def f(a):\n    if not a:\n        return\n    g()\n"),
    ("assert_to_raise", 'ValueError("no")', "assert a\n", 'Raise ValueError("no") instead of the assert',
     'if not a:\n    raise ValueError("no")\n'),
    ("change_caught_types", "TypeError as well", _TRY, "Catch TypeError, too, not AttributeError",
     _TRY.replace("AttributeError", "(AttributeError, TypeError)")),
    ("change_caught_types", "only KeyError", _TRY.replace(" AttributeError", ""), "Catch KeyError alone, not everything",
     _TRY.replace("AttributeError", "KeyError")),
    ("chain_exception", "", "try:\n    a()\nexcept E as e:\n    raise B\n", "Raise from e",
     "try:\n    a()\nexcept E as e:\n    raise B from e\n"),
    ("chain_exception", "", "try:\n    a()\nexcept E:\n    raise B\n", "Chain the exception, raise from e as the cause",
     "try:\n    a()\nexcept E as e:\n    raise B from e\n"),
    ("change_handlers", "re-raise instead", _TRY, "Raise in except AttributeError, nothing else",
     _TRY.replace("return None", "raise")),
    ("change_handlers", "KeyError -> return 0", _TRY, "Add except KeyError: return 0",
     _TRY.replace("None\n", "None\n    except KeyError:\n        return 0\n")),
    ("change_handlers", "log.error('no')", "log = 1\ntry:\n    a()\nexcept E:\n    pass\n",
     "Log.error('no') in except E, nothing else",
     "log = 1\ntry:\n    a()\nexcept E:\n    log.error('no')\n"),
    ("change_caught_types", "", "try:\n    a()\nexcept:\n    b()\n", "Catch BaseException, not everything",
     "try:\n    a()\nexcept BaseException:\n    b()\n"),
    ("replace_exception_with_precheck", "", _TRY, "Use hasattr instead of the try/except: if hasattr(a, \"c\")",
     _TRY.replace("try:", 'if hasattr(a, "c"):').replace("except AttributeError:", "else:")),
    ("suppress", "", "try:\n    a()\nexcept E:\n    pass\n", "Use contextlib.suppress",
     "with contextlib.suppress(E):\n    a()\n"),
    ("try_finally", "", "a.seek(0)\nb = a.read()\na.seek(c)\n", "Try b = a.read(), finally a.seek(c) even where it fails",
     "a.seek(0)\ntry:\n    b = a.read()\nfinally:\n    a.seek(c)\n"),
    ("wrap_in_try", "KeyError", "a = b[c]\n", "Try the selection, except KeyError: pass",
     "try:\n    a = b[c]\nexcept KeyError:\n    pass\n"),
    ("wrap_in_try", "on KeyError return None", "def f(a):\n    b = a[0]\n    return b\n",
     "Try b = a[0], except KeyError: return None",
     "def f(a):\n    try:\n        b = a[0]\n    except KeyError:\n        return None\n    return b\n"),
]  # fmt: skip
