"""The CLI's stored sessions: which are running, searched, renamed, deleted, and continued.

A CLI can fork a session after any message that it still loads (`--resume-session-at`); it loads
none from before the last compaction.
"""

import base64
import binascii
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from claude_ide import files
from claude_ide.agents.agent import Earlier, Image, NewSession, Opening, ResumeSession
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.stream_json import history, running
from claude_ide.agents.stream_json.wire.frames import Frame, content_of, decode_line
from claude_ide.errors import AgentError, UnknownSessionError

LONGEST_PASSAGE = 200
BEFORE_PASSAGE = 60
"""The most characters of a line that are shown before the first of the words."""


def count_turns(path: Path) -> int:
    """Return the number of prompts in a file. Raises `OSError`."""
    return sum(bool(history.prompt_of(line)) for line in _messages(path, b"user"))


def find_passage(path: Path, words: Sequence[str]) -> str:
    """Return the line of the first prompt or answer with all these words, in any case."""
    wanted = [word.casefold() for word in words]
    with suppress(OSError):
        for line in _messages(path, b"user", b"assistant"):
            said = history.prompt_of(line) or _answer(line)
            folded = said.casefold()
            if all(word in folded for word in wanted):
                return _passage(said, wanted[0])
    return ""


def _answer(line: Frame) -> str:
    if line.get("type") != "assistant" or history.is_hidden(line):
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


def earlier(folder: Path, session: str, prompt: str) -> Earlier:
    """Return a prompt of a session, or of one from which it was forked or cleared.

    Raises `NotWrittenError`; `AgentError` if the CLI cannot continue from before the prompt.
    """
    for path in sorted(folder.glob("*.jsonl"), key=_age(session)):
        rows = _rows(path, prompt)
        at = next((at for at, row in enumerate(rows) if _id_of(row) == prompt), None)
        if at is not None:
            words, images = _words_and_images(rows[at])
            is_compacted = any(row.get("subtype") == "compact_boundary" for row in rows[at:])
            if words.startswith(COMPACT) or is_compacted:
                raise AgentError(
                    "this prompt is in the part of the conversation that was compacted"
                )
            return Earlier(_opening(path.stem, rows, rows[at]), words, images)
    raise NotWrittenError("the session does not contain this prompt")


def _age(session: str) -> Callable[[Path], tuple[bool, float]]:
    """Return a key that sorts the session's file before the others, and these by their age."""

    def age(path: Path) -> tuple[bool, float]:
        try:
            return path.stem != session, -path.stat().st_mtime
        except OSError:
            return True, 0.0

    return age


def _rows(path: Path, prompt: str) -> list[Frame]:
    """Return the rows of a file that has the prompt's id somewhere; otherwise none."""
    content = files.read_if_sound(path, history.LARGEST_BYTES) or b""
    lines = content.splitlines() if prompt.encode() in content else []
    return [row for row in map(decode_line, lines) if row is not None]


def _id_of(row: Frame) -> str:
    """Return the id of the prompt in a row; one sent during a turn is in an attachment."""
    attachment = mapping(row.get("attachment"))
    if attachment.get("type") == "queued_command":
        return text(attachment.get("source_uuid"))
    return text(row.get("uuid")) if row.get("type") == "user" else ""


def _words_and_images(row: Frame) -> tuple[str, tuple[Image, ...]]:
    content = mapping(row.get("attachment")).get("prompt") or content_of(row)
    if isinstance(content, str):
        return history.typed(content), ()
    images = []
    for block in mappings(content):
        source = mapping(block.get("source"))
        if block.get("type") == "image" and source.get("type") == "base64":
            with suppress(binascii.Error):
                data = base64.b64decode(text(source.get("data")), validate=True)
                images.append(Image(data, text(source.get("media_type"))))
    words = filter(None, map(history.words_in, mappings(content)))
    return "\n".join(words), tuple(images)


def _opening(session: str, rows: list[Frame], found: Frame) -> Opening:
    before = list(_before(rows, found))
    if not any(map(_is_conversation, before)):
        return NewSession()
    # A caveat introduces the local command that follows it.
    last = next(row for row in before if not str(content_of(row)).startswith(CAVEAT))
    return ResumeSession(session, fork=True, until=text(last.get("uuid")))


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
