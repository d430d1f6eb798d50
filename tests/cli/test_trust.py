"""The real CLI in a folder with its own hooks, helpers, servers, environment and mode.

The two versions of the CLI apply different settings.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from support.chunks import chunk
from support.claude_cli import environment, settle_in, wait_until_saved
from support.either_editor import Editor, on_screen, start_editor
from support.fake_api import FakeApi, text, tool_use
from support.hostile_folder import MEMORY, Hostile
from support.neovim import Neovim, until
from support.panel import Panel

Start = Callable[..., Awaitable[Neovim]]
QUESTION = "? Use the settings "


@pytest.fixture
def cli(each_cli: Path) -> Path:
    """Each of the two versions of the CLI."""
    return each_cli


@pytest.fixture
async def elsewhere(cli: Path) -> AsyncIterator[FakeApi]:
    """The server to which the folder's settings send the user's key."""
    async with FakeApi.serve() as api:
        yield api


@pytest.fixture
def trusted() -> list[str]:
    """The folders that the CLI's own configuration lists as trusted."""
    return []


@pytest.fixture
def config_folder(tmp_path: Path, trusted: list[str]) -> Path:
    """The configuration of a user of the CLI who trusts only the folders in `trusted`."""
    folder = tmp_path / "home" / "claude"
    settle_in(tmp_path / "home", folder, *(tmp_path / name for name in trusted))
    return folder


@pytest.fixture
def hostile(project: Path, tmp_path: Path, elsewhere: FakeApi) -> Hostile:
    """The hostile settings of the project."""
    hostile = Hostile(project, tmp_path / "ran", elsewhere.url)
    hostile.become_repository()
    return hostile


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest,
    cli: Path,
    api: FakeApi,
    hostile: Hostile,
    project: Path,
    tmp_path: Path,
    config_folder: Path,
) -> AsyncIterator[Editor]:
    """A Neovim or a Vim in the project, whose `claude` is the real CLI."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    # 2.1.197 refuses bypassPermissions to root outside of a sandbox.
    given |= {"CLAUDE_CODE_MAX_RETRIES": "1", "IS_SANDBOX": "1"}
    del given["PATH"]
    editor = await start_editor(
        request,
        *("--cmd", f"let g:claude_ide.cmd = '{cli}'"),
        cwd=project,
        home=home,
        env=given,
        columns=120,
        rows=40,
    )
    yield editor
    await editor.stop()


@pytest.fixture
async def panel(nvim: Neovim, cli: Path) -> Panel:
    """A chat in the project."""
    return await Panel.open(nvim, [cli])


def touch(project: Path) -> list[list[dict[str, object]]]:
    """Return turns in which the model wants to create a file."""
    return [[tool_use("Bash", command=f"touch {project}/made")], [text("Done.")]]


async def press(panel: Panel, words: str, key: str, done: Callable[[], Awaitable[bool]]) -> None:
    """Press a key on a line until `done`; the chat ignores keys until the line could be read."""

    async def pressed() -> bool:
        if await done():
            return True
        if await panel.go_to(words):
            await panel.nvim.keys(key)
        return await done()

    await until(pressed, f"{key} answers")
    # A superfluous `y` would wait for a motion.
    await panel.nvim.keys("<Esc>")


async def no_question(panel: Panel) -> bool:
    return QUESTION not in await panel.text()


async def test_a_chat_uses_a_folders_settings_only_after_the_user_trusts_it(
    panel: Panel, hostile: Hostile, project: Path, api: FakeApi, elsewhere: FakeApi
) -> None:
    await panel.shows(QUESTION)
    api.script(*touch(project))
    await panel.send("Make it")
    await panel.shows("? Run this command")
    await press(panel, "? Run this command", "n", lambda: _has(panel, "Done."))
    await panel.shows("── ")

    assert hostile.ran == set()
    assert elsewhere.requests == []
    assert not (project / "made").exists()
    assert MEMORY not in str(api.requests[0].body)

    await press(panel, QUESTION, "y", lambda: no_question(panel))
    await panel.shows("is trusted: Claude restarts with its settings")
    await until(lambda: {"SessionStart", "apiKeyHelper", "server"} <= hostile.ran, "")
    await panel.wait_until_ready()
    elsewhere.script([text("I am elsewhere.")])
    await panel.send("And now?")
    shown = await panel.shows("I am elsewhere.")
    await until(lambda: {"UserPromptSubmit", "Stop"} <= hostile.ran, "")
    assert MEMORY in str(elsewhere.requests[-1].body)
    assert "Make it" in str(elsewhere.requests[-1].body), "it is the same session"
    assert shown.count("» Make it") == 1


async def test_a_continued_answer_uses_a_folders_settings_only_after_the_user_trusts_it(
    nvim: Neovim, hostile: Hostile, api: FakeApi, elsewhere: FakeApi
) -> None:
    api.script([text("It is two.")], [text("Then three.")])
    await nvim.keys(":ClaudeAsk what is it?<CR>")
    await until(lambda: "opens a chat" in nvim.screen.text(), "the answer")

    await nvim.keys("cand then?<C-s>")
    panel = Panel(nvim)
    await panel.shows("Then three.")

    assert QUESTION in await panel.text()
    assert hostile.ran == set()
    assert elsewhere.requests == []
    assert MEMORY not in str([request.body for request in api.requests])


async def _has(panel: Panel, words: str) -> bool:
    return words in await panel.text()


async def test_trusting_before_the_first_prompt_keeps_the_typed_text(
    panel: Panel, hostile: Hostile, elsewhere: FakeApi
) -> None:
    await panel.shows(QUESTION)
    await panel.write()
    await panel.nvim.keys("half a thou")

    await press(panel, QUESTION, "y", lambda: no_question(panel))

    await until(lambda: "SessionStart" in hostile.ran, "the hook")
    await panel.wait_until_ready()
    assert (await panel.look())["prompt"] == ["half a thou"]
    elsewhere.script([text("I see.")])
    await panel.write()
    await panel.nvim.keys("<End>ght<C-s>")
    assert "has ended" not in await panel.shows("I see.")
    assert "half a thought" in elsewhere.requests[-1].new_text


async def test_trusting_during_a_turn_takes_effect_when_it_ends(
    panel: Panel, hostile: Hostile, project: Path, api: FakeApi
) -> None:
    await panel.shows(QUESTION)
    api.script(*touch(project))
    await panel.send("Make it")
    await panel.shows("? Run this command")

    await press(panel, QUESTION, "y", lambda: no_question(panel))
    await panel.shows("Claude restarts when this turn ends with its settings")
    assert hostile.ran == set()
    await press(panel, "? Run this command", "y", lambda: _has(panel, "Done."))

    await until(lambda: "SessionStart" in hostile.ran, "the hook")
    assert (project / "made").exists()


async def test_trusting_keeps_the_mode_that_the_user_has_set(
    panel: Panel, hostile: Hostile
) -> None:
    await panel.shows(QUESTION)
    await panel.nvim.command("stopinsert | ClaudeChat mode plan")
    await panel.bar_shows("plan")

    await press(panel, QUESTION, "y", lambda: no_question(panel))

    await until(lambda: "SessionStart" in hostile.ran, "the hook")
    await panel.wait_until_ready()
    await panel.bar_shows("plan")


async def test_trusting_before_the_first_prompt_of_a_fork_keeps_its_conversation(
    panel: Panel, api: FakeApi, elsewhere: FakeApi, hostile: Hostile, config_folder: Path
) -> None:
    api.script([text("The word is swordfish.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    await wait_until_saved("The word is swordfish.", config_folder)
    await panel.nvim.command("stopinsert | ClaudeChat fork")
    await panel.wait_for_chats(2)
    await panel.shows(QUESTION)

    await press(panel, QUESTION, "y", lambda: no_question(panel))
    await until(lambda: "SessionStart" in hostile.ran, "the hook")
    await panel.wait_until_ready()
    elsewhere.script([text("You were told.")])
    await panel.send("What was it?")

    assert (await panel.shows("You were told.")).count("The word is swordfish.") == 1
    assert "swordfish" in str(elsewhere.requests[-1].body["messages"])


async def test_a_resumed_session_asks_whether_to_trust_the_folder(
    panel: Panel, api: FakeApi, hostile: Hostile, config_folder: Path
) -> None:
    api.script([text("The word is swordfish.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    await wait_until_saved("The word is swordfish.", config_folder)
    await panel.nvim.command("stopinsert | ClaudeChat end")

    async def ended() -> bool:
        return not await panel.look()

    await until(ended, "the chat has ended")
    await panel.nvim.command("ClaudeChat continue")

    await panel.shows("The word is swordfish.")
    await panel.shows(QUESTION)
    await panel.wait_until_ready()
    assert hostile.ran == set()


async def test_an_always_rule_in_an_untrusted_folder_lasts_for_the_session(
    nvim: Neovim, panel: Panel, hostile: Hostile, project: Path, api: FakeApi
) -> None:
    """The CLI would store the rule in a file that it ignores, and ask again."""
    await nvim.lua(chunk("chat_requests/accept_rule"))
    before = sorted(path.name for path in (project / ".claude").iterdir())
    one, two = ([tool_use("Bash", command=f"touch made{n}")] for n in (1, 1))
    api.script(one, two, [text("Done.")])
    await panel.send("Make it twice")
    await panel.shows("? Run this command")

    await press(panel, "? Run this command", "a", lambda: _has(panel, "Done."))

    offered = await nvim.lua("return _G.offered")
    assert "by a rule, for this session" in offered
    assert not [way for way in offered if "project," in way]
    assert sorted(path.name for path in (project / ".claude").iterdir()) == before


async def test_a_declined_folder_is_not_asked_about_again_in_this_neovim(
    panel: Panel, hostile: Hostile, api: FakeApi
) -> None:
    await panel.shows(QUESTION)

    await press(panel, QUESTION, "n", lambda: no_question(panel))

    await panel.nvim.command("stopinsert | ClaudeChat new")
    await panel.wait_for_chats(2)
    api.script([text("Hello.")])
    await panel.send("Greet me")
    assert QUESTION not in await panel.shows("Hello.")
    assert hostile.ran == set()


@pytest.mark.parametrize("trusted", [["project"]])
async def test_a_chat_in_a_trusted_folder_does_not_ask_about_trust(
    panel: Panel, hostile: Hostile, elsewhere: FakeApi
) -> None:
    await until(lambda: {"SessionStart", "apiKeyHelper"} <= hostile.ran, "")
    elsewhere.script([text("Hello.")])
    await panel.send("Greet me")

    assert QUESTION not in await panel.shows("Hello.")


async def ask(nvim: Editor, api: FakeApi) -> None:
    api.script([text("It is forty-two.")])
    await nvim.keys(":ClaudeAsk what is it?<CR>")
    await on_screen(nvim, "It is forty-two.")


async def rewrite(nvim: Editor, api: FakeApi) -> None:
    api.script([tool_use("StructuredOutput", replacement="TWO\n")])
    await nvim.keys(":edit a.py<CR>:2ClaudeEdit shout<CR>")
    await on_screen(nvim, "accept")


async def commit(nvim: Editor, api: FakeApi) -> None:
    api.script([tool_use("StructuredOutput", message="Print one")])
    await nvim.keys(":ClaudeCommit<CR>")
    await on_screen(nvim, "Print one")


async def ask_from_lua(nvim: Neovim, api: FakeApi) -> None:
    api.script([text("It is forty-two.")])
    callback = "function(_, text) _G.text = text end"
    await nvim.command(f"lua require('claude_ide').ask('what?', {{}}, {callback})")
    await until(lambda: nvim.lua("return _G.text == 'It is forty-two.'"), "the answer")


Ask = Callable[[Editor, FakeApi], Awaitable[None]]
IN_BOTH = [(editor, way) for editor in ("neovim", "vim") for way in (ask, rewrite, commit)]
REQUESTS = pytest.mark.parametrize(
    ("nvim", "request_"), [*IN_BOTH, ("neovim", ask_from_lua)], indirect=["nvim"]
)


@REQUESTS
async def test_a_one_off_request_uses_no_settings_of_an_untrusted_folder(
    nvim: Editor, api: FakeApi, elsewhere: FakeApi, hostile: Hostile, request_: Ask
) -> None:
    await request_(nvim, api)

    assert hostile.ran == set()
    assert elsewhere.requests == []
    assert MEMORY not in str(api.requests[0].body)


@REQUESTS
@pytest.mark.parametrize("trusted", [["project"]])
async def test_one_off_requests_apply_trusted_settings_except_hooks_and_servers(
    nvim: Editor, elsewhere: FakeApi, hostile: Hostile, request_: Ask, config_folder: Path
) -> None:
    guard = [{"hooks": [{"type": "command", "command": hostile.note("guard")}]}]
    settings = {"hooks": {"UserPromptSubmit": guard}}
    (config_folder / "settings.json").write_text(json.dumps(settings))

    await request_(nvim, elsewhere)

    assert hostile.ran == {"apiKeyHelper", "guard"}
    assert MEMORY in str(elsewhere.requests[0].body)
    state = config_folder.parent / "state"
    await until(lambda: not list(state.rglob("settings/*")), "the file with its settings is gone")
