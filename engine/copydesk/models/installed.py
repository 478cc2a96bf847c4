"""Models by name: the one inside the package, and those that `copydesk model get` has put into the user's cache.

It maps a name to a directory, and says which model is used where none is named. What models there are to get, and how, only the
server's `model_store` knows: the engine downloads none of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

from platformdirs import user_cache_path

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_regular_text

VARIABLE = "COPYDESK_MODELS"
"""The environment variable that names another folder for models."""
RECORD = "model.json"
"""The file that says what an installed model is made of. It is written last: a directory without it is no installed model."""
BUILT_IN = "mini"
"""The name of the model inside the package."""
STANDARD = "standard"
"""The name of the model that is used by default once it is installed: a base, and an adapter inside the package."""
CODER = "coder"
"""The name of its larger sister, made in the same way: used by default where it alone is installed."""
MAX_RECORD_BYTES = 1 << 20
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")


def models_folder() -> Path:
    """Where installed models lie, one directory each: `$COPYDESK_MODELS`, or `models` in the user's cache folder."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser().absolute() if named else user_cache_path("copydesk") / "models"


def is_name(source: str | Path | None) -> bool:
    """Whether `source` is spelled as the names of models are: lower-case letters, digits and hyphens, no slash, no dot."""
    return isinstance(source, str) and _NAME.match(source) is not None


def installed_directory(name: str) -> Path | None:
    """The directory of the model `name`; None where no such model is installed."""
    if not is_name(name):
        return None
    directory = built_in_directory() if name == BUILT_IN else models_folder() / name
    needed = "config.json" if name == BUILT_IN else RECORD
    return directory if (directory / needed).is_file() else None


def installed_names() -> list[str]:
    """Names of the models in the folder, without the one inside the package."""
    folder = models_folder()
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return [name for name in found if name != BUILT_IN and installed_directory(name) is not None]


def built_in_directory() -> Path:
    """Where the model inside the package lies, if this build has one."""
    return Path(__file__).parent / BUILT_IN


def adapter_of(name: str) -> Path:
    """Where the adapter that the model `name` is made with lies inside the package."""
    return Path(__file__).parent / name / "adapter.safetensors"


def catalogue_name(directory: str | Path) -> str | None:
    """Which of the catalogue's models a directory holds, by its record; None where it says nothing of that. Raises: never."""
    name = _entry(Path(directory)).get("name")
    return name if isinstance(name, str) else None


def is_current(name: str) -> bool:
    """Whether the model `name` is installed and made with its adapter of this package. Raises: never."""
    directory = installed_directory(name)
    if directory is None:
        return False
    try:
        digest = hashlib.sha256(adapter_of(name).read_bytes()).hexdigest()
    except OSError:
        return False
    return bool(_entry(directory).get("adapter_sha256") == digest)


def _entry(directory: Path) -> dict[str, object]:
    """The catalogue's entry that a directory's record has; empty where there is none. Raises: never."""
    try:
        entry = json.loads(read_regular_text(directory / RECORD, MAX_RECORD_BYTES))["entry"]
    except (OSError, FileRefusedError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def default_model() -> str:
    """The name of the model that is used where none is named: the standard one where it is current, else its larger sister, else
    the embedded one.
    """
    return next((name for name in (STANDARD, CODER) if is_current(name)), BUILT_IN)


def advice(name: str | None) -> str | None:
    """What to tell a person whose model is `name`, where there is a better one to be had: a sentence without its full stop."""
    if name not in (BUILT_IN, STANDARD, CODER):
        return None
    better = (STANDARD, CODER) if name == BUILT_IN else (name,)
    if any(map(is_current, better)):
        return None
    old = next((one for one in better if installed_directory(one) is not None), None)
    if old is not None:
        return f"the installed model {old} is out of date: run `copydesk model get {old}`"
    return f"a better model can be had: run `copydesk model get {STANDARD}`" if name == BUILT_IN else None


def not_installed(name: str) -> str:
    """What to tell a person who named a model that is not there."""
    return f"the model {name} is not installed; run `copydesk model get {name}`"
