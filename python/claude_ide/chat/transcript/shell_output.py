"""The output of a command; of a long one, only the beginning and the end are kept."""

KEPT = 15_000
"""How many bytes of the output are kept at its beginning, and as many at its end."""


class Output:
    """The output of a command so far."""

    def __init__(self) -> None:
        self.size = 0
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, piece: bytes) -> None:
        """Append a piece."""
        self.size += len(piece)
        missing = KEPT - len(self._head)
        self._head += piece[:missing]
        self._tail += piece[missing:]
        del self._tail[:-KEPT]

    @property
    def text(self) -> str:
        """The output, with a line for the bytes that are missing."""
        missing = self.size - len(self._head) - len(self._tail)
        if not missing:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = (kept.decode("utf-8", "replace") for kept in (self._head, self._tail))
        return f"{head}\n… {missing:,} bytes are missing here …\n{tail}"
