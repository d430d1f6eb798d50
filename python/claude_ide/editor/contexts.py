"""The placeholders of a text, such as `{selection}`: what each says where the user is."""

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

from claude_ide.base import git
from claude_ide.base.errors import UserError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import absolute, exists
from claude_ide.base.quotation import COMMAND, MOST_LINES, fenced, mention, named, quoted, span
from claude_ide.base.unicode import readable
from claude_ide.editor.diagnostics import Item, line_of
from claude_ide.editor.editor import Editor
from claude_ide.editor.git_changes import Changes
from claude_ide.editor.mentions import without_mentions
from claude_ide.editor.port.prompts import Facts, NamedPlace, Printed, QuotationAsked, Quoted

WORD = re.compile(r"\{\{|\{([^\W\d]\w*)\}")
"""A brace, or the name of a placeholder."""

MOST_DIAGNOSTICS = 50
"""In a text; the agent can ask for the others."""
MOST_ENTRIES = 100
"""Of a list in a text."""
MOST_DIFF_BYTES = 200_000
"""Bytes."""

NO_FILE = "this buffer has no file"
PARTS = {"lines": "", "part": " (a part)", "block": " (a block)"}
KINDS = {"E": "error: ", "W": "warning: ", "I": "info: ", "N": "note: ", "H": "hint: "}
TOKEN = re.compile(r"""[^\s'"`=:,;()\[\]{}<>|&$]+""")


async def expanded(
    editor: Editor,
    text: str,
    facts: Facts,
    *,
    folder: str = "",
    is_typed: bool = False,
    has_lines: bool = False,
    is_begun: bool = False,
) -> str:
    """Return a text with what its placeholders say.

    If it only begins a prompt, what follows several lines of a placeholder will be below them.

    `folder` is that of the agent. In a text that the user types as a question an unknown word in
    braces belongs to the text. With `has_lines` the agent gets the selected lines anyway. Raises
    `UserError` that names the placeholder.
    """
    names = [found[1] for found in WORD.finditer(text) if found[1]]
    placeholders = _Placeholders(editor, facts, folder or facts.folder, has_lines=has_lines)
    said: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if placeholders.knows(name):
            said[name] = readable(await placeholders.say(name))
        elif not is_typed:
            raise UserError(f"{{{name}}} is not a placeholder (<Tab> lists them; {{{{ is a brace)")
    first = WORD.match(text.lstrip())
    if first and first[1] in facts.own and COMMAND.match(said[first[1]].lstrip()):
        # Only the user's own words may be a command of the agent.
        said[first[1]] = f"> {said[first[1]].lstrip()}"
    _tell_left_out(editor, placeholders.omitted)
    return _filled(text, said, is_begun=is_begun)


def _tell_left_out(editor: Editor, reasons: set[str]) -> None:
    if reasons:
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        editor.notify(f"left out: {min(reasons)}{more}", "warn")


async def selected(editor: Editor, facts: Facts, folder: str = "") -> str:
    """Return what is selected, quoted, or else a mention of the file.

    `folder` is that of the agent. Raises `UserError`.
    """
    placeholders = _Placeholders(editor, facts, folder or facts.folder, has_lines=False)
    text: str = readable(await placeholders._selection())
    return text


async def shared_lines(editor: Editor, lines: list[str], paths: list[str]) -> list[str]:
    """Return lines without those about files that stay in the editor, which is said.

    Raises `UserError` if none is left.
    """
    shared, left_out = await _shared(editor, _about(lines, paths))
    _tell_left_out(editor, left_out)
    return [each.text for each in shared]


def _about(lines: list[str], paths: list[str]) -> list[NamedPlace]:
    return [NamedPlace(path, text=line) for path, line in zip(paths, lines, strict=True)]


async def _shared(editor: Editor, places: list[NamedPlace]) -> tuple[list[NamedPlace], set[str]]:
    """Return places without those in files that stay in the editor, and why others are left out.

    Raises `UserError` if nothing is left.
    """
    private = await editor.private({each.path for each in places if each.path})
    sentence, is_named = editor.private_files.sentence, editor.private_files.is_named
    reasons = {sentence(path, reason) for path, reason in private.items()}
    shared = [
        each
        for each in places
        if (each.path not in private if each.path else not is_named(each.text))
    ]
    if reasons and not shared:
        raise UserError(min(reasons))
    return shared, reasons


async def quote(editor: Editor, asked: QuotationAsked) -> None:
    """Tell the editor how lines are quoted, or why they are not."""
    text, refusal = "", ""
    try:
        text = await selected(editor, asked.facts)
    except UserError as problem:
        refusal = str(problem)
    await editor.port.terminals.quoted(asked.number, text, refusal)


async def diagnostics(editor: Editor, facts: Facts) -> list[str]:
    """Return the diagnostics of the file, or of the selected lines, in their order.

    Raises `UserError` if there is no file, or if it stays in the editor.
    """
    if not facts.path:
        raise UserError(NO_FILE)
    if refusal := await editor.refusal(facts.path):
        raise UserError(refusal)
    found = sorted((await editor.diagnostics(facts.path)).items, key=line_of)
    if selection := facts.selection:
        rows = range(selection.first - 1, selection.last)
        found = [
            each
            for each in found
            if line_of(each) < rows.stop and each["range"]["end"]["line"] >= rows.start
        ]
    return [*map(_in_words, found)]


def _in_words(item: Item) -> str:
    said = [str(item[key]) for key in ("source", "code") if item.get(key)]
    origin = f" ({' '.join(said)})" if said else ""
    severity, words = item["severity"].lower(), _one_line(item["message"])
    return f"line {line_of(item) + 1}, {severity}: {words}{origin}"


def listed_diagnostics(found: Iterable[str]) -> str:
    """Return diagnostics as a list. Raises `UserError` if there are none."""
    return _listed(found, "no diagnostics", MOST_DIAGNOSTICS)


def _filled(text: str, said: dict[str, str], *, is_begun: bool = False) -> str:
    """Return a text with its placeholders filled.

    Several lines end with their last one: what follows them in the text begins below, or what
    follows a text that only begins a prompt. A list of several begins on a line of its own, too.
    """
    filled, end, is_long = "", 0, False

    def add(piece: str) -> None:
        nonlocal filled, is_long
        rest = piece.lstrip(" \t") if is_long else piece
        if rest:
            filled += rest if not is_long or rest.startswith("\n") else f"\n{rest}"
            is_long = False

    for found in WORD.finditer(text):
        name = found[1]
        if name and name not in said:
            continue
        add(text[end : found.start()])
        words = said[name] if name else "{"
        if words.startswith("- ") and "\n" in words and filled.rpartition("\n")[2].strip():
            filled, is_long = filled.rstrip(" "), True
        add(words)
        is_long = "\n" in words
        end = found.end()
    add(text[end:])
    return f"{filled}\n" if is_long and is_begun else filled


def _listed(entries: Iterable[str], nothing: str, most: int = MOST_ENTRIES) -> str:
    """Return a list, one entry a line. Raises `UserError` if there are none."""
    lines = [f"- {each}" for each in entries]
    if not lines:
        raise UserError(nothing)
    rest = len(lines) - most
    return "\n".join(lines[:most] + ([f"- and {rest} more"] if rest > 0 else []))


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Placeholders:
    """What the placeholders say, by the facts of one instant."""

    def __init__(self, editor: Editor, facts: Facts, folder: str, *, has_lines: bool) -> None:
        self._editor = editor
        self._facts = facts
        self._folder = folder
        self._has_lines = has_lines
        self._own = facts.own.keys() | facts.problems.keys()
        """The names of the user's own, at least."""
        self.omitted: set[str] = set()
        """Why files were left out."""

    def knows(self, name: str) -> bool:
        """Return whether this is a placeholder."""
        return name in _BUILT_IN or name in self._own

    async def say(self, name: str) -> str:
        """Return what a placeholder says."""
        if name in self._facts.own:
            return self._facts.own[name].rstrip("\r\n")
        try:
            if problem := self._facts.problems.get(name):
                raise UserError(problem)
            return await _BUILT_IN[name](self)
        except UserError as problem:
            raise UserError(f"{{{name}}}: {problem}") from None

    # The buffer.

    async def _this(self) -> str:
        if self._facts.selection is not None:
            return await self._selection()
        facts = self._facts
        if not facts.path:
            return f"{self._heading()}, line {facts.line}, column {facts.column}"
        await self._check(facts.path)
        at = mention(facts.path, self._folder, (facts.line, facts.line))
        return f"{at}, column {facts.column}"

    async def _file(self) -> str:
        if not self._facts.path:
            raise UserError(NO_FILE)
        await self._check(self._facts.path)
        return mention(self._facts.path, self._folder)

    async def _selection(self) -> str:
        selection = self._facts.selection
        if selection is None:
            return await self._file()
        if self._has_lines and selection.kind == "lines":
            await self._check(self._facts.path)
            return f"{self._heading()}, {span(selection.first, selection.last)}"
        return await self._quoted(selection)

    async def _line(self) -> str:
        return await self._quoted(self._facts.current)

    async def _function(self) -> str:
        return await self._quoted(self._facts.function, "the cursor is in no function")

    async def _class(self) -> str:
        return await self._quoted(self._facts.enclosing_class, "the cursor is in no class")

    async def _quoted(self, found: Quoted | None, nothing: str = "nothing is here") -> str:
        if found is None:
            raise UserError(nothing)
        path, lines = self._facts.path, found.lines
        await self._check(path)
        if found.paths:
            lines = [each.text for each in await self._shared(_about(lines, found.paths))]
        last = found.last
        # A terminal has empty rows below what it shows.
        while not path and len(lines) > 1 and not lines[-1].strip():
            lines, last = lines[:-1], max(found.first, last - 1)
        heading = f"{self._heading()}, {span(found.first, last)}{PARTS[found.kind]}"
        return await self._plain(quoted(heading, lines, MOST_LINES if path else None))

    def _heading(self) -> str:
        """Return how the agent knows the buffer."""
        facts = self._facts
        return named(facts.path, self._folder) if facts.path else f"buffer {_one_line(facts.name)}"

    async def _diagnostics(self) -> str:
        found = await diagnostics(self._editor, self._facts)
        return await self._plain(listed_diagnostics(found)) if found else "no diagnostics"

    async def _plain(self, text: str) -> str:
        """Return what others have written, which mentions no file."""
        return await without_mentions(text, self._folder)

    async def _check(self, path: str) -> None:
        """Raise `UserError` if a file stays in the editor."""
        if path and (refusal := await self._editor.refusal(path)):
            raise UserError(refusal)

    # Lists.

    async def _quickfix(self) -> str:
        return await self._entries(self._facts.quickfix, "the quickfix list is empty")

    async def _loclist(self) -> str:
        return await self._entries(self._facts.loclist, "the location list is empty")

    async def _entries(self, found: Iterable[NamedPlace], nothing: str) -> str:
        shared = await self._shared(found)

        def entry(each: NamedPlace) -> str:
            at = f"{named(each.path, self._folder)}:{each.line}: " if each.path else ""
            return f"{at}{KINDS.get(each.kind.upper(), '')}{_one_line(each.text)}"

        return await self._plain(_listed(map(entry, shared), nothing))

    async def _buffers(self) -> str:
        shared = await self._shared(self._facts.buffers)
        return _listed((mention(each.path, self._folder) for each in shared), "no file is open")

    async def _visible(self) -> str:
        shared = await self._shared(self._facts.visible)
        lines = (mention(each.path, self._folder, (each.line, each.last)) for each in shared)
        return _listed(lines, "no window shows a file")

    async def _marks(self) -> str:
        shared = await self._shared(self._facts.marks)

        def mark(each: NamedPlace) -> str:
            text = f": {_one_line(each.text)}" if each.text.strip() else ""
            if not each.path:
                return f"{each.name} {self._heading()}, line {each.line}{text}"
            return f"{each.name} {named(each.path, self._folder)}:{each.line}{text}"

        return await self._plain(_listed(map(mark, shared), "no mark is set"))

    async def _shared(self, places: Iterable[NamedPlace]) -> list[NamedPlace]:
        """Return places without those in files that stay in the editor."""
        shared, left_out = await _shared(self._editor, [*places])
        self.omitted |= left_out
        return shared

    # Beyond the buffers.

    async def _diff(self) -> str:
        folder = self._facts.folder
        inherited = git.environment(os.environ)
        environment = await asyncio.to_thread(git.guarded, inherited, Path(folder))
        changes = Changes(folder, environment)
        # Outside a repository `git diff` would compare files.
        await changes.read("rev-parse", "--git-dir")
        base = "HEAD" if await changes.try_read("rev-parse", "--verify", "HEAD") else "--cached"
        shared = await changes.shared(self._editor, base)
        patch = await changes.read("diff", *git.DIFF, base, *shared, most=MOST_DIFF_BYTES)
        if not patch and shared:
            raise UserError(f"only files that stay in {editor_name()} have changed")
        if not patch:
            raise UserError("nothing has changed since the last commit")
        return await self._plain(f"the changes since the last commit:\n{fenced('diff', patch)}")

    async def _terminal(self) -> str:
        printed = self._facts.terminal
        if printed is None or not any(map(str.strip, printed.lines)):
            raise UserError("there is no :terminal with output")
        lines = await self._without_private(printed)
        return await self._plain(quoted(f"terminal {_one_line(printed.name)}", lines))

    async def _without_private(self, printed: Printed) -> list[str]:
        """Return lines of a terminal without those that name a file that stays in the editor.

        Raises `UserError` if the first one does: what a command has printed may be the file.
        """
        folder = printed.folder or self._facts.folder
        tokens = [
            {token: absolute(token, folder) for token in TOKEN.findall(line) if "\0" not in token}
            for line in printed.lines
        ]
        judged = {path for each in tokens for path in each.values()}
        private = {
            path: reason
            for path, reason in (await self._editor.private(judged)).items()
            if exists(path) or self._editor.private_files.is_named(path)
        }
        is_named = self._editor.private_files.is_named
        kept = []
        for row, (line, found) in enumerate(zip(printed.lines, tokens, strict=True)):
            path = next((each for each in found.values() if each in private), None)
            if path is None and not is_named(line):
                kept.append(line)
            elif row == 0:
                reason = private.get(path or "", "it is private")
                where = path or line
                raise UserError(self._editor.private_files.sentence(where, reason))
        return kept


_BUILT_IN: dict[str, Callable[[_Placeholders], Coroutine[Any, Any, str]]] = {
    name: getattr(_Placeholders, f"_{name}")
    for name in (
        *("this", "file", "selection", "line", "function", "class", "diagnostics"),
        *("quickfix", "loclist", "buffers", "visible", "diff", "marks", "terminal"),
    )
}
