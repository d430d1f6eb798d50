"""A project, the edits that Claude makes in it, and the findings after each edit."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """An error in a file, in the line that contains `at`."""

    file: str
    at: str
    message: str
    """Part of the message."""

    required: bool = True
    """Whether it must be reported to the model, or only may be."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: it replaces `old` by `new`, or the whole file by `new` if `old` is empty."""

    name: str
    file: str
    old: str
    new: str
    found: tuple[Finding, ...] = ()
    """All errors in the project after the edit."""

    continues: bool = False
    """Whether the next edit belongs to the same prompt."""

    def apply(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the texts of the project after this edit."""
        if not self.old:
            return {**texts, self.file: self.new}
        assert texts[self.file].count(self.old) == 1, f"{self.name}: {self.old!r} is not unique"
        return {**texts, self.file: texts[self.file].replace(self.old, self.new)}


@dataclass(frozen=True, slots=True)
class Scene:
    """A project, its edits, and the servers that check it."""

    name: str
    clients: tuple[str, ...]
    """The names of the servers' configurations in `servers.lua`."""

    programs: tuple[str, ...]
    """The required programs."""

    texts: Mapping[str, str]
    """All files of the project, by relative path."""

    opened: tuple[str, ...]
    """The files that are open; the first one is visible."""

    edits: tuple[Edit, ...]
    linter: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    seconds: float = 6.0
    """The longest time that the servers may take to answer."""


def line_of(finding: Finding, texts: Mapping[str, str]) -> int:
    """Return the line number of a finding; 0 if no line contains it."""
    lines = texts.get(finding.file, "").splitlines()
    return next((n for n, line in enumerate(lines, 1) if finding.at in line), 0)
