"""Finds an earlier prompt in the CLI's session files, and the message before it.

The CLI can fork a session after any message that it still loads (`--resume-session-at`). It loads
none from before the last compaction.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from pathlib import Path

from claude_ide import files
from claude_ide.agents.agent import Earlier, NewSession, Opening, ResumeSession
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.prompt import Image
from claude_ide.agents.stream_json import history
from claude_ide.agents.stream_json.wire.frames import Frame, decode_line
from claude_ide.errors import AgentError

RETRIES = (0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts to find a prompt that the CLI may not have written yet."""

CAVEAT = "<local-command-caveat>"
COMPACT = "/compact"


class NotWrittenError(AgentError):
    """No session file has the prompt."""


def earlier(folder: Path, session: str, prompt: str) -> Earlier:
    """Return a prompt of a session, or of one from which it was forked or cleared.

    Raises `NotWrittenError`; `AgentError` if the CLI cannot continue from before the prompt.
    """
    for path in _files(folder, session):
        rows = _rows(path, prompt)
        found = next((row for row in rows if _id_of(row) == prompt), None)
        if found is not None:
            words, images = _content(found)
            if words.startswith(COMPACT) or _is_compacted(rows[rows.index(found) :]):
                raise AgentError(
                    "this prompt is in the part of the conversation that was compacted"
                )
            return Earlier(_opening(path.stem, rows, found), words, images)
    raise NotWrittenError("the session does not contain this prompt")


def _files(folder: Path, session: str) -> list[Path]:
    """Return the session's file, then the others, the latest first."""
    dated = [(path.stem == session, _changed(path), path) for path in folder.glob("*.jsonl")]
    return [path for _, _, path in sorted(dated, reverse=True)]


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _rows(path: Path, prompt: str) -> list[Frame]:
    """Return the rows of a file that has the prompt's id somewhere; otherwise none."""
    content = files.read_if_sound(path, history.LARGEST_BYTES) or b""
    if prompt.encode() not in content:
        return []
    decoded = (decode_line(line) for line in content.splitlines())
    return [row for row in decoded if row is not None]


def _id_of(row: Frame) -> str:
    """Return the id of the prompt in a row; one sent during a turn is in an attachment."""
    attachment = mapping(row.get("attachment"))
    if attachment.get("type") == "queued_command":
        return text(attachment.get("source_uuid"))
    return text(row.get("uuid")) if row.get("type") == "user" else ""


def _content(row: Frame) -> tuple[str, tuple[Image, ...]]:
    attachment = mapping(row.get("attachment"))
    content = attachment.get("prompt") or mapping(row.get("message")).get("content")
    if isinstance(content, str):
        return history.typed(content), ()
    blocks = mappings(content)
    words = map(history.words_in, blocks)
    return "\n".join(filter(None, words)), tuple(_images(blocks))


def _images(blocks: list[Frame]) -> Iterator[Image]:
    for block in blocks:
        source = mapping(block.get("source"))
        if block.get("type") == "image" and source.get("type") == "base64":
            try:
                data = base64.b64decode(text(source.get("data")), validate=True)
            except binascii.Error:
                continue
            yield Image(data, text(source.get("media_type")))


def _is_compacted(rows: list[Frame]) -> bool:
    return any(row.get("subtype") == "compact_boundary" for row in rows)


def _opening(session: str, rows: list[Frame], found: Frame) -> Opening:
    before = list(_before(rows, found))
    if not any(map(_is_conversation, before)):
        return NewSession()
    last = next(row for row in before if not _is_caveat(row))
    return ResumeSession(session, fork=True, until=text(last.get("uuid")))


def _before(rows: list[Frame], found: Frame) -> Iterator[Frame]:
    """Yield the rows before one in its branch of the conversation, the nearest first."""
    known: Mapping[str, Frame] = {text(row.get("uuid")): row for row in rows if row.get("uuid")}
    seen: set[str] = set()
    parent = text(found.get("parentUuid"))
    while parent in known and parent not in seen:
        seen.add(parent)
        yield known[parent]
        parent = text(known[parent].get("parentUuid"))


def _is_conversation(row: Frame) -> bool:
    """Whether a row is a part of the conversation that the model has seen."""
    if row.get("type") != "user":
        return row.get("type") == "assistant"
    content = mapping(row.get("message")).get("content")
    return row.get("isMeta") is not True and not str(content).startswith("<")


def _is_caveat(row: Frame) -> bool:
    """Whether a row introduces the local command that follows it."""
    return str(mapping(row.get("message")).get("content")).startswith(CAVEAT)
