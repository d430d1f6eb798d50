"""`chat/recording.py`: the changes of each turn, from events."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.events import Dead, FileWritten, TurnEnded, TurnEndReason, UserMessage
from claude_ide.chat.recording import Reviewing, Witness
from claude_ide.editor.port.chat import ChangesWanted
from claude_ide.errors import UserError
from support.chat_parts import PocketChat

DONE = TurnEnded(TurnEndReason.COMPLETED, milliseconds=1000)


class Chat:
    """A chat without an agent and without an editor, which records what the editor would show."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.shown: list[dict[str, Any]] = []
        self._chat = PocketChat(self.run, root)
        self.transcript = self._chat.context.transcript
        self.witness = Witness(self._chat.context.editor, self)  # type: ignore[arg-type]
        self.reviewing = Reviewing(self._chat.context, self.witness)

    async def run(self, function: str, *arguments: Any) -> Any:
        if function == "review.show":
            self.shown.append(arguments[0])
        news = {"reverted": [{"name": "a.txt", "what": "x"}], "restored": []}
        return {"review.count": [1, 2], "review.record.news": news}.get(function)

    async def handle(self, *happened: Any) -> None:
        for event in happened:
            self.transcript.apply(event)
            self.reviewing.apply(event)
            await self._chat.settle()

    async def edit(self, name: str, text: str) -> None:
        path = self.root / name
        await self.witness.journal.before_write(str(path))
        path.write_text(text)
        await self.handle(FileWritten("t", str(path), None, text))

    def part(self, words: str) -> int:
        """Return the part of the line that begins with `words`."""
        self.transcript.sheet.draw()
        views = self.transcript.sheet.views()
        return next(v.part.id for v in views if v.rows() and v.rows()[0].text.startswith(words))

    @property
    def names(self) -> list[str]:
        """The files of the last review."""
        return [file["name"] for file in self.shown[-1]["files"]]


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    return Chat(tmp_path)


async def test_a_turn_that_has_changed_files_ends_with_their_number(chat: Chat) -> None:
    await chat.handle(UserMessage("one", "p1"))
    await chat.edit("a.txt", "a\n")
    await chat.handle(DONE)

    assert chat.transcript.lines[-1] == "── 1.0 s · 1 file +1 −2 · gd"  # noqa: RUF001
    await chat.handle(UserMessage("two", "p2"), DONE)
    assert chat.transcript.lines[-1] == "── 1.0 s"


async def test_each_turn_is_reviewed_by_itself(chat: Chat) -> None:
    for prompt, name in (("p1", "a.txt"), ("p2", "b.txt")):
        await chat.handle(UserMessage(f"prompt {prompt}", prompt))
        await chat.edit(name, "x\n")
        await chat.handle(DONE)

    await chat.reviewing.show_at(ChangesWanted(chat=1, part=chat.part("» prompt p1")))
    assert chat.names == ["a.txt"]
    assert chat.shown[-1]["title"] == "changes of “prompt p1”"
    await chat.reviewing.show((), whole=False)
    assert chat.names == ["b.txt"]
    await chat.reviewing.show((), whole=True)
    assert chat.names == ["a.txt", "b.txt"]


async def test_a_prompt_within_a_turn_belongs_to_it(chat: Chat) -> None:
    await chat.handle(UserMessage("one", "p1"))
    await chat.edit("a.txt", "x\n")
    await chat.handle(UserMessage("and b", "p2"))
    await chat.edit("b.txt", "x\n")
    await chat.handle(DONE)

    assert " 2 files " in chat.transcript.lines[-1]
    for prompt in ("» one", "» and b"):
        await chat.reviewing.show_at(ChangesWanted(chat=1, part=chat.part(prompt)))
        assert chat.names == ["a.txt", "b.txt"]


async def test_the_last_turn_that_changed_a_file_is_shown(chat: Chat) -> None:
    await chat.handle(UserMessage("one", "p1"))
    await chat.edit("a.txt", "x\n")
    await chat.handle(DONE, UserMessage("two", "p2"), DONE)

    await chat.reviewing.show((), whole=False)

    assert chat.names == ["a.txt"]
    with pytest.raises(UserError, match="this turn has changed no file"):
        await chat.reviewing.show_at(ChangesWanted(chat=1, part=chat.part("» two")))


async def test_a_turn_whose_agent_has_died_can_be_reviewed(chat: Chat) -> None:
    await chat.handle(UserMessage("one", "p1"))
    await chat.edit("a.txt", "x\n")
    await chat.handle(Dead(1, ""))
    (chat.root / "a.txt").write_text("mine\n")

    await chat.reviewing.show((), whole=False)

    assert chat.shown[-1]["files"][0]["after"] == "x\n"


async def test_the_user_sees_what_the_model_is_told(chat: Chat) -> None:
    await chat.handle(UserMessage("one", "p1"))
    await chat.edit("a.txt", "x\n")
    await chat.reviewing.show((), whole=False)

    assert "a.txt: x" in await chat.witness.reverted()
    assert "↳ Otter now knows that you reverted 1 change in a.txt" in chat.transcript.lines
