"""What new text can be at one place of a line, where a diagnostic narrows it to a finite list: names instead of spelling."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replacement:
    """What `line` (1-based) may say in `content[start:end]`, best guesses first. imports: statements that may be added
    instead.
    """

    line: int
    start: int
    end: int
    texts: tuple[str, ...]
    imports: tuple[str, ...] = ()

    def new_texts(self, text: str, begin: int, stop: int) -> list[str]:
        """The new texts of a sub whose old text is `text[begin:stop]`, for the line's content `text`: those that leave the line
        with one of `texts` in its place. An old text that only meets part of the place allows the texts that agree with
        the rest of it; one that misses the place allows none.
        """
        head, tail = text[self.start : max(self.start, begin)], text[min(self.end, stop) : self.end]
        before, behind = text[begin : self.start], text[self.end : stop]
        if begin > self.end or stop < self.start:
            return []
        found = (
            before + new[len(head) : len(new) - len(tail)] + behind
            for new in self.texts
            if new.startswith(head) and new.endswith(tail) and len(new) >= len(head) + len(tail)
        )
        return list(dict.fromkeys(new for new in found if new))
