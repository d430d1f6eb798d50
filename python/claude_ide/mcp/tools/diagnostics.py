"""What language servers and linters say of the code."""

import contextlib
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from claude_ide.editor.state import Diagnostics
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Arguments, Content, json_text, tool
from claude_ide.paths import from_uri

PUBLISH_SECONDS = 1.5
"""How long a language server may take after a reload: the CLI waits for 2.0 s (measured)."""


class GetDiagnostics(Arguments, frozen=True):
    """Arguments of `getDiagnostics`."""

    uri: Annotated[
        str | None, Meta(description="A file's uri or absolute path; without one, all files")
    ] = None


@tool("getDiagnostics")
async def get_diagnostics(client: Client, arguments: GetDiagnostics) -> Content:
    """Return errors, warnings and hints of one file, or of all files, by file.

    Without a uri, what was just written on disk is read first, and its language server asked.
    """
    if arguments.uri:
        # Asked just before a write: answered from what is there.
        path = _path(arguments.uri)
        client.editor.names(path)
        for uri, known in (await client.editor.diagnostics(path)).items():
            if _is_same(from_uri(uri), path):
                return _described({path: known})
        return _described({path: Diagnostics()})
    known_by_uri = await client.editor.all_diagnostics(PUBLISH_SECONDS)
    return _described({from_uri(uri): known for uri, known in known_by_uri.items()})


def _path(uri: str) -> str:
    """Return the path of a uri: the CLI puts paths into uris as they are, others encode them."""
    plain = uri.removeprefix("file://")
    with contextlib.suppress(OSError):
        if Path(plain).exists():
            return plain
    return from_uri(uri)


def _is_same(path: str, other: str) -> bool:
    if path == other:
        return True
    with contextlib.suppress(OSError, ValueError):
        return Path(path).samefile(other)
    return False


def _described(known: dict[str, Diagnostics]) -> Content:
    """Describe the diagnostics of each path; the CLI compares uris with paths, undecoded."""
    files: list[dict[str, Any]] = []
    for path, diagnostics in known.items():
        described: dict[str, Any] = {"uri": f"file://{path}", "diagnostics": diagnostics.items}
        if diagnostics.omitted:
            described["note"] = f"{diagnostics.omitted} more are not listed"
        files.append(described)
    return json_text(files)
