"""Decodes the CLI's session files (JSON lines) to summaries and events.

When the CLI resumes a session, it does not repeat the earlier conversation.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from claude_ide import files
from claude_ide.agents.agent import SessionSummary
from claude_ide.agents.events import (
    Compacted,
    Event,
    Notice,
    Session,
    ShellRan,
    TaskChanged,
    TurnBegun,
    UserMessage,
)
from claude_ide.agents.fields import integer, mapping, mappings, text
from claude_ide.agents.stream_json.decoding.decode import Decoder
from claude_ide.agents.stream_json.decoding.tasks import notified
from claude_ide.agents.stream_json.decoding.tools import unmarked
from claude_ide.agents.stream_json.wire.frames import Frame, content_of, decode_line
from claude_ide.errors import UnknownSessionError
from claude_ide.paths import config_folder

T = TypeVar("T")

NOT_PLAIN = re.compile(r"[^a-zA-Z0-9]")
SESSION_ID = re.compile(r"[a-zA-Z0-9-]+")
LONGEST_NAME = 200
"""The CLI cuts a longer folder name and appends a number that only it can compute."""

END_BYTES = 64 * 2**10
"""Bytes read from each end of a file for its summary."""

LARGEST_BYTES = 300_000_000
"""The largest session file that is read."""

LONGEST_TITLE = 200
IMAGE = "[image]"
NONE: Mapping[str, int] = {}
OURS = ("user", "assistant", "system")
HIDDEN = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
EDITOR_CONTEXT = ("<ide_selection>", "<ide_opened_file>")
COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
SHELL = re.compile(r"<bash-(?:input|stdout|stderr)>")
SHELL_INPUT = re.compile(r"<bash-input>(.*)</bash-input>", re.DOTALL)
SHELL_OUTPUT = re.compile(r"<bash-(?:stdout|stderr)>(.*?)</bash-(?:stdout|stderr)>", re.DOTALL)
COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
COMMAND_OUTPUT = re.compile(r"<local-command-(?:stdout|stderr)>(.*)</local-command", re.DOTALL)


def folder(environment: Mapping[str, str], cwd: Path) -> Path:
    """Return the folder of the CLI's session files for `cwd`; it may not exist."""
    projects = config_folder(environment) / "projects"
    name = NOT_PLAIN.sub("-", str(cwd.resolve()))
    if len(name) > LONGEST_NAME:
        found = sorted(projects.glob(f"{name[:LONGEST_NAME]}-*"))
        return found[0] if found else projects / name[:LONGEST_NAME]
    return projects / name


class Readings(Generic[T]):
    """The results of reading files; a file that has not changed is not read again."""

    def __init__(self, read: Callable[[Path], T], unreadable: T) -> None:
        self._read = read
        self._unreadable = unreadable
        self._known: dict[Path, tuple[tuple[int, int], T]] = {}

    def of(self, path: Path) -> T:
        """Return the result for a file; `unreadable` if it cannot be read."""
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._known.get(path)
            if known is None or known[0] != stamp:
                known = self._known[path] = (stamp, self._read(path))
        except OSError:
            return self._unreadable
        return known[1]


def sessions(
    session_folder: Path,
    processes: Mapping[str, int] = NONE,
    summaries: "Readings[SessionSummary | None] | None" = None,
) -> list[SessionSummary]:
    """List the non-empty sessions in a folder, the latest first; `processes` hold some of them."""
    summaries = summaries or Readings(summary, None)
    listed = [
        replace(found, process=processes.get(found.id, 0))
        for path in session_folder.glob("*.jsonl")
        if (found := summaries.of(path)) is not None
    ]
    return sorted(listed, key=lambda found: found.changed, reverse=True)


def file_of(session_folder: Path, session: str) -> Path:
    """Return the path of a session's file, which may not exist."""
    if not SESSION_ID.fullmatch(session):
        raise UnknownSessionError(f"{session} is not the id of a session")
    return session_folder / f"{session}.jsonl"


def content(session_folder: Path, session: str) -> bytes:
    """Return the content of a session's file.

    Raises `UnknownSessionError` if there is no such session, or its file is too large.
    """
    path = file_of(session_folder, session)
    try:
        return files.read(path, LARGEST_BYTES)
    except files.RefusedError as error:
        raise UnknownSessionError(f"{path}: {error.strerror}") from None
    except OSError:
        raise UnknownSessionError(f"there is no session {session}") from None


def read(session_folder: Path, session: str) -> list[Event]:
    """Return a session's conversation.

    Raises `UnknownSessionError`, like `content`.
    """
    reader = _Reader()
    events: list[Event] = []
    title = ""
    for line in _frames(content(session_folder, session).splitlines()):
        title = text(line.get("customTitle")) or title or text(line.get("aiTitle"))
        events += reader.events(line)
    return [Session(session, title), *events]


class _Reader:
    """Decodes the lines of one session, in their order."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        self._shell = ""
        """The user's own shell command whose output follows."""

    def events(self, line: Frame) -> list[Event]:
        """Return the events of a line."""
        type_, content = line.get("type"), content_of(line)
        if type_ == "attachment":
            return _steering(mapping(line.get("attachment")))
        if type_ not in OURS or is_hidden(line):
            return []
        if type_ == "system":
            return _system(line)
        if type_ == "user" and isinstance(content, str):
            if SHELL.match(content):
                return self._user_shell(content)
            if task := notified(content):
                return [TaskChanged(task), TurnBegun((task,))]
        # Why a tool was not executed, in the form of a live frame.
        decided = {
            "permission_decision": mapping(line.get("permissionDecision")),
            "non_execution_kind": line.get("toolDenialKind"),
        }
        results = [{"id": block.get("tool_use_id")} | decided for block in mappings(content)]
        frame = {
            "type": type_,
            "message": line.get("message"),
            "error": line.get("error"),
            "tool_use_result": line.get("toolUseResult"),
            "tool_result_meta": results,
        }
        found: list[Event] = []
        if type_ == "user":
            for block in mappings(content):
                if SHELL.match(words := text(block.get("text"))):
                    found += self._user_shell(words)
            for number, prompt in enumerate(_prompts_in(content)):
                found.append(UserMessage(prompt, "" if number else text(line.get("uuid"))))
        return [*found, *self._decoder.decode(frame)]

    def _user_shell(self, content: str) -> list[Event]:
        """Decode a shell command that the user has run with `!`, or its output."""
        if command := SHELL_INPUT.search(content):
            before, self._shell = self._shell, unescape(command[1])
            return [ShellRan(before, "")] if before else []
        command_run, self._shell = self._shell, ""
        output = "\n".join(filter(None, SHELL_OUTPUT.findall(content)))
        return [ShellRan(command_run, _plain(unescape(output)))] if command_run else []


def _plain(output: str) -> str:
    """Return the output of a terminal without its colours."""
    return COLOURS.sub("", output)


def _system(line: Frame) -> list[Event]:
    match text(line.get("subtype")):
        case "local_command":
            # A slash command that the CLI has run itself, or its output.
            content = text(line.get("content"))
            if COMMAND.search(content):
                return [UserMessage(typed(content), text(line.get("uuid")))]
            return [Notice(_plain(words)) for words in COMMAND_OUTPUT.findall(content)]
        case "compact_boundary":
            metadata = mapping(line.get("compactMetadata"))
            before, trigger = integer(metadata.get("preTokens")), text(metadata.get("trigger"))
            return [Compacted(before, trigger=trigger)]
    return []


def _steering(attachment: Frame) -> list[Event]:
    """Decode a prompt that the user has sent during a turn, which the model got within it."""
    if attachment.get("type") != "queued_command" or attachment.get("commandMode") != "prompt":
        return []
    words = "\n".join(_prompts_in(attachment.get("prompt")))
    return [UserMessage(words, text(attachment.get("source_uuid")))] if words else []


def _prompts_in(content: Any) -> list[str]:
    """Return the user's prompts in a message: the CLI joins those that have waited together.

    Each has one text and perhaps images behind it.
    """
    if isinstance(content, str):
        return [words] if (words := typed(content)) else []
    prompts: list[list[str]] = []
    for block in mappings(content):
        is_text = block.get("type") == "text"
        words = words_in(block) if is_text else IMAGE * (block.get("type") == "image")
        if words and (not prompts or (is_text and {*prompts[-1]} != {IMAGE})):
            prompts.append([])
        if words:
            prompts[-1].append(words)
    return ["\n".join(prompt) for prompt in prompts]


def is_hidden(line: Frame) -> bool:
    """Whether a line is a message that is not part of the conversation that the user saw."""
    return any(line.get(flag) is True for flag in HIDDEN)


def prompt_of(line: Frame) -> str:
    """Return the user's own words in a line, without additions of the editor or the CLI."""
    is_user = line.get("type") == "user" and not is_hidden(line)
    return "\n".join(_prompts_in(content_of(line))) if is_user else ""


def words_in(block: Frame) -> str:
    """Return the user's own words in a text block of a prompt."""
    words = text(block.get("text"))
    return "" if SHELL.match(words) else typed(words)


def typed(words: str) -> str:
    """Return the words that the user typed, without those of the editor or the CLI."""
    if words.startswith(
        (*EDITOR_CONTEXT, "<local-command-", "<bash-std", "[Request interrupted by user")
    ):
        return ""
    if shell := SHELL_INPUT.match(words):
        return f"! {unescape(shell[1])}"
    if command := COMMAND.search(words):
        arguments = COMMAND_ARGUMENTS.search(words)
        return f"{command[1]} {arguments[1] if arguments else ''}".strip()
    return unmarked(words)


def summary(path: Path) -> SessionSummary | None:
    """Return the summary of a session file; None if it is empty. Raises `OSError`."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    first = title = generated = last = ""
    for line in _frames(_ends(path)):
        title = text(line.get("customTitle")) or title
        generated = text(line.get("aiTitle")) or text(line.get("summary")) or generated
        last = text(line.get("lastPrompt")) or last
        first = first or prompt_of(line)
    shown = title or generated or last or first
    if not shown:
        return None
    return SessionSummary(path.stem, _one_line(shown), changed, _one_line(first))


def _ends(path: Path) -> list[bytes]:
    """Return the complete lines at a file's beginning and at its end."""
    with files.open_regular(path) as file:
        head = file.read(END_BYTES)
        size = path.stat().st_size
        if size <= len(head):
            return head.splitlines()
        file.seek(max(len(head), size - END_BYTES))
        return head.splitlines()[:-1] + file.read().splitlines()[1:]


def _frames(lines: list[bytes]) -> Iterator[Frame]:
    for line in lines:
        if line.strip() and (frame := decode_line(line)) is not None:
            yield frame


def _one_line(words: str) -> str:
    return " ".join(words.split())[:LONGEST_TITLE]
