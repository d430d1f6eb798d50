"""Mentions of files that do not exist."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.chunks import chunk
from support.either_editor import on_screen
from support.neovim import Neovim, until

MARKED = chunk("chat_mentions/marked")

pytestmark = pytest.mark.usefixtures("open_chat")


async def marks(nvim: Neovim, expected: list[str]) -> None:
    """Wait until exactly these texts are marked."""

    async def marked() -> bool:
        return list(await nvim.lua(MARKED)) == expected

    await until(marked, f"{expected} are marked")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("@nope.txt, please", ["@nope.txt"]),
        ("see (@nope.txt)", []),
        ("@there.txt#L3 @nope.txt#L3-5.", ["@nope.txt#L3-5"]),
        ('@"no such.txt" é @src/nope ', ['@"no such.txt"', "@src/nope"]),
        ("@src/ @src me@nope.txt @agent-a.b @server:a/b @app.get() @pytest.fixture ", []),
    ],
)
async def test_a_mention_without_a_file_is_marked(
    nvim: Neovim, project: Path, typed: str, expected: list[str]
) -> None:
    (project / "there.txt").touch()
    (project / "src").mkdir()

    await nvim.keys(f"{typed}<CR>@last.txt <Esc>")

    await marks(nvim, [*expected, "@last.txt"])


async def test_a_mention_is_not_marked_while_it_is_typed(nvim: Neovim) -> None:
    await nvim.keys("@first.txt @nope.txt")
    await marks(nvim, ["@first.txt"])

    await nvim.keys(" ")

    await marks(nvim, ["@first.txt", "@nope.txt"])
    await on_screen(nvim, "not found")


async def test_a_sent_prompt_leaves_no_marks(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@nope.txt and")
    await marks(nvim, ["@nope.txt"])

    await nvim.keys("<C-s>")

    await chats.wait_for_event("send")
    await marks(nvim, [])


async def test_an_unsaved_file_that_is_open_is_not_missing(nvim: Neovim, project: Path) -> None:
    await nvim.lua("vim.fn.bufload(vim.fn.bufadd(...))", str(project / "new.txt"))

    await nvim.keys("@new.txt @nope.txt and")

    await marks(nvim, ["@nope.txt"])
