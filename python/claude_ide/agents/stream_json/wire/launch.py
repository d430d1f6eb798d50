"""How the CLI is started: its arguments, and what of our environment it gets."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from claude_ide import files, git
from claude_ide.agents.agent import NewSession, Opening
from claude_ide.errors import AgentError
from claude_ide.paths import config_folder

ENTRYPOINT = "claude-ide-nvim"
"""Who started the CLI, as it tells its maker; ours, and nobody else's name."""

NOT_INHERITED = ("CLAUDECODE", "CLAUDE_CODE_SSE_PORT")
"""With the one the CLI takes itself for nested; the other would reach what it starts."""

STREAM = (
    *("--output-format", "stream-json"),
    "--verbose",
    *("--input-format", "stream-json"),
    "--include-partial-messages",
    "--replay-user-messages",
    *("--permission-prompt-tool", "stdio"),
)

DEFAULT_MODE = "default"
MODES = (DEFAULT_MODE, "acceptEdits", "plan")
"""The permission modes that every version has, and every user may switch to."""

SETTING_SOURCES = "--setting-sources"

LARGEST_SETTINGS = 1_000_000
"""Bytes of the user's own settings."""

INSTALL = "npm install -g @anthropic-ai/claude-code"


def command(cmd: str | Sequence[str]) -> tuple[str, ...]:
    """Return the words that start the CLI, as the user has configured them.

    Raises `AgentError` with what to do if it is not there.
    """
    words = (cmd,) if isinstance(cmd, str) else tuple(cmd)
    if shutil.which(words[0]) is None:
        hint = f"; {INSTALL}" if words[0] == "claude" else ""
        raise AgentError(f"{words[0]} is not on PATH{hint}")
    return words


def names(words: Iterable[str], option: str) -> bool:
    """Return whether words of a command line name an option."""
    return any(word == option or word.startswith(f"{option}=") for word in words)


class _Permissions(msgspec.Struct):
    defaultMode: str = ""


class _Settings(msgspec.Struct):
    permissions: _Permissions = msgspec.field(default_factory=_Permissions)


@dataclass(frozen=True, slots=True)
class Launch:
    """Which CLI is started, where, and with what; an empty value is the CLI's own choice."""

    command: tuple[str | Path, ...]
    cwd: Path
    environment: Mapping[str, str]
    model: str = ""
    mode: str = ""
    mcp_config: str = ""
    allowed_tools: tuple[str, ...] = ()
    arguments: tuple[str, ...] = field(default=())
    """More arguments, as the user has configured them."""
    trusted: bool = False
    """Whether the user trusts the folder. If not, nothing of the folder's own settings is followed:
    no hook, helper, server, environment or permission mode."""

    def arguments_for(self, opening: Opening) -> list[str | Path]:
        """Return the command that opens a session."""
        return [*self.command, *STREAM, *self.options(), *_opening(opening), *self.arguments]

    def options(self) -> list[str]:
        """Return the arguments that sessions and single questions have in common."""
        given = {
            SETTING_SOURCES: "" if self.follows_folder else "user",
            "--model": self.model,
            "--permission-mode": self._mode,
            "--mcp-config": self.mcp_config,
            "--allowedTools": ",".join(self.allowed_tools),
        }
        return [word for option, value in given.items() if value for word in (option, value)]

    @property
    def follows_folder(self) -> bool:
        """Whether the CLI follows the folder's own settings, or whatever the user's words say."""
        return self.trusted or self.names(SETTING_SOURCES)

    def names(self, option: str) -> bool:
        """Return whether the user's own words name an option."""
        return names(self._words, option)

    @property
    def _words(self) -> tuple[str, ...]:
        return (*map(str, self.command[1:]), *self.arguments)

    @property
    def _is_mode_in_words(self) -> bool:
        return any(word.startswith("-") and "permission" in word for word in self._words)

    @property
    def _mode(self) -> str:
        if self.mode or self.follows_folder or self._is_mode_in_words:
            return self.mode
        # The user's own mode by name: 2.1.197 has obeyed a project's bypassPermissions.
        return _own_mode(self.environment) or DEFAULT_MODE

    def first_mode(self, usual: str) -> str:
        """Return the permission mode that the CLI starts in, or "" where only it can know.

        `usual` is the mode in its settings.
        """
        mode = self._mode or usual or DEFAULT_MODE
        # What the user's own words say of permissions is the CLI's to make sense of; and the modes
        # that are not listed are not granted to everyone.
        if mode not in MODES or self._is_mode_in_words:
            return ""
        return mode

    def child_environment(self) -> dict[str, str]:
        """Return the environment that the CLI gets."""
        inherited = {
            name: value for name, value in self.environment.items() if name not in NOT_INHERITED
        }
        if not self.trusted:
            # 2.1.197 asks git for the status when it starts.
            inherited = git.guarded(inherited, self.cwd)
        return inherited | {
            "CLAUDE_CODE_ENTRYPOINT": ENTRYPOINT,
            "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "true",
        }


def _own_mode(environment: Mapping[str, str]) -> str:
    """Return the mode in the user's own settings, if there is one."""
    path = config_folder(environment) / "settings.json"
    content = files.read_if_sound(path, LARGEST_SETTINGS)
    try:
        return msgspec.json.decode(content or b"{}", type=_Settings).permissions.defaultMode
    except (msgspec.DecodeError, RecursionError):
        return ""


def _opening(opening: Opening) -> list[str]:
    if isinstance(opening, NewSession):
        return ["--session-id", opening.id] if opening.id else []
    resumed = ["--resume", opening.id] if opening.id else ["--continue"]
    return [*resumed, "--fork-session"] if opening.fork else resumed
