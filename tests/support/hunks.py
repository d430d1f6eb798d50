"""The hunks of a proposal: a text with four of them, and what a test waits for."""

from support.neovim import Neovim, until

OLD = "".join(f"line {number}\n" for number in range(1, 61))
NEW = (
    OLD.replace("line 1\n", "LINE 1\n")
    .replace("line 20\n", "line 20\nadded a\nadded b\n")
    .replace("line 40\n", "")
    .replace("line 60\n", "LINE 60\n")
)
COUNTS = """
trim(matchstr(nvim_eval_statusline(&winbar,
  {'winid': win_getid(), 'use_winbar': v:true, 'maxwidth': 200}).str,
  '\\v(hunk \\d|\\d+ hunk)[^:]*'))
""".replace("\n", " ")


async def lines(nvim: Neovim) -> list[str]:
    """The lines of the current buffer."""
    text: list[str] = await nvim.eval("getline(1, '$')")
    return text


async def row(nvim: Neovim) -> int:
    """The cursor's line."""
    number: int = await nvim.eval("line('.')")
    return number


async def has_text(nvim: Neovim, text: str) -> None:
    """Wait until the current buffer has a text."""

    async def same() -> bool:
        return await lines(nvim) == text.splitlines()

    await until(same, "the text")


async def counts(nvim: Neovim, expected: str) -> None:
    """Wait for what the current window's bar counts."""

    async def same() -> bool:
        return bool(await nvim.eval(COUNTS) == expected)

    await until(same, expected)


def without(*changes: tuple[str, str]) -> str:
    """The proposal with some changes taken back."""
    text = NEW
    for new, old in changes:
        assert new in text
        text = text.replace(new, old)
    return text


FIRST = ("LINE 1\n", "line 1\n")
ADDED = ("added a\nadded b\n", "")
REMOVED = ("line 39\n", "line 39\nline 40\n")
LAST = ("LINE 60\n", "line 60\n")
