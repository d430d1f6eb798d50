"""The files that an agent reads and writes through the editor: `fs/*`.

A request for permission shows the user what the agent is going to write, and the user may accept
another text. The answer has no room for it, so it replaces the agent's text when that is written.
Unsaved text that the user has seen there is replaced without another question.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from claude_ide.agents.acp.connection import NOT_FOUND, Params, absolute, converted_params
from claude_ide.agents.editor_services import Files
from claude_ide.agents.events import Event, Notice
from claude_ide.agents.requests import Allow, Replacement
from claude_ide.base.errors import INTERNAL_ERROR, AgentError, RpcError
from claude_ide.base.paths import TURNED, normalized, real
from claude_ide.base.unicode import shown

WRITERS = frozenset(
    {
        "@zed-industries/claude-code-acp",
        "Kimi Code CLI",
        "OpenCode",
        "fast-agent-acp",
        "gemini-cli",
        "qwen-code",
    }
)
"""The agents that are known to write each file through the client, as they call themselves."""

WITHOUT_MISSING = frozenset({"gemini-cli"})
"""Agents that could create no file if the answer for a missing one were an error."""

CHANGED = (
    "The user changed your proposal for {} before accepting it. The file has the user's version:"
    " read it before you change it again."
)
BOM = "\ufeff"


class _Read(Struct):
    path: str
    line: Annotated[int, Meta(ge=0)] | None = None
    limit: Annotated[int, Meta(ge=0)] | None = None


class _WriteRequest(Struct):
    path: str
    content: str


class AcceptedWrite(Struct):
    """The user's version of a text that an agent writes in the use of a tool."""

    tool: str
    path: str
    text: str
    theirs: str | None = None
    """The agent's own version; None until it has written the file through the editor."""
    saved: str = ""
    """The file after that: the editor may have formatted it."""


class FileRequests:
    """Answers `fs/*`. `note` gets a text that the model reads with the next prompt."""

    def __init__(
        self, files: Files | None, note: Callable[[str], None], emit: Callable[[Event], None]
    ) -> None:
        self.agent = ""
        """The agent's own name for itself."""
        self._files = files
        self._note = note
        self._emit = emit
        self._accepted: dict[str, AcceptedWrite] = {}
        self._allowed: dict[str, Mapping[str, Sequence[Replacement]]] = {}
        """The edits that the user has allowed tools, by their ids, and the paths without links."""
        self._agreed: dict[str, dict[str, Replacement]] = {}
        """The texts that the user has accepted for files with unsaved text, by the tools' ids."""
        self._has_read = self._has_written = False

    @property
    def reads(self) -> bool:
        """Whether the agent is known to read files through the editor, or to write them."""
        return self._has_read or self.writes

    @property
    def writes(self) -> bool:
        """Whether the agent is known to write files through the editor."""
        return self._has_written or (self._files is not None and self.agent in WRITERS)

    async def read(self, params: Params) -> dict[str, Any]:
        """Return `{content}`: the text of a file, or `limit` lines of it from `line`."""
        given = converted_params(params, _Read)
        path = absolute("path", given.path)
        self._has_read = True
        assert self._files is not None
        try:
            content = await self._files.read(path)
        except FileNotFoundError:
            if self.agent not in WITHOUT_MISSING:
                reason = f"Resource not found: {shown(path)} (ENOENT)"
                raise RpcError(NOT_FOUND, reason, {"uri": path}) from None
            content = ""
        except AgentError as error:
            raise RpcError(INTERNAL_ERROR, str(error)) from None
        return {"content": _lines(content, given.line or 1, given.limit)}

    async def write(self, params: Params) -> dict[str, Any]:
        """Write a file, with the text that the user has accepted for it, if there is one."""
        given = converted_params(params, _WriteRequest)
        path, content = absolute("path", given.path), given.content
        self._has_written = True
        assert self._files is not None
        accepted = self._accepted_for(path, content)
        text = accepted.text if accepted else content
        is_allowed = await self._is_allowed(path, content, is_users=accepted is not None)
        try:
            over = self._replaced_by(path, text)
            written = await self._files.write(path, text, is_allowed=is_allowed, over=over)
        except AgentError as error:
            raise RpcError(INTERNAL_ERROR, str(error)) from None
        if accepted is not None:
            # Not read from the file: the agent may write that itself at the same time.
            accepted.theirs, accepted.saved = content, written.saved
        if not _is_same(written.text, content):
            self._note(CHANGED.format(path))
        return {}

    def allow(self, tool: str, targets: Mapping[str, Sequence[Replacement]], answer: Allow) -> None:
        """Remember the edits that a tool may make, by real path; without edits any of a file.

        Also the user's versions of them, and what they have accepted in place of unsaved text.
        """
        self._allowed[tool] = targets
        self._agreed[tool] = {real(each.path): each for each in answer.unsaved}
        for edit in answer.edits:
            path = normalized(edit.path)
            self._accepted[real(path)] = AcceptedWrite(tool, path, edit.new)

    async def ended(self, tool: str, *, is_completed: bool) -> None:
        """Restore the user's versions that a tool has overwritten by itself afterwards."""
        self._allowed.pop(tool, None)
        self._agreed.pop(tool, None)
        for target, accepted in list(self._accepted.items()):
            if accepted.tool == tool:
                del self._accepted[target]
                if real(accepted.path) != target:
                    self._emit(Notice(f"{Path(accepted.path).name}: {TURNED}", "warning"))
                elif is_completed or accepted.theirs is not None:
                    await self._restore(accepted)

    async def _is_allowed(self, path: str, text: str, *, is_users: bool) -> bool:
        """Return whether the user has allowed a tool to make a file this text, or has made it."""
        assert self._files is not None
        target = real(path)
        for edits in [each[target] for each in self._allowed.values() if target in each]:
            if is_users or not edits or any(_is_same(each.new, text) for each in edits):
                return True
            for read in (self._files.read, self._files.saved):
                with contextlib.suppress(AgentError, FileNotFoundError):
                    before = await read(path)
                    if any(_is_same(_edited(before, edits, most), text) for most in (1, -1)):
                        return True
        return False

    def _accepted_for(self, path: str, content: str) -> AcceptedWrite | None:
        """Return the user's version; None if the agent now writes something else."""
        accepted = self._accepted.get(real(path))
        if accepted is None or accepted.theirs in (None, content):
            return accepted
        del self._accepted[real(path)]
        return None

    def _replaced_by(self, path: str, text: str) -> str | None:
        """Return the text that the user has agreed to replace by this one."""
        found = (agreed.get(real(path)) for agreed in self._agreed.values())
        return next((each.old for each in found if each and _is_same(each.new, text)), None)

    async def _restore(self, accepted: AcceptedWrite) -> None:
        """Write the user's version again, unless the file has it."""
        assert self._files is not None
        mine = accepted.text if accepted.theirs is None else accepted.saved
        try:
            # A buffer may have further changes, which are the user's.
            now = await self._files.saved(accepted.path)
        except (AgentError, FileNotFoundError):
            return
        name = Path(accepted.path).name
        if _is_same(now, mine):
            return
        if accepted.theirs is None:
            self._note(CHANGED.format(accepted.path))
        elif not _is_same(now, accepted.theirs):
            text = f"{name} has been written again: it may lack your changes"
            self._emit(Notice(text, "warning"))
            return
        try:
            await self._files.write(accepted.path, mine, is_allowed=True, over=now)
        except AgentError as error:
            failure = f"your version of {name} was overwritten, and cannot be restored: {error}"
            self._emit(Notice(failure, "error"))
        else:
            restored = f"your version of {name} was overwritten by the agent, and is restored"
            self._emit(Notice(restored, "warning"))


def _lines(text: str, first: int, count: int | None) -> str:
    """Return `count` lines, with their ends, from the line with this number."""
    if first == 1 and count is None:
        return text
    lines = text.split("\n")
    last = len(lines) if count is None else first - 1 + count
    chosen = "\n".join(lines[first - 1 : last])
    return f"{chosen}\n" if first - 1 < last < len(lines) else chosen


def _edited(text: str, edits: Sequence[Replacement], most: int) -> str:
    """Return a text with edits, each in at most so many places."""
    text = _plain(text)
    for each in edits:
        text = text.replace(_plain(each.old), _plain(each.new), most) if each.old else text
    return text


def _is_same(text: str, other: str) -> bool:
    """Return whether two texts differ at most in the format that a file keeps."""
    return _plain(text) == _plain(other)


def _plain(text: str) -> str:
    return text.removeprefix(BOM).replace("\r\n", "\n").removesuffix("\n")
