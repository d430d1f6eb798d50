"""`:ClaudeInstall` without a user: it waits for the end, and fails with an error."""

import asyncio
import re
from pathlib import Path

from support.chunks import chunk
from support.installations import MINUTE, READY, StartNeovim
from support.installs import only_from
from support.neovim import ROOT, Neovim, nvim_binary


async def run_headless(command: str, environment: dict[str, str], home: Path) -> str:
    """Run a command as a plugin manager does in a script; return Neovim's output."""
    process = await asyncio.create_subprocess_exec(
        *[nvim_binary(), "--headless", "-u", "NORC", "-i", "NONE", "-n"],
        *["--cmd", f"set runtimepath^={ROOT}", "-c", command, "-c", "quitall"],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**environment, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")},
    )
    output, _ = await asyncio.wait_for(process.communicate(), MINUTE)
    return output.decode()


async def test_without_a_ui_the_command_waits_for_the_end_of_the_installation(
    environment: dict[str, str], tmp_path: Path, own: Path
) -> None:
    build = "lua print(vim.api.nvim_cmd({ cmd = 'ClaudeInstall' }, { output = true }))"

    output = await run_headless(build, environment, tmp_path / "home")

    assert output.strip() == READY
    assert list(own.glob("lib/python3*/site-packages/websockets"))


async def test_without_a_ui_a_failed_installation_is_an_error(
    environment: dict[str, str], tmp_path: Path
) -> None:
    environment |= only_from(tmp_path, tmp_path)
    build = "try | execute 'ClaudeInstall' | catch | echo 'caught' v:exception | endtry"

    output = await run_headless(build, environment, tmp_path / "home")

    assert output.startswith("caught Vim:claude-ide: Cannot install: error: No solution found")
    assert len(output.splitlines()) == 1


async def test_without_a_ui_a_failure_is_one_line(
    environment: dict[str, str], tmp_path: Path
) -> None:
    environment |= only_from(tmp_path, tmp_path)

    output = await run_headless("ClaudeInstall!", environment, tmp_path / "home")

    # Neovim's own words precede it.
    assert re.fullmatch(
        r"Error \w.* command line:\n"
        "claude-ide: Cannot install: error: .*; see :ClaudeLog",
        output.strip().replace("\r", ""),
    )


ELSEWHERE = (
    "lua vim.uv.new_timer():start(100, 50, vim.schedule_wrap(function() "
    "vim.notify('boom of another plugin', vim.log.levels.ERROR) end))"
)


async def test_an_error_of_another_plugin_does_not_fail_the_installation(
    environment: dict[str, str], tmp_path: Path, own: Path
) -> None:
    build = (
        f"{ELSEWHERE} lua local ok, out = pcall(vim.api.nvim_cmd, "
        "{ cmd = 'ClaudeInstall' }, { output = true }) print(ok, out)"
    ).replace(" lua local", "\nlua local")
    (tmp_path / "build.vim").write_text(f"{build}\n")

    output = await run_headless(f"source {tmp_path}/build.vim", environment, tmp_path / "home")

    assert f"true {READY}" in output
    assert list(own.glob("lib/python3*/site-packages/websockets"))


BUILD = chunk("headless/build")


async def test_a_build_yields_its_progress_and_finally_its_success(nvim: Neovim, own: Path) -> None:
    lines = await asyncio.wait_for(
        nvim.send_request("nvim_exec_lua", BUILD, [str(ROOT / "build.lua")]), MINUTE
    )

    assert f"creating {own}" in lines
    assert lines[-1] == READY.removeprefix("claude-ide: ")


async def test_a_build_waits_for_an_installation_that_is_already_running(nvim: Neovim) -> None:
    await nvim.command("ClaudeInstall")

    lines = await asyncio.wait_for(
        nvim.send_request("nvim_exec_lua", BUILD, [str(ROOT / "build.lua")]), MINUTE
    )

    assert lines[0] == "waiting for :ClaudeInstall"
    assert lines[-1] == READY.removeprefix("claude-ide: ")


async def test_a_build_that_fails_raises_the_reason(
    start_neovim: StartNeovim, environment: dict[str, str], tmp_path: Path
) -> None:
    environment |= only_from(tmp_path, tmp_path)
    nvim = await start_neovim()

    lines = await asyncio.wait_for(
        nvim.send_request("nvim_exec_lua", BUILD, [str(ROOT / "build.lua")]), MINUTE
    )

    assert lines[-1].startswith("error: Cannot install: error: No solution found")


async def test_the_spec_for_lazy_nvim_names_every_command(nvim: Neovim) -> None:
    spec = await nvim.lua("return dofile(...)[1], dofile(...)", str(ROOT / "lazy.lua"))
    defined = await nvim.eval("getcompletion('Claude', 'command')")

    assert spec == "claude-ide"
    assert await nvim.lua("return dofile(...).cmd", str(ROOT / "lazy.lua")) == defined
