"""`messages/reason.lua`: an error message says what went wrong, not where."""

import pytest

from support.neovim import Neovim

NO_FOLDER = "E212: Can't open file for writing: no such file or directory"


@pytest.mark.parametrize(
    "raised",
    [
        "Error executing lua: it is gone",
        "Lua: it is gone",
        "Vim(return):E5108: Error executing lua it is gone",
        "Vim(let):Lua callback: /a/b.lua:3: it is gone",
        "function claude_ide#a#B, line 3: Vim(throw):claude-ide: it is gone",
        'Lua: [string "?"]:355: it is gone',
        '[string "vim.lsp.client"]:41: it is gone',
        "Lua: …/lua/claude_ide/file/write.lua:109: Vim:it is gone",
        "vim/_editor.lua:0: nvim_exec2(), line 1: Vim(write):it is gone",
        "it is gone\nstack traceback:\n\t[C]: in function 'error'",
        "it is gone:\n\tno field package.preload['gone']",
    ],
)
async def test_an_error_is_reduced_to_what_went_wrong(nvim: Neovim, raised: str) -> None:
    assert (
        await nvim.lua("return require('claude_ide.messages.reason').of(...)", raised)
        == "it is gone"
    )


@pytest.mark.parametrize(
    "text", ["", "Luanda: it is gone", "a.lua: it is gone", 'the [string "x"]']
)
async def test_text_that_only_resembles_a_location_is_kept(nvim: Neovim, text: str) -> None:
    assert await nvim.lua("return require('claude_ide.messages.reason').of(...)", text) == text


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("vim.cmd.write('/no/such/folder')", NO_FOLDER),
        ("vim.cmd('write /no/such/folder')", NO_FOLDER),
        ("error('it is gone', 0)", "it is gone"),
        ("error('it is gone')", "it is gone"),
        (
            "error(setmetatable({}, { __tostring = function() return 'it is gone' end }))",
            "it is gone",
        ),
    ],
)
async def test_a_call_that_fails_returns_the_reason(nvim: Neovim, code: str, reason: str) -> None:
    await nvim.lua(f"package.loaded['claude_ide.broken'] = {{ call = function() {code} end }}")

    for attempt in ("attempt", "attempt_json"):
        call = f"return require('claude_ide.messages.reason').{attempt}('broken', 'call')"
        assert await nvim.lua(call) == [False, reason]


async def test_a_call_that_succeeds_returns_its_result(nvim: Neovim) -> None:
    await nvim.lua(
        "package.loaded['claude_ide.sound'] = { call = function(...) return select(2, ...) end }"
    )
    attempt = "return require('claude_ide.messages.reason').attempt('sound', 'call', ...)"
    as_json = "return require('claude_ide.messages.reason').attempt_json('sound', 'call', ...)"

    assert await nvim.lua(attempt, 1, False) == [True, False]
    assert await nvim.lua(attempt, 1) == [True]
    assert await nvim.lua(as_json, 1, {"a": [1]}) == [True, '{"a":[1]}']
