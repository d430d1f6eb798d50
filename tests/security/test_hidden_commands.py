"""Commands designed to look shorter than they are: each is completely visible on the screen."""

import random
from collections.abc import Iterator

import pytest

from claude_ide.agents.requests import Option, OptionKind, PermissionAsked
from claude_ide.chat.answers import Requests
from claude_ide.ui.sheet import Sheet
from claude_ide.ui.text import visible
from support.chats import Chats
from support.chunks import chunk
from support.neovim import Neovim, until

SEED = 4711
ALLOW = Option("allow", "Allow", OptionKind.ALLOW_ONCE)
WORDS = [
    *("ls", "rm -rf ~", "#", "; touch HIDDEN", "\n", "\n\n\n", "\t", " " * 300, "x" * 400),
    *("\r", "\r\n", "\x1b[2K", "\x1b[8m", "\x1b]52;c;eA==\x07", "\x00", "\x7f", "\x85", "\x9b"),
    *("\u200b", "\u200d", "\u202e", "\u2066", "\u2028", "\u2029", "\ufeff", "\u00ad", "\u3164"),
    *("a\u0301\u0302\u0303\u0304", "\u0489" * 40, "\ufe0f", "\U000e0041", "字" * 50, "👩‍👩‍👧", "ש"),
    *("  y  yes, once", "  │ ", "  ┊ ", "  3 more lines", "? Run this command?  ls", "\ud800"),
]
WINDOWS = [(160, 60, 0.5), (80, 30, 0.4), (40, 20, 0.7)]
BODY = ("  │ ", "  ┊ ")

SHOWN = chunk("hidden_commands/shown")


def commands() -> Iterator[str]:
    chance = random.Random(SEED)
    for _ in range(12):
        yield "".join(chance.choices(WORDS, k=chance.randint(2, 12)))


def without_blanks(text: str) -> str:
    """The text without white space: tabs are drawn as spaces."""
    return "".join(text.split())


def asks(command: str) -> PermissionAsked:
    arguments = {"command": command}
    return PermissionAsked("r", "t", "Bash", arguments, (ALLOW,), "execute", title=command)


@pytest.mark.parametrize("window", WINDOWS)
async def test_every_character_of_a_command_is_on_the_screen(
    nvim: Neovim, window: tuple[int, int, float]
) -> None:
    columns, rows, size = window
    await nvim.command(f"set columns={columns} lines={rows}")
    chats = await Chats.start(nvim)
    await chats.open(size=size)
    width = (await chats.wait_for_event("placed"))["width"]
    sheet = Sheet()
    requests = Requests(sheet, "Claude")
    requests.resize(width, columns)

    for command in commands():
        waiting = requests.add(asks(command))
        waiting.view.unfold("y")
        requests.redraw(waiting)
        while (frame := sheet.frame()) is not None:
            await chats.draw(*frame["edits"])

        found = await nvim.lua(SHOWN)

        for on_screen, line, is_one_row in found:
            if line.startswith(BODY):
                assert is_one_row, line
                assert without_blanks(on_screen) == without_blanks(line)
        body = [line for _, line, _ in found if line.startswith(BODY)]
        shown = "".join(f"\n{line[4:]}" if line[2] == "│" else line[4:] for line in body)
        question = next(line for _, line, _ in found if line.startswith("?"))
        whole = "\n".join(map(visible, command.removesuffix("\n").split("\n")))
        assert shown == f"\n{whole}" or question == f"? Run this command?  {whole}"

    await until(lambda: nvim.eval("1 + 1 == 2"), "Neovim answers")
