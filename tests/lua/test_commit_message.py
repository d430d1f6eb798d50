"""`question/commit_message.lua`: where a message goes among what is there."""

import pytest

from support.neovim import Neovim, until

INSERT = "require('claude_ide.question.commit_message').insert(0, ...)"
MESSAGE = "Subject\n\nBody"


async def insert(nvim: Neovim, before: list[str], comment: str = "#") -> list[str]:
    """Insert the message into a buffer of these lines, and return what it holds then."""
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
async def test_it_comes_first_where_nothing_is_written(
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
async def test_it_comes_below_what_the_user_has_written(
    nvim: Neovim, before: list[str], head: list[str], tail: list[str]
) -> None:
    assert await insert(nvim, before) == [*head, "Subject", "", "Body", *tail]


async def test_what_begins_a_comment_is_up_to_the_repository(nvim: Neovim) -> None:
    assert (await insert(nvim, ["# mine", "", "; c"], ";"))[0] == "# mine"


async def test_control_characters_are_shown(nvim: Neovim) -> None:
    await nvim.lua(INSERT, "Subject\x1b]0;x\x07\r\n\nBody", "#")

    assert await nvim.eval("getline(1, '$')") == ["Subject^[]0;x^G", "", "Body"]


async def test_it_is_one_change(nvim: Neovim) -> None:
    await insert(nvim, ["mine", "# c"])

    await nvim.command("undo")

    await until(lambda: nvim.eval("getline(1, '$') == ['mine', '# c']"))
