"""What the standard library's own tests came to, read off what they print; a copy of the library is one that Python runs with."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk_benchmarks.standalone import standard_library
from copydesk_benchmarks.standalone.standard_library import (
    NotEndedError,
    OwnTests,
    imported_by_contextlib,
    python,
)

SAID = """0:00:01 load avg: 0.33 [1/2] test_os failed (1 error)

2 tests failed:
    test_os test_re

366 tests OK.

Total duration: 4 min 16 sec
Total tests: run=30,978 failures=4 skipped=971
"""


def test_the_end_of_the_tests_is_read() -> None:
    assert OwnTests.of(SAID) == OwnTests(30_978, frozenset({"test_os", "test_re"}))
    assert OwnTests.of("1 test failed:\n    test_os\n\nTotal tests: run=3\n").failed == {"test_os"}
    assert OwnTests.of("Total tests: run=3\n") == OwnTests(3, frozenset())
    with pytest.raises(NotEndedError, match=r"^NameError$"):
        OwnTests.of("Traceback\nNameError\n")


def test_a_copy_is_the_library_that_its_modules_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = standard_library.copied(tmp_path / "home")
    (library / "this_is_new.py").write_text("import os\nprint(os.__file__)\n")
    assert Path(python(library, "-m", "this_is_new").strip()) == library / "os.py"
    assert {"contextlib.py", "functools.py"} <= set(imported_by_contextlib(library))
