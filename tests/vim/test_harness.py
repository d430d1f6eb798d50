"""The Vim under test does what the tests rely on."""

import json
import os
import signal
from pathlib import Path

import pytest

from support.neovim import ROOT, until
from support.vim import Vim, VimError


async def at_a_prompt(vim: Vim) -> bool:
    return bool((await vim.mode())["blocking"])


async def test_typed_keys_change_the_text_and_the_screen(vim: Vim) -> None:
    await vim.keys("ione<CR>two<Esc>yyp")

    assert await vim.call("getline", 1, "$") == ["one", "two", "two"]
    await until(lambda: vim.screen.lines()[:3] == ["one", "two", "two"], "the lines are drawn")


async def test_keys_are_handled_before_the_next_request(vim: Vim) -> None:
    await vim.call("setline", 1, ["text"] * 100)

    for line in range(1, 100):
        await vim.keys("ix<Esc>j" if line % 2 else "v<Esc>Vj<Esc>")
        assert await vim.eval("[mode(), line('.')]") == ["n", line + 1]


@pytest.mark.parametrize("key", ["O", "[p", "]p", "P", "_", "^", "<Up>", "<Esc>"])
async def test_escape_is_a_key_of_its_own_before_any_other_key(vim: Vim, key: str) -> None:
    await vim.keys(f"aone<Esc>yyp{key}")
    expected = await vim.eval("[getline(1, '$'), getpos('.'), mode()]")

    await vim.keys("<Esc>")
    await vim.command("%delete")
    await vim.keys("aone<Esc>yyp")
    await vim.keys(f"V<Esc>{key}")

    assert await vim.eval("[getline(1, '$'), getpos('.'), mode()]") == expected


KEYS = (
    *("<C-w>", "<C-s>", "<C-x>", "<C-^>", "<C-]>", "<C-_>", "<C-Right>", "<S-Tab>", "<S-Right>"),
    *("<F1>", "<F2>", "<F5>", "<F12>", "<Up>", "<Down>", "<Left>", "<Right>", "<Home>", "<End>"),
    *("<PageUp>", "<PageDown>", "<Insert>", "<Del>", "<BS>", "<Tab>", "<CR>", "<Space>"),
    *("<Esc>", "<M-x>", "<C-Space>", "<S-F5>", "<C-CR>"),
)


@pytest.mark.parametrize("key", KEYS)
async def test_a_key_arrives_as_the_one_of_that_name(vim: Vim, key: str) -> None:
    await vim.command(f"nnoremap {key} :let g:pressed = '{key.replace('<', '<lt>')}'<CR>")

    await vim.keys(key)

    assert await vim.eval("g:pressed") == key


async def test_what_is_no_name_of_a_key_is_typed_unchanged(vim: Vim) -> None:
    await vim.keys("i<lt>CR> a<b> <word> x < y > z ü<Bar><Bslash><Esc>")

    assert await vim.eval("getline(1)") == "<CR> a<b> <word> x < y > z ü|\\"


async def test_more_keys_than_a_terminal_keeps_arrive_in_order(vim: Vim) -> None:
    text = "".join(f"{number:5}" for number in range(3000))

    await vim.keys(f"i{text}<Esc>")

    assert await vim.eval("getline(1)") == text


async def test_text_of_other_scripts_is_typed_shown_and_returned(vim: Vim) -> None:
    text = "Größe 漢字 😀 é"

    await vim.keys(f"i{text}<Esc>")

    assert await vim.eval("getline(1)") == text
    await until(lambda: vim.screen.lines()[0] == text, "the text is drawn")


async def test_long_requests_and_answers_arrive_whole(vim: Vim) -> None:
    lines = [f"{number} ü" * 10 for number in range(20_000)]

    await vim.call("setline", 1, lines)

    assert await vim.call("getline", 1, "$") == lines


async def test_an_error_of_vim_is_raised_with_its_text(vim: Vim) -> None:
    with pytest.raises(VimError, match="E121"):
        await vim.eval("no_such_variable")
    with pytest.raises(VimError, match="E492"):
        await vim.command("NoSuchCommand")
    with pytest.raises(VimError, match="E117"):
        await vim.call("NoSuchFunction")
    with pytest.raises(VimError, match="E1161"):
        await vim.eval("function('tr')")

    assert not await at_a_prompt(vim)


async def test_a_hit_enter_prompt_is_seen_and_answered_by_a_key(vim: Vim) -> None:
    await vim.keys(":echo 'one' | echo 'two'<CR>")

    assert await vim.mode() == {"mode": "r", "blocking": True}
    await until(lambda: "Press ENTER" in vim.screen.text(), "the prompt is drawn")
    await vim.command("let g:answered = 1")
    assert await vim.eval("g:answered") == 1
    await vim.keys("<CR>")

    assert await vim.mode() == {"mode": "n", "blocking": False}


async def test_a_request_whose_command_asks_the_user_is_answered_after_the_key(vim: Vim) -> None:
    asked = vim.send_request("TestEval", "confirm('Really?', \"&Yes\\n&No\", 2)")
    await until(lambda: at_a_prompt(vim), "the question")

    await until(lambda: "Really?" in vim.screen.text(), "the question is drawn")
    assert not asked.done()
    await vim.keys("y")

    assert await asked == 1


PROMPTS = {
    "hit-enter": ":echo 'one' | echo 'two'<CR>",
    "more": ":for i in range(99) | echo i | endfor<CR>",
    "confirm": ":call confirm('Really?')<CR>",
    "input": ":call input('Name: ')<CR>",
    "getchar": ":call getchar()<CR>",
    "substitute": "itext<Esc>:s/text/other/c<CR>",
    "popup": ":call popup_menu(['one', 'two'], #{callback: {-> 0}})<CR>",
    "operator": "d",
    "command line": ":echo",
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
async def test_escape_leaves_any_prompt(vim: Vim, prompt: str) -> None:
    await vim.keys(prompt)

    await vim.keys("<Esc>")

    # More's Escape may be followed by a hit-enter prompt.
    if (await vim.mode())["mode"] == "r":
        await vim.keys("<Esc>")
    await until(lambda: vim.eval("mode(1) == 'n' && popup_list() == []"), "Normal mode")
    await vim.keys("ix<Esc>")
    assert "x" in await vim.eval("getline(1)")


async def test_escape_reaches_a_program_in_vims_terminal(vim: Vim) -> None:
    await vim.keys(":call term_start(['cat', '-v'], #{curwin: 1})<CR>")
    await until(lambda: vim.eval("mode(1) == 't'"), "Terminal-Job mode")

    await vim.keys("one<Esc><Up><C-v><CR>")

    await until(lambda: "one^[^[[A" in vim.screen.text(), "the keys are echoed")


async def test_a_control_key_is_mapped_after_keys_with_other_modifiers(vim: Vim) -> None:
    await vim.command("nnoremap <C-s> :let g:pressed = 1<CR>")

    await vim.keys("i<M-x><Esc><C-CR><C-s>")

    assert await vim.eval("g:pressed") == 1


async def test_what_a_command_says_is_on_the_screen(vim: Vim) -> None:
    await vim.command("echo 'said'")

    await until(lambda: "said" in vim.screen.text(), "the message")
    assert not await at_a_prompt(vim)


@pytest.mark.parametrize(
    ("keys", "mode"),
    [("i", "i"), ("v", "v"), ("V", "V"), ("<C-v>", "\x16"), (":", "c"), ("d", "no"), ("R", "R")],
)
async def test_the_mode_is_that_of_the_keys(vim: Vim, keys: str, mode: str) -> None:
    await vim.keys(keys)

    assert await vim.mode() == {"mode": mode, "blocking": False}


async def test_idle_waits_for_a_timer_in_vim(vim: Vim) -> None:
    await vim.command("call timer_start(90, {-> execute('let g:rang = 1')})")

    await vim.idle(100)

    assert await vim.eval("g:rang") == 1


async def test_vim_has_the_size_of_its_terminal(vim: Vim) -> None:
    assert await vim.eval("[&columns, &lines]") == [100, 30]

    vim.resize(60, 12)

    await until(lambda: vim.eval("[&columns, &lines] == [60, 12]"), "the new size")
    await until(lambda: "~" in vim.screen.lines()[10], "the window is drawn in that size")
    assert len(vim.screen.lines()) == 12


async def test_a_vim_that_dies_is_noticed(vim: Vim) -> None:
    sleeping = vim.send_request("TestCommand", "sleep 60")

    os.kill(vim.process.pid, signal.SIGKILL)

    with pytest.raises(VimError, match="Vim has exited"):
        await sleeping
    with pytest.raises(VimError, match="Vim has exited"):
        await vim.eval("1")
    assert await vim.process.wait() == -signal.SIGKILL


async def test_a_vim_that_quits_is_noticed(vim: Vim) -> None:
    await vim.keys(":qall!<CR>")

    assert await vim.process.wait() == 0


@pytest.mark.usefixtures("vim_program")
async def test_a_vim_that_does_not_start_says_why(project: Path, tmp_path: Path) -> None:
    with pytest.raises(VimError, match="Unknown option argument"):
        await Vim.start("--no-such-option", cwd=project, home=tmp_path)


async def test_vim_reads_this_plugin_and_no_settings_of_the_user(
    vim_program: str, project: Path, tmp_path: Path
) -> None:
    (tmp_path / ".vimrc").write_text("let g:read_settings = 1\n")
    scripts = tmp_path / "scripts/plugin"
    scripts.mkdir(parents=True)
    (scripts / "other.vim").write_text("let g:read_plugin = 1\n")

    vim = await Vim.start("--cmd", f"set runtimepath^={scripts.parent}", cwd=project, home=tmp_path)

    assert await vim.eval("[exists('g:read_settings'), g:read_plugin, &compatible]") == [0, 1, 0]
    assert str(ROOT) in (await vim.eval("&runtimepath")).split(",")
    assert Path(await vim.eval("$VIMRUNTIME"), "defaults.vim").is_file()
    await vim.stop()


async def test_a_file_has_its_type(vim: Vim) -> None:
    await vim.command("edit a.py")

    assert await vim.eval("&filetype") == "python"


async def test_swap_files_are_written_only_if_the_test_asks(
    vim: Vim, project: Path, tmp_path: Path
) -> None:
    (project / "a.py").write_text("one\n")
    await vim.keys(":edit a.py<CR>ix<Esc>")
    assert await vim.eval("swapname('')") == ""

    with_swap = await Vim.start("a.py", cwd=project, home=tmp_path, swap_files=True)
    assert await with_swap.eval("swapname('')") != ""
    another = await Vim.start("a.py", cwd=project, home=tmp_path, swap_files=True)
    assert await at_a_prompt(another)
    await until(lambda: "ATTENTION" in another.screen.text(), "the warning")
    await another.stop()
    await with_swap.stop()


async def test_a_client_reads_json_of_every_type(vim: Vim) -> None:
    value = {"list": [1, 2.5, None, True, "text\t\n"], "empty": {}}

    assert await vim.eval(f"json_decode('{json.dumps(value)}')") == value
