"""Comments, docstrings and strings."""

from __future__ import annotations

from copydesk.refactorings.texts.add_comment import ADD_COMMENT
from copydesk.refactorings.texts.comment_forms import COMMENT_ANYWHERE, COMMENT_FORMS
from copydesk.refactorings.texts.comment_out import COMMENT_OUT
from copydesk.refactorings.texts.conversion import CHANGE_CONVERSION
from copydesk.refactorings.texts.docstring import DOCSTRING
from copydesk.refactorings.texts.docstring_forms import COMMENT_TO_DOCSTRING, DOCSTRING_FORMS
from copydesk.refactorings.texts.f_string import F_STRING
from copydesk.refactorings.texts.fix_spelling import FIX_SPELLING
from copydesk.refactorings.texts.messages import MESSAGE_FORMS
from copydesk.refactorings.texts.remove_comments import REMOVE_COMMENTS
from copydesk.refactorings.texts.replace_words import (
    LEAVE_OUT_WORDS,
    PUNCTUATION,
    REPLACE_WORDS,
    SPLICE_WORDING,
)
from copydesk.refactorings.texts.reword_text import REWORD_TEXT
from copydesk.refactorings.texts.string_format import STRING_FORMAT

REFACTORINGS = (
    ADD_COMMENT,
    COMMENT_ANYWHERE,
    COMMENT_FORMS,
    COMMENT_OUT,
    CHANGE_CONVERSION,
    DOCSTRING,
    COMMENT_TO_DOCSTRING,
    DOCSTRING_FORMS,
    F_STRING,
    FIX_SPELLING,
    MESSAGE_FORMS,
    REMOVE_COMMENTS,
    LEAVE_OUT_WORDS,
    PUNCTUATION,
    REPLACE_WORDS,
    SPLICE_WORDING,
    REWORD_TEXT,
    STRING_FORMAT,
)
