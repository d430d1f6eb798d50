"""The permission mode in which `:Claude` starts the real CLI: whether an edit opens as a diff."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from support.claude_cli import CARET
from support.either_editor import (
    BOTH,
    Editor,
    configure,
    happened,
    host_pid,
    host_pids,
    is_serving,
)
from support.fake_api import FakeApi, edit
from support.neovim import until

from .conftest import StartWithCli, diff_opened

pytestmark = BOTH

BYPASS = "--dangerously-skip-permissions"


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest, start_with_cli: StartWithCli, cli: Path, path: Path
) -> Editor:
    """A Neovim or a Vim that shows `path`; the CLI in its terminals uses the stand-in."""
    # As root, the CLI refuses to work without permissions unless it is in a sandbox.
    return await start_with_cli(request, cli, path=path, more={"IS_SANDBOX": "1"})


def allow_bypass(config_folder: Path) -> None:
    """Answer the CLI's warning about the mode in which it asks for nothing."""
    state = config_folder / ".claude.json"
    accepted = json.loads(state.read_text()) | {"bypassPermissionsModeAccepted": True}
    state.write_text(json.dumps(accepted))
    write_settings(config_folder / "settings.json", {"skipDangerousModePermissionPrompt": True})


def write_settings(path: Path, settings: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(settings))


def mode(name: str) -> dict[str, Any]:
    """Return settings of the CLI with a permission mode."""
    return {"permissions": {"defaultMode": name}}


async def ask_for_an_edit(nvim: Editor, api: FakeApi, path: Path, command: str) -> None:
    """Open Claude, and type a prompt that makes the model edit `path`."""
    api.script(*edit(path, "two", "TWO", then="All done."))
    await nvim.keys(f":{command}<CR>")
    await until(lambda: CARET in nvim.screen.text(), "the prompt box")
    await until(lambda: "⧉ In a.py" in nvim.screen.text(), "the CLI is connected")
    await nvim.keys("Shout")
    await until(lambda: "Shout" in nvim.screen.text(), "the prompt is typed")
    await nvim.keys("<CR>")


async def is_written_at_once(nvim: Editor, path: Path) -> None:
    """Wait until the CLI has finished, and check that it has not asked."""
    await until(lambda: "All done." in nvim.screen.text(), "the answer")
    assert path.read_text() == "one\nTWO\n"
    assert await happened(nvim, "ClaudeDiffOpened") == 0


async def test_an_edit_opens_as_a_diff(nvim: Editor, api: FakeApi, path: Path) -> None:
    await ask_for_an_edit(nvim, api, path, "Claude")

    await diff_opened(nvim)
    assert path.read_text() == "one\ntwo\n"
    await nvim.keys(":w<CR>")
    await until(lambda: path.read_text() == "one\nTWO\n", "the edit is written")


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
async def test_the_settings_of_the_folder_do_not_prevent_diffs(
    nvim: Editor, api: FakeApi, path: Path, file: str
) -> None:
    write_settings(path.parent / ".claude" / file, mode("acceptEdits"))

    await ask_for_an_edit(nvim, api, path, "Claude")

    await diff_opened(nvim)
    assert path.read_text() == "one\ntwo\n"


@pytest.mark.parametrize("arguments", ["--permission-mode acceptEdits", BYPASS])
async def test_a_mode_in_the_arguments_wins(
    nvim: Editor, api: FakeApi, path: Path, config_folder: Path, arguments: str
) -> None:
    allow_bypass(config_folder)

    await ask_for_an_edit(nvim, api, path, f"Claude {arguments}")

    await is_written_at_once(nvim, path)


@pytest.mark.parametrize("arguments", [["--permission-mode", "acceptEdits"], [BYPASS]])
async def test_a_mode_in_cmd_wins(
    nvim: Editor, api: FakeApi, cli: Path, path: Path, config_folder: Path, arguments: list[str]
) -> None:
    allow_bypass(config_folder)
    await restart(nvim, {"cmd": [str(cli), *arguments]})

    await ask_for_an_edit(nvim, api, path, "Claude")

    await is_written_at_once(nvim, path)


async def test_a_mode_in_the_users_settings_wins(
    nvim: Editor, api: FakeApi, path: Path, config_folder: Path
) -> None:
    write_settings(config_folder / "settings.json", mode("auto"))

    await ask_for_an_edit(nvim, api, path, "Claude")

    await is_written_at_once(nvim, path)


async def test_the_option_names_another_mode(nvim: Editor, api: FakeApi, path: Path) -> None:
    await restart(nvim, {"terminal": {"mode": "acceptEdits"}})

    await ask_for_an_edit(nvim, api, path, "Claude")

    await is_written_at_once(nvim, path)


async def test_without_the_option_the_cli_decides(
    nvim: Editor, api: FakeApi, path: Path, project: Path
) -> None:
    write_settings(project / ".claude" / "settings.json", mode("acceptEdits"))
    await restart(nvim, {"terminal": {"mode": ""}})

    await ask_for_an_edit(nvim, api, path, "Claude")

    await is_written_at_once(nvim, path)


async def restart(nvim: Editor, options: dict[str, Any]) -> None:
    """Set options, and have the next host read them."""
    await configure(nvim, **options)
    killed = await host_pid(nvim)
    os.kill(killed, signal.SIGKILL)

    async def restarted() -> bool:
        # In Vim, the server of the killed host is known for a moment longer than its process.
        return await host_pids(nvim) not in ([], [killed]) and await is_serving(nvim)

    await until(restarted, "another host serves")
