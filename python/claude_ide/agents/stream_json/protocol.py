"""What a host says to the CLI: its options, then frames, which are JSON objects, one a line."""

import asyncio
import base64
import json
import logging
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from claude_ide.agents import agent
from claude_ide.agents.fields import mapping
from claude_ide.base import files, git, program
from claude_ide.base.errors import AgentError, UserError
from claude_ide.base.names import check_command
from claude_ide.base.paths import config_folder
from claude_ide.base.unicode import readable

LARGEST_SETTINGS_BYTES = 1_000_000

MANAGED = Path(
    "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
)
"""The administrator's folder; the CLI prefers its settings to those of the user."""

MANUAL, DEFAULT = "manual", "default"
"""The mode that asks before each edit: as the CLI shows it, and as its options name it."""

MODE_OPTION = "--permission-mode"

MODES = (MANUAL, "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions")
"""The modes of all versions so far; some depend on the user's account or options."""


class _Permissions(msgspec.Struct):
    defaultMode: str = ""


class _ModeSettings(msgspec.Struct):
    permissions: _Permissions = msgspec.field(default_factory=_Permissions)


def own_mode(environment: Mapping[str, str], managed: Path = MANAGED) -> str:
    """Return the mode that the user, or the administrator, has set; empty if there is none.

    A folder's settings do not count: they belong to whoever wrote the folder.
    """
    return next(filter(None, map(_mode_in, _settings_files(environment, managed))), "")


def terminal_options(
    environment: Mapping[str, str], words: Iterable[str], mode: str, managed: Path = MANAGED
) -> list[str]:
    """Return the options that start a CLI in a terminal in this mode.

    There are none if the command line `words` or the settings name a mode, or `mode` is empty.
    """
    is_named = any(word.startswith("-") and "permission" in word for word in words)
    if not mode or is_named or own_mode(environment, managed):
        return []
    return [MODE_OPTION, given(mode)]


def given_words(words: Iterable[str]) -> Iterator[str]:
    """Yield a command line in which the mode has the name that every version accepts."""
    before = ""
    for word in words:
        option, _, value = word.partition("=")
        if before == MODE_OPTION:
            yield given(word)
        else:
            yield f"{option}={given(value)}" if option == MODE_OPTION and value else word
        before = word


def given(mode: str) -> str:
    """Return a mode as the CLI's options and protocol name it."""
    return DEFAULT if mode == MANUAL else mode


def shown(mode: str) -> str:
    """Return a mode as the CLI shows it to the user."""
    return MANUAL if mode == DEFAULT else mode


def _settings_files(environment: Mapping[str, str], managed: Path) -> Iterator[Path]:
    # Of several files in the folder, the last one counts.
    yield from sorted((managed / "managed-settings.d").glob("*.json"), reverse=True)
    yield managed / "managed-settings.json"
    yield config_folder(environment) / "settings.json"


def _mode_in(path: Path) -> str:
    content = files.read_if_sound(path, LARGEST_SETTINGS_BYTES)
    try:
        return msgspec.json.decode(content or b"{}", type=_ModeSettings).permissions.defaultMode
    except (msgspec.DecodeError, RecursionError):
        return ""


logger = logging.getLogger(__name__)

Frame = dict[str, Any]

INTERRUPTED = "[Request interrupted by user"
"""How the CLI's own words begin at the end of a turn that was stopped."""


def content_of(frame: Frame) -> Any:
    """Return the content of a message: a text, or blocks."""
    return mapping(frame.get("message")).get("content")


def decode_line(line: bytes) -> Frame | None:
    """Decode one line; None if it is not a JSON object."""
    try:
        frame = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        frame = _decode_leniently(line)
    if not isinstance(frame, dict):
        logger.warning("ignored a line that is no frame: %.200r", line)
        return None
    return frame


def encode_line(frame: Frame) -> bytes:
    """Encode one frame in ASCII: the CLI may also treat characters such as U+2028 as line ends."""
    line = json.dumps(frame, separators=(",", ":"))
    # Only then it may have a half of a surrogate pair.
    return (json.dumps(readable(frame), separators=(",", ":")) if "\\ud" in line else line).encode()


def _decode_leniently(line: bytes) -> Any:
    # The CLI cuts texts even within a surrogate pair, which leaves invalid Unicode.
    try:
        return readable(json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


MAY_NOT_MATTER = "This may or may not be related to the current task."


def prompt(id_: str, content: agent.Prompt, priority: str = "") -> Frame:
    """Return a prompt; `priority` is "next" to steer, "now" to redirect."""
    frame: Frame = {
        "type": "user",
        "uuid": id_,
        "session_id": "",
        "parent_tool_use_id": None,
        "origin": {"kind": "human"},
        "message": {"role": "user", "content": _blocks(content)},
    }
    return frame | {"priority": priority} if priority else frame


def words(content: agent.Prompt) -> str:
    """Return a prompt as one text without images, for a one-off request."""
    return "\n\n".join(block["text"] for block in _blocks(content) if block["type"] == "text")


def control_request(id_: str, subtype: str, fields: dict[str, Any]) -> Frame:
    """Return a control request to the CLI."""
    return {"type": "control_request", "request_id": id_, "request": {"subtype": subtype, **fields}}


def success(request: str, response: Frame) -> Frame:
    """Return the answer to a request from the CLI."""
    answer = {"subtype": "success", "request_id": request, "response": response}
    return {"type": "control_response", "response": answer}


def failure(request: str, message: str) -> Frame:
    """Return the refusal of a request from the CLI."""
    answer = {"subtype": "error", "request_id": request, "error": message}
    return {"type": "control_response", "response": answer}


def _blocks(content: agent.Prompt) -> list[Frame]:
    """Return the blocks of a prompt: context first, so that a slash command begins its text."""
    context: list[Frame] = []
    content_blocks: list[Frame] = []
    for part in content:
        match part:
            case agent.Selection() | agent.OpenFile():
                context.append(words_block(_tagged(part)))
            case agent.ShellResult():
                context += map(words_block, _as_by_the_cli(part))
            case agent.Image(data, media_type):
                source = {"type": "base64", "media_type": media_type}
                encoded = base64.b64encode(data).decode("ascii")
                content_blocks.append({"type": "image", "source": source | {"data": encoded}})
            case agent.Words():
                content_blocks.append(words_block(part.text))
    return context + content_blocks


def _tagged(part: agent.Selection | agent.OpenFile) -> str:
    # The CLI recognizes exactly these two tags, and hides them when it shows the prompt.
    if isinstance(part, agent.OpenFile):
        note = f"The user opened the file {part.path} in the IDE. {MAY_NOT_MATTER}"
        return f"<ide_opened_file>{note}</ide_opened_file>"
    lines = f"The user selected the lines {part.first} to {part.last} from {part.path}:"
    note = f"{lines}\n{part.text}\n\n{MAY_NOT_MATTER}"
    return f"<ide_selection>{note}</ide_selection>"


def _as_by_the_cli(result: agent.ShellResult) -> tuple[str, str]:
    """Return a result in the form in which the CLI reports its own `!` commands to the model."""
    output = escape(result.output.removesuffix("\n"), quote=False)
    stdout, stderr = ("", output) if result.failed else (output, "")
    streams = f"<bash-stdout>{stdout}</bash-stdout><bash-stderr>{stderr}</bash-stderr>"
    return f"<bash-input>{escape(result.command, quote=False)}</bash-input>", streams


def words_block(words: str) -> Frame:
    """Return a block of text."""
    return {"type": "text", "text": words}


ENTRYPOINT = "claude-ide-nvim"
"""The name under which the CLI reports to its maker which program started it."""

STREAM = (
    *("--output-format", "stream-json"),
    "--verbose",
    *("--input-format", "stream-json"),
    "--include-partial-messages",
    "--replay-user-messages",
    *("--permission-prompt-tool", "stdio"),
)

HOOK_EVENTS = "--include-hook-events"
"""Has the CLI report the output of hooks; old versions do not know this option."""

USUAL_MODES = (DEFAULT, "acceptEdits", "plan")
"""The permission modes that every version has and every user may choose."""

BYPASS = "bypassPermissions"
BYPASSES = ("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions")
"""The options without which the CLI refuses the mode `BYPASS`."""

SETTING_SOURCES = "--setting-sources"


def command(cmd: str | Sequence[str]) -> tuple[str, ...]:
    """Return the user's command line for the CLI as a tuple.

    Raises `AgentError` with instructions if there is no such program.
    """
    words = program.words(cmd)
    if shutil.which(words[0]) is None:
        is_ours = words[0] == "claude"
        hint = f"{check_command()} says how to install it" if is_ours else "g:claude_ide.cmd"
        is_path = Path(words[0]).is_absolute()
        problem = "no program" if is_path else "not on PATH"
        raise AgentError(f"{words[0]} is {problem} ({hint})")
    return words


def names(words: Iterable[str], option: str) -> bool:
    """Return whether a command line has an option, as `--option value` or `--option=value`."""
    return any(word == option or word.startswith(f"{option}=") for word in words)


class CliLaunch(Struct, frozen=True):
    """The command, folder and options of a CLI; the CLI chooses empty values itself."""

    command: tuple[str | Path, ...]
    cwd: Path
    environment: Mapping[str, str]
    model: str = ""
    mode: str = ""
    mcp_config: str = ""
    allowed_tools: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    """More arguments that the user has configured."""
    reports_hooks: bool = True
    """Whether the CLI is asked to report the output of hooks."""
    trusted: bool = False
    """Whether the user trusts the folder. If not, the CLI ignores the folder's settings: hooks,
    helpers, servers, environment and permission mode."""

    def arguments_for(self, opening: agent.Opening) -> list[str | Path]:
        """Return the command that opens a session."""
        hooks = [HOOK_EVENTS] if self.reports_hooks else []
        stream = [*self.command, *STREAM, *hooks]
        return [*stream, *self.options(), *_opening_options(opening), *self.arguments]

    def options(self) -> list[str]:
        """Return the arguments that sessions and one-off requests have in common."""
        values = {
            SETTING_SOURCES: "" if self.follows_folder else "user",
            "--model": self.model,
            "--permission-mode": self._mode,
            "--mcp-config": self.mcp_config,
            "--allowedTools": ",".join(self.allowed_tools),
        }
        return [word for option, value in values.items() if value for word in (option, value)]

    @property
    def follows_folder(self) -> bool:
        """Whether the CLI may read the folder's settings, or the user's arguments decide it."""
        return self.trusted or self.names(SETTING_SOURCES)

    def names(self, option: str) -> bool:
        """Return whether the user's arguments have an option."""
        return names(self._words, option)

    @property
    def allows_bypass(self) -> bool:
        """Whether the CLI may be switched to the mode that asks for no permission."""
        return self._mode == BYPASS or any(map(self.names, BYPASSES))

    @property
    def _words(self) -> tuple[str, ...]:
        return (*map(str, self.command[1:]), *self.arguments)

    @property
    def _is_mode_in_words(self) -> bool:
        return any(word.startswith("-") and "permission" in word for word in self._words)

    @property
    def _mode(self) -> str:
        if self.mode or self.follows_folder or self._is_mode_in_words:
            return given(self.mode)
        # Without an explicit mode, 2.1.197 would obey a project's bypassPermissions.
        return own_mode(self.environment) or DEFAULT

    def first_mode(self, usual: str) -> str:
        """Return the permission mode in which the CLI starts, or "" if only the CLI can know.

        `usual` is the mode in its settings.
        """
        mode = self._mode or usual or DEFAULT
        # Only the CLI can interpret the user's own permission options, and it does not grant the
        # other modes to every user.
        if mode not in USUAL_MODES or self._is_mode_in_words:
            return ""
        return mode

    async def child_environment(self) -> dict[str, str]:
        """Return the environment for the CLI. Raises `AgentError`."""
        inherited = program.inherited(self.environment)
        if not self.trusted:
            # 2.1.197 runs `git status` at its start, which could run the repository's programs.
            try:
                inherited = await asyncio.to_thread(git.for_programs, inherited, self.cwd)
            except UserError as error:
                raise AgentError(str(error)) from None
        return inherited | {
            "CLAUDE_CODE_ENTRYPOINT": ENTRYPOINT,
            "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "true",
        }


def _opening_options(opening: agent.Opening) -> list[str]:
    if isinstance(opening, agent.NewSession):
        return ["--session-id", opening.id] if opening.id else []
    resumed = ["--resume", opening.id] if opening.id else ["--continue"]
    if opening.fork:
        resumed.append("--fork-session")
    return [*resumed, "--resume-session-at", opening.until] if opening.until else resumed
