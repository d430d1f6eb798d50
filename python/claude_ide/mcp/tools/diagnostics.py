"""The diagnostics of language servers and linters."""

from typing import Annotated, Any

from msgspec import Meta

from claude_ide.editor.state import Diagnostics
from claude_ide.mcp.client import Client
from claude_ide.mcp.diagnosed import PUBLISH_SECONDS, diagnosed
from claude_ide.mcp.tool import Arguments, Caller, Content, json_text, tool
from claude_ide.paths import named_by


class GetDiagnostics(Arguments, frozen=True):
    """Arguments of `getDiagnostics`."""

    uri: Annotated[
        str | None, Meta(description="URI or absolute path of a file; default: all files")
    ] = None


@tool("getDiagnostics", is_always_loaded=True)
async def get_diagnostics(client: Client, arguments: GetDiagnostics, caller: Caller) -> Content:
    """Return errors, warnings and hints of one file, or of all open files, grouped by file.

    Recent changes on disk are loaded and checked first. A note says so if nothing has checked a
    file.
    """
    if caller.is_model:
        return await _for_the_model(client, arguments.uri)
    if arguments.uri:
        path = named_by(arguments.uri)
        return _described({path: await client.baseline.prepare(client.editor, path)})
    await client.baseline.load_written(client.editor)
    known = await client.editor.all_diagnostics(PUBLISH_SECONDS)
    return _described(client.baseline.without_old(known))


async def _for_the_model(client: Client, uri: str | None) -> Content:
    return _described(await diagnosed(client, named_by(uri) if uri else None))


def _described(known: dict[str, Diagnostics]) -> Content:
    """Return the diagnostics of each path; uris are unencoded, as the CLI compares them so."""
    files: list[dict[str, Any]] = []
    for path, diagnostics in known.items():
        described: dict[str, Any] = {"uri": f"file://{path}", "diagnostics": diagnostics.items}
        cut = [f"{diagnostics.omitted} more are not listed"] if diagnostics.omitted else []
        if notes := [*cut, *filter(None, [diagnostics.note])]:
            described["note"] = "; ".join(notes)
        files.append(described)
    return json_text(files)
