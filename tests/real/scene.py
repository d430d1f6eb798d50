"""A project, the edits that Claude makes in it, and what is wrong in it after each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong in a file, in the line that holds `at`."""

    file: str
    at: str
    says: str
    """A part of the message."""

    required: bool = True
    """Whether the model has to be told; else it may be."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: `old` becomes `new`, or, without `old`, `new` is the whole file."""

    name: str
    file: str
    old: str
    new: str
    found: tuple[Finding, ...] = ()
    """All that is wrong in the project afterwards."""

    goes_on: bool = False
    """Whether the next edit belongs to the same prompt."""

    def apply(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the texts of the project with this edit."""
        if not self.old:
            return {**texts, self.file: self.new}
        assert texts[self.file].count(self.old) == 1, f"{self.name}: {self.old!r} is not unique"
        return {**texts, self.file: texts[self.file].replace(self.old, self.new)}


@dataclass(frozen=True, slots=True)
class Scene:
    """A project with the edits, and what checks it."""

    name: str
    clients: tuple[str, ...]
    """Names of the language servers' configurations in `servers.lua`."""

    programs: tuple[str, ...]
    """What has to be installed."""

    texts: Mapping[str, str]
    """All files of the project, by their paths in it."""

    opened: tuple[str, ...]
    """The files that the user has opened; the first one is shown."""

    edits: tuple[Edit, ...]
    linter: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    seconds: float = 6.0
    """How long the servers may take for an answer, at most."""


def line_of(finding: Finding, texts: Mapping[str, str]) -> int:
    """The number of the line that a finding is in, or 0 where it is in none."""
    lines = texts.get(finding.file, "").splitlines()
    return next((n for n, line in enumerate(lines, 1) if finding.at in line), 0)
