"""The end of a command's output, as valid text of a limited size."""

import codecs


class Tail:
    """The last `most` bytes of an output in UTF-8, cut between characters.

    Bytes that are not UTF-8 are replaced, as U+FFFD.
    """

    def __init__(self, most: int) -> None:
        self.is_cut = False
        """Whether earlier output is missing."""
        self._most = most
        self._kept = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, piece: bytes, *, is_last: bool = False) -> None:
        """Append a piece, which may end within a character unless it is the last one."""
        self._kept += self._decoder.decode(piece, is_last).encode()
        excess = len(self._kept) - self._most
        if excess > 0:
            self.is_cut = True
            del self._kept[: _next_character(self._kept, excess)]

    @property
    def text(self) -> str:
        """What is kept."""
        return self._kept.decode()

    def last(self, most: int) -> str:
        """Return at most the last `most` bytes."""
        excess = max(len(self._kept) - most, 0)
        return self._kept[_next_character(self._kept, excess) :].decode()


def _next_character(text: bytearray, start: int) -> int:
    """Return the index of the first character that begins at `start` or later."""
    while start < len(text) and text[start] & 0xC0 == 0x80:
        start += 1
    return start
