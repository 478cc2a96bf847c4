"""Comments, docstrings and strings."""

from __future__ import annotations

from copydesk.refactorings.texts.comments import ADD_COMMENT, CHANGE_COMMENT, COMMENT_OUT
from copydesk.refactorings.texts.docstring_form import DOCSTRING_FORM
from copydesk.refactorings.texts.docstrings import ADD_DOCSTRING, CHANGE_DOCSTRING, COMMENT_TO_DOCSTRING
from copydesk.refactorings.texts.doubled_words import DOUBLED_WORDS
from copydesk.refactorings.texts.drop_marks import DROP_MARKS
from copydesk.refactorings.texts.extend_text import EXTEND_TEXT
from copydesk.refactorings.texts.fix_spelling import FIX_SPELLING
from copydesk.refactorings.texts.messages import CHANGE_MESSAGE
from copydesk.refactorings.texts.put_round import PUT_ROUND
from copydesk.refactorings.texts.remove_comments import REMOVE_COMMENTS
from copydesk.refactorings.texts.replace_everywhere import REPLACE_EVERYWHERE
from copydesk.refactorings.texts.replace_words import (
    LEAVE_OUT_WORDS,
    PUNCTUATION,
    REPLACE_WORDS,
    SPLICE_WORDING,
)
from copydesk.refactorings.texts.respell import RESPELL
from copydesk.refactorings.texts.single_blanks import SINGLE_BLANKS
from copydesk.refactorings.texts.swap_marks import SWAP_MARKS

REFACTORINGS = (
    ADD_COMMENT,
    CHANGE_COMMENT,
    COMMENT_OUT,
    ADD_DOCSTRING,
    CHANGE_DOCSTRING,
    DOCSTRING_FORM,
    COMMENT_TO_DOCSTRING,
    FIX_SPELLING,
    DOUBLED_WORDS,
    CHANGE_MESSAGE,
    REMOVE_COMMENTS,
    LEAVE_OUT_WORDS,
    PUNCTUATION,
    REPLACE_WORDS,
    SPLICE_WORDING,
    RESPELL,
    DROP_MARKS,
    SWAP_MARKS,
    PUT_ROUND,
    SINGLE_BLANKS,
    EXTEND_TEXT,
    REPLACE_EVERYWHERE,
)
