"""`messages/message.lua`: a message never causes a prompt, and its full text is kept."""

from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, until

SHOW = "require('claude_ide.messages.message').show(...)"
WRONG = "require('claude_ide.messages.message').show('it went wrong', 'error')"
LEVELS = ["debug", "info", "warn", "error"]
LONG = f"no such model: {'word ' * 60}; there are opus, sonnet"
REPLACED = "vim.notify = function(...) _G.notified = { ... } end"
WITH_TITLE = {"title": "claude-ide"}


async def messages(nvim: Neovim) -> str:
    return str(await nvim.eval("execute('messages')"))


async def logged(nvim: Neovim) -> str:
    path = Path(await nvim.lua("return require('claude_ide.messages.log').path()"))
    return path.read_text() if path.exists() else ""


async def has_no_prompt(nvim: Neovim, shown: str) -> bool:
    """Wait until a message is on the screen; return whether Neovim asks for no key."""
    await until(lambda: shown in nvim.screen.text(), f"{shown} is on the screen")
    return not (await nvim.mode())["blocking"] and "Press ENTER" not in nvim.screen.text()


@pytest.mark.parametrize(
    "code",
    [f"{WRONG} vim.cmd.stopinsert()", f"vim.schedule(function() {WRONG} end) vim.cmd.stopinsert()"],
    ids=["shown first", "shown then"],
)
async def test_an_error_as_insert_mode_ends_causes_no_prompt(nvim: Neovim, code: str) -> None:
    await nvim.keys("iwords")

    await nvim.lua(f"vim.schedule(function() {code} end)")

    await until(lambda: "it went wrong" in nvim.screen.text(), "the error is shown")
    await until(lambda: nvim.eval("mode() == 'n'"), "Insert mode has ended")
    assert "Press ENTER" not in nvim.screen.text()


@pytest.mark.parametrize("text", ["no such model", LONG], ids=["short", "long"])
@pytest.mark.parametrize("level", LEVELS)
async def test_no_message_causes_a_prompt_without_a_command_line(
    nvim: Neovim, level: str, text: str
) -> None:
    await nvim.command("set cmdheight=0")

    await nvim.lua(SHOW, text, level)

    assert await has_no_prompt(nvim, "no such model")
    assert "no such model" in await messages(nvim)


@pytest.mark.parametrize("options", ["cmdheight=1", "cmdheight=2", "shortmess-=T", "columns=24"])
@pytest.mark.parametrize("level", LEVELS)
async def test_a_long_message_is_shortened_in_the_middle_to_fit_one_line(
    nvim: Neovim, level: str, options: str
) -> None:
    await nvim.command(f"set {options}")

    await nvim.lua(SHOW, LONG, level)

    assert await has_no_prompt(nvim, "nnet")
    begin = "claude-ide: no such model"[: await nvim.eval("v:echospace") // 3]
    await until(lambda: begin in nvim.screen.text())


async def test_a_screen_without_room_for_messages_shows_no_prompt(nvim: Neovim) -> None:
    await nvim.command("set columns=12")

    await nvim.lua(SHOW, LONG, "error")

    await nvim.lua("vim.schedule(function() _G.has_passed = true end)")
    await until(lambda: nvim.lua("return _G.has_passed"), "the message has passed")
    assert not (await nvim.mode())["blocking"]
    assert LONG in await logged(nvim)


async def test_two_long_errors_in_a_row_cause_no_prompt(nvim: Neovim) -> None:
    await nvim.lua(f"{SHOW} {SHOW}", LONG, "error")

    assert await has_no_prompt(nvim, "sonnet")


async def test_the_message_history_and_the_log_have_the_full_text(nvim: Neovim) -> None:
    await nvim.lua(SHOW, LONG, "warn")

    await until(lambda: "sonnet" in nvim.screen.text(), "the message is on the screen")
    assert f"claude-ide: {LONG}" in await messages(nvim)
    assert f" WARNING message: {LONG}\n" in await logged(nvim)


async def test_the_new_message_ui_shows_one_line(nvim: Neovim) -> None:
    if not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("this Neovim has no other message UI")
    await nvim.lua("require('vim._core.ui2').enable({})")

    await nvim.lua(SHOW, LONG, "error")

    assert await has_no_prompt(nvim, "no such model")
    assert "sonnet" in nvim.screen.lines()[-1]
    assert "claude-ide" in nvim.screen.lines()[-1]


async def test_the_home_directory_is_shown_as_a_tilde(nvim: Neovim) -> None:
    home = await nvim.eval("$HOME")

    await nvim.lua(SHOW, f"wrote {home}/a.md", "info")

    await until(lambda: "claude-ide: wrote ~/a.md" in nvim.screen.text(), "the message")


async def test_a_folder_whose_name_starts_like_the_home_directory_is_not_abbreviated(
    nvim: Neovim,
) -> None:
    await nvim.command("let $HOME = '/srv/me'")

    await nvim.lua(SHOW, "wrote /srv/meow/a.md", "info")

    await until(lambda: "claude-ide: wrote /srv/meow/a.md" in nvim.screen.text(), "the message")


@pytest.mark.parametrize("path", [f"/srv/{'folder/' * 20}d", f"~/work/{'folder/' * 20}d"])
async def test_a_path_is_shortened_before_the_words_of_a_message(nvim: Neovim, path: str) -> None:
    words = "not trusted, your own settings are used now"
    full = path.replace("~", await nvim.eval("$HOME"))

    await nvim.lua(SHOW, f"{words}: {full}", "info")

    ends = "/".join([*path.split("/")[:2], "…", "d"])
    await until(lambda: f"claude-ide: {words}: {ends}"[:88] in nvim.screen.text(), "the message")
    assert f" INFO message: {words}: {full}\n" in await logged(nvim)


@pytest.mark.parametrize("level", LEVELS)
async def test_a_replaced_notify_receives_the_full_text_in_short_lines_and_the_name_as_title(
    nvim: Neovim, level: str
) -> None:
    await nvim.command("set cmdheight=0")
    await nvim.lua(REPLACED)

    await nvim.lua(SHOW, LONG, level)

    notified = await until(lambda: nvim.lua("return _G.notified"), "a notification")
    text = notified.pop(0)
    assert text.replace("\n", " ") == LONG
    assert max(len(line) for line in text.split("\n")) <= 40
    assert notified == [LEVELS.index(level) + 1, WITH_TITLE]
    assert await messages(nvim) == ""


async def test_a_notify_that_is_replaced_later_receives_the_later_messages(nvim: Neovim) -> None:
    await nvim.lua(SHOW, "early", "error")
    await until(lambda: "early" in nvim.screen.text(), "the first is on the screen")
    await nvim.lua(REPLACED)

    await nvim.lua(SHOW, "late", "error")

    notified = await until(lambda: nvim.lua("return _G.notified"), "a notification")
    assert notified == ["late", 4, WITH_TITLE]
    assert "late" not in await messages(nvim)


@pytest.mark.parametrize("level", LEVELS)
async def test_a_notify_that_calls_neovims_own_causes_no_prompt(nvim: Neovim, level: str) -> None:
    await nvim.command("set cmdheight=0")
    await nvim.lua(
        """local original = vim.notify
        vim.notify = function(text, ...) return original('[' .. text .. ']', ...) end"""
    )

    await nvim.lua(SHOW, LONG, level)

    assert await has_no_prompt(nvim, "claude-ide: [no such model")
    await until(lambda: "sonnet]" in nvim.screen.text())


@pytest.mark.parametrize(
    "notify", ["function() error('broken') end", "false", "setmetatable({}, {})"]
)
async def test_a_notify_that_fails_loses_no_message(nvim: Neovim, notify: str) -> None:
    await nvim.lua(f"vim.notify = {notify}")

    await nvim.lua(SHOW, "no such model", "error")

    assert await has_no_prompt(nvim, "claude-ide: no such model")


async def test_a_callable_table_can_replace_notify(nvim: Neovim) -> None:
    await nvim.lua(
        "vim.notify = setmetatable({}, { __call = function(_, ...) _G.notified = { ... } end })"
    )

    await nvim.lua(SHOW, "no such model", "info")

    notified = await until(lambda: nvim.lua("return _G.notified"), "a notification")
    assert notified == ["no such model", 2, WITH_TITLE]


async def test_the_users_own_redirection_continues_after_a_message(nvim: Neovim) -> None:
    await nvim.command("redir => g:caught | silent echo 'one'")

    await nvim.lua(SHOW, "no such model", "error")

    assert await has_no_prompt(nvim, "no such model")
    await nvim.command("silent echo 'two' | redir END")
    caught: Any = await nvim.eval("g:caught")
    assert caught.split("\n")[1] == "one"
    assert caught.endswith("two")


async def test_a_log_that_cannot_be_written_suppresses_no_message(
    nvim: Neovim, tmp_path: Path
) -> None:
    folder = Path(await nvim.eval("stdpath('log')"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "claude_ide").write_text("in the way")

    await nvim.lua(SHOW, "no such model", "error")

    assert await has_no_prompt(nvim, "no such model")


async def test_showing_an_empty_log_leaves_it_empty(nvim: Neovim) -> None:
    for _ in range(2):
        await nvim.command("echo '' | ClaudeLog")
        await until(lambda: "nothing has been logged yet" in nvim.screen.text(), "the message")
    assert await logged(nvim) == ""


@pytest.mark.parametrize("level", ["info", "error"])
@pytest.mark.parametrize("milliseconds", [0, 20, 40])
async def test_a_message_stays_on_the_screen_when_insert_mode_ends(
    nvim: Neovim, level: str, milliseconds: int
) -> None:
    await nvim.keys("i")

    await nvim.lua(
        f"require('claude_ide.messages.message').show('the host has died', '{level}')"
        " vim.defer_fn(vim.cmd.stopinsert, ...)",
        milliseconds,
    )

    await until(lambda: nvim.eval("mode() == 'n'"))
    await until(lambda: nvim.screen.lines()[-1].startswith("claude-ide: the host has died"))
    assert (await nvim.eval("execute('messages')")).count("the host has died") == 1


async def test_the_log_is_no_listed_buffer(nvim: Neovim) -> None:
    await nvim.lua(SHOW, "no such model", "error")

    await nvim.command("ClaudeLog")

    assert await nvim.eval("[&buflisted, getline('$') =~ 'no such model']") == [0, 1]
