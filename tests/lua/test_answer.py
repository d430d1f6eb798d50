"""`headless/answer.lua`: the request of `:ClaudeAsk`, and how its answer is shown."""

from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, until


@pytest.fixture
async def nvim(nvim: Neovim) -> Neovim:
    """A Neovim whose host is this test."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return nvim


async def ask(nvim: Neovim, command: str) -> dict[str, Any]:
    """Run a command, and return its request."""
    await nvim.command(command)
    got = await until(lambda: nvim.events("question_asked"))
    return dict(got[-1])


async def finish(nvim: Neovim, id_: int, ended: dict[str, Any]) -> None:
    await nvim.lua("require('claude_ide.headless').finish(...)", id_, ended)


async def test_a_question_in_a_buffer_without_a_file_includes_no_file_or_lines(
    nvim: Neovim,
) -> None:
    request = await ask(nvim, "ClaudeAsk why | how?")

    assert request["prompt"] == "why | how?"
    assert "file" not in request
    assert "lines" not in request


async def test_lines_of_a_buffer_without_a_file_are_sent_with_the_question(nvim: Neovim) -> None:
    await nvim.command("call setline(1, ['one', 'two'])")

    about = (await ask(nvim, "2ClaudeAsk why?"))["lines"]

    found = {"name": "an unnamed buffer", "first": 2, "last": 2, "text": "two", "paths": []}
    assert about == found


async def test_an_answer_without_updates_is_shown_when_it_ends(nvim: Neovim) -> None:
    request = await ask(nvim, "ClaudeAsk why?")

    await finish(nvim, request["id"], {"result": "because\nof that"})

    assert await nvim.eval("getline(1, '$')") == ["because", "of that"]


async def test_an_error_does_not_remove_the_partial_answer(nvim: Neovim) -> None:
    request = await ask(nvim, "ClaudeAsk why?")
    update = "require('claude_ide.headless').update(...)"
    await nvim.lua(update, request["id"], {"keep": 0, "text": "because"})

    await finish(nvim, request["id"], {"error": "no more"})

    await until(lambda: "no more" in nvim.screen.text())
    assert await nvim.eval("getline(1, '$')") == ["because", "", "no more"]


async def test_a_title_of_several_lines_is_shown_on_one_line(nvim: Neovim) -> None:
    await nvim.lua("vim.ui.input = function(_, answer) answer('why\\nand how?') end")

    await nvim.command("ClaudeAsk")

    await until(lambda: "why and how?" in nvim.screen.text())


async def test_stopping_without_a_question_reports_nothing_to_stop(nvim: Neovim) -> None:
    await nvim.command("ClaudeAsk!")

    await until(lambda: "nothing to stop" in nvim.screen.text())


async def test_a_question_from_the_command_line_window_is_refused(nvim: Neovim) -> None:
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype() == ':'"))

    await nvim.command("ClaudeAsk why?")

    await until(lambda: "close the command-line window first" in nvim.screen.text())
    assert nvim.events("question_asked") == []


async def test_a_question_can_be_asked_in_insert_mode(nvim: Neovim) -> None:
    await nvim.command("inoremap <F2> <Cmd>ClaudeAsk why?<CR>")
    await nvim.keys("ihello<F2>")

    await until(lambda: nvim.eval("[mode(), nvim_win_get_config(0).relative] == ['n', 'editor']"))


class TestContinuing:
    """The key that continues an answer in the chat."""

    @staticmethod
    async def ask(nvim: Neovim) -> dict[str, Any]:
        """Ask what a chat with the agent Otter can continue."""
        request = await ask(nvim, "ClaudeAsk why?")
        update = "require('claude_ide.headless').update(...)"
        await nvim.lua(update, request["id"], {"chat": "otter"})
        return request

    async def test_the_answer_goes_on_in_a_new_chat(self, nvim: Neovim, project: Path) -> None:
        await nvim.command("call setline(1, 'mine')")
        request = await self.ask(nvim)
        await finish(nvim, request["id"], {"result": "because"})
        await until(lambda: "c opens a chat · gy yanks · q closes" in nvim.screen.text())

        await nvim.keys("cand then?")

        [continued] = await until(lambda: nvim.events("question_continued"))
        assert (continued["id"], continued["cwd"]) == (request["id"], str(project))
        await until(lambda: nvim.eval("getline(1) == 'and then?'"), "it is in the prompt")
        chat = await nvim.lua("return require('claude_ide.chat.state').list()[1].options")
        assert (chat["agent"], chat["root"]) == ("otter", str(project))
        # The host closes the answer once it has the chat.
        assert "because" in nvim.screen.text()
        await nvim.lua("require('claude_ide.headless.answer').close(...)", request["id"])
        await until(lambda: "because" not in nvim.screen.text())
        assert nvim.events("question_closed") == [{"id": request["id"]}]
        assert await nvim.eval("getbufline(1, 1, '$')") == ["mine"]

    async def test_a_split_is_continued_too(self, nvim: Neovim) -> None:
        await nvim.command("let g:claude_ide.ask = {'window': 'split'}")
        request = await self.ask(nvim)
        await finish(nvim, request["id"], {"result": "because"})

        await nvim.keys("c")
        await until(lambda: nvim.events("question_continued"))
        await until(lambda: nvim.eval("&filetype == 'claude-prompt'"), "the prompt of the chat")
        await nvim.lua("require('claude_ide.headless.answer').close(...)", request["id"])

        await until(lambda: nvim.eval("winnr('$') == 3"), "the file and the chat")

    async def test_the_chat_opens_in_the_folder_of_the_question(
        self, nvim: Neovim, project: Path
    ) -> None:
        (project / "sub").mkdir()
        request = await self.ask(nvim)
        assert request["cwd"] == str(project)
        await finish(nvim, request["id"], {"result": "because"})
        await nvim.command("cd sub")

        await nvim.keys("c")

        [continued] = await until(lambda: nvim.events("question_continued"))
        assert continued["cwd"] == str(project)

    async def test_a_stopped_answer_can_be_continued(self, nvim: Neovim) -> None:
        request = await self.ask(nvim)
        update = "require('claude_ide.headless').update(...)"
        await nvim.lua(update, request["id"], {"keep": 0, "text": "beca"})
        await nvim.lua("require('claude_ide.headless').cancel(...)", request["id"])

        await nvim.keys("c")

        await until(lambda: nvim.events("question_continued"))

    async def test_an_answer_that_is_not_complete_stays(self, nvim: Neovim) -> None:
        request = await self.ask(nvim)
        update = "require('claude_ide.headless').update(...)"
        await nvim.lua(update, request["id"], {"keep": 0, "text": "beca"})

        await nvim.keys("c")

        await until(lambda: "the answer is not complete yet" in nvim.screen.text())
        assert nvim.events("question_continued") == []
        assert await nvim.eval("getline(1)") == "beca"

    async def test_a_failed_question_cannot_be_continued(self, nvim: Neovim) -> None:
        request = await self.ask(nvim)
        await finish(nvim, request["id"], {"error": "no more"})
        await until(lambda: "gy yanks · q closes" in nvim.screen.text())
        assert "opens a chat" not in nvim.screen.text()

        await nvim.keys("c")

        await until(lambda: "there is no answer to continue" in nvim.screen.text())
        assert nvim.events("question_continued") == []

    async def test_without_a_host_the_answer_stays(self, nvim: Neovim) -> None:
        request = await self.ask(nvim)
        await finish(nvim, request["id"], {"result": "because"})
        await nvim.lua("require('claude_ide.channel').id = nil")

        await nvim.keys("c")

        await until(lambda: "the Python host has ended" in nvim.screen.text())
        assert await nvim.eval("getline(1)") == "because"

    async def test_an_answer_that_no_chat_can_continue_stays(self, nvim: Neovim) -> None:
        request = await ask(nvim, "ClaudeAsk why?")
        await finish(nvim, request["id"], {"result": "because"})
        await until(lambda: "gy yanks · q closes" in nvim.screen.text())
        assert "opens a chat" not in nvim.screen.text()

        await nvim.keys("c")

        await until(lambda: "no chat can continue this answer" in nvim.screen.text())
        assert nvim.events("question_continued") == []
        assert await nvim.eval("getline(1)") == "because"

    async def test_the_user_chooses_another_key(self, nvim: Neovim) -> None:
        await nvim.command("nmap ,c <Plug>(claude-ask-continue)")
        request = await self.ask(nvim)
        await finish(nvim, request["id"], {"result": "because"})
        await until(lambda: ",c opens a chat" in nvim.screen.text())
        assert await nvim.eval("maparg('c', 'n')") == ""

        await nvim.keys(",c")

        await until(lambda: nvim.events("question_continued"))

    async def test_a_commit_message_is_not_continued(self, nvim: Neovim) -> None:
        request = await ask(nvim, "ClaudeCommit")
        await finish(nvim, request["id"], {"text": "Do it"})

        await until(lambda: "Do it" in nvim.screen.text())
        assert "opens a chat" not in nvim.screen.text()
        assert await nvim.eval("maparg('c', 'n') . maparg('<Plug>(claude-ask-continue)', 'n')") == (
            ""
        )
        assert "is_kept" not in request


async def test_a_closed_answer_is_forgotten(nvim: Neovim) -> None:
    request = await ask(nvim, "ClaudeAsk why?")

    await nvim.keys("q")

    await until(lambda: nvim.events("question_closed") == [{"id": request["id"]}])
    assert nvim.events("question_cancelled") == [{"id": request["id"]}]
