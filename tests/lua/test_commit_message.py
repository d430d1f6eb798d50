"""`headless/commit_message.lua`: where the message is inserted in the buffer."""

import pytest

from support.neovim import Neovim, until

INSERT = "require('claude_ide.headless.commit_message').insert(0, ...)"
MESSAGE = "Subject\n\nBody"


async def insert(nvim: Neovim, before: list[str], comment: str = "#") -> list[str]:
    """Insert the message into a buffer with these lines, and return the new lines."""
    await nvim.request("nvim_buf_set_lines", 0, 0, -1, True, before)
    await nvim.lua(INSERT, MESSAGE, comment)
    lines: list[str] = await nvim.eval("getline(1, '$')")
    return lines


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([""], []),
        (["", "# c"], ["", "# c"]),
        (["", "", "", "# c"], ["", "# c"]),
        (["# c"], ["", "# c"]),
        (["", "Signed-off-by: A", "", "# c"], ["", "Signed-off-by: A", "", "# c"]),
        (["", "Change-Id: I1", "Signed-off-by: A"], ["", "Change-Id: I1", "Signed-off-by: A"]),
    ],
)
async def test_the_message_comes_first_when_the_user_has_written_nothing(
    nvim: Neovim, before: list[str], after: list[str]
) -> None:
    assert await insert(nvim, before) == ["Subject", "", "Body", *after]


@pytest.mark.parametrize(
    ("before", "head", "tail"),
    [
        (["mine"], ["mine", ""], []),
        (["mine", "", "more", "# c"], ["mine", "", "more", ""], ["", "# c"]),
        (["mine", "", "", "Signed-off-by: A"], ["mine", ""], ["", "Signed-off-by: A"]),
    ],
)
async def test_the_message_comes_below_the_text_that_the_user_has_written(
    nvim: Neovim, before: list[str], head: list[str], tail: list[str]
) -> None:
    assert await insert(nvim, before) == [*head, "Subject", "", "Body", *tail]


async def test_the_repository_sets_the_comment_character(nvim: Neovim) -> None:
    assert (await insert(nvim, ["# mine", "", "; c"], ";"))[0] == "# mine"


async def test_control_characters_are_made_visible(nvim: Neovim) -> None:
    await nvim.lua(INSERT, "Subject\x1b]0;x\x07\r\n\nBody", "#")

    assert await nvim.eval("getline(1, '$')") == ["Subject^[]0;x^G", "", "Body"]


async def test_one_undo_removes_the_message(nvim: Neovim) -> None:
    await insert(nvim, ["mine", "# c"])

    await nvim.command("undo")

    await until(lambda: nvim.eval("getline(1, '$') == ['mine', '# c']"))
