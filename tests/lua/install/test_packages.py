"""`:ClaudeInstall {package}`: a user's package, whose tools the model gets."""

import asyncio
import shutil
from pathlib import Path

import pytest

from support.installations import MINUTE, wait_for_message
from support.installs import wheel
from support.mcp_stdio import mcp_stdio
from support.model_tools import ModelTools
from support.neovim import Neovim

CODE = """
async def shout(arguments):
    \"\"\"Shout a word.\"\"\"
    if not arguments["word"]:
        raise ValueError("nothing to shout\\nat all")
    return arguments["word"].upper()

shout.schema = {"properties": {"word": {"type": "string"}}, "required": ["word"]}

class Whisper:
    name = "whisper"
    description = "Whisper a word."
    read_only = True

    async def run(self, arguments):
        return {"text": "psst"}

whisper = Whisper()

def wrong(arguments):
    return ""
"""
POINTS = """[claude_ide.tools]
shout = voices:shout
gone = voices:gone
whisper_entry = voices:whisper
wrong = voices:wrong
"""


@pytest.fixture
def voices(tmp_path: Path) -> Path:
    return wheel(tmp_path / "wheels", "voices", "1.0", CODE, POINTS)


INSTALL_SECONDS = 5 * MINUTE
"""How long an installation may take. One by pip takes half a minute on an idle machine."""


async def install(nvim: Neovim, package: str = "") -> None:
    """Run `:ClaudeInstall!`, which returns only when it has ended."""
    command = f"ClaudeInstall! {package}".strip()
    await asyncio.wait_for(nvim.send_request("nvim_command", command), INSTALL_SECONDS)


async def test_the_model_gets_the_tools_of_a_package_that_was_added(
    nvim: Neovim, voices: Path, project: Path, tmp_path: Path
) -> None:
    await install(nvim, str(voices))
    await wait_for_message(nvim, "installed, not pinned: ")
    await nvim.command("ClaudeStart")
    await wait_for_message(nvim, "ready (127.0.0.1:")

    folder = {"CLAUDE_CONFIG_DIR": str(tmp_path / "home/claude")}
    async with mcp_stdio(folder, project) as client:
        await client.initialize()
        listed = (await client.request("tools/list"))["result"]["tools"]
        read_only = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in listed}
        assert (read_only["shout"], read_only["whisper"]) == (False, True)
        tools = ModelTools(client)
        assert await tools.text("shout", word="hey") == "HEY"
        assert await tools.text("whisper") == "psst"
        assert await tools.error("shout", word="") == "shout failed: nothing to shout"
    await wait_for_message(nvim, "the tool wrong was not added: it is no coroutine function")
    await wait_for_message(nvim, "the tool gone was not added: AttributeError")


@pytest.mark.parametrize("installer", ["uv", "pip"])
async def test_a_later_installation_keeps_the_package(
    nvim: Neovim, own: Path, voices: Path, tmp_path: Path, installer: str
) -> None:
    if installer == "pip":
        (tmp_path / "bin/uv").unlink()
    await install(nvim, str(voices))
    assert list(own.glob("lib/python3*/site-packages/voices"))
    shutil.rmtree(own)

    await install(nvim)

    assert list(own.glob("lib/python3*/site-packages/voices"))
    assert own.with_name("packages.txt").read_text() == f"{voices}\n"


async def test_a_package_that_cannot_be_installed_is_not_recorded(nvim: Neovim, own: Path) -> None:
    await nvim.command("ClaudeInstall no-such-package-anywhere")
    await wait_for_message(nvim, "see :ClaudeLog")

    assert (own / "pyvenv.cfg").exists()
    assert not own.with_name("packages.txt").exists()


async def uninstall(nvim: Neovim, package: object) -> None:
    """Run `:ClaudeUninstall!`, which returns only when it has ended."""
    command = f"ClaudeUninstall! {package}"
    await asyncio.wait_for(nvim.send_request("nvim_command", command), INSTALL_SECONDS)


@pytest.mark.parametrize("installer", ["uv", "pip"])
async def test_a_package_is_removed(
    nvim: Neovim, own: Path, voices: Path, tmp_path: Path, installer: str
) -> None:
    if installer == "pip":
        (tmp_path / "bin/uv").unlink()
    await install(nvim, str(voices))
    assert await nvim.eval("getcompletion('ClaudeUninstall ', 'cmdline')") == [str(voices)]

    await uninstall(nvim, voices)

    await wait_for_message(nvim, "removed: ")
    assert not list(own.glob("lib/python3*/site-packages/voices"))
    assert list(own.glob("lib/python3*/site-packages/websockets"))
    assert own.with_name("packages.txt").read_text() == ""
    assert await nvim.eval("getcompletion('ClaudeUninstall ', 'cmdline')") == []


async def test_a_package_of_the_plugin_that_the_user_has_added_stays(
    nvim: Neovim, own: Path
) -> None:
    await install(nvim, "h11")

    await uninstall(nvim, "h11")

    await wait_for_message(nvim, "removed: h11")
    assert list(own.glob("lib/python3*/site-packages/h11"))
    assert own.with_name("packages.txt").read_text() == ""


async def test_only_a_package_that_was_added_is_removed(nvim: Neovim, own: Path) -> None:
    await install(nvim)

    await nvim.command("ClaudeUninstall msgspec")

    await wait_for_message(nvim, "You have not installed msgspec")
    assert list(own.glob("lib/python3*/site-packages/msgspec"))
