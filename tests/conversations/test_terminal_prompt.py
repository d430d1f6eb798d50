"""`:ClaudePrompt`: a prompt in a buffer, typed into the terminal of a CLI by writing it."""

from pathlib import Path

import pytest

from support.claude_cli import CARET
from support.claude_terminal import open_claude
from support.neovim import Neovim, until

TYPED = "getline(1, '$')"


@pytest.fixture
async def claude(nvim: Neovim, tmp_path: Path) -> Path:
    """A CLI with a prompt box, which writes each prompt to a file."""
    log = tmp_path / "prompts.log"
    log.touch()
    script = tmp_path / "claude-with-a-box"
    rule = "─" * 20
    script.write_text(
        "#!/bin/sh\n"
        f"printf '{rule}\\n{CARET} \\n{rule}\\n'\n"
        # A paste is shown in the box; the line that ends it is the prompt.
        "stty -echo -icanon -icrnl\n"
        f'exec perl -e \'$|=1; $r="{rule}"; while (sysread STDIN, $c, 4096) {{ $t .= $c; '
        "if ($t =~ /\\e\\[200~(.*?)\\e\\[201~(\\r)?/s) { "
        f'if ($2) {{ open L, ">>", "{log}"; print L "$1\\n--\\n"; close L; $t = ""; '
        f'print "\\e[2J\\e[H$r\\n{CARET} \\n$r\\n" }} '
        f'else {{ print "\\e[2J\\e[H$r\\n{CARET} $1\\n$r\\n" }} }} '
        "if ($t =~ /quit\\r$/) { exit } }'\n"
    )
    script.chmod(0o755)
    await nvim.lua(
        "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {cmd = ...})", str(script)
    )
    return log


async def is_prompt(nvim: Neovim) -> bool:
    """Whether the user is in the prompt, which has a number while the last one is being removed."""
    return bool(await nvim.eval("bufname() =~# '^Claude terminal prompt'"))


async def write(nvim: Neovim, text: str, command: str = "ClaudePrompt") -> None:
    """Open the prompt and type at its end."""
    await nvim.keys(f":{command}<CR>")
    await until(lambda: is_prompt(nvim))
    await until(lambda: nvim.eval("mode() == 'i'"))
    await nvim.keys(f"{text}<Esc>")
    await until(lambda: nvim.eval("mode() == 'n'"))


async def prompted(log: Path, *prompts: str) -> None:
    """Wait until the CLI has got these prompts."""
    await until(lambda: log.read_text() == "".join(f"{each}\n--\n" for each in prompts))


async def closed(nvim: Neovim) -> None:
    """Wait until no window shows the prompt."""
    await until(lambda: nvim.eval("bufwinid('Claude terminal prompt') == -1"), "it is closed")


@pytest.mark.parametrize("keys", [":w<CR>", ":wq<CR>", ":x<CR>", "ZZ", "<C-s>", "i<C-s>"])
async def test_writing_sends_the_prompt_and_starts_a_cli(
    nvim: Neovim, claude: Path, keys: str
) -> None:
    await write(nvim, "one<CR>two")
    await nvim.keys(keys)

    await prompted(claude, "one\ntwo")
    await closed(nvim)
    assert await nvim.eval("getbufline('Claude terminal prompt', 1, '$')") == [""]


async def test_a_range_is_quoted_with_file_and_lines(
    nvim: Neovim, claude: Path, path: Path
) -> None:
    await write(nvim, "shout", "2,3ClaudePrompt")
    assert await nvim.eval(TYPED) == ["a.py, lines 2-3:", "> two", "> three", "shout"]
    assert await nvim.eval("&filetype") == "markdown"

    await nvim.keys(":w<CR>")

    await prompted(claude, "a.py, lines 2-3:\n> two\n> three\nshout")
    await closed(nvim)


async def test_lines_of_a_buffer_without_a_file_are_quoted(nvim: Neovim, claude: Path) -> None:
    await nvim.command("call setline(1, ['!one', 'two'])")

    await write(nvim, "shout", "1ClaudePrompt")

    assert await nvim.eval(TYPED) == ["buffer [No Name], line 1:", "> !one", "shout"]


async def test_a_prompt_that_is_not_sent_is_kept(nvim: Neovim, claude: Path, path: Path) -> None:
    await write(nvim, "one")
    await nvim.keys(":q<CR>")
    await closed(nvim)

    await write(nvim, "two", "1ClaudePrompt")

    assert await nvim.eval(TYPED) == ["one", "", "a.py, line 1:", "> one", "two"]
    assert claude.read_text() == ""


async def test_quitting_with_a_bang_drops_it_and_the_history_keeps_it(
    nvim: Neovim, claude: Path
) -> None:
    await write(nvim, "one")
    await nvim.keys(":q!<CR>")
    await closed(nvim)

    await write(nvim, "")
    assert await nvim.eval(TYPED) == [""]
    await nvim.keys("<Up>")

    await until(lambda: nvim.eval(f"{TYPED} == ['one']"))
    assert claude.read_text() == ""


async def test_neovim_does_not_quit_with_a_prompt_that_is_not_sent(
    nvim: Neovim, claude: Path
) -> None:
    await write(nvim, "one")

    await nvim.keys(":qa<CR>")

    await until(lambda: "E37" in nvim.screen.text() or "E162" in nvim.screen.text())
    await nvim.keys("<CR>")
    assert await nvim.eval(TYPED) == ["one"]


async def test_without_a_terminal_the_text_stays(nvim: Neovim, claude: Path) -> None:
    await nvim.lua(
        "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {terminal = {side='none'}})"
    )
    await write(nvim, "one")
    await nvim.keys(":wq<CR>")

    await until(lambda: "in a terminal of yours" in nvim.screen.text())
    await until(lambda: is_prompt(nvim))
    assert await nvim.eval(TYPED) == ["one"]


async def test_a_prompt_that_a_cli_did_not_get_returns(nvim: Neovim, program: Path) -> None:
    await open_claude(nvim)
    await nvim.keys("<C-\\><C-n>")
    await write(nvim, "one")
    await nvim.keys(":w<CR>")
    await closed(nvim)
    await nvim.command("call chansend(getbufvar(bufnr('^Claude$'), '&channel'), \"quit\\n\")")
    await until(lambda: "has not got your words" in nvim.screen.text())

    await write(nvim, "")

    assert await nvim.eval(TYPED) == ["one"]


async def test_a_private_file_is_not_quoted(nvim: Neovim, claude: Path, project: Path) -> None:
    (project / ".env").write_text("TOKEN=1\n")
    await nvim.command("edit .env")

    await nvim.keys(":%ClaudePrompt<CR>")

    await until(lambda: ".env" in nvim.screen.text() and "stays" in nvim.screen.text())
    assert not await nvim.eval("bufexists('Claude terminal prompt')")


async def test_a_prompt_that_mentions_a_private_file_stays(
    nvim: Neovim, claude: Path, project: Path
) -> None:
    (project / ".env").write_text("TOKEN=1\n")
    await write(nvim, "look at @.env')")

    await nvim.keys(":w<CR>")

    await until(lambda: "not sent: @.env stays in Neovim" in nvim.screen.text())
    assert await is_prompt(nvim)
    assert await nvim.eval(TYPED) == ["look at @.env')"]


async def test_files_are_completed_before_anything_has_started_the_host(
    nvim: Neovim, project: Path
) -> None:
    (project / "main.py").touch()
    await nvim.keys(":ClaudePrompt<CR>")
    await until(lambda: nvim.eval("mode() == 'i'"))

    await nvim.keys("see @mai")

    offered = "pumvisible() ? map(complete_info(['items']).items, 'v:val.word') : []"
    await until(lambda: _is(nvim, offered, ["@main.py"]), "the file is offered")
    await nvim.keys("<Tab> @nope.py and")
    await until(lambda: "not found" in nvim.screen.text(), "the other one is marked")


@pytest.mark.parametrize(
    ("pasted", "mentions"),
    [("'{}/a b.py'", '@"a b.py" '), ("{0}/a\\ b.py {0}/c.png ", '@"a b.py" @c.png ')],
)
async def test_dropped_files_become_mentions(
    nvim: Neovim, project: Path, pasted: str, mentions: str
) -> None:
    (project / "a b.py").write_text("x\n")
    (project / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    await nvim.keys(":ClaudePrompt<CR>")
    await until(lambda: nvim.eval("mode() == 'i'"))
    await nvim.keys("see ")
    await nvim.idle(100)

    await nvim.request("nvim_paste", pasted.format(project), True, -1)

    await until(lambda: _is(nvim, "getline('.')", f"see {mentions}"), "they are mentioned")


async def _is(nvim: Neovim, expression: str, value: object) -> bool:
    return bool(await nvim.eval(expression) == value)


async def test_commands_are_completed_also_those_of_the_project(
    nvim: Neovim, claude: Path, project: Path
) -> None:
    command = project / ".claude/commands/front/build.md"
    command.parent.mkdir(parents=True)
    command.write_text('---\ndescription: Build it\nargument-hint: "[what]"\n---\nBuild.\n')
    skill = project / ".claude/skills/mend/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("Mend.\n")
    await nvim.keys(":ClaudePrompt<CR>")
    await until(lambda: nvim.eval("mode() == 'i'"))

    await nvim.keys("/")

    offered = "map(complete_info(['items']).items, 'v:val.abbr')"
    names = {"/front:build [what]", "/mend", "/clear"}
    await until(lambda: nvim.eval("pumvisible()"))
    assert names <= set(await nvim.eval(offered))
