"""Chats with several agents: which one a chat gets, their names, and their sessions."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from claude_ide import status
from claude_ide.agents import events, kinds
from claude_ide.agents.agent import ResumeSession, SessionSummary
from claude_ide.agents.requests import Option, OptionKind, PermissionAsked, Replacement
from support.either_editor import choose, type_answer
from support.lists import ListWindow
from support.neovim import WAIT_SECONDS, Neovim, until
from support.panel import CONFIGURE
from support.pond import AGENTS, Pond

OLD = SessionSummary("b-old", "Old wood", datetime(2026, 1, 3, tzinfo=UTC))
ORPHANED = "require('claude_ide.chat.panel').host_ended('the host has ended')"


@pytest.fixture
async def pond(nvim: Neovim, tmp_path: Path) -> AsyncIterator[Pond]:
    """No chat yet."""
    pond = Pond(nvim, tmp_path, needs_trust=False)
    pond.beaver.stored = [OLD]
    await pond.start()
    yield pond
    await pond.close()


async def names(nvim: Neovim) -> list[str]:
    found = await nvim.eval("map(range(1, winnr('$')), 'bufname(winbufnr(v:val))')")
    return [str(name) for name in found]


# Which agent.


async def test_a_named_agent_gets_the_chat_and_names_its_buffers(pond: Pond) -> None:
    await pond.command("new beaver")
    await pond.agent(pond.beaver)
    await pond.panel.wait_until_ready()

    await pond.panel.shows("Beaver · Small")
    assert {"Beaver chat", "Beaver prompt"} <= set(await names(pond.nvim))
    assert pond.otter.agents == []


async def test_a_chat_without_a_name_gets_the_usual_agent(pond: Pond) -> None:
    pond.beaver.is_missing = "Beaver is not installed"
    await pond.command("")
    await pond.agent(pond.otter)
    await pond.panel.wait_until_ready()
    await pond.command("new")
    await pond.agent(pond.otter, 2)

    assert pond.beaver.agents == []
    await until(lambda: pond.nvim.eval("bufexists('Otter chat 2')"), "its name")


async def test_the_chats_of_two_agents_go_on_beside_each_other(pond: Pond) -> None:
    for name, kind in (("otter", pond.otter), ("beaver", pond.beaver)):
        await pond.command(f"new {name}")
        await pond.agent(kind)
        await pond.panel.wait_until_ready()
        await pond.panel.send(f"hello {name}")
        assert await pond.calls(kind.agents[0], "prompt") == [("prompt", f"hello {name}")]


def edit_of(path: Path) -> PermissionAsked:
    allow = Option("a", "Allow", OptionKind.ALLOW_ONCE)
    edits = (Replacement(str(path), "two\n", "one\n"),)
    return PermissionAsked("r1", "", "Edit", {}, (allow,), kind="edit", path=str(path), edits=edits)


async def test_the_requests_of_two_chats_of_an_agent_say_whose_they_are(
    pond: Pond, project: Path
) -> None:
    file = project / "twice.txt"
    file.write_text("one\n")
    await pond.nvim.command("set columns=200")
    for number, words in enumerate(("Mend the dam", "Count the fish"), 1):
        await pond.command("new otter")
        agent = await pond.agent(pond.otter, number)
        await pond.panel.wait_until_ready()
        await pond.panel.send(words)
        await pond.calls(agent, "prompt")
        agent.emit(events.PromptChanged("p2", events.PromptStage.STARTED))
    first, second = pond.otter.agents
    first.emit(events.SessionChanged("s1", "Dam"))
    await pond.nvim.command("stopinsert | wincmd t")

    first.emit(edit_of(file))

    await until(lambda: "[Dam]" in pond.nvim.screen.text(), "the diff names the chat")

    # As if a server ran: without one, the status line names nobody.
    await pond.nvim.lua("vim.fn['claude_ide#status#Report']('clients', 0)")

    async def asking(labels: str) -> bool:
        status = await pond.nvim.lua("return require('claude_ide').statusline()")
        return f"Otter ({labels}): wants you" in status

    await until(lambda: asking("Dam"), "the chat is named")
    second.emit(replace(edit_of(file), edits=(), kind="", request="r2"))
    await until(lambda: asking("Count the fish, Dam"), "both are named")


async def test_an_unknown_agent_is_an_error(pond: Pond) -> None:
    await pond.command('new "crab"')

    await pond.reports('there is no agent "crab" (g:claude_ide.agents)')
    assert await pond.nvim.lua("return #require('claude_ide.chat.state').list()") == 0


async def test_an_agent_that_only_the_editor_knows_leaves_no_empty_panel(pond: Pond) -> None:
    await pond.nvim.lua(CONFIGURE, {"agents": AGENTS | {"crab": AGENTS["otter"]}})
    await pond.command("new crab")

    await pond.reports('there is no agent "crab" (g:claude_ide.agents)')
    chats = "return #require('claude_ide.chat.state').list() == 0"
    await until(lambda: pond.nvim.lua(chats), "no chat")


async def test_the_agents_are_completed(pond: Pond) -> None:
    complete = "getcompletion('ClaudeChat new {}', 'cmdline')"

    assert (await pond.nvim.eval(complete.format("")))[0] == "claude"
    assert await pond.nvim.eval(complete.format("b")) == ["beaver"]
    await pond.nvim.lua(CONFIGURE, {"agents": AGENTS | {"beaver": False}})
    assert await pond.nvim.eval(complete.format("b")) == []


async def test_the_user_chooses_if_several_are_installed(pond: Pond) -> None:
    await pond.nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})
    pond.nvim.send_request("nvim_command", "ClaudeChat new")
    await until(lambda: "2: Beaver" in pond.nvim.screen.text(), "the list")
    assert "1: Otter" in pond.nvim.screen.text()

    await choose(pond.nvim, 2)

    await pond.agent(pond.beaver)
    await pond.panel.wait_until_ready()
    await pond.command("end")


async def test_the_list_can_be_left_without_a_chat(pond: Pond) -> None:
    await pond.nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})
    pond.nvim.send_request("nvim_command", "ClaudeChat new")
    await until(lambda: "2: Beaver" in pond.nvim.screen.text(), "the list")

    await type_answer(pond.nvim, "<Esc>")

    chats = "return #require('claude_ide.chat.state').list() == 0"
    await until(lambda: pond.nvim.lua(chats), "no chat")


async def test_a_missing_agent_shows_what_installs_it_and_starts_when_it_is_there(
    pond: Pond,
) -> None:
    pond.beaver.is_missing = "Beaver is not installed: npm install -g beaver"
    await pond.command("new beaver")
    await pond.panel.shows("Beaver is not installed: npm install -g beaver · R retries")
    assert (await pond.agent(pond.beaver)).calls == []

    pond.beaver.is_missing = ""
    await pond.panel.go_to("Beaver is not")
    await pond.nvim.keys("R")

    await pond.panel.bar_shows("Ask first")


async def test_a_chat_keeps_its_agent_when_the_host_is_restarted(pond: Pond) -> None:
    await pond.command("new beaver")
    agent = await pond.agent(pond.beaver)
    await pond.panel.wait_until_ready()
    await pond.panel.send("hello")
    await pond.calls(agent, "prompt")
    agent.emit(
        events.PromptChanged("p2", events.PromptStage.STARTED),
        events.Text("b1", "Wood!"),
        events.TurnEnded(events.TurnEndReason.COMPLETED),
    )
    await pond.panel.shows("Wood!")
    await pond.nvim.lua("require('claude_ide.chat.state').list()[1].session = 'b-old'")
    await pond.nvim.lua(ORPHANED)

    await pond.start()
    await pond.panel.send("again")

    revived = await pond.agent(pond.beaver, 2)
    assert (await pond.calls(revived, "prompt"))[-1] == ("prompt", "again")
    assert revived.calls[0] == ("start", ResumeSession("b-old"))
    assert pond.otter.agents == []


async def test_the_status_names_the_agent_of_each_chat(pond: Pond, project: Path) -> None:
    await pond.command("new beaver")
    await pond.agent(pond.beaver)
    await pond.panel.wait_until_ready()

    [chat] = pond.here.chats.describe()

    folder = str(project)
    assert chat == {"agent": "Beaver", "state": "open", "title": "", "folder": folder}
    assert status.words_of(chat) == f"Beaver · open · {folder}"
    assert status.words_of(chat | {"title": "Wood"}) == f"Beaver · open · Wood · {folder}"


async def test_a_chat_that_is_being_taken_over_holds_up_no_other(
    pond: Pond, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pond.command("new beaver")
    agent = await pond.agent(pond.beaver)
    await pond.panel.wait_until_ready()
    await pond.panel.send("hello")
    await pond.calls(agent, "prompt")
    agent.emit(
        events.PromptChanged("p2", events.PromptStage.STARTED),
        events.Text("b1", "Wood!"),
        events.TurnEnded(events.TurnEndReason.COMPLETED),
    )
    await pond.panel.shows("Wood!")
    await pond.nvim.lua("require('claude_ide.chat.state').list()[1].session = 'b-old'")
    await pond.nvim.lua(ORPHANED)
    await pond.start()
    asked, gate = asyncio.Event(), asyncio.Event()

    async def check(_folder: Path, _session: str) -> None:
        asked.set()
        await gate.wait()

    monkeypatch.setattr(pond.beaver, "check_session", check)
    await pond.panel.send("again")
    await asyncio.wait_for(asked.wait(), WAIT_SECONDS)

    await pond.nvim.command("tabnew")
    await pond.command("new otter")
    await pond.calls(await pond.agent(pond.otter), "start")

    gate.set()
    await pond.calls(await pond.agent(pond.beaver, 2), "start")


# Sessions.


async def test_the_sessions_of_all_agents_can_be_resumed(pond: Pond) -> None:
    pond.nvim.send_request("nvim_command", "ClaudeChat resume")
    await until(lambda: "Resume:" in pond.nvim.screen.text(), "the list")
    shown = pond.nvim.screen.text()
    assert "1: 2026-01-03 00:00 Beaver Old wood" in shown
    assert "2: 2026-01-02 00:00 Otter An old swim" in shown

    await choose(pond.nvim, 1)

    agent = await pond.agent(pond.beaver)
    assert await pond.calls(agent, "start") == [("start", ResumeSession("b-old"))]


async def test_a_session_is_resumed_by_the_agent_that_has_it(pond: Pond) -> None:
    await pond.command("resume b-old")

    await pond.agent(pond.beaver)
    assert pond.otter.agents == []


async def test_an_unknown_session_is_an_error(pond: Pond) -> None:
    await pond.command("resume none")

    await pond.reports("there is no session none")


async def test_an_agent_that_does_not_answer_hides_no_session_of_the_others(
    pond: Pond, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "LISTED_SECONDS", 1.5)
    pond.otter.listing.clear()
    pond.nvim.send_request("nvim_command", "ClaudeChat resume")

    await pond.reports("asking for sessions: Otter, Beaver")
    await until(lambda: "Old wood" in pond.nvim.screen.text(), "the list")
    assert "An old swim" not in pond.nvim.screen.text()
    await pond.nvim.keys("<Esc>")


async def test_the_usual_agent_may_take_longer_to_name_its_latest_session(
    pond: Pond, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "LISTED_SECONDS", 0.1)
    pond.otter.listing.clear()
    pond.nvim.send_request("nvim_command", "ClaudeChat continue")

    await pond.reports("asking for sessions: Otter")
    pond.otter.listing.set()
    await pond.agent(pond.otter)


async def test_an_agent_that_never_names_its_latest_session_is_reported(
    pond: Pond, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "ALONE_SECONDS", 0.1)
    pond.otter.listing.clear()

    await pond.command("continue")

    await pond.reports("Otter has not listed its sessions within 0 s")


async def test_an_agent_that_cannot_list_its_sessions_is_asked_once(pond: Pond) -> None:
    pond.beaver.capabilities = replace(pond.beaver.capabilities, resume=False)
    for _ in range(2):
        pond.nvim.send_request("nvim_command", "ClaudeChat resume")
        await until(lambda: "An old swim" in pond.nvim.screen.text(), "the list")
        await type_answer(pond.nvim, "<Esc>")
        await until(lambda: "An old swim" not in pond.nvim.screen.text(), "no list")

    assert (pond.otter.listed, pond.beaver.listed) == (2, 1)


async def test_an_agent_that_is_not_installed_is_not_asked(pond: Pond) -> None:
    pond.beaver.is_missing = "Beaver is not installed"
    pond.nvim.send_request("nvim_command", "ClaudeChat resume")
    await until(lambda: "An old swim" in pond.nvim.screen.text(), "the list")

    assert "Otter" not in pond.nvim.screen.text(), "there is only one agent"
    assert pond.beaver.listed == 0
    await pond.nvim.keys("<Esc>")


async def test_the_list_names_the_agent_of_each_session(pond: Pond) -> None:
    sessions = ListWindow(pond.nvim)
    await pond.command("new otter")
    await pond.agent(pond.otter)
    await pond.panel.wait_until_ready()
    await pond.command("list")

    lines = await sessions.shows("Beaver  Old wood", "Otter  An old swim", "Otter  chat  (empty)")
    assert lines[1].startswith("idle ")
    await sessions.press("<CR>", "Old wood")

    agent = await pond.agent(pond.beaver)
    assert await pond.calls(agent, "start") == [("start", ResumeSession("b-old"))]


# Completion of sessions.

RESUME = "getcompletion('ClaudeChat resume {}', 'cmdline')"


async def completes(pond: Pond, *ids: str) -> None:
    """Wait until exactly these sessions are completed, in any order."""

    async def are_completed() -> bool:
        return bool(sorted(await pond.nvim.eval(RESUME.format(""))) == sorted(ids))

    await until(are_completed, f"{ids} are completed")


async def test_the_sessions_that_were_listed_are_completed_and_resumed_without_asking(
    pond: Pond,
) -> None:
    assert await pond.nvim.eval(RESUME.format("")) == []
    await pond.command("list")
    await completes(pond, "b-old", "s-old")
    await ListWindow(pond.nvim).press("q", "An old swim")
    asked = pond.beaver.listed

    await pond.command("resume b-old")

    agent = await pond.agent(pond.beaver)
    assert await pond.calls(agent, "start") == [("start", ResumeSession("b-old"))]
    assert pond.beaver.listed == asked
    assert await pond.nvim.eval(RESUME.format("c")) == []


async def test_the_session_of_a_chat_that_has_ended_is_completed(pond: Pond) -> None:
    pond.otter.stored = pond.beaver.stored = []
    await pond.command("new beaver")
    agent = await pond.agent(pond.beaver)
    await pond.panel.wait_until_ready()
    await completes(pond, "s-1")
    await pond.panel.send("hello")
    await pond.calls(agent, "prompt")
    agent.emit(events.PromptChanged("p2", events.PromptStage.STARTED))
    await until(lambda: pond.here.chats.describe()[0]["state"] == "works", "a turn")

    await pond.command("end")

    chats = "return #require('claude_ide.chat.state').list() == 0"
    await until(lambda: pond.nvim.lua(chats), "no chat")
    await completes(pond, "s-1")
    await pond.command("resume s-1")
    await pond.agent(pond.beaver, 2)
    assert pond.otter.agents == []
