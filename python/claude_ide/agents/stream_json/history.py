"""Decodes the CLI's session files (JSON lines) to summaries and events.

When the CLI resumes a session, it does not repeat the earlier conversation.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from claude_ide import files
from claude_ide.agents.agent import SessionSummary
from claude_ide.agents.events import Compacted, Event, Notice, Session, UserMessage
from claude_ide.agents.stream_json.decoding.decode import Decoder
from claude_ide.agents.stream_json.wire.frames import (
    Frame,
    decode_line,
    integer,
    mapping,
    mappings,
    text,
)
from claude_ide.errors import UnknownSessionError
from claude_ide.paths import config_folder

NOT_PLAIN = re.compile(r"[^a-zA-Z0-9]")
SESSION_ID = re.compile(r"[a-zA-Z0-9-]+")
LONGEST_NAME = 200
"""The CLI cuts a longer folder name and appends a number that only it can compute."""

END_BYTES = 64 * 2**10
"""Bytes read from each end of a file for its summary."""

LARGEST_BYTES = 300_000_000
"""The largest session file that is read."""

LONGEST_TITLE = 200
OURS = ("user", "assistant", "system")
EDITOR_CONTEXT = ("<ide_selection>", "<ide_opened_file>")
COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
COMMAND_OUTPUT = re.compile(r"<local-command-(?:stdout|stderr)>(.*)</local-command", re.DOTALL)


def folder(environment: Mapping[str, str], cwd: Path) -> Path:
    """Return the folder of the CLI's session files for `cwd`; it may not exist."""
    projects = config_folder(environment) / "projects"
    name = NOT_PLAIN.sub("-", str(cwd.resolve()))
    if len(name) > LONGEST_NAME:
        found = sorted(projects.glob(f"{name[:LONGEST_NAME]}-*"))
        return found[0] if found else projects / name[:LONGEST_NAME]
    return projects / name


def sessions(session_folder: Path) -> list[SessionSummary]:
    """List the non-empty sessions in a folder, the latest first."""
    summaries = [_summary(path) for path in session_folder.glob("*.jsonl")]
    listed = [summary for summary in summaries if summary is not None]
    return sorted(listed, key=lambda summary: summary.changed, reverse=True)


def content(session_folder: Path, session: str) -> bytes:
    """Return the content of a session's file.

    Raises `UnknownSessionError` if there is no such session, or its file is too large.
    """
    path = session_folder / f"{session}.jsonl"
    if not SESSION_ID.fullmatch(session):
        raise UnknownSessionError(f"{session} is no session's id")
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
    decoder = Decoder()
    events: list[Event] = []
    title = ""
    for line in _frames(content(session_folder, session).splitlines()):
        title = text(line.get("customTitle")) or title or text(line.get("aiTitle"))
        events += _events_of(decoder, line)
    return [Session(session, title), *events]


def _events_of(decoder: Decoder, line: Frame) -> list[Event]:
    hidden = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
    if line.get("type") not in OURS or any(line.get(flag) is True for flag in hidden):
        return []
    if line.get("type") == "system":
        return _system(line)
    frame = {
        "type": line["type"],
        "message": line.get("message"),
        "error": line.get("error"),
        "tool_use_result": line.get("toolUseResult"),
        "tool_result_meta": _meta(line),
    }
    if line.get("type") == "assistant":
        return decoder.decode(frame)
    prompt = _prompt_in(mapping(line.get("message")).get("content"))
    messages: list[Event] = [UserMessage(prompt, text(line.get("uuid")))] if prompt else []
    return [*messages, *decoder.decode(frame)]


def _system(line: Frame) -> list[Event]:
    match text(line.get("subtype")):
        case "local_command":
            return [Notice(words) for words in COMMAND_OUTPUT.findall(text(line.get("content")))]
        case "compact_boundary":
            metadata = mapping(line.get("compactMetadata"))
            before, trigger = integer(metadata.get("preTokens")), text(metadata.get("trigger"))
            return [Compacted(before, trigger=trigger)]
    return []


def _meta(line: Frame) -> list[Frame]:
    """Return the permission decision in the form of a live `tool_result_meta`."""
    decision = mapping(line.get("permissionDecision"))
    results = mappings(mapping(line.get("message")).get("content"))
    return [
        {"id": result.get("tool_use_id"), "permission_decision": decision} for result in results
    ]


def _prompt_in(content: Any) -> str:
    """Return the user's own words, without additions of the editor or the CLI."""
    if isinstance(content, str):
        return _typed(content)
    parts = [_part(block) for block in mappings(content)]
    return "\n".join(part for part in parts if part)


def _part(block: Frame) -> str:
    match block.get("type"):
        case "image":
            return "[image]"
        case "text":
            return _typed(text(block.get("text")))
    return ""


def _typed(words: str) -> str:
    if words.startswith(
        (*EDITOR_CONTEXT, "<bash-", "<local-command-", "[Request interrupted by user")
    ):
        return ""
    if command := COMMAND.search(words):
        arguments = COMMAND_ARGUMENTS.search(words)
        return f"{command[1]} {arguments[1] if arguments else ''}".strip()
    return words


def _summary(path: Path) -> SessionSummary | None:
    try:
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        head, tail = _ends(path)
    except OSError:
        return None
    first = title = generated = last = ""
    for line in _frames([*head, *tail]):
        title = text(line.get("customTitle")) or title
        generated = text(line.get("aiTitle")) or text(line.get("summary")) or generated
        last = text(line.get("lastPrompt")) or last
        if not first and line.get("type") == "user" and line.get("isMeta") is not True:
            first = _prompt_in(mapping(line.get("message")).get("content"))
    shown = title or generated or last or first
    if not shown:
        return None
    return SessionSummary(path.stem, _one_line(shown), changed, _one_line(first))


def _ends(path: Path) -> tuple[list[bytes], list[bytes]]:
    """Return the complete lines at a file's beginning and at its end."""
    with files.open_regular(path) as file:
        head = file.read(END_BYTES)
        consumed = len(head)
        size = path.stat().st_size
        if size <= consumed:
            return head.splitlines(), []
        file.seek(max(consumed, size - END_BYTES))
        tail = file.read()
    return head.splitlines()[:-1], tail.splitlines()[1:]


def _frames(lines: list[bytes]) -> Iterator[Frame]:
    for line in lines:
        if line.strip() and (frame := decode_line(line)) is not None:
            yield frame


def _one_line(words: str) -> str:
    return " ".join(words.split())[:LONGEST_TITLE]
