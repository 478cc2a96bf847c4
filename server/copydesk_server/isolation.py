"""Keeps the working directory out of what Python imports and runs: whoever opens a folder must not run what lies in it.

Imported before anything else, so it imports nothing that Python has not loaded already: not even
`__future__`, which is a file too.

What a person's environment says by absolute paths is theirs and stays. What it says relative to the working directory (an empty
entry of PATH or PYTHONPATH means that directory too) would mean the folder that happens to be open, and is dropped.
"""

import os
import sys

SEARCHED = ("PATH", "PYTHONPATH")
"""Variables that list folders. What would be left empty is unset: empty means the working directory."""
FOLDERS = ("PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONSTARTUP")
"""Variables that name one place from which Python takes code."""


def leave_working_directory() -> None:
    """Drop the working directory that `python -m` puts first where modules are looked for. For the top of `__main__`."""
    if not sys.flags.safe_path and sys.path and sys.path[0] in ("", _here()):
        del sys.path[0]


def clean_paths() -> None:
    """Drop relative entries from where this process, and all it will start, look for modules and programs."""
    listed = [] if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", os.sep).split(os.pathsep)
    meant = {os.path.normpath(os.path.join(_here(), entry)) for entry in listed if not os.path.isabs(entry)}
    dropped = meant.difference(listed)
    sys.path[:] = [entry for entry in sys.path if os.path.isabs(entry) and entry not in dropped]
    for name in SEARCHED:
        if name in os.environ:
            kept = [entry for entry in os.environ[name].split(os.pathsep) if os.path.isabs(entry)]
            os.environ[name] = os.pathsep.join(kept)
            if not kept:
                del os.environ[name]
    for name in FOLDERS:
        if name in os.environ and not os.path.isabs(os.environ[name]):
            del os.environ[name]


def isolate() -> None:
    """Make this process and all it will start import and run nothing by a relative path. May be called again.

    Children get the environment, so PYTHONSAFEPATH reaches those of multiprocessing too, which offers no way to give them `-P`.
    Raises IsolationError where Python was told to ignore the environment, but not to leave out the working directory.
    """
    if sys.flags.ignore_environment and not sys.flags.safe_path:
        from copydesk_server.errors import IsolationError

        raise IsolationError(
            "python -E leaves the working directory importable: use python -I, or -P besides"
        )
    os.environ["PYTHONSAFEPATH"] = "1"
    clean_paths()
    from copydesk.files.executables import search_path

    if "PATH" in os.environ:  # libraries start programs by name too
        folders = search_path(os.environ["PATH"])
        os.environ["PATH"] = os.pathsep.join(map(str, folders))
        if not folders:
            del os.environ["PATH"]


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""
