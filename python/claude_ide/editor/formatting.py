"""Formats files with the user's own formatters: which ones, how long, and what comes of it.

Programs run here, and language servers are asked from here; plugins compute a text in the editor.
"""

import asyncio
import json
import re
import signal
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import NamedTuple, TypeVar

from claude_ide.base.errors import EditorError
from claude_ide.base.names import NEOVIM, editor_name, for_this_editor
from claude_ide.editor.operations import Operations
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import ChangedError, Gate, Guard, Step, step, tick
from claude_ide.editor.port.files import (
    BufferText,
    DiskPort,
    Formatted,
    Formatter,
    Formatters,
    NewText,
    ShellFacts,
)
from claude_ide.editor.protocol import TextEdit, count_changed, edited, parsed
from claude_ide.editor.servers import LanguageServers

POLL_SECONDS = 0.05

ATTACHES_SECONDS = 1.5
"""How long a server may take to attach to a file that was just loaded, or to start."""

PREFERRED_SECONDS = 0.3
"""How long it may take if there is a formatter without it."""

SERVER_SECONDS = 10.0
"""After how long the request to a language server is cancelled."""

PROGRAM_SECONDS = 30.0
"""After how long any other formatter is given up."""

MOST_MORE_BYTES = 10_000_000
"""A program that writes so much more than it has got is ended."""

MOST_ERROR_BYTES = 10_000
"""Of the errors of a program, of which the first line is shown."""

METHOD = "textDocument/formatting"

NO_SUCH_FILE = ": no such file"
MISSING = "File not found"

CLOSED = "{path} was closed while it was being reformatted."
CHANGED = "{path} was changed while it was being reformatted; the changes were kept."
CONFLICT = (
    "{path} has unsaved changes in Neovim and has changed on disk, too; it was not reformatted."
)
NO_FORMATTER = (
    "{path} has no formatter: no conform.nvim, language server, 'formatexpr', 'formatprg' or "
    "'equalprg' formats it."
)
NO_FORMATTER_IN_VIM = (
    "{path} has no formatter: no fixers of ALE, no 'formatexpr', no language server of vim-lsp, "
    "yegappan/lsp or coc.nvim, and no 'formatprg' or 'equalprg' formats it."
)


T = TypeVar("T")

FILE_NAME = re.compile(r"\\?(?:%|#\d*)(?::[phtre~.8S])*")
HARMLESS = re.compile(r"(?:[\w.,/~+@ ]|[^\x00-\x7f])(?:[\w.,/~+@ -]|[^\x00-\x7f])*")
"""A name of which no shell interprets anything, whatever is around it."""


class FormatResult(NamedTuple):
    """What a formatter makes of a file, or why it fails; and those that were not asked yet.

    `text` is the present one, `lines` the new ones.
    """

    name: str
    others: list[str]
    failure: str
    text: BufferText
    lines: list[str]


def chosen(found: Formatters, age: float, *, is_new: bool) -> list[Formatter] | None:
    """Return the formatters to use, one after the other; None while a server may still come.

    These are what the user has set for the buffer; otherwise its language servers; otherwise what
    is set globally. `age` is for how long this has been asked; `is_new`: it was just loaded.
    """
    servers = [each for each in found.candidates if each.kind == "server"]
    own = next((each for each in found.candidates if each.is_own), None)
    others = [each for each in found.candidates if each.kind == "program" and not each.is_own]
    if own and own.order not in {"first", "last", "prefer"}:
        return [own]
    if own:
        orders = {"first": [*servers, own], "last": [own, *servers], "prefer": servers or [own]}
        formatters = orders[own.order]
    else:
        formatters = servers or others[:1]
    wait_seconds = 0.0
    if found.is_starting or (is_new and found.may_attach and not formatters):
        wait_seconds = ATTACHES_SECONDS
    elif is_new and found.may_attach and not servers:
        wait_seconds = PREFERRED_SECONDS
    return formatters if age >= wait_seconds else None


class Formatting:
    """Formats files. Raises `EditorError` with one sentence."""

    def __init__(self, port: Port, operations: Operations, servers: LanguageServers) -> None:
        self._port, self._operations, self._servers = port, operations, servers

    async def reformat(self, path: str) -> str:
        """Format a file and save it, unless it had unsaved changes; return what has changed."""
        asked, changed_by, failures = list[str](), list[str](), list[str]()
        try:
            formatters, now = await self._begin(path)
        except EditorError as error:
            raise EditorError(
                MISSING if str(error).endswith(NO_SUCH_FILE) else str(error)
            ) from None
        before, bufnr = now, now.bufnr
        if not now.is_writable:
            raise EditorError(f"{path} is read-only.")
        # The next one is asked even if one has failed, as by `vim.lsp.buf.format()`.
        for each in formatters:
            try:
                lines = await self._lines(each, now)
            except EditorError as error:
                failures.append(f"{each.name} could not reformat {path}: {error}")
                lines = now.lines
            else:
                asked.append(each.name)
            now = await self._unchanged(now)
            if lines != now.lines:
                new = NewText(now.with_lines(lines), joins=bool(changed_by))
                await self._do(now, step(DiskPort.replace, bufnr, new))
                changed_by.append(each.name)
                now = await self._text(bufnr, path)
        if not asked:
            raise EditorError("; ".join(failures))
        report = f"Nothing to change (asked {' and '.join(asked)})."
        if changed_by:
            report = f"Reformatted with {' and '.join(changed_by)}: {await self._save(before, now)}"
        return report + "".join(f" {failure}." for failure in failures)

    async def _save(self, before: BufferText, now: BufferText) -> str:
        """Save a buffer, unless it had unsaved changes before; return what has changed."""
        path, outcome = now.path, "not saved, as the file had unsaved changes before"
        if not before.is_modified:
            saved = await self._do(now, step(DiskPort.save, now.bufnr, path, "", True))
            if saved.refusal is not None:
                await self._port.disk.sync(now.bufnr)
                why = f"as it could not be saved: {saved.refusal}"
                raise EditorError(f"{path} was not reformatted, {why}")
            now, outcome = await self._text(now.bufnr, path), "saved"
        count = count_changed(before.lines, now.lines)
        return f"{count} line{'s' * (count != 1)} changed, {outcome}."

    async def results(self, path: str) -> AsyncGenerator[FormatResult]:
        """Yield what each formatter would make of a file, which stays as it is.

        Cancelling this ends the formatter.
        """
        with self._operations.waiting():
            formatters, text = await self._begin(path)
            for number, each in enumerate(formatters, 1):
                failure, lines = "", text.lines
                try:
                    lines = await self._lines(each, text)
                except EditorError as error:
                    failure = str(error)
                text = await self._unchanged(text)
                others = [other.name for other in formatters[number:]]
                yield FormatResult(each.name, others, failure, text, lines)

    async def _begin(self, path: str) -> tuple[list[Formatter], BufferText]:
        """Load a file unseen; return its formatters and its text.

        Its buffer must have no unsaved changes to an older text of the file.
        """
        opened = await self._port.model_tools.load({"file": path})
        formatters = await self._find(opened["bufnr"], is_new=opened["is_new"])
        if formatters is None:
            raise EditorError(CLOSED.format(path=path))
        if not formatters:
            missing = NO_FORMATTER if editor_name() == NEOVIM else NO_FORMATTER_IN_VIM
            raise EditorError(missing.format(path=path))
        text = await self._text(opened["bufnr"], path)
        if text.is_in_conflict:
            raise EditorError(for_this_editor(CONFLICT).format(path=path))
        return formatters, text

    async def _text(self, bufnr: int, path: str) -> BufferText:
        text = await self._port.formatting.text(bufnr, path)
        if text is None:
            raise EditorError(CLOSED.format(path=path))
        return text

    async def _unchanged(self, before: BufferText) -> BufferText:
        """Return a text as it is now, which a formatter may have changed and restored."""
        now = await self._text(before.bufnr, before.path)
        if now.lines != before.lines:
            raise EditorError(CHANGED.format(path=before.path))
        return now

    async def _do(self, text: BufferText, what: Step[T]) -> T:
        """Do something with a buffer that still has a text."""
        try:
            guard = Guard(Gate.POSSIBLE, (tick(text.bufnr, text.tick),))
            (result,) = await self._port.batch([what], guard)
        except ChangedError:
            raise EditorError(CHANGED.format(path=text.path)) from None
        return result

    async def _find(self, bufnr: int, *, is_new: bool) -> list[Formatter] | None:
        """Return the formatters of a buffer; None if it was closed."""
        began = time.monotonic()
        while (found := await self._port.formatting.formatters(bufnr)) is not None:
            formatters = chosen(found, time.monotonic() - began, is_new=is_new)
            if formatters is not None:
                return formatters
            await asyncio.sleep(POLL_SECONDS)
        return None

    async def _lines(self, formatter: Formatter, text: BufferText) -> list[str]:
        """Return the lines that a formatter makes of a text. Raises `EditorError` if it fails."""
        try:
            if formatter.kind == "program":
                lines = await self._of_program(formatter.name, text)
            else:
                lines = await self._computed(formatter, text)
            text.with_lines(lines)
        except TimeoutError:
            seconds = SERVER_SECONDS if formatter.kind == "server" else PROGRAM_SECONDS
            raise EditorError(f"no answer within {seconds:g} s") from None
        except EditorError as error:
            raise EditorError(str(error).partition("\n")[0]) from None
        return lines

    async def _computed(self, formatter: Formatter, text: BufferText) -> list[str]:
        """Return the lines that a language server, or a plugin, makes of a text."""
        if formatter.parameters:
            request = int(formatter.id or 0), json.loads(formatter.parameters)
            (reply,) = await self._servers.send(METHOD, [request], text.bufnr, SERVER_SECONDS)
            if reply.failure:
                raise EditorError(reply.failure)
            answer, encoding = Formatted(edits=reply.result), formatter.encoding
        else:
            async with asyncio.timeout(
                SERVER_SECONDS if formatter.kind == "server" else PROGRAM_SECONDS
            ):
                answer = await self._port.formatting.start(text.bufnr, formatter)
            encoding = f"utf-{answer.bits}"
        if answer.lines is not None:
            return answer.lines or [""]
        edits = parsed(answer.edits or [], list[TextEdit])
        if edits is None:
            raise EditorError("it answered an edit of an unknown form")
        return await asyncio.to_thread(edited, text.lines, [edits], encoding)

    async def _of_program(self, command: str, text: BufferText) -> list[str]:
        """Return the lines that a program makes of a text, a filter from stdin to stdout."""
        # A first answer need not wait for it.
        from claude_ide.transport.process import Process

        words, by = await expanded(self._port, text.bufnr, command)
        given = "".join(f"{line}\n" for line in text.lines).encode("utf-8", "surrogateescape")
        most, output, errors = len(given) + MOST_MORE_BYTES, bytearray(), bytearray()

        def add(piece: bytes) -> None:
            output.extend(piece[: most + 1 - len(output)])
            if len(output) > most:
                process.end()

        def add_error(piece: bytes) -> None:
            errors.extend(piece[: MOST_ERROR_BYTES - len(errors)])

        arguments, folder = (*by.shell, words), Path(by.folder)
        try:
            process = await Process.start(
                arguments, folder, by.environment, add, add_error, text=given
            )
        except OSError as error:
            raise EditorError(f"it could not be started: {error.strerror or error}") from None
        ended = asyncio.ensure_future(process.wait())
        try:
            await asyncio.wait([ended], timeout=PROGRAM_SECONDS)
            if len(output) > most:
                raise EditorError(f"wrote more than {MOST_MORE_BYTES // 10**6} MB and was stopped")
            if not ended.done():
                raise EditorError(f"did not answer within {PROGRAM_SECONDS:g} s and was stopped")
            if failure := _failure(ended.result(), bytes(output), bytes(errors)):
                raise EditorError(failure)
        finally:
            if not ended.done():
                process.end()
                await asyncio.wait([ended])
        return _lines_of(bytes(output))


def _failure(code: int, output: bytes, errors: bytes) -> str:
    if code < 0:
        return f"ended by signal {signal.Signals(-code).name.removeprefix('SIG')}"
    if code:
        said = errors.decode(errors="replace").strip().partition("\n")[0]
        return f"exit code {code}{': ' * bool(said)}{said}"
    # The program has probably written elsewhere. The user would hardly want an empty file.
    return "" if output else "no output"


def _lines_of(output: bytes) -> list[str]:
    lines = output.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    # The buffer determines the line ends.
    has_dos = all(line.endswith("\r") for line in lines)
    return [line.removesuffix("\r") for line in lines] if has_dos else lines


async def expanded(port: Port, bufnr: int, command: str) -> tuple[str, ShellFacts]:
    """Return a command in which `%` is a buffer's file name, and `#` that of the alternate file.

    Both may have modifiers, as for `gq` and `:make`, but the names are quoted for the shell. What
    names no file stays. Also returns how the user's shell runs it. Raises `EditorError` if the
    command quotes a name that its shell would interpret nevertheless.
    """
    found = [each for each in FILE_NAME.finditer(command) if each[0][0] != "\\"]
    names = [each[0].replace(":S", "") for each in found]
    facts = await port.formatting.shell(bufnr, names)
    named = {each.start(): pair for each, pair in zip(found, facts.names, strict=True)}
    parts, quotes, at = list[str](), "", 0
    for each in FILE_NAME.finditer(command):
        before = command[at : each.start()]
        quotes, at = _quotes_after(before, quotes), each.end()
        path, escaped = named.get(each.start(), ("", ""))
        if each[0][0] == "\\":
            name = each[0][1:]
        elif not path:
            name = each[0]
        elif not quotes:
            name = escaped
        elif HARMLESS.fullmatch(path):
            name = path
        else:
            raise EditorError(
                f"the shell would interpret the name {path} within quotes ({quotes}); write % "
                "without them"
            )
        parts += [before, name]
    return "".join([*parts, command[at:]]), facts


def _quotes_after(text: str, quotes: str) -> str:
    """Return in which quotes the shell is after a text; empty outside them."""
    is_escaped = False
    for character in text:
        if is_escaped:
            is_escaped = False
        elif character == "\\" and quotes != "'":
            is_escaped = True
        elif character == quotes:
            quotes = ""
        elif not quotes and character in "\"'`":
            quotes = character
    return quotes
