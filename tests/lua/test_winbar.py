"""`window/winbar.lua`: the content of a winbar is visible even if another plugin owns it."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.chats import Chats
from support.chunks import chunk
from support.diffs import Diffs
from support.either_editor import on_screen
from support.neovim import Neovim, until
from support.plans import ask

OLD = "".join(f"{number}\n" for number in range(1, 101))
KEYS = ":w accept · :q reject"
WINBAR = "nvim_get_option_value('winbar', {'win': win_getid()})"

BY_A_TIMER = chunk("winbar/by_a_timer")
BY_AUTOCOMMANDS = chunk("winbar/by_autocommands")
OWNERS = pytest.mark.parametrize(
    "owner", [BY_A_TIMER, BY_AUTOCOMMANDS], ids=["timer", "autocommands"]
)


def proposed(path: Path, line: int = 50) -> str:
    return path.read_text().replace(f"\n{line}\n", f"\nchanged {line}\n")


@OWNERS
async def test_the_keys_of_a_diff_are_visible_where_another_plugin_owns_the_winbar(
    nvim: Neovim, diffs: Diffs, path: Path, owner: str
) -> None:
    await nvim.lua(owner)

    await diffs.open(path, proposed(path))

    await on_screen(nvim, "theirs")
    await on_screen(nvim, KEYS)
    assert "accept" not in await nvim.eval(WINBAR)


@pytest.mark.parametrize("layout", ["tab", "vertical", "horizontal"])
async def test_a_winbar_that_another_plugin_has_replaced_is_not_written_again(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("edit a.txt")
    await nvim.lua(BY_A_TIMER)
    await diffs.open(path, proposed(path), layout)
    await on_screen(nvim, KEYS)

    writes = await nvim.lua("_G.turns = 0; return writes")
    await nvim.lua("timer:stop(); timer:start(0, 10, function() turns = turns + 1 end)")
    await until(lambda: nvim.lua("return turns > 20"))

    assert await nvim.lua("return writes") == writes
    assert await nvim.eval(WINBAR) != ""
    assert "accept" not in await nvim.eval(WINBAR)


async def test_the_keys_appear_only_once_where_the_winbar_is_ours(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, proposed(path))
    await on_screen(nvim, KEYS)

    await nvim.keys("gg")
    await until(lambda: nvim.eval("line('w0')==1"))

    assert nvim.screen.text().count(KEYS) == 1


async def test_the_keys_stay_on_the_screen_while_the_user_scrolls(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.lua(BY_A_TIMER)
    await diffs.open(path, proposed(path))
    await nvim.command("set nofoldenable")

    for line in (100, 1, 60):
        await nvim.keys(f"{line}Gzt")
        await until(partial(nvim.eval, f"line('.') == {line}"))
        await until(lambda: nvim.screen.text().count(KEYS) == 1, "once, and on the screen")


async def test_the_keys_hide_no_text_while_a_line_has_room(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.lua(BY_A_TIMER)
    long = "x" * 200

    await diffs.open(path, f"{long}\n{long}\nshort\n{long}\n")

    await until(
        lambda: any("short" in line and KEYS in line for line in nvim.screen.lines()),
        "next to the short line",
    )


async def test_both_halves_of_a_diff_still_line_up(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.lua(BY_A_TIMER)
    await diffs.open(path, "new\n" + proposed(path, 9))
    await on_screen(nvim, KEYS)

    line = next(line for line in nvim.screen.lines() if "changed 9" in line)

    assert line.split("│")[0].split()[-1] == "9"


async def test_keys_that_are_shown_in_the_text_do_not_change_the_proposal(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.lua(BY_A_TIMER)
    text = proposed(path)
    id_ = await diffs.open(path, text)
    await on_screen(nvim, KEYS)

    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == text
    await diffs.closed(id_)


async def test_a_warning_is_visible_next_to_the_keys(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("set columns=200")
    await nvim.lua(BY_A_TIMER)

    await diffs.open(project / ".git/hooks/pre-commit", "two\n")

    await on_screen(nvim, f" .git/hooks/pre-commit  git runs it  new file  hunk 1/1  {KEYS}")


async def test_the_keys_leave_the_text_when_the_winbar_is_ours_again(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, proposed(path))
    ours = await nvim.eval(WINBAR)
    await nvim.command("setlocal winbar=theirs")
    await until(lambda: any(KEYS in line for line in nvim.screen.lines()[2:]), "next to the text")

    await nvim.lua("vim.wo[0][0].winbar = ...", ours)

    await until(
        lambda: not any(KEYS in line for line in nvim.screen.lines()[2:]),
        "the keys have left the text",
    )
    await on_screen(nvim, KEYS)


async def test_the_keys_of_a_plan_are_visible_where_the_winbar_is_replaced(nvim: Neovim) -> None:
    await ask(nvim, "one")
    await until(lambda: nvim.eval("tabpagenr() == 2"), "the plan")
    await nvim.command("setlocal winbar=theirs")

    await on_screen(nvim, ":w approve")


async def test_replaced_bars_of_a_chat_are_shown_in_its_prompt(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await nvim.lua(BY_A_TIMER)

    for count in (1, 2):
        bars: dict[str, Any] = {
            "transcript": {"left": [[f"{count} requests", "ClaudeChatRequest"]], "right": []},
            "prompt": {"left": [], "right": [["<C-s>", "ClaudeChatKey"], [" sends", ""]]},
        }
        await chats.show_bars(bars)
        await on_screen(nvim, f"{count} requests")
        await on_screen(nvim, "<C-s> sends")

    await nvim.keys("one<CR>two")
    await on_screen(nvim, "two")
    await on_screen(nvim, "2 requests")
    lines = nvim.screen.lines()
    rows = [next(i for i, line in enumerate(lines) if text in line) for text in ("two", "2 req")]
    assert rows[0] < rows[1]
