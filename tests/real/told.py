"""What the model has been told about diagnostics; the CLI and the chat say it alike."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FILE = re.compile(r"^(\S.*):$")
_LINE = re.compile(r"^ +\S \[Line (\d+):\d+\] (.*)$")


@dataclass(frozen=True, slots=True)
class Told:
    """One diagnostic that the model was told."""

    file: str
    line: int
    says: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.says}"


def told(text: str) -> Iterator[Told]:
    """Return the diagnostics in what the model was told, of files by their last names."""
    file = ""
    for line in text.splitlines():
        if found := _LINE.match(line):
            yield Told(file, int(found[1]), found[2])
        elif named := _FILE.match(line):
            file = Path(named[1]).name
