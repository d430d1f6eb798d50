"""`:ClaudeType` and `send()`: any text, put into the prompt of a CLI or sent to it."""

from pathlib import Path
from typing import Any

import pytest

from support.box_cli import BoxCli
from support.cpu_time import seconds_of
from support.either_editor import BOTH, Editor, configure, on_screen, open_terminal
from support.neovim import until
from support.vim import Vim

pytestmark = BOTH

TEXT = "one\ntwo\nthree\n"


@pytest.fixture
async def cli(nvim: Editor, tmp_path: Path, path: Path) -> BoxCli:
    """A CLI that is installed, beside a file of three lines."""
    cli = BoxCli(nvim, tmp_path)
    await cli.install()
    return cli


@pytest.fixture
async def claude(cli: BoxCli) -> BoxCli:
    """The same, which runs."""
    await cli.open()
    return cli


async def send(editor: Editor, text: str, **options: Any) -> None:
    """Call the API of either editor."""
    await editor.call("claude_ide#send", text, options)


async def test_a_text_is_put_into_the_prompt(nvim: Editor, claude: BoxCli) -> None:
    await nvim.keys(":ClaudeType look here | and there<CR>")

    assert await claude.pasted() == ["look here | and there"]
    assert claude.all_sent() == []
    assert await nvim.eval("[mode(), &buftype]") == ["n", ""]


async def test_a_bang_sends_it(nvim: Editor, claude: BoxCli) -> None:
    await nvim.keys(":ClaudeType! look<CR>")

    assert await claude.sent() == ["look"]


async def test_the_api_puts_and_sends(nvim: Editor, claude: BoxCli) -> None:
    await send(nvim, "one\ntwo")
    assert await claude.pasted() == ["one\ntwo"]

    await send(nvim, "three", submit=True)
    await claude.pasted(2)
    await on_screen(nvim, "press Enter there to send them", 20)


async def test_a_second_text_follows_the_first(nvim: Editor, claude: BoxCli) -> None:
    await send(nvim, "one")
    await send(nvim, "two")

    assert await claude.pasted(2) == ["one", " two"]


async def test_what_follows_a_quotation_begins_below_it(nvim: Editor, claude: BoxCli) -> None:
    await nvim.keys(":2ClaudeType see {selection}<CR>")
    await claude.pasted()
    await nvim.keys(":3ClaudeType {selection}<CR>")
    await claude.pasted(2)
    await send(nvim, "why?")
    await claude.pasted(3)

    await nvim.command("ClaudeFocus")
    await until(lambda: nvim.eval("mode() ==# 't'"), "in the terminal")
    await nvim.keys("<CR>")
    (prompt,) = await claude.sent()
    quotations = ["see a.py, line 2:", "> two", "a.py, line 3:", "> three"]
    assert [line.strip() for line in prompt.split("\n")] == [*quotations, "why?"]


async def test_a_terminal_that_the_user_reads_gets_a_text_once(
    nvim: Editor, claude: BoxCli
) -> None:
    await nvim.command("ClaudeFocus")
    await until(lambda: nvim.eval("mode() ==# 't'"), "in the terminal")
    await nvim.keys("<C-w>N" if isinstance(nvim, Vim) else r"<C-\><C-n>")
    await until(lambda: nvim.eval("mode(1) ==# 'nt' || mode() ==# 'n'"), "reading")
    await nvim.command("wincmd p")

    await send(nvim, "one", submit=True)

    assert await claude.sent() == ["one"]
    assert claude.all_pasted() == ["one"]


async def test_a_long_text_costs_the_editor_little(nvim: Editor, claude: BoxCli) -> None:
    words = "an otter\n" * 60_000
    before = seconds_of(nvim.process.pid)

    await send(nvim, f"{words}\nend")

    assert (await claude.pasted())[0].endswith("\nend")
    assert seconds_of(nvim.process.pid) - before < 0.5


async def test_with_focus_the_user_goes_there(nvim: Editor, claude: BoxCli) -> None:
    await send(nvim, "one", focus=True)

    await claude.pasted()
    await until(lambda: nvim.eval("&buftype ==# 'terminal'"))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ClaudeType about {file}", "about @a.py"),
        ("2,3ClaudeType {selection}", "a.py, lines 2-3:\n> two\n> three"),
        ("2ClaudeType about {this}!", "about a.py, line 2:\n> two\n!"),
        ("ClaudeType about {selection}", "about @a.py"),
        ("ClaudeType why {line}", "why a.py, line 1:\n> one"),
        ("ClaudeType {this}", "@a.py#L1, column 1"),
        ("ClaudeType {} { x } } {{file} ${{x}", "{} { x } } {file} ${x}"),
        ("ClaudeType {{{file}}", "{@a.py}"),
        ("ClaudeType {buffers}", "- @a.py"),
        ("ClaudeType {diagnostics}", "no diagnostics"),
    ],
)
async def test_placeholders_are_filled(
    nvim: Editor, claude: BoxCli, command: str, words: str
) -> None:
    await nvim.keys(f":{command.replace('<', '<lt>')}<CR>")

    assert [each.rstrip() for each in await claude.pasted()] == [words]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("see {nope}", "{nope} is not a placeholder"),
        ("see {quickfix}", "{quickfix}: the quickfix list is empty"),
        ("see {loclist}", "{loclist}: the location list is empty"),
        ("see {marks}", "{marks}: no mark is set"),
        ("see {terminal}", "{terminal}: there is no :terminal with output"),
    ],
)
async def test_what_says_nothing_is_an_error_and_nothing_is_sent(
    nvim: Editor, claude: BoxCli, text: str, complaint: str
) -> None:
    await nvim.keys(f":ClaudeType! {text}<CR>")
    await on_screen(nvim, complaint)

    await send(nvim, "next")
    assert await claude.pasted() == ["next"]


async def test_an_unknown_word_in_the_api_is_an_error_and_nothing_is_sent(
    nvim: Editor, claude: BoxCli
) -> None:
    await send(nvim, "see {nope}", submit=True)
    await on_screen(nvim, "{nope} is not a placeholder")

    await send(nvim, "next {{nope}")
    assert await claude.pasted() == ["next {nope}"]
    assert claude.all_sent() == []


async def test_a_class_is_quoted(nvim: Editor, claude: BoxCli, project: Path) -> None:
    (project / "a.c").write_text("int a;\nstruct otter {\n  int fish;\n};\n")
    await nvim.command("edit a.c | setfiletype c | 3")
    await nvim.keys(":ClaudeType {class}<CR>")

    if isinstance(nvim, Vim):
        await on_screen(nvim, "{class}: ")
        assert claude.all_pasted() == []
    else:
        quoted = "a.c, lines 2-4:\n> struct otter {\n>   int fish;\n> };"
        assert await claude.pasted() == [quoted]


async def test_a_block_is_quoted_as_it_was_selected(nvim: Editor, claude: BoxCli) -> None:
    await nvim.keys("gg<C-v>jl:ClaudeType {selection}<CR>")

    assert await claude.pasted() == ["a.py, lines 1-2 (a block):\n> on\n> tw"]


@pytest.mark.parametrize("last", [":ClaudeType {selection}<CR>", "gs"])
@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("gg0l<C-v>jlO", ["bc", " m"]),
        ("3gg0<C-v>gg$", ["abc", "a more", "c"]),
        ("gg0<C-v>jj$", ["abc", "a more", "c"]),
    ],
)
async def test_a_block_may_begin_in_any_corner_and_extend_to_the_ends(
    nvim: Editor, claude: BoxCli, keys: str, lines: list[str], last: str
) -> None:
    await nvim.command("call setline(1, ['abc', 'a more', 'c']) | xmap gs <Plug>(claude-type)")
    await nvim.keys(keys + last)

    (text,) = await claude.pasted()
    heading, *quoted = text.split("\n")
    assert heading.endswith(" (a block):")
    assert quoted == [f"> {line}" for line in lines]
    assert await nvim.eval("mode()") == "n"


async def test_a_part_of_a_line_is_quoted_as_it_was_selected(nvim: Editor, claude: BoxCli) -> None:
    await nvim.keys("3ggvll:ClaudeType {this}<CR>")

    assert await claude.pasted() == ["a.py, line 3 (a part):\n> thr"]


async def test_a_map_in_visual_mode_means_the_selection(nvim: Editor, claude: BoxCli) -> None:
    await nvim.command("xmap Q <Cmd>call claude_ide#send('see {selection}')<CR>")
    await nvim.keys("2ggVjQ")

    assert await claude.pasted() == ["see a.py, lines 2-3:\n> two\n> three"]


async def test_the_operator_takes_text_objects_and_counts(nvim: Editor, claude: BoxCli) -> None:
    await nvim.command("nmap gs <Plug>(claude-type)")
    await nvim.command("xmap gs <Plug>(claude-type)")

    await nvim.keys("3gggsiw")
    assert await claude.pasted() == ["a.py, line 3 (a part):\n> three"]
    await nvim.keys("gg2gsj")
    assert (await claude.pasted(2))[1] == " a.py, lines 1-3:\n> one\n> two\n> three"
    await nvim.keys("gg<C-v>jgs")
    assert (await claude.pasted(3))[2] == " a.py, lines 1-2 (a block):\n> o\n> t"


async def test_a_text_without_a_cli_is_typed_once_there_is_one(nvim: Editor, cli: BoxCli) -> None:
    await send(nvim, "later", focus=False)
    await on_screen(nvim, "saved; Claude gets it when it connects")
    assert cli.all_pasted() == []


async def test_with_focus_a_cli_is_started(nvim: Editor, cli: BoxCli) -> None:
    await send(nvim, "now", focus=True, submit=True)

    assert await cli.sent() == ["now"]


async def test_an_unknown_cli_and_a_missing_chat_are_named(nvim: Editor, claude: BoxCli) -> None:
    await send(nvim, "x", to="nobody")
    await on_screen(nvim, 'no Claude is named "nobody" (1)')
    await send(nvim, "x", to="chat")
    await on_screen(nvim, "there is no chat")

    await send(nvim, "here", to="1")
    await send(nvim, "there", to="terminal")
    assert await claude.pasted(2) == ["here", " there"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"where": "x"}, r"there is no option where \(to, submit, focus\)"),
        ({"submit": "yes"}, "the option submit has a wrong type"),
        ({"to": 1}, "the option to has a wrong type"),
        (5, "the options must be a (table|dictionary)"),
    ],
)
async def test_a_wrong_option_is_an_error_of_one_line(
    nvim: Editor, cli: BoxCli, options: Any, reason: str
) -> None:
    with pytest.raises(Exception, match=f"claude-ide: send: {reason}$"):
        await nvim.call("claude_ide#send", "x", options)


async def test_a_private_file_is_refused_and_left_out_of_lists(
    nvim: Editor, claude: BoxCli, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\n")
    await nvim.command("badd .env")
    await nvim.keys(":ClaudeType {buffers}<CR>")
    assert [each.strip() for each in await claude.pasted()] == ["- @a.py"]

    await nvim.command("edit .env")
    for name in ("file", "selection", "this", "line"):
        await nvim.keys(f":ClaudeType {{{name}}}<CR>")
        await on_screen(nvim, f"{{{name}}}: .env stays in")
    await nvim.keys(":1ClaudeType {this}<CR>")
    await send(nvim, "end")
    assert (await claude.pasted(2))[1] == " end"


async def test_entries_in_private_files_are_left_out_of_the_quickfix_list(
    nvim: Editor, claude: BoxCli, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\n")
    secret = {"filename": ".env", "lnum": 1, "text": "KEY=1"}
    await nvim.call("setqflist", [secret])
    await nvim.keys(":ClaudeType {quickfix}<CR>")
    await on_screen(nvim, "{quickfix}: .env stays in")

    await nvim.call("setqflist", [secret, {"filename": "a.py", "lnum": 2, "text": "odd"}])
    await nvim.keys(":ClaudeType {quickfix}<CR>")

    assert await claude.pasted() == ["- a.py:2: odd"]
    # Vim shows a message for four seconds only.
    await until(
        lambda: nvim.eval("execute('messages') =~# 'left out: .env stays in'"), "it is said"
    )

    await nvim.keys(":copen<CR>:%ClaudeType {selection}<CR>")
    assert (await claude.pasted(2))[1] == " buffer [No Name], lines 1-2:\n> a.py|2| odd"
    await nvim.keys("gg:ClaudeType {line}<CR>")
    await on_screen(nvim, "{line}: .env stays in")


async def test_a_range_of_a_terminal_is_quoted(nvim: Editor, claude: BoxCli, path: Path) -> None:
    script = path.parent / "say"
    script.write_text("#!/bin/sh\nprintf '!five\\nfour\\n'; exec cat\n")
    script.chmod(0o755)
    await open_terminal(nvim, "new", str(script))
    await on_screen(nvim, "four")
    await nvim.keys("<C-w>N" if isinstance(nvim, Vim) else r"<C-\><C-n>")
    await until(lambda: nvim.eval("mode() ==# 'n' || mode(1) ==# 'nt'"))
    await nvim.keys(":%ClaudeSend<CR>")

    (text,) = await claude.pasted()
    assert text.startswith("buffer ")
    assert text.endswith("say, lines 1-2:\n> !five\n> four")


async def test_a_cli_is_named(nvim: Editor, claude: BoxCli) -> None:
    if isinstance(nvim, Vim):
        pytest.skip("Vim has no :ClaudeNew")
    await nvim.keys(":ClaudeNew otter<CR>")
    await until(lambda: nvim.eval("&buftype ==# 'terminal' && mode() ==# 't'"))
    otter = await nvim.eval("bufnr()")
    await nvim.command("ClaudeFocus")

    await send(nvim, "fish", to="otter")

    await until(lambda: nvim.eval(f"join(getbufline({otter}, 1, '$')) =~# 'fish'"), "it has it")
    assert await claude.pasted() == ["fish"]
    await send(nvim, "river", to="otter", focus=True)
    await until(lambda: nvim.eval(f"bufnr() == {otter}"), "the user is there")


async def test_lines_of_a_buffer_without_a_file_are_quoted(nvim: Editor, claude: BoxCli) -> None:
    await nvim.command("enew | call setline(1, ['!one', 'two'])")
    await nvim.keys(":1,2ClaudeSend<CR>")
    assert await claude.pasted() == ["buffer [No Name], lines 1-2:\n> !one\n> two"]

    await nvim.command("setlocal buftype=nofile | file notes")
    await nvim.keys(":2ClaudeType see {this}<CR>")
    assert (await claude.pasted(2))[1] == " see buffer notes, line 2:\n> two"


async def set_contexts(nvim: Editor, vim: str, lua: str) -> None:
    """Set the option `contexts`: to a dict for Vim, or to the fields of a table for Neovim."""
    if isinstance(nvim, Vim):
        await nvim.command(f"let g:claude_ide.contexts = {vim}")
    else:
        table = f"{{ contexts = {{ {lua} }} }}"
        await nvim.lua(f"vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {table})")


async def test_own_placeholders_are_called(nvim: Editor, claude: BoxCli) -> None:
    vim = "{'branch': {here -> '/clear ' .. here.line}, 'none': {_ -> ''}}"
    lua = (
        "branch = function(here) return '/clear ' .. here.line end, none = function() return '' end"
    )
    await set_contexts(nvim, vim, lua)
    await send(nvim, "{branch} now")
    assert await claude.pasted() == ["> /clear 1 now"]
    await send(nvim, "on {branch}")
    assert (await claude.pasted(2))[1] == " on /clear 1"

    await nvim.keys(":ClaudeType {none}<CR>")
    await on_screen(nvim, "{none}: it has nothing to say here")


async def test_own_placeholders_may_end_a_line_and_leave_the_buffer(
    nvim: Editor, claude: BoxCli
) -> None:
    vim = "{'away': {_ -> execute('bwipeout!') .. \"gone\\n\"}}"
    lua = "away = function() vim.cmd('bwipeout!') return 'gone\\n' end"
    await set_contexts(nvim, vim, lua)
    await nvim.keys(":ClaudeType {away} from {line}<CR>")

    assert await claude.pasted() == ["gone from a.py, line 1:\n> one"]


async def test_the_names_are_completed(nvim: Editor, path: Path) -> None:
    async def completed(line: str) -> Any:
        return await nvim.call("getcompletion", line, "cmdline")

    for command in ("ClaudeType", "2ClaudeType!", "ClaudeAsk", "ClaudeEdit", "ClaudeBackground"):
        assert await completed(f"{command} see ({{qu") == ["({quickfix}"]
    assert await completed("ClaudeAsk /ex") == ["/explain"]
    for command in ("ClaudeType", "ClaudeEdit", "ClaudeBackground"):
        assert await completed(f"{command} /ex") == []
    assert "{diff}" in await completed("ClaudeType {")
    assert await completed("ClaudeType {{qu") == []
    assert await completed("ClaudeType {cl") == ([] if isinstance(nvim, Vim) else ["{class}"])


async def test_lists_and_marks_are_told(nvim: Editor, claude: BoxCli) -> None:
    items = [{"filename": "a.py", "lnum": 2, "text": "odd", "type": "W"}]
    await nvim.call("setqflist", items)
    await nvim.command("2mark q")
    await nvim.keys(":ClaudeType {quickfix}<CR>")
    assert await claude.pasted() == ["- a.py:2: warning: odd"]

    await nvim.keys(":ClaudeType {marks}<CR>")
    assert (await claude.pasted(2))[1] == " - q a.py:2: two"

    await nvim.keys(":ClaudeType {visible}<CR>")
    assert "- @a.py#L1-3" in (await claude.pasted(3))[2]


async def test_marks_of_buffers_without_a_file_name_no_file(
    nvim: Editor, claude: BoxCli, project: Path
) -> None:
    await nvim.command("enew | call setline(1, ['un', 'deux']) | 2mark b | 2mark B")
    await nvim.keys(":ClaudeType {marks}<CR>")
    assert [each.strip() for each in (await claude.pasted())[0].split("\n")] == [
        "- b buffer [No Name], line 2: deux",
        "- B buffer [No Name], line 2: deux",
    ]

    await nvim.keys(":edit! a.py<CR>:1mark a<CR>:ClaudeType {marks}<CR>")
    assert (await claude.pasted(2))[1].strip() == "- a a.py:1: one"


async def test_an_ordinary_terminal_is_told(nvim: Editor, claude: BoxCli, path: Path) -> None:
    script = path.parent / "say"
    script.write_text("#!/bin/sh\nprintf '!five\\nfour\\n'; exec cat\n")
    script.chmod(0o755)
    await open_terminal(nvim, "new", str(script))
    await on_screen(nvim, "four")
    await nvim.command("wincmd p")
    await send(nvim, "see {terminal}")

    (text,) = await claude.pasted()
    assert text.startswith("see terminal ")
    assert "\n> !five\n> four" in text


async def test_a_named_prompt_is_sent_with_its_placeholders(
    nvim: Editor, claude: BoxCli, project: Path
) -> None:
    if isinstance(nvim, Vim):
        pytest.skip("Vim has no :ClaudePrompt")
    await configure(nvim, prompts={"why": "Why {that}, {file}?\n{diagnostics}"})
    await nvim.keys(":2ClaudePrompt /explain<CR>")
    assert await claude.sent() == ["Explain this:\na.py, line 2:\n> two"]

    await nvim.keys(":ClaudePrompt /why<CR>")
    assert (await claude.sent(2))[1] == "Why {that}, @a.py?\nno diagnostics"
