"""`chat/prompt/completion.lua`: `@file` anywhere, `/command` at the start of the prompt."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from claude_ide.chat.prompt_buffers import command_item
from support.chats import Chats
from support.chunks import chunk
from support.neovim import Neovim, until

COMMANDS = [
    command_item("compact", "Make the conversation shorter", "<what to keep>"),
    command_item("review", "Review\nthe changes", ""),
    command_item("init", "", ""),
]
OFFER = "require('claude_ide.chat.state').set(1, { offer = ... })"
ITEMS = "map(complete_info(['items']).items, 'v:val.word')"

IS_BELOW = """
local floats = vim.tbl_filter(function(win)
  return vim.api.nvim_win_get_config(win).relative ~= ''
end, vim.api.nvim_list_wins())
return #floats == 1 and vim.api.nvim_win_get_position(floats[1])[1] >= vim.fn.screenrow()
"""


@pytest.fixture
def files(project: Path) -> Path:
    for name in ("a b.py", "main.py", "src/deep/test_main.py", "src/util.py", "ignored.log"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    (project / ".gitignore").write_text("*.log\n")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    return project


@pytest.fixture
async def chats(nvim: Neovim, files: Path) -> Chats:
    chats = await Chats.start(nvim)
    await chats.open()
    await nvim.lua(OFFER, {"commands": COMMANDS, "choices": {}, "lacks": [], "name": "X"})
    return chats


async def offered(nvim: Neovim, *words: str) -> list[str]:
    """Wait until the menu shows all of these."""

    async def shown() -> Any:
        if not await nvim.eval("pumvisible()"):
            return False
        items = await nvim.eval(ITEMS)
        return items if set(words) <= set(items) else False

    items: list[str] = await until(shown, f"the menu offers {words}")
    return items


async def typed(nvim: Neovim, text: str) -> None:
    await until(lambda: nvim.eval(f"getline('.') ==# '{text}'"), f"typed {text}")


async def test_typing_an_at_sign_offers_files(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("see @")

    items = await offered(nvim, "@main.py")
    assert set(items) == {
        "@.gitignore",
        '@"a b.py"',
        "@main.py",
        "@src/",
        "@src/deep/",
        "@src/deep/test_main.py",
        "@src/util.py",
    }


async def test_files_are_filtered_and_accepted(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("see @")
    await offered(nvim, "@main.py")
    await nvim.keys("tmain")
    assert await offered(nvim, "@src/deep/test_main.py") == ["@src/deep/test_main.py"]

    await nvim.keys("<Tab> please")

    await typed(nvim, "see @src/deep/test_main.py please")


async def test_accepting_a_folder_offers_its_files(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@sr")
    await offered(nvim, "@src/")
    await nvim.keys("<Tab>")

    items = await offered(nvim, "@src/util.py", "@src/deep/")
    assert "@main.py" not in items
    await nvim.keys("u")
    await offered(nvim, "@src/util.py")
    await nvim.keys("<C-n><C-y>!")
    await typed(nvim, "@src/util.py!")


async def test_a_path_with_a_space_is_quoted(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys('@"a b')

    assert await offered(nvim, '@"a b.py"') == ['@"a b.py"']
    await nvim.keys("<Tab>")
    await typed(nvim, '@"a b.py"')


async def test_an_accepted_file_is_not_offered_again(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@main")
    await offered(nvim, "@main.py")
    await nvim.keys("<Tab>")
    await typed(nvim, "@main.py")

    assert await nvim.eval("pumvisible()") == 0


async def test_the_enter_key_does_not_accept_an_item(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@ma")
    await offered(nvim, "@main.py")

    await nvim.keys("<CR>next")

    await typed(nvim, "next")
    assert await chats.lines("prompt") == ["@ma", "next"]


async def test_a_closed_menu_stays_closed_until_more_is_typed(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@ma")
    await offered(nvim, "@main.py")

    await nvim.keys("<C-e>")

    await until(lambda: nvim.eval("!pumvisible()"))
    await nvim.keys("<Cmd>let g:done = 1<CR>")
    await until(lambda: nvim.eval("exists('g:done')"))
    assert await nvim.eval("pumvisible()") == 0
    await nvim.keys("i")
    assert await offered(nvim, "@main.py") == ["@main.py", "@src/deep/test_main.py"]


async def test_an_email_address_offers_no_files(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@")
    await offered(nvim, "@main.py")
    await nvim.keys("<BS>me@main")
    await typed(nvim, "me@main")

    assert await nvim.eval("pumvisible()") == 0


async def test_a_command_for_the_shell_offers_nothing(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@")
    await offered(nvim, "@main.py")
    await nvim.keys("<C-u>!cat @main")
    await typed(nvim, "!cat @main")

    assert await nvim.eval("pumvisible()") == 0
    await nvim.keys("<C-u>cat @main")
    await offered(nvim, "@main.py")


async def test_commands_are_offered_with_their_descriptions(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("/")

    assert await offered(nvim, "/init") == ["/compact", "/review", "/init"]
    await nvim.command("redraw")
    await until(lambda: "/compact <what to keep>" in nvim.screen.text())
    await until(lambda: "Make the conv" in nvim.screen.text())
    await nvim.keys("rv")
    assert await offered(nvim, "/review") == ["/review"]
    await nvim.keys("<Tab> now")
    await typed(nvim, "/review now")


@pytest.mark.parametrize("keys", ["x<CR>/", "a /"])
async def test_commands_are_offered_only_at_the_start_of_the_prompt(
    nvim: Neovim, chats: Chats, keys: str
) -> None:
    await nvim.keys(keys)
    await until(lambda: nvim.eval("getline('.') =~ '/$'"))

    assert await nvim.eval("pumvisible()") == 0


OTHER_MENU = chunk("chat_completion/other_menu")
OTHERS = {
    "blink.cmp": {"completion": False, "minicompletion_disable": 0},
    "mini.completion": {"completion": 0, "minicompletion_disable": True},
    "nvim-cmp": {"completion": 0, "minicompletion_disable": 0, "cmp": {}},
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("is_loaded_late", [False, True])
async def test_the_menu_works_alongside_other_completion_plugins(
    nvim: Neovim, files: Path, name: str, is_loaded_late: bool
) -> None:
    chats = await Chats.start(nvim)
    if not is_loaded_late:
        await nvim.lua(OTHER_MENU, OTHERS[name])
    await chats.open()
    if is_loaded_late:
        await nvim.keys("<Esc>")
        await nvim.lua(OTHER_MENU, OTHERS[name])
        await nvim.keys("i")

    await nvim.keys("see @tmain")

    assert await offered(nvim, "@src/deep/test_main.py") == ["@src/deep/test_main.py"]
    await nvim.keys("<Tab> please")
    await typed(nvim, "see @src/deep/test_main.py please")


async def test_a_menu_that_a_plugin_draws_does_not_cover_the_line(
    nvim: Neovim, chats: Chats, files: Path
) -> None:
    for number in range(30):
        (files / f"file{number}.py").write_text("")
    await nvim.lua(chunk("chat_completion/menu_in_a_float"))
    await nvim.keys("look at @")

    async def is_below() -> bool:
        found: bool = await nvim.lua(IS_BELOW)
        return found

    await until(is_below, "the menu is below the line")
    await nvim.keys("fil")
    await typed(nvim, "look at @fil")
    await until(is_below, "the menu is below the line")
    assert len(await nvim.eval(ITEMS)) >= 4
    await nvim.keys("<C-n><C-y>")
    await typed(nvim, "look at @file0.py")


async def test_the_user_can_let_another_plugin_complete_the_prompt(
    nvim: Neovim, files: Path
) -> None:
    await nvim.command("autocmd FileType claude-prompt let b:claude_chat_menu = v:false")
    await nvim.lua(OTHER_MENU, OTHERS["blink.cmp"])
    chats = await Chats.start(nvim)
    await chats.open()

    await nvim.keys("@")

    assert await offered(nvim, "of another plugin") == ["of another plugin"]
    assert not await nvim.eval("exists('b:completion')")


async def test_a_setting_for_another_plugin_is_kept(nvim: Neovim, files: Path) -> None:
    await nvim.command("autocmd FileType claude-prompt let b:completion = v:true")
    chats = await Chats.start(nvim)

    await chats.open()

    assert await nvim.eval("b:completion") is True


async def test_neovims_own_autocompletion_is_disabled(nvim: Neovim, files: Path) -> None:
    if not await nvim.eval("exists('+autocomplete')"):
        pytest.skip("this Neovim has no 'autocomplete'")
    await nvim.command("set autocomplete completeopt=menuone,noselect")
    chats = await Chats.start(nvim)
    await chats.open()
    await nvim.keys("sent before<C-s>word words wo")
    await typed(nvim, "word words wo")

    await nvim.keys("<Up>")

    await typed(nvim, "sent before")


async def test_a_quote_that_a_plugin_paired_is_not_doubled(nvim: Neovim, chats: Chats) -> None:
    await nvim.command('inoremap <buffer> " ""<Left>')
    await nvim.keys('see @"a b')
    assert await offered(nvim, '@"a b.py"') == ['@"a b.py"']

    await nvim.keys("<Tab> please")

    await typed(nvim, 'see @"a b.py" please')


async def test_the_omnifunc_offers_the_same_items(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("let b:claude_chat_menu = v:false")
    await nvim.keys("@mai")
    await typed(nvim, "@mai")
    assert await nvim.eval("pumvisible()") == 0

    await nvim.keys("<C-x><C-o>")

    assert await offered(nvim, "@main.py") == ["@main.py", "@src/deep/test_main.py"]
    await nvim.keys("<C-e><C-u>/in<C-x><C-o>")
    assert await offered(nvim, "/init") == ["/init"]


async def test_a_huge_repository_offers_at_most_200_files(
    nvim: Neovim, chats: Chats, files: Path
) -> None:
    for number in range(600):
        (files / f"many_{number}.c").write_text("")
    await nvim.keys("@many")

    assert len(await offered(nvim, "@many_1.c")) == 200


async def test_a_deleted_file_is_not_offered(nvim: Neovim, chats: Chats, files: Path) -> None:
    await nvim.keys("@")
    everything = await offered(nvim)
    await nvim.keys("<Esc>")
    assert "@main.py" in everything
    (files / "main.py").unlink()

    await nvim.keys("S@")

    assert await offered(nvim) == [path for path in everything if path != "@main.py"]


async def test_the_tab_key_inserts_a_tab_without_a_menu(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("a<Tab>b")

    await until(lambda: nvim.eval('getline(1) ==# "a\\tb"'))


async def test_selecting_items_keeps_the_menu_open(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("@")
    items = await offered(nvim, "@main.py")

    await nvim.keys("<C-n><C-n>")

    await typed(nvim, items[1])
    assert await nvim.eval(ITEMS) == items
    await nvim.keys("<C-p><C-p>")
    await typed(nvim, "@")


async def test_sending_closes_the_menu(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("see @")
    await offered(nvim, "@main.py")

    await nvim.keys("<C-s>")

    await typed(nvim, "")
    await until(lambda: _in_mode(nvim, "i"), "completion has ended")
    assert not await nvim.eval("pumvisible()")
    await nvim.keys("next")
    await typed(nvim, "next")


async def _in_mode(nvim: Neovim, mode: str) -> bool:
    return bool((await nvim.mode())["mode"] == mode)
