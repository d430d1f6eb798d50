"""The bare JSON-RPC methods on the workspace's files; paths are relative to it and stay inside.

What leaves the workspace is refused with -32602: `..`, an absolute path, `~`, a symlink out of
it, NUL, an empty path. Source: doc/protocol.md, "Bare methods".
"""

import asyncio
import contextlib
import fnmatch
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.errors import INTERNAL_ERROR, RpcError
from claude_ide.mcp.client import Client

SKIPPED = frozenset([".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"])
MOST_FILES = 20_000


class ReadFile(msgspec.Struct, frozen=True):
    """Parameters of `readFile`."""

    path: str


class WriteFile(msgspec.Struct, frozen=True):
    """Parameters of `writeFile`."""

    path: str
    content: str


class ListFiles(msgspec.Struct, frozen=True):
    """Parameters of `listFiles`; `pattern` is a glob, of the name if it holds no slash.

    Of the relative path otherwise, where `**` stands for any folders.
    """

    pattern: str | None = None


class Nothing(msgspec.Struct, frozen=True):
    """Parameters of a method that takes none."""


async def read_file(client: Client, params: ReadFile) -> str:
    """Return a file's text: the buffer's when it is loaded, saved or not."""
    path = await _resolve(client, params.path)
    text = await client.editor.text(str(path))
    if text is not None:
        return text
    try:
        if path.exists() and not path.is_file():
            # Reading a pipe would wait for ever.
            raise RpcError.invalid_params(f"readFile: not a file: {params.path}")
        return path.read_bytes().decode()
    except FileNotFoundError:
        raise RpcError.invalid_params(f"readFile: no such file: {params.path}") from None
    except UnicodeDecodeError:
        raise RpcError(INTERNAL_ERROR, f"readFile: {params.path} is not UTF-8 text") from None
    except OSError as error:
        raise RpcError(INTERNAL_ERROR, f"readFile: {params.path}: {error.strerror}") from None


async def write_file(client: Client, params: WriteFile) -> dict[str, bool]:
    """Write a file whole or not at all; refused while its buffer has unsaved changes."""
    path = await _resolve(client, params.path)
    buffer = await client.editor.find(str(path))
    if buffer is not None and buffer["modified"]:
        reason = f"writeFile: {params.path} has unsaved changes in Neovim"
        raise RpcError(INTERNAL_ERROR, reason)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, params.content.encode())
    except OSError as error:
        raise RpcError(INTERNAL_ERROR, f"writeFile: {params.path}: {error.strerror}") from None
    with contextlib.suppress(TimeoutError):  # its buffer follows later, as after any write
        await client.editor.reload()
    return {"success": True}


async def list_files(client: Client, params: ListFiles) -> list[str]:
    """Return the relative paths of the workspace's files, sorted; 20,000 at most."""
    root = await _root(client)
    return sorted([path async for path in _files(root) if matches(path, params.pattern or "*")])


async def get_workspace_info(client: Client, _params: Nothing) -> dict[str, Any]:
    """Return the workspace's name, absolute path, number of files, and type."""
    root = await _root(client)
    count = 0
    async for _ in _files(root):
        count += 1
    return {"name": root.name, "path": str(root), "fileCount": count, "type": "neovim"}


async def get_open_files(client: Client, _params: Nothing) -> list[str]:
    """Return the open files, relative to the workspace where they lie in it."""
    root = await _root(client)
    return [_relative(path, root) for path in await client.editor.paths()]


async def get_current_file(client: Client, _params: Nothing) -> str | None:
    """Return the current file, relative to the workspace where it lies in it, or null."""
    path = await client.editor.current_path()
    return None if path is None else _relative(path, await _root(client))


async def _root(client: Client) -> Path:
    folders = await client.editor.folders()
    return Path(folders[0]).resolve()


async def _resolve(client: Client, path: str) -> Path:
    if not path:
        raise RpcError.invalid_params("path: is empty")
    if "\0" in path:
        raise RpcError.invalid_params("path: holds a NUL")
    if path.startswith("~"):
        raise RpcError.invalid_params(f"path: {path} starts with ~")
    given = Path(path)
    if given.is_absolute() or ".." in given.parts:
        raise RpcError.invalid_params(f"path: {path} leaves the workspace")
    root = await _root(client)
    try:
        resolved = (root / given).resolve()
        # From Python 3.13 on, only this notices links that lead to each other.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            resolved.stat()
    except (OSError, RuntimeError) as error:
        raise RpcError.invalid_params(f"path: {path}: {error}") from None
    if not resolved.is_relative_to(root):
        raise RpcError.invalid_params(f"path: {path} is a link out of the workspace")
    return resolved


def _relative(path: str, root: Path) -> str:
    resolved = Path(path).resolve()
    return str(resolved.relative_to(root)) if resolved.is_relative_to(root) else path


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step, its permissions kept."""
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
    # With it come compressors and random numbers, which no start has to wait for.
    import tempfile

    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".claude-ide-", delete=False) as draft:
        try:
            draft.write(content)
            draft.flush()
            Path(draft.name).chmod(mode)
            Path(draft.name).replace(path)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


async def _files(root: Path) -> AsyncIterator[str]:
    """Give relative paths, folder by folder, letting other clients in between.

    Names that are not Unicode are left out: they could not be asked for.
    """
    found = 0
    folders = [root]
    while folders and found < MOST_FILES:
        folder = folders.pop()
        await asyncio.sleep(0)
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if not _is_unicode(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED:
                    folders.append(Path(entry.path))
            elif _is_file(entry) and found < MOST_FILES:
                found += 1
                yield str(Path(entry.path).relative_to(root))


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def matches(path: str, pattern: str) -> bool:
    """Tell whether a relative path matches a glob; `*` stays within one name, `**` does not."""
    if "/" not in pattern:
        return fnmatch.fnmatchcase(path.rpartition("/")[2], pattern)
    return _match(path.split("/"), pattern.removeprefix("/").split("/"))


def _match(names: list[str], globs: list[str]) -> bool:
    matched = {0}  # how many of the names the globs so far may stand for
    for glob in globs:
        if glob == "**":
            matched = {n for first in matched for n in range(first, len(names) + 1)}
        else:
            begun = [n for n in matched if n < len(names)]
            matched = {n + 1 for n in begun if fnmatch.fnmatchcase(names[n], glob)}
    return len(names) in matched
