"""Globs, as in `.gitignore`: parsed, compared with paths, and as regular expressions of Vim.

Case never counts: on some file systems `.ENV` is `.env`. A `Matcher` compares paths with them here;
the editor compares with the regular expressions.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from claude_ide.base.paths import home, real

INTRO = r"\%#=2\V\c"
"""Begins a very nomagic expression for the engine of Vim whose time grows with the length of the
path only; 'regexpengine' may choose the other one."""

ANY_FOLDERS = r"\%(\_.\*/\)\?"
WITHIN_NAME = r"\_[^/]"
"""A name may contain a line break."""

NEVER = r"\$\."
_ANY_FOLDERS = re.compile(r"^[*/]+/")


MOST_SETS = 20_000
"""After so many kept sets of states, the automaton begins anew."""


class Letters(msgspec.Struct, frozen=True):
    """One character of a set such as `[!a-z]`; never a slash."""

    members: tuple[tuple[str, str], ...] = ()
    """The first and the last one of each range."""
    is_negated: bool = True

    def has(self, letter: str) -> bool:
        """Return whether a character, in either case, is one of these."""
        if letter == "/":
            return False
        found = any(
            first <= each <= last
            for first, last in self.members
            for each in (letter, letter.upper())
        )
        return found is not self.is_negated


class Repetition(msgspec.Struct, frozen=True):
    """Any number of these characters; of all characters, slashes too, if there are no letters."""

    of: Letters | None = None


class Folders(msgspec.Struct, frozen=True):
    """Nothing, or anything that ends with a slash."""


class Alternatives(msgspec.Struct, frozen=True):
    """One of these, as in `{a,b}`."""

    parts: tuple[tuple["Item", ...], ...]


class PathEnd(msgspec.Struct, frozen=True):
    """The end of the path, or a slash with anything behind it."""


Item = str | Letters | Repetition | Folders | Alternatives | PathEnd
"""A string is one character of the path."""

Pattern = tuple[Item, ...]
"""What the beginning of a path must be; the rest of the path is free."""

NOT_SLASH = Letters()
EVERYTHING: Pattern = ()


class Places(NamedTuple):
    """Where a pattern holds.

    - `rooted`: the folders of a pattern that begins with `/`
    - `relative`: those of any other pattern
    - `is_everywhere`: whether a pattern for any depth holds in every folder
    """

    rooted: list[str]
    relative: list[str]
    is_everywhere: bool


def patterns(glob: str, places: Places) -> list[Pattern]:
    """Return the patterns of a glob in the syntax of the CLI's rules.

    `//` begins an absolute path, and `~/` one in the home directory. Raises `ValueError`.
    """
    if glob.startswith("//"):
        return [pattern(glob[1:], "/")]
    if glob.startswith("~/"):
        return _in_folders([str(home(os.environ))], glob[1:])
    if glob.startswith("/"):
        return _in_folders(places.rooted, glob)
    plain = glob.removeprefix("./").rstrip("/")
    is_deep = plain.startswith("**/") or "/" not in plain
    everywhere = is_deep and places.is_everywhere
    return _in_folders(["/"] if everywhere else places.relative, glob)


def pattern(glob: str, folder: str) -> Pattern:
    """Return the pattern of what a glob matches in a folder.

    These are files, and folders with all that is in them. A glob without a slash, except at its
    end, matches at any depth. Raises `ValueError` if it has a range such as `z-a`.
    """
    while glob.startswith("../"):
        glob, folder = glob[3:], str(Path(folder).parent)
    trimmed = glob.removeprefix("./").rstrip("/")
    is_deep = "/" not in trimmed
    # A glob of a folder names what is in it, too.
    plain = trimmed.removesuffix("/**").lstrip("/")
    inside = (*folder.rstrip("/"), "/")
    if plain in ("", "*", "**"):
        return inside
    if plain.startswith("**/"):
        plain, is_deep = _ANY_FOLDERS.sub("", plain), True
    return (*inside, *((Folders(),) if is_deep else ()), *_items(plain), PathEnd())


def _in_folders(folders: list[str], glob: str) -> list[Pattern]:
    """Return the patterns for both spellings of each folder.

    A path may be given with its links or without them.
    """
    spellings = dict.fromkeys(each for folder in folders for each in (folder, real(folder)))
    return [pattern(glob, each) for each in spellings]


def _items(glob: str) -> Pattern:
    items: list[Item] = []
    at = 0
    while at < len(glob):
        item, at = _item(glob, at)
        items.append(item)
    return tuple(items)


def _item(glob: str, at: int) -> tuple[Item, int]:
    """Return what begins at an index, and the index behind it."""
    letter = glob[at]
    if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
        return Folders(), at + 3
    if letter == "*":
        end = at + len(glob[at:]) - len(glob[at:].lstrip("*"))
        return Repetition(NOT_SLASH if end == at + 1 else None), end
    if letter == "?":
        return NOT_SLASH, at + 1
    if letter == "[":
        return _letters(glob, at)
    if letter == "{":
        end = glob.find("}", at)
        inside = glob[at + 1 : end]
        if end < 0 or "{" in inside or "," not in inside:
            return letter, at + 1
        return Alternatives(tuple(map(_items, inside.split(",")))), end + 1
    if letter == "\\" and at + 1 < len(glob):
        return glob[at + 1], at + 2
    return letter, at + 1


def _letters(glob: str, at: int) -> tuple[Item, int]:
    """Return a set of characters; one that never ends is none."""
    is_negated = glob[at + 1 : at + 2] in ("!", "^")
    begin = at + 1 + is_negated
    end = glob.find("]", begin + 1)
    if end < 0:
        return "[", at + 1
    members, index = [], begin
    while index < end:
        last = index + 2 if glob[index + 1] == "-" and index + 2 < end else index
        if glob[index] > glob[last]:
            raise ValueError(f"a reversed range: {glob[index : last + 1]}")
        members.append((glob[index], glob[last]))
        index = last + 1
    return Letters(tuple(members), is_negated), end + 1


def vim_regex(patterns: list[Pattern]) -> str:
    """Return a regular expression of Vim for paths that match one of the patterns, at least one."""
    return INTRO + r"\|".join(map(_anchored, patterns))


def _anchored(items: Pattern) -> str:
    if items == EVERYTHING:
        return r"\^"
    if items[:2] == ("/", Folders()):
        # Without a beginning, which would have to be tried at each slash.
        return "/" + _regex(items[2:])
    return r"\^" + _regex(items)


def _regex(items: Pattern) -> str:
    return "".join(map(_of_item, items))


def _of_item(item: Item) -> str:
    match item:
        case str():
            return rf"\[{item}]" if item == "$" else item.replace("\\", r"\\")
        case Letters():
            return _of_letters(item)
        case Repetition():
            return (WITHIN_NAME if item.of else r"\_.") + r"\*"
        case Folders():
            return ANY_FOLDERS
        case Alternatives():
            return r"\%(" + r"\|".join(map(_regex, item.parts)) + r"\)"
        case PathEnd():
            return r"\%(/\|\$\)"


def _of_letters(letters: Letters) -> str:
    """Return a set of characters without the slash.

    A lookahead would exclude it, too, but takes a thousand times as long.
    """
    if letters == NOT_SLASH:
        return WITHIN_NAME
    # `[` in front of a colon would begin a class.
    members = sorted(letters.members, key=("[", "[").__eq__)
    if letters.is_negated:
        return r"\_[^" + "".join(map(_of_range, members)) + "/]"
    # After the slash comes the zero.
    before = [(first, min(last, ".")) for first, last in members if first < "/"]
    behind = [(max(first, "0"), last) for first, last in members if last > "/"]
    parts = "".join(map(_of_range, [*before, *behind]))
    return rf"\[{parts}]" if parts else NEVER


def _of_range(ends: tuple[str, str]) -> str:
    first, last = ("\\" + each if each in "\\]^-" else each for each in ends)
    return first if first == last else f"{first}-{last}"


class _Set:
    """A set of states: the lowest rule that it fulfils, and the sets that follow it by letter."""

    __slots__ = ("members", "next", "rule")

    def __init__(self, members: frozenset[int], rule: int | None) -> None:
        self.members = members
        self.rule = rule
        self.next: dict[str, _Set] = {}


class Matcher:
    """Finds the first of several rules of which a pattern matches a path.

    It is an automaton without backtracking: the time grows with the length of the path only. The
    sets of states in which a path has put it are kept, so that each step is one look into a
    dictionary.
    """

    def __init__(self, rules: Iterable[Iterable[Pattern]]) -> None:
        # Each state has a letter, or letters, with which it is left, and the states that follow.
        self._letters: list[str | Letters | None] = []
        self._follow: list[frozenset[int]] = []
        self._ends: dict[int, int] = {}
        """By state: the rule that a path fulfils which ends in it."""
        self._sets: dict[frozenset[int], _Set] = {}
        starts: set[int] = set()
        for number, patterns in enumerate(rules):
            done = self._state(None)
            self._ends[done] = number
            self._follow[done] = frozenset([done])
            for items in patterns:
                starts |= self._compile(items, frozenset([done]))
        self._start = frozenset(starts)

    def first(self, path: str) -> int | None:
        """Return the number of the first rule that a path fulfils; None without one."""
        now = self._set(self._start)
        for letter in _folded(path):
            following = now.next.get(letter)
            if following is None:
                following = now.next[letter] = self._step(now, letter)
            now = following
            if not now.members:
                return None
        return now.rule

    def _step(self, now: _Set, letter: str) -> _Set:
        if len(self._sets) > MOST_SETS:
            self._sets.clear()
        follow: set[int] = set()
        for state in now.members:
            left_by = self._letters[state]
            if (
                left_by is None
                or left_by == letter
                or (isinstance(left_by, Letters) and left_by.has(letter))
            ):
                follow |= self._follow[state]
        return self._set(frozenset(follow))

    def _set(self, members: frozenset[int]) -> _Set:
        known = self._sets.get(members)
        if known is None:
            rules = [self._ends[state] for state in members if state in self._ends]
            known = self._sets[members] = _Set(members, min(rules, default=None))
        return known

    def _state(self, left_by: str | Letters | None) -> int:
        self._letters.append(left_by)
        self._follow.append(frozenset())
        return len(self._letters) - 1

    def _compile(self, items: Pattern, follow: frozenset[int]) -> frozenset[int]:
        """Return the states in which a path is that is about to match the items."""
        for item in reversed(items):
            follow = self._compile_item(item, follow)
        return follow

    def _compile_item(self, item: Item, follow: frozenset[int]) -> frozenset[int]:
        match item:
            case str():
                return frozenset([self._leading(_folded(item), follow)])
            case Letters():
                return frozenset([self._leading(item, follow)])
            case Repetition():
                state = self._state(item.of)
                self._follow[state] = follow | {state}
                return self._follow[state]
            case Folders():
                slash = self._leading("/", follow)
                state = self._state(None)
                self._follow[state] = frozenset([state, slash])
                return self._follow[state] | follow
            case Alternatives():
                return frozenset().union(*(self._compile(part, follow) for part in item.parts))
            case PathEnd():
                # The rest of the path is free, and may be missing.
                (done,) = follow
                end = self._state("")
                self._ends[end] = self._ends[done]
                return frozenset([end, self._leading("/", follow)])

    def _leading(self, left_by: str | Letters, follow: frozenset[int]) -> int:
        state = self._state(left_by)
        self._follow[state] = follow
        return state


def _folded(text: str) -> str:
    """Return a text in lower case, letter by letter."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
