"""A text that grows at its end: pieces come in, lines leave, each one once."""

from typing import NamedTuple


class Lines(NamedTuple):
    """What is new of a text: lines from `first` on, and the beginning of one more."""

    first: int
    complete: list[str]
    partial: str


class Growing:
    """A text and how much of it was taken, without empty lines at its beginning and its end."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._new: list[str] = []
        self._partial = ""
        self._taken = 0
        self._says_something = False

    @property
    def blank(self) -> bool:
        """Whether there is nothing to read yet."""
        return not self._says_something

    @property
    def text(self) -> str:
        """All that was said."""
        if len(self._said) > 1:
            self._said = ["".join(self._said)]
        return self._said[0] if self._said else ""

    def add(self, piece: str) -> None:
        """Take a piece; this costs nothing before the next `take`."""
        self._said.append(piece)
        self._new.append(piece)
        self._says_something = self._says_something or bool(piece.strip())

    def replace(self, text: str) -> bool:
        """Let the text be this one; return whether that is another, to be taken anew."""
        if text == self.text:
            return False
        self._said = [text]
        self._says_something = bool(text.strip())
        self.restart()
        return True

    def restart(self) -> None:
        """Let the next `take` be the first."""
        self._new, self._partial, self._taken = [self.text], "", 0

    def take(self) -> Lines:
        """Return what is new; the partial line is new each time."""
        *complete, self._partial = "".join((self._partial, *self._new)).split("\n")
        self._new.clear()
        first = self._taken
        if first == 0:
            begin = next((at for at, line in enumerate(complete) if line.strip()), len(complete))
            del complete[:begin]
        while complete and not self._partial.strip() and not complete[-1].strip():
            # They may be the last ones.
            self._partial = f"{complete.pop()}\n{self._partial}"
        self._taken += len(complete)
        return Lines(first, complete, "" if self._partial.isspace() else self._partial)
