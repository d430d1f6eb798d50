"""Single questions from the user's key to the CLI and back: a real Neovim, a scripted CLI."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.fake_headless import Asked, FakeHeadless
from support.neovim import Neovim, NvimError, until

TEXT = ["one", "two", "three", "four"]


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, as the test plays it."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def nvim(nvim: Neovim, claude: FakeHeadless) -> Neovim:
    """A Neovim that starts that CLI."""
    await nvim.lua(
        "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, ...)", {"cmd": claude.command}
    )
    return nvim


@pytest.fixture
async def file(nvim: Neovim, project: Path) -> Path:
    """A file of four lines, which Neovim shows."""
    path = project / "a.py"
    path.write_text("\n".join(TEXT) + "\n")
    await nvim.command(f"edit {path}")
    return path


async def lines(nvim: Neovim, buffer: int | str = "%") -> list[str]:
    """The lines of a buffer."""
    name = buffer if isinstance(buffer, int) else f"'{buffer}'"
    got: list[str] = await nvim.eval(f"getbufline({name}, 1, '$')")
    return got


async def shown(nvim: Neovim, words: str) -> None:
    """Wait until words are on the screen."""
    await until(lambda: words in nvim.screen.text(), f"{words!r} on the screen")


async def hidden(nvim: Neovim, words: str) -> None:
    """Wait until words have left the screen."""
    await until(lambda: words not in nvim.screen.text(), f"{words!r} not on the screen")


async def ask(nvim: Neovim, prompt: str, options: dict[str, Any] | None = None) -> None:
    """Call the Lua function; `answers` has what its callbacks get."""
    await nvim.lua(
        """
        local prompt, options = ...
        _G.told, _G.answers = {}, {}
        for _, name in ipairs(options.told or {}) do
          options[name] = function(what)
            table.insert(_G.told, what)
          end
        end
        options.told = nil
        _G.handle = require('claude_ide').ask(prompt, options, function(err, result)
          table.insert(_G.answers, { err = err, result = result, fast = vim.in_fast_event() })
        end)
        """,
        prompt,
        options or {},
    )


async def answers(nvim: Neovim) -> list[dict[str, Any]]:
    """What the callback has got, once it has been called."""
    got: list[dict[str, Any]] = await until(lambda: nvim.lua("return _G.answers"), "an answer")
    return got


async def accept(nvim: Neovim) -> None:
    """Accept the diff that is about to be shown."""
    await diff(nvim)
    await nvim.keys(":w<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")


async def diff(nvim: Neovim) -> None:
    """Wait until a diff is shown and takes keys."""
    await until(lambda: nvim.lua("return (require('claude_ide.diff').list()[1] or {}).shown"))


class TestAsk:
    async def test_the_float_is_there_before_the_host_is(self, nvim: Neovim) -> None:
        await nvim.command("ClaudeAsk what is it?")

        assert await nvim.eval("nvim_win_get_config(0).relative") == "editor"
        await shown(nvim, "what is it?")
        await shown(nvim, "CTRL-C stops")

    async def test_the_answer_grows(self, nvim: Neovim, claude: FakeHeadless) -> None:
        await nvim.keys(":ClaudeAsk what is it?<CR>")
        asked = await claude.asked()
        assert asked.prompt == "what is it?"

        asked.say({"type": "system", "subtype": "status", "status": "requesting"})
        await shown(nvim, "waiting for the answer…")
        asked.begin()
        asked.write("first\nsec")
        await until(lambda: _is(nvim, ["first", "sec"]))
        await hidden(nvim, "waiting")
        asked.write("ond\n\nlast")
        await until(lambda: _is(nvim, ["first", "second", "", "last"]))
        assert await nvim.eval("&filetype") == ""
        asked.end("ignored")

        await until(lambda: nvim.eval("&filetype == 'markdown'"))
        assert await lines(nvim) == ["first", "second", "", "last"]
        assert await nvim.lua("return vim.treesitter.highlighter.active[vim.fn.bufnr()] ~= nil")
        await hidden(nvim, "CTRL-C stops")

    async def test_the_cursor_stays_but_at_the_end(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        asked.begin()
        asked.write("1\n2\n3")
        await until(lambda: _is(nvim, ["1", "2", "3"]))
        assert await nvim.eval("line('.')") == 1

        await nvim.keys("G")
        asked.write("\n4\n5")

        await until(lambda: nvim.eval("line('.') == 5"))

    async def test_a_preview_that_is_void_goes(self, nvim: Neovim, claude: FakeHeadless) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        asked.begin()
        asked.write("half a\nmess")
        await until(lambda: _is(nvim, ["half a", "mess"]))

        asked.say(
            {
                "type": "system",
                "subtype": "api_retry",
                "attempt": 1,
                "max_retries": 3,
                "retry_delay_ms": 4000,
                "error_status": 529,
                "error": "overloaded",
            }
        )

        await until(lambda: _is(nvim, [""]))
        await shown(nvim, "overloaded: trying again in 4 s (1 of 3)")

    async def test_how_the_cli_is_started(
        self, nvim: Neovim, claude: FakeHeadless, project: Path
    ) -> None:
        (project / "sub").mkdir()
        await nvim.command("let $CLAUDECODE = 1 | let g:claude_ide.ask = {'model': 'opus'}")
        await nvim.command("lcd sub | ClaudeAsk x")

        asked = await claude.asked()

        assert asked.cwd == str(project / "sub")
        assert "CLAUDECODE" not in asked.environment
        arguments = asked.arguments
        assert arguments[arguments.index("--tools") + 1] == "Read,Grep,Glob"
        assert arguments[arguments.index("--model") + 1] == "opus"
        assert {"-p", "--strict-mcp-config", "--no-session-persistence"} <= set(arguments)

    async def test_lines_and_their_file_go_along(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.keys("jVj:ClaudeAsk why?<CR>")

        prompt = (await claude.asked()).prompt

        assert f"selected the lines 2 to 3 from {file}:\ntwo\nthree\n" in prompt
        assert prompt.endswith("why?")

    async def test_the_file_is_named_when_there_is_no_range(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("ClaudeAsk why?")

        assert f"The user opened the file {file}" in (await claude.asked()).prompt

    async def test_without_a_question_it_asks_for_one(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk<CR>")
        await shown(nvim, "Ask Claude:")
        await nvim.keys("why?<CR>")

        assert (await claude.asked()).prompt == "why?"

    async def test_no_question_asks_nothing(self, nvim: Neovim) -> None:
        await nvim.keys(":ClaudeAsk<CR>")
        await shown(nvim, "Ask Claude:")

        await nvim.keys("<Esc>")

        await until(lambda: nvim.eval("mode() == 'n'"))
        assert await nvim.eval("winnr('$')") == 1

    @pytest.mark.parametrize("key", ["q", "<lt>Esc>", "ZQ"])
    async def test_closing_the_float_ends_the_cli(
        self, nvim: Neovim, claude: FakeHeadless, key: str
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        bufnr = await nvim.eval("bufnr()")

        await nvim.keys("<Esc>" if key == "<lt>Esc>" else key)

        await asked.gone()
        assert await nvim.eval(f"[bufexists({bufnr}), winnr('$')]") == [0, 1]

    async def test_ctrl_c_ends_the_cli_and_keeps_the_text(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        asked.begin()
        asked.write("half")
        await until(lambda: _is(nvim, ["half"]))

        await nvim.keys("<C-c>")

        await asked.gone()
        await shown(nvim, "cancelled")
        assert await lines(nvim) == ["half"]

    async def test_a_bang_ends_all_of_them(self, nvim: Neovim, claude: FakeHeadless) -> None:
        await nvim.command("ClaudeAsk x")
        await nvim.command("wincmd p | ClaudeAsk y")
        asked = [await claude.asked(), await claude.asked()]
        await nvim.command("wincmd t")

        await nvim.command("ClaudeAsk!")

        for one in asked:
            await one.gone()
        await shown(nvim, "claude-ide: stopped")

    async def test_a_split_is_opened_where_that_is_wanted(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.command("let g:claude_ide.ask = {'window': 'split'} | ClaudeAsk x")
        (await claude.asked()).end("done")

        await until(lambda: _is(nvim, ["done"]))
        assert await nvim.eval("[winnr('$'), nvim_win_get_config(0).relative]") == [2, ""]

    async def test_what_went_wrong_is_shown_below(self, nvim: Neovim, claude: FakeHeadless) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        (await claude.asked()).fail("API Error: 529 overloaded\nmore")

        await shown(nvim, "API Error: 529 overloaded")
        assert "more" not in nvim.screen.text()

    async def test_a_missing_cli_says_how_to_install_it(self, nvim: Neovim) -> None:
        await nvim.command("let g:claude_ide.cmd = 'claude' | let $PATH = ''")

        await nvim.command("ClaudeAsk x")

        await shown(nvim, "claude is not on PATH; npm install -g @anthropic-ai/claude-code")

    async def test_typing_elsewhere_goes_on(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("ClaudeAsk x")
        asked = await claude.asked()
        await nvim.keys("<C-w>p")
        await until(lambda: nvim.eval(f"expand('%:p') == '{file}'"))

        await nvim.keys("Ohello")
        asked.begin()
        asked.write("answer\n" * 50)
        asked.end()
        await until(lambda: nvim.eval("len(getbufline(bufnr('$'), 1, '$')) == 51"))
        await nvim.keys(" there<Esc>")

        await until(lambda: nvim.eval("getline(1) == 'hello there'"))


async def _is(nvim: Neovim, expected: list[str]) -> bool:
    return await lines(nvim) == expected


class TestEdit:
    async def test_what_the_model_is_told(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2,3ClaudeEdit shout please")
        asked = await claude.asked()

        assert "<text>\none\n<rewrite>\ntwo\nthree\n</rewrite>\nfour\n</text>" in asked.prompt
        assert f"{file} (python)" in asked.prompt
        assert "shout please" in asked.prompt
        schema = json.loads(asked.arguments[asked.arguments.index("--json-schema") + 1])
        assert schema["required"] == ["replacement"]
        await shown(nvim, "Claude is rewriting…")

    async def test_an_accepted_rewrite_is_one_change_of_the_buffer(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        await nvim.keys("G")
        (await claude.asked()).fit({"replacement": "TWO\nand a half\n"})
        await accept(nvim)

        await until(lambda: _is(nvim, ["one", "TWO", "and a half", "three", "four"]))
        assert await nvim.eval("[&modified, line('.')]") == [1, 5]
        assert file.read_text() == "one\ntwo\nthree\nfour\n"
        await hidden(nvim, "rewriting")
        await nvim.keys("u")
        await until(lambda: _is(nvim, TEXT))

    async def test_it_is_saved_when_the_user_saves_it(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await accept(nvim)
        await until(lambda: _is(nvim, ["one", "TWO", "three", "four"]))

        await nvim.keys(":w<CR>")

        await until(lambda: file.read_text() == "one\nTWO\nthree\nfour\n")
        assert (await nvim.mode()) == {"mode": "n", "blocking": False}

    async def test_a_rejected_rewrite_changes_nothing(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)

        await nvim.keys(":q<CR>")

        await until(lambda: nvim.eval("tabpagenr('$') == 1"))
        assert await lines(nvim) == TEXT
        assert await nvim.eval("&modified") == 0

    async def test_what_the_user_made_of_it_is_taken(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.keys("ggOzero<Esc>Go five<Esc>")

        await accept(nvim)

        await until(lambda: _is(nvim, ["zero", "one", "TWO", "three", "four", " five"]))

    async def test_the_diff_says_whose_it_is(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.keys("ox<Esc>")
        await nvim.command("1ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "ONE"})
        await diff(nvim)

        await shown(nvim, "Claude's rewrite")
        assert "unsaved" not in nvim.screen.text()

    async def test_the_whole_file_is_rewritten_without_a_range(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("ClaudeEdit shorten")
        asked = await claude.asked()
        assert "<text>\n<rewrite>\none\n" in asked.prompt
        asked.fit({"replacement": "one\n"})
        await accept(nvim)

        await until(lambda: _is(nvim, ["one"]))

    async def test_lines_that_moved_meanwhile_are_found(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("3ClaudeEdit shout")
        asked = await claude.asked()
        await nvim.keys("ggOzero<Esc>Gofive<Esc>:2d<CR>")
        await until(lambda: _is(nvim, ["zero", "two", "three", "four", "five"]))
        asked.fit({"replacement": "THREE"})
        await accept(nvim)

        await until(lambda: _is(nvim, ["zero", "two", "THREE", "four", "five"]))

    async def test_lines_that_were_changed_meanwhile_are_left_alone(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        asked = await claude.asked()
        await nvim.keys("2ggccmine<Esc>")
        await until(lambda: nvim.eval("getline(2) == 'mine'"))
        asked.fit({"replacement": "TWO\nTWO"})

        await shown(nvim, "changed meanwhile; the rewrite is kept in buffer")
        assert await lines(nvim) == ["one", "mine", "three", "four"]
        kept = await nvim.eval("bufnr('$')")
        assert await lines(nvim, kept) == ["TWO", "TWO"]
        assert await nvim.eval("tabpagenr('$')") == 1

    async def test_what_was_edited_beside_the_diff_stays(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.keys("<C-w>hggOzero<Esc><C-w>l")
        await until(lambda: nvim.eval("expand('%') =~ 'claude-ide://'"))

        await accept(nvim)

        await until(lambda: _is(nvim, ["zero", "one", "TWO", "three", "four"]))

    @pytest.mark.parametrize(
        ("content", "after"),
        [
            (b"a\r\nb\r\n", b"a\r\nX\r\n"),
            (b"a\nb", b"a\nX"),
            (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nX\n"),
            ("ä\nö\n".encode(), "ä\nX\n".encode()),
        ],
        ids=["dos", "no newline at the end", "bom", "umlauts"],
    )
    async def test_the_form_of_the_file_stays(
        self, nvim: Neovim, claude: FakeHeadless, project: Path, content: bytes, after: bytes
    ) -> None:
        path = project / "b.txt"
        path.write_bytes(content)
        await nvim.command(f"set nofixendofline | edit {path}")
        await nvim.command("2ClaudeEdit x")
        (await claude.asked()).fit({"replacement": "X\r\n"})
        await accept(nvim)
        await until(lambda: nvim.eval("getline(2) == 'X'"))

        await nvim.command("write")

        assert path.read_bytes() == after

    async def test_a_buffer_without_a_name_is_rewritten(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.command("call setline(1, ['one', 'two'])")
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.keys("<C-w>h")
        assert await lines(nvim) == ["one", "two"]
        await nvim.keys("<C-w>l")
        await accept(nvim)

        await until(lambda: _is(nvim, ["one", "TWO"]))

    async def test_an_empty_buffer_is_filled(self, nvim: Neovim, claude: FakeHeadless) -> None:
        await nvim.command("ClaudeEdit write something")
        (await claude.asked()).fit({"replacement": "some\nthing\n"})
        await accept(nvim)

        await until(lambda: _is(nvim, ["some", "thing"]))

    async def test_lines_are_deleted(self, nvim: Neovim, claude: FakeHeadless, file: Path) -> None:
        await nvim.command("2,3ClaudeEdit delete")
        (await claude.asked()).fit({"replacement": ""})
        await accept(nvim)

        await until(lambda: _is(nvim, ["one", "four"]))

    async def test_a_buffer_that_cannot_be_changed_is_refused_at_once(
        self, nvim: Neovim, file: Path
    ) -> None:
        await nvim.command("set nomodifiable")

        await nvim.keys(":ClaudeEdit x<CR>")

        await shown(nvim, "'modifiable' is off in this buffer")
        assert await nvim.eval("luaeval(\"require('claude_ide.channel').id\")") is None

    async def test_nothing_to_change_is_said(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        (await claude.asked()).fit({"replacement": "two"})

        await shown(nvim, "Claude would change nothing there")
        assert await nvim.eval("[&modified, tabpagenr('$')]") == [0, 1]

    async def test_a_bang_ends_it(self, nvim: Neovim, claude: FakeHeadless, file: Path) -> None:
        await nvim.command("2ClaudeEdit x")
        asked = await claude.asked()
        await shown(nvim, "Claude is rewriting…")

        await nvim.command("ClaudeEdit!")

        await asked.gone()
        await hidden(nvim, "rewriting")
        await shown(nvim, "stopped")

    async def test_the_answer_for_a_buffer_that_is_gone_is_kept(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        asked = await claude.asked()
        await nvim.command("enew | bwipeout 1")
        asked.fit({"replacement": "TWO"})

        await shown(nvim, "the buffer is gone; the rewrite is kept in buffer")

    async def test_an_answer_of_another_shape_is_an_error(
        self, nvim: Neovim, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        (await claude.asked()).fit({"other": 1})

        await shown(nvim, "does not have the lines")
        await hidden(nvim, "rewriting")


COMMENTS = "# Please enter the commit message\n# On branch main\n"


@pytest.fixture
def git(project: Path) -> Any:
    """Runs git in the project, which is a repository with one commit."""

    def run(*arguments: str) -> str:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        command = ["git", *who, *arguments]
        done = subprocess.run(command, cwd=project, check=True, capture_output=True, text=True)
        return done.stdout

    run("init", "-q")
    (project / "a.txt").write_text("old\n")
    run("add", ".")
    run("commit", "-qm", "feat: begin")
    return run


@pytest.fixture
def staged(git: Any, project: Path) -> None:
    """A change of the project is staged."""
    (project / "a.txt").write_text("new\n")
    git("add", ".")


async def open_message(nvim: Neovim, project: Path, text: str) -> None:
    """Have Neovim show a commit message as git leaves it."""
    (project / ".git/COMMIT_EDITMSG").write_text(text)
    await nvim.command("filetype plugin on | edit .git/COMMIT_EDITMSG")
    assert await nvim.eval("&filetype") == "gitcommit"


async def message(claude: FakeHeadless) -> Asked:
    """Have the model write a message."""
    asked = await claude.asked()
    asked.fit({"message": "feat: go on\n\nBecause.\n"})
    return asked


@pytest.mark.usefixtures("staged")
class TestCommit:
    async def test_what_the_model_is_told(
        self, nvim: Neovim, claude: FakeHeadless, project: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)
        await nvim.command("ClaudeCommit")
        asked = await claude.asked()

        for words in ("-old\n+new", "feat: begin", "a.txt | 2 +-"):
            assert words in asked.prompt
        assert asked.arguments[asked.arguments.index("--tools") + 1] == ""
        await shown(nvim, "Claude is writing…")

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("\n" + COMMENTS, "M\n" + COMMENTS),
            (COMMENTS, "M\n" + COMMENTS),
            ("", "M"),
            ("mine\n\n" + COMMENTS, "mine\n\nM\n" + COMMENTS),
            ("mine\n" + COMMENTS, "mine\n\nM\n" + COMMENTS),
            (
                "\n\nSigned-off-by: A <a@b>\n\n" + COMMENTS,
                "M\nSigned-off-by: A <a@b>\n\n" + COMMENTS,
            ),
            (
                "\n# ------------------------ >8 ------------------------\n# Do\ndiff --git a b\n",
                "M\n# ------------------------ >8 ------------------------\n# Do\ndiff --git a b\n",
            ),
        ],
        ids=["empty", "comments", "nothing", "text", "text, tight", "trailers", "scissors"],
    )
    async def test_the_message_comes_above_the_comments(
        self, nvim: Neovim, claude: FakeHeadless, project: Path, before: str, after: str
    ) -> None:
        await open_message(nvim, project, before)
        await nvim.command("ClaudeCommit")
        await message(claude)

        expected = after.replace("M\n", "feat: go on\n\nBecause.\n\n").rstrip("\n")
        expected = expected.replace("M", "feat: go on\n\nBecause.")
        await until(lambda: _is(nvim, expected.split("\n")), expected)
        await nvim.keys("u")
        await until(lambda: _is(nvim, before.rstrip("\n").split("\n")))

    async def test_another_character_may_begin_comments(
        self, nvim: Neovim, claude: FakeHeadless, project: Path, git: Any
    ) -> None:
        git("config", "core.commentChar", ";")
        await open_message(nvim, project, "\n; Please\n")
        await nvim.command("ClaudeCommit")
        await message(claude)

        await until(lambda: _is(nvim, ["feat: go on", "", "Because.", "", "; Please"]))

    async def test_the_message_is_found_in_another_window(
        self, nvim: Neovim, claude: FakeHeadless, project: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)
        bufnr = await nvim.eval("bufnr()")
        await nvim.command("new | ClaudeCommit")
        await message(claude)

        await until(lambda: nvim.eval(f"getbufline({bufnr}, 1) == ['feat: go on']"))
        assert await lines(nvim) == [""]

    async def test_without_a_commit_message_it_is_shown(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.command("ClaudeCommit")
        await message(claude)

        await until(lambda: _is(nvim, ["feat: go on", "", "Because."]))
        await shown(nvim, "Commit message")

    async def test_nothing_staged_is_said(self, nvim: Neovim, git: Any, project: Path) -> None:
        git("commit", "-qm", "x")
        await open_message(nvim, project, "\n" + COMMENTS)

        await nvim.command("ClaudeCommit")

        await shown(nvim, "claude-ide: nothing is staged")

    async def test_a_folder_without_a_repository_is_said(
        self, nvim: Neovim, tmp_path: Path
    ) -> None:
        await nvim.command(f"cd {tmp_path} | ClaudeCommit")

        await shown(nvim, "not a git repository")

    async def test_the_repository_is_that_of_the_message(
        self, nvim: Neovim, claude: FakeHeadless, project: Path, tmp_path: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)

        await nvim.command(f"cd {tmp_path} | ClaudeCommit")

        assert "-old\n+new" in (await claude.asked()).prompt

    async def test_a_huge_change_is_cut(
        self, nvim: Neovim, claude: FakeHeadless, project: Path, git: Any
    ) -> None:
        (project / "big.txt").write_text("a line of it\n" * 100_000)
        git("add", ".")

        await nvim.command("ClaudeCommit")

        prompt = (await claude.asked()).prompt
        assert "(cut)" in prompt
        assert "big.txt" in prompt and "100000 +" in prompt
        assert len(prompt) < 250_000

    async def test_a_bang_ends_it(self, nvim: Neovim, claude: FakeHeadless, project: Path) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)
        await nvim.command("ClaudeCommit")
        asked = await claude.asked()
        await shown(nvim, "Claude is writing…")

        await nvim.command("ClaudeCommit!")

        await asked.gone()
        await hidden(nvim, "writing…")


class TestLua:
    async def test_a_text_is_told_while_it_grows_and_answered_once(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?", {"told": ["on_text"]})
        asked = await claude.asked()
        asked.begin()
        asked.write("for")
        await until(lambda: nvim.lua("return #_G.told == 1"))
        asked.write("ty-two")
        asked.end("forty-two")

        assert await answers(nvim) == [{"result": "forty-two", "fast": False}]
        assert await nvim.lua("return _G.told") == ["for", "forty-two"]

    async def test_json_is_the_whole_result(self, nvim: Neovim, claude: FakeHeadless) -> None:
        await ask(nvim, "what?", {"format": "json"})
        asked = await claude.asked()
        assert "json" in asked.arguments
        asked.end("42", total_cost_usd=0.5)

        [answer] = await answers(nvim)
        assert answer["result"]["total_cost_usd"] == 0.5

    async def test_events_are_told_as_the_cli_says_them(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?", {"format": "stream-json", "told": ["on_event"]})
        asked = await claude.asked()
        asked.say({"type": "novel", "n": [1, None]})
        asked.end("42")

        [answer] = await answers(nvim)
        told = await nvim.lua("return vim.tbl_map(function(e) return e.type end, _G.told)")
        assert told == ["novel", "result"]
        assert answer["result"]["result"] == "42"

    async def test_options_reach_the_cli(
        self, nvim: Neovim, claude: FakeHeadless, tmp_path: Path
    ) -> None:
        schema = {"type": "object"}
        await ask(
            nvim,
            "what?",
            {"schema": schema, "model": "m", "tools": ["Read"], "cwd": str(tmp_path)},
        )
        asked = await claude.asked()

        arguments = asked.arguments
        assert json.loads(arguments[arguments.index("--json-schema") + 1]) == schema
        assert arguments[arguments.index("--model") + 1] == "m"
        assert arguments[arguments.index("--tools") + 1] == "Read"
        assert asked.cwd == str(tmp_path)

    async def test_a_cancelled_question_is_answered_once(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?")
        asked = await claude.asked()

        await nvim.lua("_G.handle:cancel(); _G.handle:cancel()")

        await asked.gone()
        assert await answers(nvim) == [{"err": "cancelled", "fast": False}]

    async def test_what_is_cancelled_at_once_is_not_asked(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "first")
        first = await claude.asked()

        await nvim.lua(
            "for _ = 1, 20 do require('claude_ide').ask('no', nil, function() end):cancel() end"
        )
        await ask(nvim, "last")

        assert (await claude.asked()).prompt == "last"
        first.end()

    async def test_a_cli_that_breaks_off_is_an_error(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?")
        (await claude.asked()).break_off("unknown option\n")

        [answer] = await answers(nvim)
        assert answer["err"] == "Claude Code gave no answer: unknown option"

    async def test_a_folder_that_is_not_there_is_an_error(self, nvim: Neovim) -> None:
        await ask(nvim, "what?", {"cwd": "/no/such/folder"})

        assert (await answers(nvim))[0]["err"] == "no such folder: /no/such/folder"

    async def test_a_host_that_dies_answers_too(self, nvim: Neovim, claude: FakeHeadless) -> None:
        await ask(nvim, "what?")
        await claude.asked()

        await nvim.lua("vim.uv.kill(vim.fn.jobpid(require('claude_ide.channel').id), 'sigkill')")

        assert (await answers(nvim))[0]["err"] == "the Python host has ended"
        await ask(nvim, "again?")
        (await claude.asked()).end("yes")
        assert (await answers(nvim))[0]["result"] == "yes"

    async def test_no_host_answers_too(self, nvim: Neovim) -> None:
        await nvim.command("let g:claude_ide.python = '/no/such/python'")

        await ask(nvim, "what?")

        assert "err" in (await answers(nvim))[0]

    async def test_a_callback_that_fails_causes_no_prompt(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.lua(
            "require('claude_ide').ask('x', nil, function() error('mine\\nis wrong') end)"
        )
        (await claude.asked()).end("42")

        await shown(nvim, "mine is wrong")
        assert (await nvim.mode())["blocking"] is False

    @pytest.mark.parametrize(
        ("call", "complaint"),
        [
            ("ask(1, {}, print)", "prompt: expected string, got number"),
            ("ask(' ', {}, print)", "prompt: expected something to ask"),
            ("ask('x', {})", "callback: expected callable, got nil"),
            ("ask('x', {format = 'xml'}, print)", "format: expected 'text', 'json' or"),
            ("ask('x', {schema = '{}'}, print)", "schema: expected table, got string"),
            ("ask('x', {tools = {1}}, print)", "tools: expected a list of strings"),
            ("ask('x', {on_event = print}, print)", "on_event: expected format = 'stream-json'"),
        ],
    )
    async def test_bad_arguments_are_named(self, nvim: Neovim, call: str, complaint: str) -> None:
        with pytest.raises(NvimError, match=complaint):
            await nvim.lua(f"require('claude_ide').{call}")

    async def test_no_server_is_started_for_a_question(
        self, nvim: Neovim, claude: FakeHeadless, config_folder: Path
    ) -> None:
        await ask(nvim, "what?")
        (await claude.asked()).end("42")
        await answers(nvim)

        assert not (config_folder / "ide").exists()
        assert "CLAUDE_CODE_SSE_PORT" not in await nvim.eval("environ()")


@pytest.mark.parametrize("ending", ["qa!", "execute 'ClaudeStart' | qa!"])
async def test_the_cli_ends_with_neovim(nvim: Neovim, claude: FakeHeadless, ending: str) -> None:
    await ask(nvim, "what?")
    asked = await claude.asked()

    nvim.send_request("nvim_command", ending)

    await asked.gone()
    await asyncio.wait_for(nvim.process.wait(), 15)
    with pytest.raises(ProcessLookupError):
        os.kill(asked.pid, 0)
