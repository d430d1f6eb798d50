"""One conversation, as the model, the session file, the transcript and an export have it."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claude_ide.ui.text import harmless
from support.fake_api import Request

PROMPT = re.compile(r"(?<!\S)(?:» |## )?(P\d+):")
SAID = re.compile(r"(S\d+):")
END = re.compile(r"end of ([PS]\d+)")

Texts = dict[str, str]
"""Texts by their names, such as `P1` for a prompt and `S2` for what the model said, in order."""


@dataclass
class Record:
    """What was typed and said so far, and what of it must be found everywhere."""

    texts: Texts = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    """The names of what must be found, in order."""
    uncertain: set[str] = field(default_factory=set)
    """The names of what may be missing or incomplete, since it was interrupted."""
    compacted: int = 0
    """The number of names that the model knows only from a summary."""

    def expect(self, *names: str) -> None:
        self.order += names

    def cut_after(self, name: str) -> None:
        """Forget a prompt and everything after it."""
        index = self.order.index(name)
        del self.order[index:]
        self.compacted = min(self.compacted, index)

    def missing_in_requests(self, request: Request) -> str:
        """Return what is wrong with the conversation in a request, or nothing."""
        found: list[str] = []
        for message in request.body["messages"]:
            for words in _texts(message["content"]):
                names = self._named(words, "P" if message["role"] == "user" else "S")
                found += names
                for name in names:
                    if self.texts[name] not in words and name not in self.uncertain:
                        return f"{name} is {words!r} for the model, not {self.texts[name]!r}"
        # A summary may keep the end of what it replaces.
        summarized = self.order[: self.compacted]
        found = [name for name in found if name not in summarized]
        expected = self.order[self.compacted :]
        while expected and expected[-1] not in found and expected[-1].startswith("S"):
            expected.pop()  # said in answer to this request
        return self._compare("the model got", found, expected)

    def missing_in_session(self, file: Path) -> str:
        """Return what is wrong with the conversation in a session file, or nothing."""
        found: list[str] = []
        for line in file.read_text(encoding="utf-8").split("\n"):
            entry = json.loads(line) if line else {}
            if entry.get("isCompactSummary"):
                continue
            for words in _texts(_content(entry)):
                names = self._named(words, "S" if entry.get("type") == "assistant" else "P")
                found += names
                for name in names:
                    if self.texts[name] not in words and name not in self.uncertain:
                        return f"{name} is {words!r} in the session, not {self.texts[name]!r}"
        return self._compare("the session has", found, self.order)

    def missing_in_transcript(self, lines: Sequence[str]) -> str:
        """Return what is wrong with the conversation in the transcript, or nothing."""
        found = []
        for row, line in enumerate(lines):
            if match := re.match(r"» (P\d+):|(S\d+):", line):
                name = match[1] or match[2]
                found.append(name)
                wrong = self._wrong_lines(name, lines[row:])
                if wrong:
                    return wrong
        return self._compare("the transcript has", found, self.order)

    def missing_in_export(self, document: str) -> str:
        """Return what is wrong with the conversation in an exported document, or nothing."""
        found: list[str] = re.findall(r"^(P\d+|S\d+):", document, re.MULTILINE)
        for name in found:
            if name not in self.uncertain and self.texts[name].strip() not in document:
                return f"the export has not the text of {name}: {self.texts[name]!r}"
        return self._compare("the export has", found, self.order)

    def _wrong_lines(self, name: str, lines: Sequence[str]) -> str:
        wanted = [harmless(line) for line in self.texts[name].split("\n")]
        if name.startswith("P"):
            wanted = [f"{'  ' if n else '» '}{line}" for n, line in enumerate(wanted)][:200]
        shown = list(lines[: len(wanted)])
        if shown == wanted or name in self.uncertain:
            return ""
        row = next(n for n, line in enumerate(wanted) if shown[n : n + 1] != [line])
        return f"line {row} of {name} is shown as {shown[row : row + 1]}, not {wanted[row]!r}"

    def _named(self, words: str, kind: str) -> list[str]:
        return [name for name in re.findall(rf"\b({kind}\d+):", words) if name in self.texts]

    def _compare(self, where: str, found: list[str], expected: list[str]) -> str:
        sure = [name for name in found if name not in self.uncertain]
        wanted = [name for name in expected if name not in self.uncertain]
        if sure != wanted:
            return f"{where} {sure}, not {wanted}"
        twice = {name for name in found if found.count(name) > 1}
        return f"{where} {twice} twice" if twice else ""


def _content(entry: dict[str, Any]) -> Any:
    """Return the content of a line of a session file; a steering prompt is in an attachment."""
    if entry.get("type") in ("user", "assistant"):
        return entry["message"]["content"]
    return entry.get("attachment", {}).get("prompt", "")


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if block["type"] == "text":
            yield block["text"]
