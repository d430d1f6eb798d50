"""`:ClaudeAsk`, from the key press to the CLI and back: a real editor, a scripted CLI."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, has_host, hidden, on_screen
from support.fake_headless import FakeHeadless
from support.headless import holds, lines
from support.neovim import Neovim, until
from support.vim import Vim


@BOTH
class TestAsk:
    async def test_the_window_opens_before_the_host_is_ready(self, nvim: Editor) -> None:
        await nvim.command("ClaudeAsk what is it?")

        if isinstance(nvim, Neovim):
            assert await nvim.eval("nvim_win_get_config(0).relative") == "editor"
        await on_screen(nvim, "what is it?")
        await on_screen(nvim, "CTRL-C stops")

    async def test_the_answer_is_shown_as_it_streams(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk what is it?<CR>")
        asked = await claude.asked()
        assert asked.prompt == "what is it?"

        asked.send({"type": "system", "subtype": "status", "status": "requesting"})
        await on_screen(nvim, "waiting for the answer…")
        asked.begin()
        asked.write("first\nsec")
        await until(lambda: holds(nvim, ["first", "sec"]))
        await hidden(nvim, "waiting")
        asked.write("ond\n\nlast")
        await until(lambda: holds(nvim, ["first", "second", "", "last"]))
        assert await nvim.eval("&filetype") == ""
        asked.end("ignored")

        await until(lambda: nvim.eval("&filetype == 'markdown'"))
        assert await lines(nvim) == ["first", "second", "", "last"]
        assert await nvim.eval("&modifiable") == 0
        if isinstance(nvim, Neovim):
            assert await nvim.lua("return vim.treesitter.highlighter.active[vim.fn.bufnr()] ~= nil")
        await hidden(nvim, "CTRL-C stops")

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("[a](http://x/\x1b]0;pwned\x07)\r\nb\x9b", ["[a](http://x/^[]0;pwned^G)", "b<9b>"]),
            ("half \ud800 of one\x00", ["half \ufffd of one^@"]),
        ],
    )
    async def test_control_characters_in_an_answer_are_escaped(
        self, nvim: Editor, claude: FakeHeadless, text: str, shown: list[str]
    ) -> None:
        await nvim.keys(":ClaudeAsk what is it?<CR>")
        asked = await claude.asked()
        asked.begin()
        for letter in text:
            asked.write(letter)
        asked.end()

        await until(lambda: nvim.eval("&filetype == 'markdown'"))
        assert await lines(nvim) == shown

    async def test_the_view_follows_the_answer_only_if_the_cursor_is_on_the_last_line(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        asked.begin()
        asked.write("1\n2\n3")
        await until(lambda: holds(nvim, ["1", "2", "3"]))
        assert await nvim.eval("line('.')") == 1

        await nvim.keys("G")
        asked.write("\n4\n5")

        await until(lambda: nvim.eval("line('.') == 5"))

    async def test_a_partial_answer_is_cleared_when_the_api_retries(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        asked.begin()
        asked.write("half a\nmess")
        await until(lambda: holds(nvim, ["half a", "mess"]))

        asked.send(
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

        await until(lambda: holds(nvim, [""]))
        await on_screen(nvim, "overloaded: trying again in 4 s (1 of 3)")

    async def test_the_cli_is_started_in_the_current_folder_with_the_configured_options(
        self, nvim: Editor, claude: FakeHeadless, project: Path
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

    async def test_a_range_is_sent_with_the_name_of_its_file(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.keys("jVj:ClaudeAsk why?<CR>")

        prompt = (await claude.asked()).prompt

        assert f"selected the lines 2 to 3 from {file}:\ntwo\nthree\n" in prompt
        assert prompt.endswith("why?")

    async def test_the_file_is_named_when_there_is_no_range(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("ClaudeAsk why?")

        assert f"The user opened the file {file}" in (await claude.asked()).prompt

    async def test_without_an_argument_the_command_asks_for_a_question(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk<CR>")
        await on_screen(nvim, "Ask Claude:")
        await nvim.keys("why?<CR>")

        assert (await claude.asked()).prompt == "why?"

    @pytest.mark.parametrize("key", ["<Esc>", "<CR>", " <CR>", "x<Esc>", "x<C-c>"])
    async def test_an_empty_or_cancelled_question_is_not_sent(self, nvim: Editor, key: str) -> None:
        await nvim.keys(":ClaudeAsk<CR>")
        await on_screen(nvim, "Ask Claude:")

        await nvim.keys(key)

        await until(lambda: nvim.eval("mode() == 'n'"))
        await until(lambda: "Ask Claude:" not in nvim.screen.text(), "the question is gone")
        assert await nvim.eval("winnr('$')") == 1
        assert not await has_host(nvim)

    @pytest.mark.parametrize("key", ["q", "<lt>Esc>", "ZQ"])
    async def test_closing_the_window_ends_the_cli(
        self, nvim: Editor, claude: FakeHeadless, key: str
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        bufnr = await nvim.eval("bufnr()")

        await nvim.keys("<Esc>" if key == "<lt>Esc>" else key)

        await asked.wait_for_end()
        assert await nvim.eval(f"[bufexists({bufnr}), winnr('$')]") == [0, 1]

    async def test_ctrl_c_ends_the_cli_and_keeps_the_text(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        asked = await claude.asked()
        asked.begin()
        asked.write("half")
        await until(lambda: holds(nvim, ["half"]))

        async def cancelled() -> bool:
            # CTRL-C while Neovim draws interrupts the drawing and is not read as a key.
            if "cancelled" not in nvim.screen.text():
                await nvim.keys("<C-c>")
            return "cancelled" in nvim.screen.text()

        await until(cancelled, "the answer is cancelled")

        await asked.wait_for_end()
        assert await lines(nvim) == ["half"]
        await nvim.keys("gy")
        await until(lambda: nvim.eval('getreg() == "half\n"'), "it is yanked")

    async def test_claude_ask_with_a_bang_stops_every_running_question(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.command("ClaudeAsk!")
        await on_screen(nvim, "claude-ide: nothing to stop")
        await nvim.command("ClaudeAsk x")
        await nvim.command("wincmd p | ClaudeAsk y")
        asked = [await claude.asked(), await claude.asked()]
        await nvim.command("wincmd t")

        await nvim.command("ClaudeAsk!")

        for one in asked:
            await one.wait_for_end()
        await on_screen(nvim, "claude-ide: stopped")

    async def test_the_window_option_opens_a_split(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.command("let g:claude_ide.ask = {'window': 'split'} | ClaudeAsk x")
        (await claude.asked()).end("done")

        await until(lambda: holds(nvim, ["done"]))
        assert await nvim.eval("[winnr('$'), win_gettype()]") == [2, ""]

    async def test_an_api_error_is_shown_as_one_line(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.keys(":ClaudeAsk x<CR>")
        (await claude.asked()).fail("API Error: 529 overloaded\nmore")

        await on_screen(nvim, "API Error: 529 overloaded")
        assert "more" not in nvim.screen.text()

    async def test_a_missing_cli_reports_how_to_install_it(self, nvim: Editor) -> None:
        await nvim.command("let g:claude_ide.cmd = 'claude' | let $PATH = ''")

        await nvim.command("ClaudeAsk x")

        check = ":ClaudeCheck" if isinstance(nvim, Vim) else ":checkhealth claude_ide"
        await on_screen(nvim, f"claude is not on PATH ({check} says how to install it)")

    async def test_typing_in_another_window_is_not_interrupted(
        self, nvim: Editor, claude: FakeHeadless, file: Path
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
