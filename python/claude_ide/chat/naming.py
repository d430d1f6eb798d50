"""The words by which the user types settings and values, since an agent's ids can be any text.

A word is the id if that can be typed in a command, otherwise a short form of the name.
"""

import re
from collections.abc import Iterable, Iterator

TYPEABLE = re.compile(r"(?!-)[\w.:@/+=~()\[\]-]{1,40}")


class Words:
    """The words for things with an id and a name, such as the values of a setting."""

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        self._names = dict(named)
        self.ids: dict[str, str] = {}
        """The ids by their words."""
        for id_, name in self._names.items():
            self.ids[self._free(_word(id_, name))] = id_

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words."""
        return iter(self.ids)

    def __str__(self) -> str:
        """Return the words for a message."""
        return ", ".join(self.ids)

    def find(self, typed: str) -> str | None:
        """Return the id of what the user has typed: a word, an id or a name; None if unknown."""
        if typed in self._names:
            return typed
        folded = typed.casefold()
        words = ((word, id_) for word, id_ in self.ids.items())
        names = ((name, id_) for id_, name in self._names.items())
        return next((id_ for each, id_ in (*words, *names) if each.casefold() == folded), None)

    def split(self, typed: str) -> tuple[str | None, str]:
        """Return the id with which a line begins, and the rest; a name may contain blanks."""
        ends = [found.start() for found in re.finditer(r"\s+|$", typed)]
        for end in reversed(ends):
            if (id_ := self.find(typed[:end])) is not None:
                return id_, typed[end:].strip()
        return None, ""

    def _free(self, word: str) -> str:
        """Return a word that no other id has."""
        number, free = 1, word
        while free in self.ids:
            number += 1
            free = f"{word}-{number}"
        return free


def _word(id_: str, name: str) -> str:
    if TYPEABLE.fullmatch(id_) and "://" not in id_:
        return id_
    return _short(name) or _short(id_) or "unnamed"


def _short(text: str) -> str:
    return re.sub(r"[^\w.]+", "-", text).strip("-").lower()
