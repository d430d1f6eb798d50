"""Compares paths with many patterns at once: an automaton without backtracking.

The time grows with the length of the path only. The sets of states in which a path has put the
automaton are kept, so that each step is one look into a dictionary.
"""

from collections.abc import Iterable

from claude_ide.privacy.globs import Choice, End, Folders, Item, Letters, Pattern, Run

MOST_SETS = 20_000
"""After so many kept sets of states, the automaton begins anew."""


class _Set:
    """A set of states: the lowest rule that it fulfils, and the sets that follow it by letter."""

    __slots__ = ("members", "next", "rule")

    def __init__(self, members: frozenset[int], rule: int | None) -> None:
        self.members = members
        self.rule = rule
        self.next: dict[str, _Set] = {}


class Matcher:
    """Finds the first of several rules of which a pattern matches a path."""

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
            case Run():
                state = self._state(item.of)
                self._follow[state] = follow | {state}
                return self._follow[state]
            case Folders():
                slash = self._leading("/", follow)
                state = self._state(None)
                self._follow[state] = frozenset([state, slash])
                return self._follow[state] | follow
            case Choice():
                return frozenset().union(*(self._compile(part, follow) for part in item.parts))
            case End():
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
