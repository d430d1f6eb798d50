"""The bare JSON-RPC methods on the workspace's files; paths are relative to the workspace.

Paths that leave the workspace are refused with -32602: `..`, an absolute path, `~`, a symlink to
the outside; also NUL, an empty path, anything but a regular file, and files that are too large.
Source: doc/protocol.md, "Bare methods".
"""

import asyncio
import contextlib
import fnmatch
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from claude_ide.base import files
from claude_ide.base.errors import INTERNAL_ERROR, RpcError
from claude_ide.base.names import editor_name
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import signature
from claude_ide.transport.jsonrpc import ANSWER_BYTES

SKIPPED = frozenset([".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"])
MOST_FILES = 20_000
ASKED_AT_ONCE = 200
"""How many paths Neovim judges in one go, which takes it a few milliseconds."""

PATH_CHARACTERS = 200
"""Of a path in an error."""


async def read_file(client: Client, path: str) -> str:
    """Return a file's text; that of its buffer, saved or not, if it is loaded."""
    root, file = await _resolve(client, path)
    # Links are resolved only once: a link created since then must not lead to another buffer.
    text = await client.editor.text(str(file), real=True)
    if text is not None:
        return text
    with _refusals("readFile", path):
        content = files.read_within(root, file, ANSWER_BYTES)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise RpcError(INTERNAL_ERROR, f"readFile: {path}: not UTF-8 text") from None


async def write_file(client: Client, path: str, content: str) -> dict[str, bool]:
    """Write a file atomically; refused while its buffer has unsaved changes."""
    root, file = await _resolve(client, path)
    buffer = await client.editor.port.buffers.find(str(file), real=True)
    if buffer is not None and buffer.modified:
        reason = f"writeFile: {path}: has unsaved changes in {editor_name()}"
        raise RpcError(INTERNAL_ERROR, reason)
    client.editor.port.disk.announce_write(str(file))
    async with client.editor.record_write(client.shown_name, str(file), is_seen=False):
        with _refusals("writeFile", path):
            files.write_within(root, file, content.encode())
    with contextlib.suppress(TimeoutError):  # its buffer follows later, as after any write
        await client.editor.reload()
    return {"success": True}


async def list_files(client: Client, pattern: str | None = None) -> list[str]:
    """Return the sorted relative paths of the workspace's files, at most 20,000.

    `pattern` is a glob for the file name or, if it contains a slash, for the relative path; `**`
    matches any number of folders.
    """
    root = await _root(client)
    found = [path async for path in _files(root) if matches(path, pattern or "*")]
    return sorted(await _shared(client, root, found))


async def get_workspace_info(client: Client) -> dict[str, Any]:
    """Return the workspace's name, absolute path, number of files and type."""
    root = await _root(client)
    count = 0
    async for _ in _files(root):
        count += 1
    kind = editor_name().lower()
    return {"name": root.name, "path": str(root), "fileCount": count, "type": kind}


async def get_open_files(client: Client) -> list[str]:
    """Return the open files; paths in the workspace are relative to it."""
    root = await _root(client)
    paths = filter(client.may_learn, await client.editor.paths())
    return [_relative(path, root) for path in paths]


async def get_current_file(client: Client) -> str | None:
    """Return the current file, relative to the workspace if it is inside, or null."""
    path = await client.editor.current_path()
    is_told = path is not None and client.may_learn(path)
    return _relative(path, await _root(client)) if path and is_told else None


METHODS: dict[str, tuple[type, Callable[..., Awaitable[Any]]]] = {
    "readFile": signature(read_file),
    "writeFile": signature(write_file),
    "listFiles": signature(list_files),
    "getWorkspaceInfo": signature(get_workspace_info),
    "getOpenFiles": signature(get_open_files),
    "getCurrentFile": signature(get_current_file),
}
"""By wire name: the type of the parameters, and the method."""


async def _root(client: Client) -> Path:
    folders = await client.editor.folders()
    return Path(folders[0]).resolve()


async def _resolve(client: Client, path: str) -> tuple[Path, Path]:
    """Return the workspace's folder and the resolved path in it, both without links."""
    if not path:
        raise RpcError.invalid_params("path: is empty")
    if "\0" in path:
        raise RpcError.invalid_params(f"path: {_shown(path)}: contains a NUL")
    if path.startswith("~"):
        raise RpcError.invalid_params(f"path: {_shown(path)}: starts with ~")
    given = Path(path)
    if given.is_absolute() or ".." in given.parts:
        raise RpcError.invalid_params(f"path: {_shown(path)}: leaves the workspace")
    root = await _root(client)
    with _refusals("path", path):
        resolved = files.resolve(root, path)
    for reason in (await client.editor.private([str(root / path), str(resolved)])).values():
        raise RpcError.invalid_params(f"path: {_shown(path)}: stays in the editor: {reason}")
    return root, resolved


@contextlib.contextmanager
def _refusals(method: str, path: str) -> Iterator[None]:
    """Turn an `OSError` into an `RpcError` with the path and the reason."""
    try:
        yield
    except (files.RefusedError, FileNotFoundError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise RpcError.invalid_params(f"{method}: {_shown(path)}: {reason}") from None
    except OSError as error:
        reason = f"{method}: {_shown(path)}: {error.strerror}"
        raise RpcError(INTERNAL_ERROR, reason) from None


def _shown(path: str) -> str:
    return path if len(path) <= PATH_CHARACTERS else f"{path[:PATH_CHARACTERS]}…"


def _relative(path: str, root: Path) -> str:
    resolved = Path(path).resolve()
    return str(resolved.relative_to(root)) if resolved.is_relative_to(root) else path


async def _shared(client: Client, root: Path, paths: list[str]) -> list[str]:
    """Return the paths without those that stay in the editor, asking for a few at a time."""
    shared: list[str] = []
    for first in range(0, len(paths), ASKED_AT_ONCE):
        some = {str(root / path): path for path in paths[first : first + ASKED_AT_ONCE]}
        private = await client.editor.private(some)
        shared += (path for full, path in some.items() if full not in private)
    return shared


async def _files(root: Path) -> AsyncIterator[str]:
    """Yield relative paths, folder by folder; other clients are served in between.

    Names that are not Unicode are skipped, because no client could request them.
    """
    found = 0
    folders = [""]
    while folders and found < MOST_FILES:
        folder = folders.pop()
        await asyncio.sleep(0)
        inner, names = _entries(root, folder)
        folders += inner
        for name in names[: MOST_FILES - found]:
            found += 1
            yield name


def _entries(root: Path, folder: str) -> tuple[list[str], list[str]]:
    """Return the subfolders and the files of a folder, as paths relative to the workspace."""
    inner, names = [], []
    with contextlib.suppress(OSError), files.scan_within(root, folder) as entries:
        for entry in entries:
            if any("\ud800" <= letter <= "\udfff" for letter in entry.name):
                continue  # it is not Unicode
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED:
                    inner.append(path)
            elif _is_file(entry):
                names.append(path)
    return inner, names


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def matches(path: str, pattern: str) -> bool:
    """Return whether a relative path matches a glob; `**` matches slashes, `*` does not."""
    if "/" not in pattern:
        return fnmatch.fnmatchcase(path.rpartition("/")[2], pattern)
    return _match(path.split("/"), pattern.removeprefix("/").split("/"))


def _match(names: list[str], globs: list[str]) -> bool:
    matched = {0}  # the numbers of leading names that the globs so far can match
    for glob in globs:
        if glob == "**":
            matched = {n for first in matched for n in range(first, len(names) + 1)}
        else:
            begun = [n for n in matched if n < len(names)]
            matched = {n + 1 for n in begun if fnmatch.fnmatchcase(names[n], glob)}
    return len(names) in matched
