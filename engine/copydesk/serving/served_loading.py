"""A served model as a `LoadedModel`: by its name a model directory here, if there is one, says how it writes programs."""

from __future__ import annotations

from pathlib import Path

from copydesk.errors import ServerError
from copydesk.models.installed import installed_directory
from copydesk.models.served_model import ServedModel
from copydesk.prompting.chat_template import Chat
from copydesk.prompting.codec import Codec
from copydesk.prompting.edit_format import FILE_NAME, REWRITE, EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.served.address import ServerAddress
from copydesk.served.connect import open_dialect, program_session, rewriting_session
from copydesk.served.prompts import RoleTemplate, role_vocabulary
from copydesk.served.session import Session
from copydesk.serving.loaded_model import LoadedModel, settings_of

BYTES_A_TOKEN = 3
"""Of code and prose, at least: how much of a context a prompt takes that is counted in bytes."""


def load_served(text: str, model: str | None, cache_folder: Path | None) -> LoadedModel:
    """text: an address. model: the server's name for it, None: the only one it has; where it is also the name of an installed
    model or a model's directory, it writes programs as that one does, else it rewrites text.

    Raises ServerError, TokenizerError, FormatError, GrammarError.
    """
    address = ServerAddress.parse(text)
    directory = _directory(model)
    if directory is None:
        dialect = open_dialect(address, model, {})
        described = dialect.describe()
        directory = installed_directory(described.model.removesuffix(".gguf"))
        if directory is None or EditFormat.load(directory).kind == "rewrite":
            return _rewriting(text, rewriting_session(dialect))
        model = described.model
    format = EditFormat.load(directory)
    if format.kind != "lines":
        raise ServerError(
            f"{directory.name} writes programs in tags, which is not supported for served models"
        )
    vocabulary = HFVocabulary.from_directory(directory)
    specials = {index: name for name, index in vocabulary.specials.items()}
    name = directory.name if address.kind == "llamacpp" else model
    session = program_session(open_dialect(address, name, specials), Codec(format, vocabulary), vocabulary)
    context = session.description.context
    loaded = LoadedModel.of(
        ServedModel(text, vocabulary.size, context), format, vocabulary, cache_folder=cache_folder
    )
    session.tables = loaded.tables
    loaded.served = session
    loaded.choice = settings_of(directory)
    return loaded


def _rewriting(name: str, session: Session) -> LoadedModel:
    vocabulary = role_vocabulary()
    model = ServedModel(name, vocabulary.size, session.description.context * BYTES_A_TOKEN)
    loaded = LoadedModel.rewriting(model, REWRITE, vocabulary, Chat(RoleTemplate(), vocabulary))
    loaded.served = session
    return loaded


def _directory(model: str | None) -> Path | None:
    """The directory of a model that writes programs; None where there is none of that name."""
    if model is None:
        return None
    directory = installed_directory(model) or Path(model).expanduser()
    return directory if (directory / FILE_NAME).is_file() else None
