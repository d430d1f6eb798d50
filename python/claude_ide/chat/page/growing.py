"""A text that grows at its end: `add` pieces, `drain` each line once."""

from typing import NamedTuple


class Lines(NamedTuple):
    """The new part of a text: complete lines from number `first` on, and an incomplete one."""

    first: int
    complete: list[str]
    partial: str


class Growing:
    """A text that is drained line by line, without blank lines at its beginning and its end."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._new: list[str] = []
        self._partial = ""
        self._drained = 0
        self._has_text = False

    @property
    def blank(self) -> bool:
        """Whether the text is only whitespace so far."""
        return not self._has_text

    @property
    def text(self) -> str:
        """The whole text."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def add(self, piece: str) -> None:
        """Append a piece; the work is done by the next `drain`."""
        self._pieces.append(piece)
        self._new.append(piece)
        self._has_text = self._has_text or bool(piece.strip())

    def replace(self, text: str) -> bool:
        """Replace the text; True if it differs, and `drain` then starts over."""
        if text == self.text:
            return False
        self._pieces = [text]
        self._has_text = bool(text.strip())
        self.restart()
        return True

    def restart(self) -> None:
        """Have `drain` start over."""
        self._new, self._partial, self._drained = [self.text], "", 0

    def drain(self) -> Lines:
        """Return the lines that are new since the last call, and always the partial line."""
        *complete, self._partial = "".join((self._partial, *self._new)).split("\n")
        self._new.clear()
        first = self._drained
        if first == 0:
            begin = next((at for at, line in enumerate(complete) if line.strip()), len(complete))
            del complete[:begin]
        while complete and not self._partial.strip() and not complete[-1].strip():
            # Blank lines at the end are left out, and these may turn out to be the last ones.
            self._partial = f"{complete.pop()}\n{self._partial}"
        self._drained += len(complete)
        return Lines(first, complete, "" if self._partial.isspace() else self._partial)
