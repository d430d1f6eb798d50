"""The real CLI in a folder that brings its own hooks, helpers, servers, environment and mode.

Both versions that are known to differ in what they follow are asked, where both are installed.
"""

import json
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from support.claude_cli import cli_path, environment, older_cli_path, settle_in
from support.fake_api import FakeApi, text, tool_use
from support.headless import shown
from support.hostile import MEMORY, Hostile
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel

Start = Callable[..., Awaitable[Neovim]]
QUESTION = "? Use what "


@pytest.fixture(params=[cli_path(), older_cli_path()], ids=["cli", "older"])
def cli(request: pytest.FixtureRequest) -> Path:
    """One CLI after the other."""
    path: Path = request.param
    if not os.access(path, os.X_OK):
        reason = f"no Claude CLI at {path}"
        if os.environ.get("CLAUDE_IDE_REQUIRE_CLI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture
async def elsewhere(cli: Path) -> AsyncIterator[FakeApi]:
    """The server to which the folder would send the user's key."""
    async with FakeApi.serve() as api:
        yield api


@pytest.fixture
def trusted() -> list[str]:
    """The folders in the CLI's own record."""
    return []


@pytest.fixture
def config_folder(tmp_path: Path, trusted: list[str]) -> Path:
    """That of a settled user of the CLI, who has not trusted the project."""
    folder = tmp_path / "home" / "claude"
    settle_in(tmp_path / "home", folder, *(tmp_path / name for name in trusted))
    return folder


@pytest.fixture
def hostile(project: Path, tmp_path: Path, elsewhere: FakeApi) -> Hostile:
    """What the project brings."""
    return Hostile(project, tmp_path / "ran", elsewhere.url)


@pytest.fixture
async def nvim(
    cli: Path, api: FakeApi, hostile: Hostile, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[Neovim]:
    """A Neovim in the project, whose `claude` is the real one."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    # 2.1.197 refuses bypassPermissions to root outside of a sandbox.
    given |= {"CLAUDE_CODE_MAX_RETRIES": "1", "IS_SANDBOX": "1"}
    del given["PATH"]
    neovim = await Neovim.start(
        *("--cmd", f"let g:claude_ide.cmd = '{cli}'"),
        cwd=project,
        home=home,
        env=given,
        columns=120,
        rows=40,
    )
    yield neovim
    await neovim.stop()


@pytest.fixture
async def panel(nvim: Neovim, cli: Path) -> Panel:
    """A chat in the project."""
    return await Panel.open(nvim, [cli])


def touch(project: Path) -> list[list[dict[str, object]]]:
    """Turns in which the model wants to make a file."""
    return [[tool_use("Bash", command=f"touch {project}/made")], [text("Done.")]]


async def press(panel: Panel, words: str, key: str, what: Callable[[], Awaitable[bool]]) -> None:
    """Press a key on a line, which counts only once the line could be read."""

    async def pressed() -> bool:
        if await what():
            return True
        if await panel.go_to(words):
            await panel.nvim.keys(key)
        return await what()

    await until(pressed, f"{key} answers", PATIENCE)


async def no_question(panel: Panel) -> bool:
    return QUESTION not in await panel.text()


async def test_a_chat_runs_nothing_of_a_folder_before_the_yes_and_all_of_it_after(
    panel: Panel, hostile: Hostile, project: Path, api: FakeApi, elsewhere: FakeApi
) -> None:
    await panel.shows(QUESTION)
    api.script(*touch(project))
    await panel.say("Make it")
    await panel.shows("? May Claude use Bash")
    await press(panel, "? May Claude use Bash", "n", lambda: _has(panel, "Done."))
    await panel.shows("── ")

    assert hostile.ran == set()
    assert elsewhere.requests == []
    assert not (project / "made").exists()
    assert MEMORY not in str(api.requests[0].body)

    await press(panel, QUESTION, "y", lambda: no_question(panel))
    await panel.shows("is trusted: Claude restarts with its settings")
    await until(lambda: {"SessionStart", "apiKeyHelper", "server"} <= hostile.ran, "", PATIENCE)
    await panel.is_ready()
    elsewhere.script([text("I am elsewhere.")])
    await panel.say("And now?")
    shown = await panel.shows("I am elsewhere.")
    await until(lambda: {"UserPromptSubmit", "Stop"} <= hostile.ran, "", PATIENCE)
    assert MEMORY in str(elsewhere.requests[-1].body)
    assert "Make it" in str(elsewhere.requests[-1].body), "it is the same session"
    assert shown.count("» Make it") == 1


async def _has(panel: Panel, words: str) -> bool:
    return words in await panel.text()


async def test_a_yes_before_the_first_prompt_keeps_what_is_typed(
    panel: Panel, hostile: Hostile, elsewhere: FakeApi
) -> None:
    await panel.shows(QUESTION)
    await panel.write()
    await panel.nvim.keys("half a thou")

    await press(panel, QUESTION, "y", lambda: no_question(panel))

    await until(lambda: "SessionStart" in hostile.ran, "the hook", PATIENCE)
    await panel.is_ready()
    assert (await panel.look())["prompt"] == ["half a thou"]
    elsewhere.script([text("I see.")])
    await panel.write()
    await panel.nvim.keys("<End>ght<C-s>")
    assert "has ended" not in await panel.shows("I see.")
    assert "half a thought" in elsewhere.requests[-1].told


async def test_a_yes_during_a_turn_waits_for_its_end(
    panel: Panel, hostile: Hostile, project: Path, api: FakeApi
) -> None:
    await panel.shows(QUESTION)
    api.script(*touch(project))
    await panel.say("Make it")
    await panel.shows("? May Claude use Bash")

    await press(panel, QUESTION, "y", lambda: no_question(panel))
    await panel.shows("Claude restarts when this turn ends with its settings")
    assert hostile.ran == set()
    await press(panel, "? May Claude use Bash", "y", lambda: _has(panel, "Done."))

    await until(lambda: "SessionStart" in hostile.ran, "the hook", PATIENCE)
    assert (project / "made").exists()


async def test_a_no_is_for_this_neovim(panel: Panel, hostile: Hostile, api: FakeApi) -> None:
    await panel.shows(QUESTION)

    await press(panel, QUESTION, "n", lambda: no_question(panel))

    await panel.nvim.command("stopinsert | ClaudeChat new")
    await panel.is_new(2)
    api.script([text("Hello.")])
    await panel.say("Greet me")
    assert QUESTION not in await panel.shows("Hello.")
    assert hostile.ran == set()


@pytest.mark.parametrize("trusted", [["project"], ["."]])
async def test_a_chat_in_a_trusted_folder_asks_nothing(
    panel: Panel, hostile: Hostile, elsewhere: FakeApi
) -> None:
    await until(lambda: {"SessionStart", "apiKeyHelper"} <= hostile.ran, "", PATIENCE)
    elsewhere.script([text("Hello.")])
    await panel.say("Greet me")

    assert QUESTION not in await panel.shows("Hello.")


async def ask(nvim: Neovim, api: FakeApi) -> None:
    api.script([text("It is forty-two.")])
    await nvim.keys(":ClaudeAsk what is it?<CR>")
    await shown(nvim, "It is forty-two.")


async def rewrite(nvim: Neovim, api: FakeApi) -> None:
    api.script([tool_use("StructuredOutput", replacement="TWO\n")])
    await nvim.keys(":edit a.py<CR>:2ClaudeEdit shout<CR>")
    await shown(nvim, "accept")


async def commit(nvim: Neovim, api: FakeApi) -> None:
    api.script([tool_use("StructuredOutput", message="Print one")])
    await nvim.keys(":ClaudeCommit<CR>")
    await shown(nvim, "Print one")


@pytest.fixture
def repository(hostile: Hostile) -> None:
    """The project is one, with a staged file."""
    (hostile.project / "a.py").write_text("one\ntwo\n")
    subprocess.run(["git", "init", "-q"], cwd=hostile.project, check=True)
    subprocess.run(["git", "add", "a.py"], cwd=hostile.project, check=True)


REQUESTS = pytest.mark.parametrize("request_", [ask, rewrite, commit])
Ask = Callable[[Neovim, FakeApi], Awaitable[None]]


@REQUESTS
@pytest.mark.usefixtures("repository")
async def test_a_one_off_request_uses_nothing_of_a_folder_that_is_not_trusted(
    nvim: Neovim, api: FakeApi, elsewhere: FakeApi, hostile: Hostile, request_: Ask
) -> None:
    await request_(nvim, api)

    assert hostile.ran == set()
    assert elsewhere.requests == []
    assert MEMORY not in str(api.requests[0].body)


@REQUESTS
@pytest.mark.parametrize("trusted", [["project"]])
@pytest.mark.usefixtures("repository")
async def test_a_one_off_request_in_a_trusted_folder_follows_all_but_hooks_and_servers(
    nvim: Neovim, elsewhere: FakeApi, hostile: Hostile, request_: Ask, config_folder: Path
) -> None:
    guard = [{"hooks": [{"type": "command", "command": hostile.note("guard")}]}]
    settings = {"hooks": {"UserPromptSubmit": guard}}
    (config_folder / "settings.json").write_text(json.dumps(settings))

    await request_(nvim, elsewhere)

    assert hostile.ran == {"apiKeyHelper", "guard"}
    assert MEMORY in str(elsewhere.requests[0].body)
    state = config_folder.parent / "state"
    await until(lambda: not list(state.rglob("settings/*")), "the file with its settings is gone")
