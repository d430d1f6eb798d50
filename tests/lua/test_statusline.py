"""`statusline()`: how the text that the host composes is drawn in Neovim, and from what."""

from support.chunks import chunk
from support.neovim import Neovim, until

STATUS = "return require('claude_ide').statusline()"
SET = "vim.fn['claude_ide#status#Set'](...)"


async def shows(nvim: Neovim, text: str) -> None:
    async def is_shown() -> bool:
        return bool(await nvim.lua(STATUS) == text)

    await until(is_shown, f"the text is {text!r}")


async def test_another_text_redraws_all_status_lines_and_is_announced(serving: Neovim) -> None:
    await serving.command("set laststatus=2 statusline=%{%claude_ide#statusline()%} | split")
    await shows(serving, "Claude: ready")
    await serving.lua(chunk("statusline/record"), await serving.channel())
    status = {"state": "working", "text": "Claude: working · 50%% %%{1}", "model": "50% %{1}"}

    for _ in range(2):
        await serving.lua(SET, status)

    await until(lambda: serving.screen.text().count("Claude: working · 50% %{1}") == 2)
    assert serving.events("ClaudeStatusChanged") == [status]


async def test_the_lualine_component_follows_the_changes(serving: Neovim) -> None:
    await shows(serving, "Claude: ready")
    await serving.lua(chunk("statusline/lualine"))
    await serving.lua(SET, {"state": "working", "text": "Claude: working"})

    await until(lambda: serving.eval("get(g:, 'refreshed', '')"), "lualine is refreshed")
    assert await serving.eval("g:refreshed") == "Claude: working"


async def test_without_a_host_the_text_is_empty(serving: Neovim) -> None:
    await shows(serving, "Claude: ready")

    await serving.command("ClaudeStop")
    await shows(serving, "")
