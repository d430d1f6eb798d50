"""The option `keys`; and the <Plug> maps that it uses."""

import re
from pathlib import Path

import pytest

from support.chunks import chunk
from support.neovim import ROOT, Neovim, until

MAPS = chunk("suggested_keys/maps")
SETUP = "require('claude_ide').setup({ keys = true })"
WITH_KEYS = "let g:claude_ide = {'keys': v:true}"
HELP = (ROOT / "doc/claude_ide.txt").read_text(encoding="utf-8")


async def start(project: Path, tmp_path: Path, *commands: str) -> Neovim:
    arguments = [part for command in commands for part in ("--cmd", command)]
    return await Neovim.start(*arguments, cwd=project, home=tmp_path / "home")


async def test_no_key_is_mapped_by_default(nvim: Neovim) -> None:
    assert await nvim.lua(MAPS, "n") == {}


async def test_the_documented_keys_are_mapped_with_a_description(nvim: Neovim) -> None:
    await nvim.lua(SETUP)

    maps = await nvim.lua(MAPS, "n")
    assert maps.pop("a")[1] == "+claude"
    documented = re.findall(r"^\t<leader>(a\S)\t(<Plug>\S+?\))", HELP, re.MULTILINE)
    assert {key: rhs for key, (rhs, _) in maps.items()} == dict(documented)
    assert all(desc for _, desc in maps.values())


async def test_the_keys_for_lines_are_mapped_in_visual_mode(nvim: Neovim) -> None:
    await nvim.lua(SETUP)

    maps = await nvim.lua(MAPS, "x")
    visual = re.findall(r"^\t<leader>(a\S)\t.*Visual", HELP, re.MULTILINE)
    assert sorted(maps) == sorted(["a", *visual])


async def test_the_variable_alone_maps_the_keys_with_the_users_leader(
    project: Path, tmp_path: Path
) -> None:
    nvim = await start(project, tmp_path, WITH_KEYS, "autocmd UIEnter * let mapleader = 'x'")
    try:
        await until(lambda: nvim.eval("maparg('\\ac', 'n') =~ 'claude-toggle'"))
    finally:
        await nvim.stop()


async def test_a_map_of_the_user_stays(nvim: Neovim) -> None:
    await nvim.command("nnoremap <leader>ac :echo 'mine'<CR>")

    await nvim.lua(SETUP)

    maps = await nvim.lua(MAPS, "n")
    assert maps["ac"] == [":echo 'mine'<CR>"]
    assert maps["aa"][0] == "<Plug>(claude-chat)"


async def test_a_leader_a_of_the_user_is_not_delayed(nvim: Neovim) -> None:
    await nvim.command("nnoremap <leader>a :echo 'mine'<CR>")

    await nvim.lua(SETUP)

    assert list(await nvim.lua(MAPS, "n")) == ["a"]
    await until(lambda: "<leader>a is mapped, so no keys were" in nvim.screen.text())


async def test_a_group_of_another_plugin_is_shared(nvim: Neovim) -> None:
    await nvim.lua("vim.keymap.set('n', '<leader>a', '', { desc = '+ai' })")

    await nvim.lua(SETUP)

    maps = await nvim.lua(MAPS, "n")
    assert maps["a"][1] == "+ai"
    assert maps["ac"][0] == "<Plug>(claude-toggle)"


@pytest.mark.parametrize("mode", ["n", "x"])
async def test_each_plug_map_has_a_description(nvim: Neovim, mode: str) -> None:
    maps = await nvim.eval(f"maplist()->filter('v:val.mode =~ \"{mode}\"')")

    ours = [each for each in maps if each["lhs"].startswith("<Plug>(claude-")]
    assert ours
    assert all(each["desc"] for each in ours)


@pytest.mark.parametrize("name", ["ask", "edit"])
@pytest.mark.parametrize("before", ["", "V"], ids=["file", "lines"])
async def test_a_plug_map_runs_its_command(nvim: Neovim, name: str, before: str) -> None:
    """Both commands ask for the text that is missing."""
    await nvim.command("edit a.txt | let g:asked = ''")
    await nvim.lua("vim.ui.input = function(options) vim.g.asked = options.prompt end")
    await nvim.lua("vim.keymap.set({ 'n', 'x' }, '<F2>', ...)", f"<Plug>(claude-{name})")

    await nvim.keys(f"{before}<F2>")

    await until(lambda: nvim.eval("g:asked != ''"))
