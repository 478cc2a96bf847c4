"""Wishes for another name."""

from __future__ import annotations

import builtins
from functools import partial

from copydesk.refactorings.names.rename import rename, rename_all
from copydesk.refactorings.phrases.words import Rule, first_match, name, wordings

_OLD, _NEW = name("old"), name("new")
_KIND = r"(?:variable|var|parameter|argument|param|arg|function|class|constant|name)"
_THING = rf"(?:(?:the |this |a )?(?:local )?{_KIND} )?"
_WHEN = "first|last|once|twice|again|only|early|earlier|later|instead|directly|always|anyway|too|now|here|there|before|after"
"""Words that say when something is called, and no names for it."""
_USES = (
    r"(?:,? (?:everywhere|and update all uses|update all uses|everywhere it'?s used|wherever it'?s used))?"
)
_RENAMED = wordings(
    rf"rename {_THING}{_OLD}(?: {_KIND})? (?:to|into|as|->) {_NEW}{_USES}",
    rf"change the (?:variable )?name (?:of )?{_OLD} (?:to|into) {_NEW}{_USES}",
    rf"replace the (?:variable )?name {_OLD} (?:by|with) {_NEW}{_USES}",
    rf"call {_THING}{_OLD} (?!(?:{_WHEN})$){_NEW}",
    rf"call {_THING}{_NEW} instead of {_OLD}",
    rf"use {_NEW} as the (?:variable )?name instead of {_OLD}",
    rf"{_THING}{_OLD}(?: {_KIND})? (?:should be|to be) (?:called|named|renamed to) {_NEW}{_USES}",
    rf"{_OLD} is a (?:bad|poor|misleading) name[,;:] (?:use|call it|rename it to) {_NEW}",
    rf"give {_OLD} a better name: {_NEW}",
    r"s/(?P<old>[^\W\d]\w*)/(?P<new>[^\W\d]\w*)/g?",
)
_ARROW = wordings(rf"{_OLD} (?:->|=>|\N{{RIGHTWARDS ARROW}}) {_NEW}(?: \(rename\))?")


def _two(names: str, between: str, ends: str = "") -> str:
    """Two names of a kind, `old` or `new`."""
    return rf"{name(f'{names}1')}{between}{name(f'{names}2')}{ends}"


_NO_NAMES = frozenset(
    {"also", "both", "here", "instead", "it", "now", "once", "there", "together", "too", "twice"}
)
_AND = r"(?: and |, ?| ?/ ?)"
_ARROWS = r"(?:->|=>|\N{RIGHTWARDS ARROW})"
_TWO_RENAMED = wordings(
    rf"rename {name('old1')} (?:to|into|as|->) {name('new1')}(?:,| and|, and) (?:rename )?{name('old2')} "
    rf"(?:to|into|as|->) {name('new2')}",
    rf"{name('old1')} ?{_ARROWS} ?{name('new1')}(?:,| and|, and|;) {name('old2')} ?{_ARROWS} ?{name('new2')}",
    rf"{_two('old', _AND)} ?(?:{_ARROWS}|should be (?:called|named)) ?{_two('new', _AND)}",
    rf"rename {_two('old', _AND)} (?:{_ARROWS}|to|into|as) {_two('new', _AND)}",
    rf"{_two('new', _AND)} (?:for|instead of|rather than|in place of) {_two('old', _AND)}",
    rf"call {_two('old', _AND)} {_two('new', _AND)}",
)
"""Two names, each with its new one."""


def wished_name(instruction: str) -> tuple[str, str] | None:
    """The old and the new name of an instruction, as `plain` leaves it, that asks for another name and nothing else."""
    found = first_match(_RENAMED, instruction)
    return (found["old"], found["new"]) if found else None


def name_rule(instruction: str) -> Rule | None:
    """Reads a wish for another name."""
    if names := wished_name(instruction):
        return partial(rename, *names)
    two = first_match(_TWO_RENAMED, instruction)
    if two is not None and not {two["new1"], two["new2"]} & _NO_NAMES:
        return partial(rename_all, [(two["old1"], two["new1"]), (two["old2"], two["new2"])])
    arrow = first_match(_ARROW, instruction)
    if arrow is not None and not hasattr(
        builtins, arrow["new"]
    ):  # else it may be a type, of what comes before it
        return partial(rename, arrow["old"], arrow["new"], sure=False)
    return None
