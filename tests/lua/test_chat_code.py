"""`chat/transcript/code.lua`: the code blocks of a transcript are found and yanked."""

import pytest

from support.chats import Chats, edit
from support.neovim import Neovim, until

LINES = [
    "~~~",  # 1
    "plain",
    "~~~",
    "> ```py",  # 4
    "> if x:",
    ">     y",
    ">",
    "> ```",
    "  - ```sh",  # 9
    "    ls",
    "",
    "      -l",
    " x",
    "    ```",
    "```",  # 15
    "last",
]
CODE = [[1, 2, ""], [4, 7, ""], [9, 13, "sh"], [15, 16, ""]]


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    chats = await Chats.start(nvim)
    await chats.open()
    await chats.draw(edit(0, 0, LINES), code=CODE)
    return chats


async def yanked(chats: Chats, line: int, keys: str = "yc", register: str = '"') -> str:
    await chats.enter_transcript(line)
    await chats.nvim.keys(keys)
    await until(lambda: chats.nvim.eval(f"@{register} != ''"), "a yank")
    return str(await chats.nvim.eval(f"@{register}"))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (2, "plain\n"),
        (5, "if x:\n    y\n\n"),
        (10, "ls\n\n  -l\nx\n"),
        (15, "last\n"),
        (16, "last\n"),
    ],
)
async def test_a_block_is_yanked_without_what_is_around_it(
    chats: Chats, line: int, code: str
) -> None:
    assert await yanked(chats, line) == code


async def test_a_block_is_yanked_into_a_register(chats: Chats) -> None:
    assert await yanked(chats, 5, '"ayc', "a") == "if x:\n    y\n\n"
    assert await chats.nvim.eval("[getregtype('a'), @\"]") == ["V", "if x:\n    y\n\n"]


async def test_other_yanks_keep_the_marks_of_a_quotation(chats: Chats) -> None:
    assert await yanked(chats, 5, "yy") == "> if x:\n"
    await yanked(chats, 5, "yc")
    await chats.nvim.command("let @\" = ''")

    assert await yanked(chats, 5, "3yy") == "> if x:\n>     y\n>\n"
