"""One-off requests that another agent than Claude answers: a real editor, a scripted agent."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.acp.script import (
    Fake,
    Make,
    Script,
    diff,
    error,
    exit_,
    initialized,
    option,
    permission,
    say,
    tool,
    tool_update,
    write_file,
)
from support.acp.script import until as until_file
from support.either_editor import BOTH, Editor, configure, hidden, name_of, on_screen
from support.fake_headless import FakeHeadless
from support.headless import accept, answers, ask, holds
from support.neovim import Neovim, until

REJECTED = {"outcome": {"outcome": "selected", "optionId": "reject"}}
ALLOWED = {"outcome": {"outcome": "selected", "optionId": "allow"}}
ANSWER_OF = "session/request_permission"

Begin = Callable[..., Awaitable[Fake]]


@pytest.fixture
def begin(nvim: Editor, claude: FakeHeadless, fake_agent: Make) -> Begin:
    """Has an agent, Beaver, that plays a script, in a trusted folder."""

    async def begin(*, trusts: bool = True, headless: str = "", **script: Any) -> Fake:
        agent = fake_agent(Script(**script))
        entry = {"cmd": list(agent.command), "name": "Beaver"}
        await configure(nvim, agents={"beaver": entry}, headless={"agent": headless})
        if trusts:
            await nvim.command("ClaudeTrust yes")
            await on_screen(nvim, "trusted")
        return agent

    return begin


def prompts(agent: Fake) -> list[str]:
    """Return the texts of the prompts that an agent has got."""
    return [
        "".join(block.get("text", "") for block in asked["prompt"])
        for asked in agent.received("session/prompt")
    ]


@BOTH
class TestOtherAgents:
    async def test_a_name_at_the_beginning_chooses_who_is_asked(
        self, nvim: Editor, begin: Begin, file: Path
    ) -> None:
        agent = await begin(prompt=[say("A "), say("dam.")])
        await nvim.keys(":ClaudeAsk @beaver what is it?<CR>")

        await until(lambda: holds(nvim, ["A dam."]))
        (words,) = prompts(agent)
        assert words.endswith("\n\nwhat is it?")
        assert str(file) in words
        (opened,) = agent.received("session/new")
        assert opened["mcpServers"] == []
        (begun,) = agent.received("initialize")
        abilities = begun["clientCapabilities"]
        assert abilities["fs"] == {"readTextFile": False, "writeTextFile": False}
        assert abilities["terminal"] is False

    async def test_the_option_chooses_the_usual_one_and_claude_can_still_be_named(
        self, nvim: Editor, claude: FakeHeadless, begin: Begin
    ) -> None:
        agent = await begin(headless="beaver", prompt=[say("A dam.")])
        await nvim.keys(":ClaudeAsk what is it?<CR>")
        await until(lambda: holds(nvim, ["A dam."]))

        await nvim.keys("q:ClaudeAsk @claude and this?<CR>")

        assert (await claude.asked()).prompt == "and this?"
        assert len(prompts(agent)) == 1

    @pytest.mark.parametrize(
        ("command", "shown"),
        [
            ("ClaudeAsk @nobody hi", 'there is no agent "nobody"'),
            ("ClaudeEdit @nobody hi", 'there is no agent "nobody"'),
            ("ClaudeAsk @@beaver hi", 'there is no agent "@beaver"'),
            ("ClaudeAsk @", "@ is not followed by the name of an agent"),
            ("ClaudeEdit @, hi", "@ is not followed by the name of an agent"),
        ],
    )
    async def test_the_name_of_no_agent_is_an_error(
        self,
        nvim: Editor,
        begin: Begin,
        claude: FakeHeadless,
        file: Path,
        command: str,
        shown: str,
    ) -> None:
        agent = await begin()
        await nvim.keys(f":{command}<CR>")

        await on_screen(nvim, shown)
        assert agent.entries("in") == []

    async def test_a_mention_of_a_file_is_no_name(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.keys(":ClaudeAsk @a.py what is it?<CR>")

        assert (await claude.asked()).prompt.endswith("@a.py what is it?")

    async def test_a_folder_must_be_trusted(self, nvim: Editor, begin: Begin) -> None:
        agent = await begin(trusts=False)
        await nvim.keys(":ClaudeAsk @beaver hi<CR>")

        await on_screen(nvim, "Beaver follows the settings")
        assert agent.entries("in") == []

    async def test_without_words_nobody_is_asked(self, nvim: Editor, begin: Begin) -> None:
        agent = await begin()
        await nvim.keys(":ClaudeAsk @beaver<CR>")

        await on_screen(nvim, "@beaver: what is it to do?")
        assert agent.entries("in") == []

    async def test_an_edit_is_proposed_as_a_diff(
        self, nvim: Editor, begin: Begin, file: Path
    ) -> None:
        read = tool("t", "Read", kind="read"), tool_update("t", status="completed")
        code = "```python\n  TWO\n```"
        await nvim.command("setlocal filetype=python")
        agent = await begin(prompt=[say("I look."), *read, say(f"Here:\n{code}\nDone.")])
        await nvim.command("2ClaudeEdit @beaver shout")

        await on_screen(nvim, "Beaver's rewrite")
        await accept(nvim)
        await until(lambda: holds(nvim, ["one", "  TWO", "three", "four"]))
        assert "shout" in prompts(agent)[0]
        assert "@beaver" not in prompts(agent)[0]
        assert file.read_text() == "one\ntwo\nthree\nfour\n"

    async def test_a_note_says_who_rewrites(
        self, nvim: Editor, begin: Begin, file: Path, tmp_path: Path
    ) -> None:
        await begin(prompt=[until_file(tmp_path / "go"), say("2")])
        await nvim.command("2ClaudeEdit @beaver shout")

        await on_screen(nvim, "two  Beaver is rewriting (")
        (tmp_path / "go").touch()
        await on_screen(nvim, "Beaver's rewrite")

    async def test_what_it_asks_for_is_rejected_but_for_reading_files_of_the_folder(
        self, nvim: Editor, begin: Begin, file: Path
    ) -> None:
        secret = file.parent / ".env"
        secret.write_text("KEY=1\n")
        options = (
            option("always", "allow_always"),
            option("allow", "allow_once"),
            option("reject", "reject_once"),
        )
        reads = [
            permission(name, *options, kind="read", locations=[{"path": str(path)}])
            for name, path in (("r1", file), ("r2", secret), ("r3", Path("/etc/hosts")))
        ]
        changes = [
            permission("e", *options, kind="edit", content=[diff(str(file), "one", "1")]),
            permission("x", *options, kind="execute", rawInput={"command": "rm -r /"}),
        ]
        agent = await begin(prompt=[*reads, *changes, say("Done.")])
        await nvim.keys(":ClaudeAsk @beaver hi<CR>")

        await until(lambda: holds(nvim, ["Done."]))
        answered = [frame["result"] for frame in agent.answers(ANSWER_OF)]
        assert answered == [ALLOWED, REJECTED, REJECTED, REJECTED, REJECTED]

    async def test_an_agent_that_has_changed_a_file_unasked_is_reported(
        self, nvim: Editor, begin: Begin, file: Path
    ) -> None:
        wrote = [
            tool("t", "Edit", kind="edit", status="in_progress"),
            write_file(str(file), "1\n"),
            tool_update("t", status="completed"),
        ]
        await begin(prompt=[*wrote, say("Done.")])
        await nvim.keys(":ClaudeAsk @beaver hi<CR>")

        await on_screen(nvim, "Beaver has changed a file without asking")

    @pytest.mark.parametrize(
        ("script", "shown"),
        [
            ({"new": [error(-32000, "Log in first")]}, "Log in first"),
            ({"prompt": [error(-32603, "the model is down")]}, "the model is down"),
            ({"prompt": [exit_(3)]}, "Beaver gave no answer: exit code 3"),
            ({"prompt": []}, "Beaver gave no answer"),
        ],
    )
    async def test_a_failure_is_shown_in_one_line(
        self, nvim: Editor, begin: Begin, script: dict[str, Any], shown: str
    ) -> None:
        await begin(**script)
        await nvim.keys(":ClaudeAsk @beaver hi<CR>")

        await on_screen(nvim, shown)

    async def test_a_login_that_is_needed_is_explained(self, nvim: Editor, begin: Begin) -> None:
        await begin(prompt=[error(-32000, "Out")])
        await nvim.keys(":ClaudeAsk @beaver hi<CR>")

        chat = "a chat: :ClaudeChat new beaver"
        place = chat if name_of(nvim) == "Neovim" else "its own program"
        await on_screen(nvim, f"Beaver: Out. Log in in {place}")
        await hidden(nvim, "Run :Claude")

    async def test_the_names_are_completed(self, nvim: Editor, begin: Begin) -> None:
        await begin()

        for command in ("ClaudeAsk", "ClaudeEdit", "ClaudeCommit"):
            found = await nvim.eval(f"getcompletion('{command} @', 'cmdline')")
            assert found[0] == "@claude"
            assert {"@beaver", "@codex"} <= set(found)
        assert await nvim.eval("getcompletion('ClaudeAsk @be', 'cmdline')") == ["@beaver"]
        assert await nvim.eval("getcompletion('ClaudeAsk what @be', 'cmdline')") == []

    async def test_what_the_options_refuse_is_not_completed(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        refused = {"a b": {"cmd": "x"}, "a.b": {"cmd": "x"}, "ab": {"cmd": 5}, "abc": {"cmd": ""}}
        await configure(
            nvim,
            agents={**refused, "able": {"cmd": "x"}, "codex": {"cmd": 5}, "goose": False},
            prompts={"a b": "x", "able": "x", "a.b": "x"},
        )

        found = await nvim.eval("getcompletion('ClaudeAsk @', 'cmdline')")

        assert [name for name in found if name.startswith("@ab")] == ["@able"]
        assert not {"@a b", "@a.b", "@goose"} & {*found}
        assert "@codex" in found
        assert await nvim.eval("getcompletion('ClaudeAsk /a', 'cmdline')") == ["/able"]


async def test_a_session_that_nobody_continues_is_deleted(
    nvim: Neovim, begin: Begin, claude: FakeHeadless
) -> None:
    agent = await begin(prompt=[say("yes")])

    await ask(nvim, "hi", {"agent": "beaver"})

    assert (await answers(nvim))[0]["result"] == "yes"
    assert len(agent.received("session/delete")) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"agent": "nobody"}, 'there is no agent "nobody" (g:claude_ide.agents)'),
        ({"agent": "beaver", "format": "stream-json"}, "format: Beaver has no stream-json"),
        ({"agent": "beaver", "tools": ["Bash"]}, "tools: only Claude has Bash"),
        ({"agent": "beaver", "model": "x"}, 'Beaver has no model "x"'),
    ],
)
async def test_what_the_agent_cannot_do_is_an_error(
    nvim: Neovim, begin: Begin, options: dict[str, Any], problem: str
) -> None:
    agent = await begin()

    await ask(nvim, "hi", options)

    assert (await answers(nvim))[0]["err"] == problem
    assert prompts(agent) == []


async def test_a_caller_that_names_the_agent_may_begin_with_any_word(
    nvim: Neovim, begin: Begin
) -> None:
    agent = await begin(prompt=[say("yes")])

    await ask(nvim, "@param is what?", {"agent": "beaver"})

    assert (await answers(nvim))[0]["result"] == "yes"
    assert prompts(agent)[0].endswith("@param is what?")


async def test_an_answer_follows_a_schema(nvim: Neovim, begin: Begin) -> None:
    agent = await begin(prompt=[say('```json\n{"n": 3, "why": "so"}\n```')])
    fields = {"n": {"type": "integer"}, "why": {"type": "string"}}

    await ask(nvim, "hi", {"agent": "beaver", "format": "json", "schema": {"properties": fields}})

    got = (await answers(nvim))[0]["result"]
    assert got["structured_output"] == {"n": 3, "why": "so"}
    assert '"integer"' in prompts(agent)[0]


async def test_the_answer_can_be_continued_in_a_chat_with_the_agent(
    nvim: Neovim, begin: Begin
) -> None:
    agent = await begin(prompt=[say("A dam.")])
    await nvim.keys(":ClaudeAsk @beaver what is it?<CR>")
    await until(lambda: holds(nvim, ["A dam."]))
    await hidden(nvim, "CTRL-C stops")

    await nvim.keys("c")

    await until(lambda: agent.received("session/load") or agent.received("session/resume"))
    assert agent.received("session/delete") == []


async def test_an_answer_of_an_agent_that_cannot_resume_offers_no_chat(
    nvim: Neovim, begin: Begin
) -> None:
    await begin(initialize=[initialized()], prompt=[say("A dam.")])
    await nvim.keys(":ClaudeAsk @beaver what is it?<CR>")
    await until(lambda: holds(nvim, ["A dam."]))
    await on_screen(nvim, "gy yanks · q closes")
    await hidden(nvim, "opens a chat")

    await nvim.keys("c")

    await on_screen(nvim, "no chat can continue this answer")
    assert await holds(nvim, ["A dam."])


async def test_a_chat_without_claude_still_continues_the_answer_of_another_agent(
    nvim: Neovim, begin: Begin
) -> None:
    agent = await begin(prompt=[say("A dam.")])
    await nvim.command("let g:claude_ide.agents.claude = v:false | ClaudeStop")
    await nvim.keys(":ClaudeAsk @beaver what is it?<CR>")
    await on_screen(nvim, "c opens a chat")

    await nvim.keys("c")

    await until(lambda: agent.received("session/load") or agent.received("session/resume"))
