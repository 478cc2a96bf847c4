"""Models by name: the one inside the package, and those that `copydesk model get` has put into the user's cache.

It maps a name to a directory. What models there are to get, and how, only the server's `model_store` knows: the engine
downloads none of them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from platformdirs import user_cache_path

VARIABLE = "COPYDESK_MODELS"
"""The environment variable that names another folder for models."""
RECORD = "model.json"
"""The file that says what an installed model is made of. It is written last: a directory without it is no installed model."""
BUILT_IN = "mini"
"""The name of the model inside the package."""
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


def not_installed(name: str) -> str:
    """What to tell a person who named a model that is not there."""
    return f"the model {name} is not installed; run `copydesk model get {name}`"
