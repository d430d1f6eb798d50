"""A stand-in for the model that writes its answers in pieces, with pauses."""

import asyncio
import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from support.fake_api import FakeApi, Request, Turn, text

SUMMARY = "create a detailed summary"
LONGEST_PAUSE = 0.01


@dataclass
class RandomModel(FakeApi):
    """A model whose pieces have random lengths.

    While `gate` is closed, answers stop in their middle.
    """

    random: Random = field(default_factory=Random)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    compactions: int = 0
    speaking: int = 0
    """The number of answers that are being written."""

    @property
    def talk(self) -> list[Request]:
        """The requests that are part of the conversation."""
        return [request for request in self.requests if not _summarizes(request)]

    def turns_of(self, request: Request) -> deque[Turn]:
        """Return the scripted turns, or the summary if the CLI has asked for one."""
        if _summarizes(request):
            self.compactions += 1
            return deque([[text(f"<summary>Summary {self.compactions}.</summary>")]])
        return super().turns_of(request)

    def length(self, answer: bytes) -> str:
        """Return nothing: the end of the connection ends the answer."""
        return ""

    async def send(self, writer: asyncio.StreamWriter, request: Request, answer: bytes) -> None:
        """Write the body in pieces."""
        if not request.body.get("tools") or b"event: " not in answer:
            return writer.write(answer)
        pieces = [piece for event in answer.split(b"\n\n") if event for piece in self._cut(event)]
        self.speaking += 1
        try:
            await self._write(writer, pieces)
        finally:
            self.speaking -= 1

    async def _write(self, writer: asyncio.StreamWriter, pieces: list[bytes]) -> None:
        middle = self.random.randint(1, len(pieces) - 3)
        for number, piece in enumerate(pieces):
            if number == middle:
                await self.gate.wait()
            writer.write(piece + b"\n\n")
            if self.random.random() < 0.3:
                await writer.drain()
                await asyncio.sleep(self.random.random() * LONGEST_PAUSE)

    def _cut(self, event: bytes) -> Iterator[bytes]:
        name, _, line = event.partition(b"\ndata: ")
        content: dict[str, Any] = json.loads(line)
        delta = content.get("delta", {})
        kind = next((kind for kind in ("text", "thinking", "partial_json") if kind in delta), "")
        words = delta.get(kind, "")
        if not words:
            yield event
        while words:
            size = self.random.choice([1, 3, 12, 100, 3_000])
            piece = content | {"delta": delta | {kind: words[:size]}}
            yield name + b"\ndata: " + json.dumps(piece).encode()
            words = words[size:]


def _summarizes(request: Request) -> bool:
    return SUMMARY in request.new_text
