"""Mentions, such as `@src/a.py#L3-9`: in a text, as a user means them, and as agents read them."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.base import git
from claude_ide.base.errors import UserError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import exists, normalized, real
from claude_ide.editor.port import Port
from claude_ide.editor.private_files import PrivateFiles

if TYPE_CHECKING:
    from claude_ide.editor.editor import Editor

LINES = r"(?:#L(\d+)(?:-(\d+))?)?"
MENTION = re.compile(
    rf"""(?<!\S)@(?:"([^"]+?){LINES}"|([^\s"]+?)){LINES}"""
    r"""(?=[\s.,;:!?)\]}>'"]{0,99}(?:\s|$))"""
)
"""The punctuation behind a mention belongs to the sentence."""

BLANK = "\\s\ufeff"
STOPS = "\u3002\u3001\uff1f\uff01"
"""Marks after which 2.1.330 reads a mention, as after a blank."""

QUOTED = re.compile(rf'(?:^|[{BLANK}{STOPS}])@"([^"]+)"')
TOKEN = re.compile(rf"[^{BLANK}]+")
WITH_LINES = re.compile(r"([^#]+)(?:#L\d+(?:-\d+)?)?(?:#[^#]*)?")
WORD = re.compile(r"\w", re.ASCII)

NO_FILE = "this buffer has no file; use :ClaudeAdd {path}"
CURRENT = re.compile(r"%([:~.a-zA-Z0-9]*)")
"""The current file on the command line, with modifiers."""

CHUNK_BYTES = 65536
MOST = 100
"""Files that are mentioned at once."""

Mention = dict[str, Any]
"""`filePath`, and perhaps `lineStart` and `lineEnd`, 0-based and inclusive."""


def mentions(text: str) -> list[tuple[str, int | None, int | None]]:
    """Return the mentions in a prompt: each a path as typed, and its first and last line."""
    found = []
    for match in MENTION.finditer(text):
        quoted, first_within, last_within, plain, first_behind, last_behind = match.groups()
        first = first_within or first_behind
        last = last_within or last_behind or first
        lines = (int(first), int(last)) if first else (None, None)
        found.append((quoted or plain, *lines))
    return found


def path_of(root: str, name: str) -> str:
    """Return the path of a mention, which may begin with `~`."""
    try:
        return str(Path(root, Path(name).expanduser()))
    except RuntimeError:  # there is no such user
        return str(Path(root, name))


def mentioned_path(mention: Mapping[str, Any]) -> str:
    """Return the path of a mention for a CLI; that with blanks has its lines behind it."""
    return str(mention["filePath"]).strip('"')


def worktree(path: str) -> Path:
    """Return the worktree of a file, or the file itself if it is in none."""
    return git.repository_of(Path(real(path))).root


def is_elsewhere(path: str, folder: str) -> bool:
    """Return whether a file is in another worktree than an agent in a folder of its repository."""
    return git.is_in_other_worktree(Path(real(path)), Path(real(folder)))


async def choose_elsewhere(editor: "Editor", path: str, names: list[str]) -> int:
    """Return the number of the agent that gets a file of another worktree, as the user chooses.

    Raises `UserError` if they choose none.
    """
    where = f"{Path(path).name} is in the worktree {worktree(path).name}"
    index = await editor.select(f"{where}. Send it to:", names)
    if index is None:
        raise UserError(f"not sent: {where}")
    return index


async def check_private(editor: "Editor", text: str, roots: Iterable[str]) -> None:
    """Raise `UserError` if an agent in one of the folders would read a file that stays here."""
    typed: dict[str, str] = {}
    for root in roots:
        typed |= await asyncio.to_thread(read_by_agents, text, root)
    private = await editor.private(typed) if typed else {}
    there = {
        *filter(exists, private),
        *(await editor.port.buffers.modified([*private]) if private else ()),
    }
    for path, reason in private.items():
        if path in there:
            raise UserError(f"not sent: @{typed[path]} stays in {editor_name()}: {reason}")


def read_by_agents(text: str, root: str) -> dict[str, str]:
    """Return the paths that an agent in a folder may read because of a text, each as typed.

    Claude's CLI finds more than a user means: it ends a mention at the last letter or digit.
    """
    names = [path for path, _, _ in mentions(text)]
    for name in _as_by_the_cli(text):
        plain = WITH_LINES.fullmatch(name)
        names += [name, plain[1]] if plain else [name]
    return {path_of(root, name.strip()): name for name in dict.fromkeys(names)}


async def without_mentions(text: str, root: str) -> str:
    """Return a text of others in which an agent in a folder takes no word for a file to read."""
    return await asyncio.to_thread(unmentioned, text, root)


def unmentioned(text: str, *roots: str) -> str:
    """Return such a text for an agent in one of the folders; this looks at files."""
    for path, name in (each for root in roots for each in read_by_agents(text, root).items()):
        if exists(path):
            text = text.replace(f"@{name}", f"@ {name}").replace(f'@"{name}', f'@ "{name}')
    return text


def _as_by_the_cli(text: str) -> Iterator[str]:
    """Yield what 2.1.330 takes for mentions; older versions find fewer."""
    if "@" not in text:
        return
    for quoted in QUOTED.finditer(text):
        yield quoted[1]
    for token in TOKEN.findall(text):
        at = token.find("@")
        while at > 0 and token[at - 1] not in STOPS:
            at = token.find("@", at + 1)
        end = len(token)
        while at >= 0 and end >= at + 2 and _is_word(token, end - 1) == _is_word(token, end):
            end -= 1
        if at >= 0 and end >= at + 2:
            yield token[at + 1 : end]


def _is_word(token: str, index: int) -> bool:
    return bool(WORD.match(token[index : index + 1]))


class ListedFile(msgspec.Struct, frozen=True):
    """A path and perhaps lines (1-based)."""

    path: str
    first: int | None = None
    last: int | None = None


class _Given(ListedFile, frozen=True):
    """An entry from a source; `folder` is that of a relative path."""

    folder: str = ""


class Listed(msgspec.Struct):
    """What a buffer that lists files means, as the source for its filetype has returned it."""

    filetype: str
    in_lines: bool = False
    items: Any = None
    error: str = ""

    def entries(self) -> list[ListedFile]:
        """Return the entries, each once. Raises `UserError` if there are none, or too many."""
        found = dict.fromkeys(entry for entry in self._checked() if entry.path)
        if not found:
            where = "in these lines" if self.in_lines else "under the cursor"
            raise UserError(f"there is no file {where}")
        if len(found) > MOST:
            raise UserError(f"these are {len(found)} files; mention at most {MOST}")
        return [*found]

    def _checked(self) -> list[ListedFile]:
        # Lua does not tell an empty table from an empty list.
        items, problem = [] if self.items == {} else self.items, self.error
        if not problem and not isinstance(items, list):
            problem = "it returned no list"
        try:
            if not problem:
                return [_entry(each) for each in items]
        except msgspec.ValidationError:
            problem = "an item has no path"
        raise UserError(f"no file from {self.filetype}: {problem}")


def _entry(item: Any) -> ListedFile:
    if isinstance(item, str):
        return ListedFile(item)
    given = msgspec.convert(item, _Given, strict=False)
    path = given.path and str(Path(given.folder, given.path))
    first = given.first if given.first and given.first > 0 else None
    return ListedFile(path, first, given.last if first else None)


class Mentioning:
    """Makes mentions of what the user means, in the CLI's format (`at_mentioned`).

    Raises `UserError` with one sentence.
    """

    def __init__(self, port: Port, private_files: PrivateFiles) -> None:
        self._selection = port.selection
        self._private_files = private_files

    async def of_buffer(self, bufnr: int, lines: tuple[int, int] | None = None) -> Mention:
        """Mention lines of a buffer, from 1 and inclusive, or the whole file."""
        facts = await self._selection.mention_facts(bufnr, "")
        if not facts.file:
            raise UserError(NO_FILE)
        return await self._mention(facts.file, lines)

    async def of_path(
        self,
        typed: str,
        lines: list[str] | None = None,
        *,
        bufnr: int = 0,
        selected: tuple[int, int] | None = None,
    ) -> Mention:
        """Mention a file, a folder, or lines of a file, as typed after `:ClaudeAdd`.

        `%` and `~` mean what they mean in Vim. `selected` are lines to mention if the file is that
        of the buffer and no others are given.
        """
        modifiers = CURRENT.fullmatch(typed)
        facts = await self._selection.mention_facts(bufnr, modifiers[1] if modifiers else "")
        if modifiers and not facts.current:
            raise UserError(NO_FILE)
        if typed == "%" and not exists(facts.current):
            raise UserError(f"this buffer has not been written yet: {Path(facts.current).name}")
        path = normalized(facts.current) if modifiers else _expanded(facts.folder, typed)
        if not lines and selected and path == facts.file:
            lines = [str(number) for number in selected]
        is_folder = await asyncio.to_thread(_is_folder, path, typed)
        if lines and is_folder:
            raise UserError(f"a folder has no lines: {typed}")
        numbers = await self._checked(path, lines) if lines else None
        return await self._mention(path, numbers)

    async def of_entries(self, entries: list[ListedFile]) -> tuple[list[Mention], list[str]]:
        """Mention what a buffer that lists files means; return also why some are not mentioned."""
        facts = await self._selection.mention_facts(0, "")
        paths = [normalized(path_of(facts.folder, entry.path)) for entry in entries]
        private = await self._private_files.among(paths)
        made, errors = [], []
        for entry, path in zip(entries, paths, strict=True):
            try:
                is_folder = await asyncio.to_thread(_is_folder, path, entry.path)
                first = 0 if is_folder else entry.first or 0
                lines = (first, max(first, entry.last or 0)) if first else None
                self._check(path, private)
                made.append(_mention(path, lines))
            except UserError as error:
                errors.append(str(error))
        return made, errors

    async def _mention(self, path: str, lines: tuple[int, int] | None) -> Mention:
        self._check(path, await self._private_files.among([path]))
        return _mention(path, lines)

    def _check(self, path: str, private: dict[str, str]) -> None:
        if reason := private.get(path):
            raise UserError(self._private_files.sentence(path, reason))

    async def _checked(self, path: str, typed: list[str]) -> tuple[int, int]:
        """Return lines as typed, the last of which may be missing, as numbers."""
        for number in typed:
            if not re.fullmatch(r"0*[1-9][0-9]*", number):
                raise UserError(f"not a line number: {number}")
        first, last = int(typed[0]), int(typed[-1])
        if first > last:
            raise UserError(f"line {first} comes after line {last}")
        count = await self._selection.line_count(path)
        if not count:
            try:
                count = await asyncio.to_thread(_count_lines, path)
            except OSError:
                raise UserError(f"cannot read {path}") from None
        if last > count:
            lines = "1 line" if count == 1 else f"{count} lines"
            raise UserError(f"line {last} is past the end ({lines})")
        return first, last


def _mention(path: str, lines: tuple[int, int] | None) -> Mention:
    if not re.search(r"\s", path, re.ASCII):
        return {"filePath": path} | (
            {"lineStart": lines[0] - 1, "lineEnd": lines[1] - 1} if lines else {}
        )
    # The CLI reads a path with blanks only if it is quoted, together with the lines.
    span = "" if not lines else f"#L{lines[0]}" + (f"-{lines[1]}" if lines[1] > lines[0] else "")
    return {"filePath": f'"{path}{span}"'}


def _expanded(folder: str, typed: str) -> str:
    """Return the path for what was typed: completion adds escapes."""
    path = normalized(path_of(folder, typed))
    return path if exists(path) else normalized(path_of(folder, re.sub(r"\\(.)", r"\1", typed)))


def _is_folder(path: str, shown: str) -> bool:
    """Return whether a path is a folder, or else a file; it may be neither."""
    if not exists(path):
        raise UserError(f"no such file: {shown}")
    if not Path(path).is_dir() and not Path(path).is_file():
        raise UserError(f"neither a file nor a folder: {shown}")
    return Path(path).is_dir()


def _count_lines(path: str) -> int:
    count, last = 0, b"\n"
    with Path(path).open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count if last == b"\n" else count + 1
