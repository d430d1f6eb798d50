"""`require('claude_ide').ask()` calls its callback exactly once."""

import asyncio
import json
from pathlib import Path

import pytest

from support.either_editor import on_screen
from support.fake_headless import FakeHeadless
from support.headless import answers, ask
from support.neovim import Neovim, NvimError, until
from support.processes import alive


class TestLua:
    async def test_on_text_receives_the_growing_text_and_the_callback_the_answer(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?", {"callbacks": ["on_text"]})
        asked = await claude.asked()
        asked.begin()
        asked.write("for")
        await until(lambda: nvim.lua("return #_G.results == 1"))
        asked.write("ty-two")
        asked.end("forty-two")

        assert await answers(nvim) == [{"result": "forty-two", "fast": False}]
        assert await nvim.lua("return _G.results") == ["for", "forty-two"]

    async def test_text_is_passed_to_the_callbacks_unchanged(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        exact = "\x1b]0;a\x07\r\n\x9b"
        await ask(nvim, "what?", {"callbacks": ["on_text"]})
        asked = await claude.asked()
        asked.begin()
        asked.write(exact)
        asked.end(exact)

        assert [found["result"] for found in await answers(nvim)] == [exact]
        assert await nvim.lua("return _G.results") == [exact]

    async def test_format_json_returns_the_whole_result(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?", {"format": "json"})
        asked = await claude.asked()
        assert "json" in asked.arguments
        asked.end("42", total_cost_usd=0.5)

        [answer] = await answers(nvim)
        assert answer["result"]["total_cost_usd"] == 0.5

    async def test_on_event_receives_events_as_the_cli_sends_them(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?", {"format": "stream-json", "callbacks": ["on_event"]})
        asked = await claude.asked()
        asked.send({"type": "novel", "n": [1, None]})
        asked.end("42")

        [answer] = await answers(nvim)
        types = await nvim.lua("return vim.tbl_map(function(e) return e.type end, _G.results)")
        assert types == ["novel", "result"]
        assert answer["result"]["result"] == "42"

    async def test_options_are_passed_to_the_cli(
        self, nvim: Neovim, claude: FakeHeadless, tmp_path: Path
    ) -> None:
        schema = {"type": "object"}
        await ask(
            nvim, "what?", {"schema": schema, "model": "m", "tools": ["Read"], "cwd": str(tmp_path)}
        )
        asked = await claude.asked()

        arguments = asked.arguments
        assert json.loads(arguments[arguments.index("--json-schema") + 1]) == schema
        assert arguments[arguments.index("--model") + 1] == "m"
        assert arguments[arguments.index("--tools") + 1] == "Read"
        assert asked.cwd == str(tmp_path)

    async def test_a_question_cancelled_twice_is_answered_once(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?")
        asked = await claude.asked()

        await nvim.lua("_G.handle:cancel(); _G.handle:cancel()")

        await asked.wait_for_end()
        assert await answers(nvim) == [{"err": "cancelled", "fast": False}]

    async def test_the_bang_of_claude_ask_does_not_stop_a_question_from_lua(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?")
        asked = await claude.asked()

        await nvim.command("ClaudeAsk!")
        asked.end("this")

        assert await answers(nvim) == [{"result": "this", "fast": False}]

    async def test_a_question_cancelled_immediately_is_not_sent(
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

    async def test_a_cli_that_exits_early_is_an_error(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?")
        (await claude.asked()).break_off("unknown option\n")

        [answer] = await answers(nvim)
        assert answer["err"] == "Claude Code gave no answer: unknown option"

    async def test_a_missing_folder_is_an_error(self, nvim: Neovim) -> None:
        await ask(nvim, "what?", {"cwd": "/no/such/folder"})

        assert (await answers(nvim))[0]["err"] == "no such folder: /no/such/folder"

    async def test_the_callback_runs_if_the_host_dies(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await ask(nvim, "what?")
        await claude.asked()

        await nvim.lua("vim.uv.kill(vim.fn.jobpid(require('claude_ide.channel').id), 'sigkill')")

        assert (await answers(nvim))[0]["err"] == "the Python host has ended"
        await ask(nvim, "again?")
        (await claude.asked()).end("yes")
        assert (await answers(nvim))[0]["result"] == "yes"

    async def test_the_callback_runs_if_the_host_cannot_start(self, nvim: Neovim) -> None:
        await nvim.command("let g:claude_ide.python = '/no/such/python'")

        await ask(nvim, "what?")

        assert "err" in (await answers(nvim))[0]

    async def test_an_error_in_the_callback_is_reported_without_a_prompt(
        self, nvim: Neovim, claude: FakeHeadless
    ) -> None:
        await nvim.lua(
            "require('claude_ide').ask('x', nil, function() error('mine\\nis wrong') end)"
        )
        (await claude.asked()).end("42")

        await on_screen(nvim, "mine is wrong")
        assert (await nvim.mode())["blocking"] is False

    @pytest.mark.parametrize(
        ("call", "complaint"),
        [
            ("ask(1, {}, print)", "prompt: expected string, got number"),
            ("ask(' ', {}, print)", "prompt: expected text, got only blanks"),
            ("ask('x', {})", "callback: expected callable, got nil"),
            ("ask('x', { agnet = 'codex' }, print)", "there is no option agnet"),
            ("ask('x', {format = 'xml'}, print)", "format: expected 'text', 'json' or"),
            ("ask('x', {schema = '{}'}, print)", "schema: expected table, got string"),
            ("ask('x', {tools = {1}}, print)", "tools: expected a list of strings"),
            ("ask('x', {on_event = print}, print)", "on_event: requires format = 'stream-json'"),
        ],
    )
    async def test_invalid_arguments_are_named(
        self, nvim: Neovim, call: str, complaint: str
    ) -> None:
        with pytest.raises(NvimError, match=complaint):
            await nvim.lua(f"require('claude_ide').{call}")

    async def test_a_question_starts_no_server(
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

    await asked.wait_for_end()
    await asyncio.wait_for(nvim.process.wait(), 15)
    await until(lambda: not alive(asked.pid), "the CLI has ended")
