"""The CLI's stored sessions: files of JSON lines, which are read, searched, renamed and continued.

When the CLI resumes a session, it does not repeat the earlier conversation. It can fork a session
after any message that it still loads (`--resume-session-at`); it loads none from before the last
compaction.
"""

import base64
import binascii
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from claude_ide.agents import agent, events
from claude_ide.agents.fields import integer, mapping, mappings, text
from claude_ide.agents.stream_json import running
from claude_ide.agents.stream_json.decode import FrameDecoder
from claude_ide.agents.stream_json.protocol import INTERRUPTED, Frame, content_of, decode_line
from claude_ide.agents.stream_json.tools import notified, unmarked
from claude_ide.base import files
from claude_ide.base.errors import AgentError, UnknownSessionError
from claude_ide.base.paths import config_folder

T = TypeVar("T")

SESSION_ID = re.compile(r"[a-zA-Z0-9-]+")
LONGEST_NAME = 200
"""The CLI cuts a longer folder name and appends a number that only it can compute."""

END_BYTES = 64 * 2**10
"""Bytes read from each end of a file for its summary."""

LARGEST_BYTES = 300_000_000
"""The largest session file that is read."""

LONGEST_TITLE = 200
IMAGE = "[image]"
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
    name = running.folder_name(str(cwd.resolve()))
    if len(name) > LONGEST_NAME:
        found = sorted(projects.glob(f"{name[:LONGEST_NAME]}-*"))
        return found[0] if found else projects / name[:LONGEST_NAME]
    return projects / name


class FileReadings(Generic[T]):
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


def listed(
    session_folder: Path,
    processes: Mapping[str, int],
    summaries: FileReadings[agent.SessionSummary | None],
) -> list[agent.SessionSummary]:
    """List the non-empty sessions in a folder, the latest first; `processes` hold some of them."""
    found = [
        replace(each, process=processes.get(each.id, 0))
        for path in session_folder.glob("*.jsonl")
        if (each := summaries.of(path)) is not None
    ]
    return sorted(found, key=lambda each: each.changed, reverse=True)


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


def read(session_folder: Path, session: str) -> list[events.Event]:
    """Return a session's conversation.

    Raises `UnknownSessionError`, like `content`.
    """
    reader = _Reader()
    found: list[events.Event] = []
    title = ""
    for line in _frames(content(session_folder, session).splitlines()):
        title = text(line.get("customTitle")) or title or text(line.get("aiTitle"))
        found += reader.decode(line)
    return [events.SessionChanged(session, title), *found]


class _Reader:
    """Decodes the lines of one session, in their order."""

    def __init__(self) -> None:
        self._decoder = FrameDecoder()
        self._shell = ""
        """The user's own shell command whose output follows."""

    def decode(self, line: Frame) -> list[events.Event]:
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
                return [events.TaskChanged(task), events.TurnBegun((task,))]
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
        found: list[events.Event] = []
        if type_ == "user":
            for block in mappings(content):
                if SHELL.match(words := text(block.get("text"))):
                    found += self._user_shell(words)
            for number, prompt in enumerate(_prompts_in(content)):
                found.append(events.UserMessage(prompt, "" if number else text(line.get("uuid"))))
        return [*found, *self._decoder.decode(frame)]

    def _user_shell(self, content: str) -> list[events.Event]:
        """Decode a shell command that the user has run with `!`, or its output."""
        if command := SHELL_INPUT.search(content):
            before, self._shell = self._shell, unescape(command[1])
            return [events.ShellRan(before, "")] if before else []
        command_run, self._shell = self._shell, ""
        output = "\n".join(filter(None, SHELL_OUTPUT.findall(content)))
        return [events.ShellRan(command_run, _plain(unescape(output)))] if command_run else []


def _plain(output: str) -> str:
    """Return the output of a terminal without its colours."""
    return COLOURS.sub("", output)


def _system(line: Frame) -> list[events.Event]:
    match text(line.get("subtype")):
        case "local_command":
            # A slash command that the CLI has run itself, or its output.
            content = text(line.get("content"))
            if COMMAND.search(content):
                return [events.UserMessage(typed(content), text(line.get("uuid")))]
            return [events.Notice(_plain(words)) for words in COMMAND_OUTPUT.findall(content)]
        case "compact_boundary":
            metadata = mapping(line.get("compactMetadata"))
            before, trigger = integer(metadata.get("preTokens")), text(metadata.get("trigger"))
            return [events.Compacted(before, trigger=trigger)]
    return []


def _steering(attachment: Frame) -> list[events.Event]:
    """Decode a prompt that the user has sent during a turn, which the model got within it."""
    if attachment.get("type") != "queued_command" or attachment.get("commandMode") != "prompt":
        return []
    words = "\n".join(_prompts_in(attachment.get("prompt")))
    return [events.UserMessage(words, text(attachment.get("source_uuid")))] if words else []


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
    if words.startswith((*EDITOR_CONTEXT, "<local-command-", "<bash-std", INTERRUPTED)):
        return ""
    if shell := SHELL_INPUT.match(words):
        return f"! {unescape(shell[1])}"
    if command := COMMAND.search(words):
        arguments = COMMAND_ARGUMENTS.search(words)
        return f"{command[1]} {arguments[1] if arguments else ''}".strip()
    return unmarked(words)


def summary(path: Path) -> agent.SessionSummary | None:
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
    return agent.SessionSummary(path.stem, _one_line(shown), changed, _one_line(first))


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


LONGEST_PASSAGE = 200
BEFORE_PASSAGE = 60
"""The most characters of a line that are shown before the first of the words."""


def count_turns(path: Path) -> int:
    """Return the number of prompts in a file. Raises `OSError`."""
    return sum(bool(prompt_of(line)) for line in _messages(path, b"user"))


def find_passage(path: Path, words: Sequence[str]) -> str:
    """Return the line of the first prompt or answer with all these words, in any case."""
    wanted = [word.casefold() for word in words]
    with suppress(OSError):
        for line in _messages(path, b"user", b"assistant"):
            said = prompt_of(line) or _answer(line)
            folded = said.casefold()
            if all(word in folded for word in wanted):
                return _passage(said, wanted[0])
    return ""


def _answer(line: Frame) -> str:
    if line.get("type") != "assistant" or is_hidden(line):
        return ""
    blocks = mappings(content_of(line))
    return "\n".join(text(block.get("text")) for block in blocks if block.get("type") == "text")


def _passage(said: str, word: str) -> str:
    line = next(line for line in said.splitlines() if word in line.casefold())
    begin = max(line.casefold().index(word) - BEFORE_PASSAGE, 0)
    shown = " ".join(line[begin:].split())[:LONGEST_PASSAGE]
    return f"…{shown}" if begin else shown


def _messages(path: Path, *types: bytes) -> Iterator[Frame]:
    """Yield the lines of these types, without the results of tools."""
    marks = [b'"type":"%s"' % type_ for type_ in types]
    with files.open_regular(path) as file:
        for line in file:
            is_wanted = any(mark in line for mark in marks) and b'"tool_result"' not in line
            if is_wanted and (frame := decode_line(line)) is not None:
                yield frame


def rename(environment: Mapping[str, str], path: Path, title: str) -> None:
    """Append a title to a session's file, as the CLI does; raises `AgentError`."""
    _check_idle(environment, path)
    session = path.stem
    lines = [
        {"type": "custom-title", "customTitle": title, "sessionId": session},
        {"type": "agent-name", "agentName": title, "sessionId": session},
    ]
    try:
        with path.open("ab") as file:
            file.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        # 2.1.330 keeps the title here, too.
        beside = path.with_suffix("") / "custom-title.json"
        if beside.exists():
            files.write_private(beside, json.dumps({"customTitle": title}).encode())
    except OSError as error:
        raise AgentError(f"cannot rename the session: {error.strerror}") from None


def delete(environment: Mapping[str, str], path: Path) -> None:
    """Delete a session's file, and the folder of the same name; raises `AgentError`."""
    _check_idle(environment, path)
    try:
        path.unlink()
        beside = path.with_suffix("")
        if beside.is_dir() and not beside.is_symlink():
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise AgentError(f"cannot delete the session: {error.strerror}") from None


def _check_idle(environment: Mapping[str, str], path: Path) -> None:
    if not path.is_file():
        raise UnknownSessionError(f"there is no session {path.stem}")
    if process := running.processes(environment).get(path.stem):
        raise AgentError(f"the session is running in process {process}")


RETRIES = (0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts to find a prompt that the CLI may not have written yet."""

CAVEAT = "<local-command-caveat>"
COMPACT = "/compact"


class NotWrittenError(AgentError):
    """No session file has the prompt."""


def earlier(folder: Path, session: str, prompt: str) -> agent.Earlier:
    """Return a prompt of a session, or of one from which it was forked or cleared.

    Raises `NotWrittenError`; `AgentError` if the CLI cannot continue from before the prompt.
    """
    for path in sorted(folder.glob("*.jsonl"), key=lambda path: (path.stem != session, _age(path))):
        rows = _rows(path, prompt)
        at = next((at for at, row in enumerate(rows) if _id_of(row) == prompt), None)
        if at is not None:
            words, images = _words_and_images(rows[at])
            is_compacted = any(row.get("subtype") == "compact_boundary" for row in rows[at:])
            if words.startswith(COMPACT) or is_compacted:
                raise AgentError(
                    "this prompt is in the part of the conversation that was compacted"
                )
            return agent.Earlier(_opening(path.stem, rows, rows[at]), words, images)
    raise NotWrittenError("the session does not contain this prompt")


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def _rows(path: Path, prompt: str) -> list[Frame]:
    """Return the rows of a file that has the prompt's id somewhere; otherwise none."""
    content = files.read_if_sound(path, LARGEST_BYTES) or b""
    return [*_frames(content.splitlines())] if prompt.encode() in content else []


def _id_of(row: Frame) -> str:
    """Return the id of the prompt in a row; one sent during a turn is in an attachment."""
    attachment = mapping(row.get("attachment"))
    if attachment.get("type") == "queued_command":
        return text(attachment.get("source_uuid"))
    return text(row.get("uuid")) if row.get("type") == "user" else ""


def _words_and_images(row: Frame) -> tuple[str, tuple[agent.Image, ...]]:
    content = mapping(row.get("attachment")).get("prompt") or content_of(row)
    if isinstance(content, str):
        return typed(content), ()
    images = []
    for block in mappings(content):
        source = mapping(block.get("source"))
        if block.get("type") == "image" and source.get("type") == "base64":
            with suppress(binascii.Error):
                data = base64.b64decode(text(source.get("data")), validate=True)
                images.append(agent.Image(data, text(source.get("media_type"))))
    words = filter(None, map(words_in, mappings(content)))
    return "\n".join(words), tuple(images)


def _opening(session: str, rows: list[Frame], found: Frame) -> agent.Opening:
    before = list(_before(rows, found))
    if not any(map(_is_conversation, before)):
        return agent.NewSession()
    # A caveat introduces the local command that follows it.
    last = next(row for row in before if not str(content_of(row)).startswith(CAVEAT))
    return agent.ResumeSession(session, fork=True, until=text(last.get("uuid")))


def _before(rows: list[Frame], found: Frame) -> Iterator[Frame]:
    """Yield the rows before one in its branch of the conversation, the nearest first."""
    known = {text(row.get("uuid")): row for row in rows if row.get("uuid")}
    parent = text(found.get("parentUuid"))
    while row := known.pop(parent, None):
        yield row
        parent = text(row.get("parentUuid"))


def _is_conversation(row: Frame) -> bool:
    """Whether a row is a part of the conversation that the model has seen."""
    if row.get("type") != "user":
        return row.get("type") == "assistant"
    return row.get("isMeta") is not True and not str(content_of(row)).startswith("<")
