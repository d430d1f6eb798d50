"""The files that the demo's chat has written, so that a prompt's writes can be undone."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Frame = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """A write during the turn of a prompt, and the text before."""

    prompt: str
    path: Path
    before: str


class Writes:
    """The writes of one conversation, in their order."""

    def __init__(self) -> None:
        self._writes: list[Write] = []
        self._prompts: list[str] = []

    def begin(self, prompt: str) -> None:
        """Begin the turn of a prompt."""
        self._prompts.append(prompt)

    def add(self, path: Path, before: str) -> None:
        """Add a write of the present turn."""
        self._writes.append(Write(self._prompts[-1], path, before))

    def undo(self, prompt: str, *, is_rehearsal: bool) -> Frame:
        """Return what undoing all writes since a prompt changes; do it, too, except to rehearse."""
        if prompt not in self._prompts:
            return {"canRewind": False, "error": "The demo does not know this prompt any more."}
        since = self._prompts[self._prompts.index(prompt) :]
        # Of several writes of a file, the first has the text to go back to.
        texts = {w.path: w.before for w in reversed(self._writes) if w.prompt in since}
        changed = [line for path, text in texts.items() for line in _changes(path, text)]
        if not is_rehearsal:
            for path, text in texts.items():
                path.write_bytes(text.encode())
            self._writes = [write for write in self._writes if write.prompt not in since]
        return {
            "canRewind": True,
            "filesChanged": list(map(str, texts)),
            "insertions": sum(line.startswith("+") for line in changed),
            "deletions": sum(line.startswith("-") for line in changed),
        }


def _changes(path: Path, text: str) -> Iterator[str]:
    present = path.read_bytes().decode() if path.exists() else ""
    lines = difflib.unified_diff(present.splitlines(), text.splitlines(), n=0)
    return (line for line in lines if not line.startswith(("+++", "---")))
