"""The CLI's stored sessions: which are running, searched, counted, renamed and deleted.

A running CLI keeps `<config>/sessions/<pid>.json`, which names its session.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from claude_ide import files, pids
from claude_ide.agents.fields import integer, mapping, mappings, text
from claude_ide.agents.stream_json import history
from claude_ide.agents.stream_json.wire.frames import Frame, decode_line
from claude_ide.errors import AgentError, UnknownSessionError
from claude_ide.paths import config_folder

LARGEST_RECORD = 100_000
LONGEST_PASSAGE = 200
BEFORE_PASSAGE = 60
"""The most characters of a line that are shown before the first of the words."""

START_FIELD = 19
"""The index of a process's start time in `/proc/<pid>/stat`, behind its name."""


def processes(environment: Mapping[str, str]) -> dict[str, int]:
    """Return the processes that hold sessions, by the ids of the sessions."""
    found = {}
    for path in (config_folder(environment) / "sessions").glob("*.json"):
        record = _record(path)
        pid, session = integer(record.get("pid")), text(record.get("sessionId"))
        if pid and session and _is_alive(pid, text(record.get("procStart"))):
            found[session] = pid
    return found


def _record(path: Path) -> Frame:
    content = files.read_if_sound(path, LARGEST_RECORD)
    return (decode_line(content) if content else None) or {}


def _is_alive(pid: int, started: str) -> bool:
    """Whether a process is still the one that started at this time."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return not Path("/proc/self").exists() and pids.lives(pid)
    return not started or stat.rpartition(")")[2].split()[START_FIELD] == started


class Turns:
    """The numbers of prompts in session files."""

    def __init__(self) -> None:
        self._readings = history.Readings(_turns)

    def count(self, path: Path) -> int:
        """Return the number of prompts in a file; 0 if it cannot be read."""
        try:
            return self._readings.of(path)
        except OSError:
            return 0


def _turns(path: Path) -> int:
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
    blocks = mappings(mapping(line.get("message")).get("content"))
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
    if process := processes(environment).get(path.stem):
        raise AgentError(f"the session is running in process {process}")
