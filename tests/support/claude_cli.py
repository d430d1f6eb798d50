"""The real Claude CLI in its own terminal, without an account and without a network.

It inherits no environment. It gets its own home and configuration folder, a fake key, and a
stand-in for the model on loopback.
"""

import contextlib
import json
import os
import platform
import re
from pathlib import Path
from typing import Self

from support.fake_api import FakeApi
from support.neovim import ROOT, until
from support.terminal import Terminal

KEY = "sk-ant-not-a-real-key-00001"
CARET = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
RULE = re.compile(r"─{20,}")


def cli_path() -> Path:
    """Return the path of the CLI: `CLAUDE_IDE_TEST_CLI`, or the one that npm has installed."""
    if given := os.environ.get("CLAUDE_IDE_TEST_CLI"):
        return Path(given)
    return ROOT / ".cache/cli/node_modules/@anthropic-ai" / _package() / "claude"


def older_cli_path() -> Path:
    """Return the path of an older CLI: `CLAUDE_IDE_TEST_CLI_OLD`, or the one from npm."""
    if given := os.environ.get("CLAUDE_IDE_TEST_CLI_OLD"):
        return Path(given)
    return ROOT / ".cache/cli197/node_modules/@anthropic-ai" / _package() / "claude"


def _package() -> str:
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"claude-code-{platform.system().lower()}-{machine}"


def environment(api: FakeApi, home: Path, config: Path) -> dict[str, str]:
    """Return the environment of a CLI after `settle_in(home, config)`."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
        "TMPDIR": str(home / "tmp"),
        "CLAUDE_CONFIG_DIR": str(config),
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": api.url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }


class ClaudeCli(Terminal):
    """A Claude CLI, used through its screen and keys."""

    @classmethod
    async def launch(
        cls,
        *arguments: str,
        api: FakeApi,
        cwd: Path,
        home: Path,
        config: Path,
        ide_port: int | None = None,
        program: Path | None = None,
    ) -> Self:
        """Start the CLI in `cwd`, after `settle_in(home, config)`, and wait for its prompt box.

        With `ide_port` its environment names the server, as in an editor's terminal.
        """
        given = environment(api, home, config)
        if ide_port is not None:
            given["CLAUDE_CODE_SSE_PORT"] = str(ide_port)
            given["ENABLE_IDE_INTEGRATION"] = "true"
        cli = await cls.start(program or cli_path(), *arguments, cwd=cwd, env=given)
        await cli.until(lambda: CARET in cli.box(), "the prompt box")
        return cli

    def box(self) -> str:
        """Return the text of the prompt box, between the last two rules on the screen."""
        lines = self.lines()
        rules = [row for row, line in enumerate(lines) if RULE.match(line)]
        return "\n".join(lines[rules[-2] + 1 : rules[-1]]) if len(rules) > 1 else ""

    async def prompt(self, text: str) -> None:
        """Type a prompt and send it."""
        self.type(text)
        # The CLI would regard keys that arrive together with the text as pasted.
        await self.until(lambda: text in self.box(), f"{text!r} is in the prompt box")
        self.press("Enter")

    async def answer(self, key: str) -> None:
        """Press `key` in the dialog that the screen shows."""
        # The CLI discards keys typed just after a dialog has appeared.
        await self.still()
        self.press(key)


def cli_in(project: Path) -> int:
    """Return the pid of the CLI that a chat runs in a folder."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                is_cli = b"stream-json" in (entry / "cmdline").read_bytes()
                if is_cli and (entry / "cwd").readlink() == project.resolve():
                    return int(entry.name)
    raise AssertionError("no CLI is running")


async def wait_until_saved(words: str, config: Path) -> None:
    """Wait until a session with these words is on disk; 2.1.197 writes it with a delay."""

    def kept() -> bool:
        sessions = (config / "projects").glob("*/*.jsonl")
        return any(words in session.read_text(encoding="utf-8") for session in sessions)

    await until(kept, f"{words!r} is on disk")


def settle_in(home: Path, config: Path, *trusted: Path) -> None:
    """Create the folders of a user who has answered the CLI's first questions.

    The CLI trusts the folders `trusted` and their subfolders; but 2.1.197 follows the rules of a
    project only if the project itself is listed.
    """
    (home / "tmp").mkdir(parents=True)
    config.mkdir(parents=True)
    state = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "numStartups": 5,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(folder.resolve()): {"hasTrustDialogAccepted": True} for folder in trusted},
    }
    (config / ".claude.json").write_text(json.dumps(state))
