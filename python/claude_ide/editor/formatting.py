"""Formats files with the user's own formatters: which ones, how long, and what comes of it.

In the editor (`format`) a formatter computes a new text, which does not change the buffer.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator
from typing import Any, NamedTuple

from claude_ide.editor.port import Port
from claude_ide.editor.port.formatting import Formatted, Formatter, Formatters
from claude_ide.editor.tools import Tools
from claude_ide.editor_name import NEOVIM, editor_name, for_this_editor
from claude_ide.errors import EditorError

POLL_SECONDS = 0.05

ATTACHES_SECONDS = 1.5
"""How long a server may take to attach to a file that was just loaded, or to start."""

PREFERRED_SECONDS = 0.3
"""How long it may take if there is a formatter without it."""

SERVER_SECONDS = 10.0
"""After how long the request to a language server is cancelled."""

PROGRAM_SECONDS = 30.0
"""After how long any other formatter is given up."""

ENDED = {"program", "ale"}
"""The formatters whose programs then end. What others answer later is dropped."""

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


class Result(NamedTuple):
    """What a formatter makes of a file, or why it fails; and those that were not asked yet.

    `text` is the present one (`BufferText` in `mcp/lsp/edits.py`), `lines` the new ones.
    """

    name: str
    others: list[str]
    failure: str
    text: dict[str, Any]
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
    patience = 0.0
    if found.is_starting or (is_new and found.may_attach and not formatters):
        patience = ATTACHES_SECONDS
    elif is_new and found.may_attach and not servers:
        patience = PREFERRED_SECONDS
    return formatters if age >= patience else None


class Formatting:
    """Formats files. Raises `EditorError` with one sentence."""

    def __init__(self, port: Port, tools: Tools) -> None:
        self._formatters, self._model_tools = port.formatting, port.model_tools
        self._tools = tools
        self._runs = itertools.count(1)

    async def reformat(self, path: str) -> str:
        """Format a file and save it, unless it had unsaved changes; return what has changed."""
        opened = await self._formatters.open(path)
        path = opened.path
        try:
            formatters = await self._find(opened.bufnr, is_new=opened.is_new)
            if formatters is None:
                raise EditorError(CLOSED.format(path=path))
            if not formatters:
                missing = NO_FORMATTER if editor_name() == NEOVIM else NO_FORMATTER_IN_VIM
                raise EditorError(missing.format(path=path))
            return await self._reformat(path, opened.bufnr, formatters)
        finally:
            if opened.is_new:
                self._formatters.close(opened.bufnr, opened.is_made)

    async def _reformat(self, path: str, bufnr: int, formatters: list[Formatter]) -> str:
        run = await self._begin(path, bufnr)
        asked, changed_by, failures = list[str](), list[str](), list[str]()
        try:
            # The next one is asked even if one has failed, as by `vim.lsp.buf.format()`.
            for each in formatters:
                failure = await self._format(run, each)
                what = await self._formatters.take(run, not failure)
                if what in {"closed", "changed"}:
                    raise EditorError((CLOSED if what == "closed" else CHANGED).format(path=path))
                if failure:
                    failures.append(f"{each.name} could not reformat {path}: {failure}")
                    continue
                asked.append(each.name)
                if what == "differs":
                    changed_by.append(each.name)
            if not asked:
                raise EditorError("; ".join(failures))
            report = await self._saved(path, run, asked, changed_by)
            return report + "".join(f" {failure}." for failure in failures)
        finally:
            self._formatters.finish(run)

    async def _saved(self, path: str, run: int, asked: list[str], changed_by: list[str]) -> str:
        if not changed_by:
            return f"Nothing to change (asked {' and '.join(asked)})."
        saved = await self._formatters.save(run)
        if saved.refusal:
            why = f"as it could not be saved: {saved.refusal}"
            raise EditorError(f"{path} was not reformatted, {why}")
        lines = "1 line" if saved.lines == 1 else f"{saved.lines} lines"
        outcome = "saved"
        if not saved.is_saved:
            outcome = "not saved, as the file had unsaved changes before"
        return f"Reformatted with {' and '.join(changed_by)}: {lines} changed, {outcome}."

    async def results(self, path: str) -> AsyncGenerator[Result]:
        """Yield what each formatter would make of a file, which stays as it is.

        Cancelling this ends the formatter.
        """
        with self._tools.waiting():
            opened = await self._model_tools.load({"file": path})
            formatters = await self._find(opened["bufnr"], is_new=opened["is_new"])
            if not formatters:
                raise EditorError(f"{path} has no formatter")
            run = await self._begin(path, opened["bufnr"])
            try:
                for number, each in enumerate(formatters, 1):
                    failure, found = await self._format(run, each), dict[str, Any]()
                    if await self._formatters.take(run, False) in {"closed", "changed"}:
                        raise EditorError(f"{path} was changed meanwhile; call the tool again")
                    if not failure:
                        try:
                            found = await self._model_tools.formatted({"run": run, "file": path})
                        except EditorError as error:
                            failure = str(error)
                    others = [other.name for other in formatters[number:]]
                    lines = found.get("lines") or [""]
                    yield Result(each.name, others, failure, found.get("text", {}), lines)
            finally:
                self._formatters.finish(run)

    async def _find(self, bufnr: int, *, is_new: bool) -> list[Formatter] | None:
        """Return the formatters of a buffer; None if it was closed."""
        began = time.monotonic()
        while (found := await self._formatters.formatters(bufnr)) is not None:
            formatters = chosen(found, time.monotonic() - began, is_new=is_new)
            if formatters is not None:
                return formatters
            await asyncio.sleep(POLL_SECONDS)
        return None

    async def _begin(self, path: str, bufnr: int) -> int:
        run = next(self._runs)
        if not await self._formatters.begin(run, bufnr):
            raise EditorError(for_this_editor(CONFLICT).format(path=path))
        return run

    async def _format(self, run: int, formatter: Formatter) -> str:
        """Have a formatter compute a text; return why it has none, if so."""
        seconds = SERVER_SECONDS if formatter.kind == "server" else PROGRAM_SECONDS
        try:
            async with asyncio.timeout(seconds):
                return _failure(await self._formatters.start(run, formatter))
        except TimeoutError:
            if formatter.kind in ENDED:
                return f"did not answer within {seconds:g} s and was stopped"
            return f"no answer within {seconds:g} s"
        except EditorError as error:
            return str(error).partition("\n")[0]


def _failure(formatted: Formatted) -> str:
    if formatted.excess:
        return f"wrote more than {formatted.excess} and was stopped"
    if formatted.signal:
        return f"ended by signal {formatted.signal}"
    if formatted.code:
        said = f": {formatted.said}" if formatted.said else ""
        return f"exit code {formatted.code}{said}"
    # The program has probably written elsewhere. The user would hardly want an empty file.
    return "no output" if formatted.is_empty else ""
