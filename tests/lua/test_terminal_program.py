"""`system/terminal_program.lua`: programs in terminal buffers."""

from support.neovim import Neovim, until

START = "require('claude_ide.system.terminal_program').start"
PRINT = "echo printed; read line"


async def start(nvim: Neovim) -> None:
    await nvim.lua(f"vim.cmd.enew() {START}({{ '/bin/sh', '-c', '{PRINT}' }}, {{}})")


async def test_what_a_program_prints_at_once_is_not_lost(nvim: Neovim) -> None:
    # Neovim reads the output during this.
    await nvim.command("autocmd BufFilePre,BufFilePost * lua vim.wait(300)")

    await start(nvim)

    await until(lambda: nvim.eval("getline(1) == 'printed'"))
    assert await nvim.eval("[&buftype, &eventignore]") == ["terminal", ""]


async def test_the_users_autocommands_for_terminals_run(nvim: Neovim) -> None:
    await nvim.command("autocmd TermOpen * let g:opened = expand('<abuf>')")

    await start(nvim)

    assert await nvim.eval("g:opened == bufnr()")


async def test_a_program_that_cannot_be_started_is_an_error(nvim: Neovim) -> None:
    refused = await nvim.lua(f"return {{ pcall({START}, {{ '/no/such/program' }}, {{}}) }}")

    assert refused[0] is False
    assert "'/no/such/program' is not executable" in refused[1]
    assert await nvim.eval("&eventignore") == ""
