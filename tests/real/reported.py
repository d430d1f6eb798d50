"""Reads the diagnostics in a request to the model; the CLI and the chat format them alike."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FILE = re.compile(r"^(\S.*):$")
_LINE = re.compile(r"^ +\S \[Line (\d+):\d+\] (.*)$")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic in a request."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def diagnostics(text: str) -> Iterator[Diagnostic]:
    """Yield the diagnostics in the text of a request; `file` is the last part of the path."""
    file = ""
    for line in text.splitlines():
        if found := _LINE.match(line):
            yield Diagnostic(file, int(found[1]), found[2])
        elif named := _FILE.match(line):
            file = Path(named[1]).name
