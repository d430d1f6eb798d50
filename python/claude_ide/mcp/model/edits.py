"""Changes by language servers and formatters; the user reviews each before it is applied."""

import asyncio
import contextlib
from contextlib import aclosing
from typing import Annotated, Any

from msgspec import Meta

from claude_ide.base.errors import EditorError, ToolError
from claude_ide.editor.formatting import Result
from claude_ide.editor.port.tools import Published, Run, Server, View
from claude_ide.editor.protocol import place_in, within, word_at
from claude_ide.editor.servers import Question
from claude_ide.mcp.client import Client
from claude_ide.mcp.lsp import actions
from claude_ide.mcp.lsp.edits import EditedFile, changed, composed, located
from claude_ide.mcp.model.common import FilePath, Place, Positive, Words, count, page
from claude_ide.mcp.model.reviewed_edit import Outcome, report, review
from claude_ide.mcp.tool import Content, model_tool

RUN, REFUSE = "Run {}; it may change files without review", "Do not run it"

CHECK_SECONDS = 5.0
"""How long the servers may check a file that was not open: fixes are offered for what they find."""

EDITING = {"eslint": "eslint.apply", "ruff": "ruff.apply", "ruff_lsp": "ruff.apply"}
"""By the server's name in the user's configuration, which no project chooses: commands that only
send an edit, which is reviewed; so no question is needed before."""

CHECK_NAME = "textDocument/prepareRename"

EndLine = Annotated[Positive | None, Meta(description="Last line; default: line")]


@model_tool("rename", "Rename a symbol", is_read_only=False, is_destructive=True, asks_user=True)
async def rename(
    client: Client,
    place: Place,
    new_name: Annotated[str, Meta(min_length=1, max_length=200, description="The new name")],
) -> Content:
    """Rename the symbol at a place everywhere in the project.

    The user reviews the changes of all files first, and may change or reject some. Accepted files
    are written; those with unsaved changes are changed and stay unsaved.
    """
    if not new_name.isprintable():
        raise ToolError("new_name: not a name")

    def parameters(view: View, server: Server) -> dict[str, Any]:
        return {**place_in(view, server), "newName": new_name}

    asked = "textDocument/rename", place.fields(), parameters
    question = Question(*asked, supports=(CHECK_NAME,))
    found = await client.editor.servers.ask(question)
    if not found.answers:
        raise ToolError("nothing can be renamed at this place")
    # The edit of one server only: two would rename twice. Those that check names know more.
    chosen = min(found.answers, key=lambda answer: CHECK_NAME not in answer.server.supports)
    server = chosen.server
    files = await composed(client.editor, chosen.result, server, found.ticks)
    if not files:
        return page(f"{server.name} has nothing to change.", ())
    old_name = place.symbol or word_at(found.view.first) or "a symbol"
    outcome = await review(client, f"rename {old_name} to {new_name}", files)
    return report(f"Renamed by {server.name}.", outcome)


@model_tool(
    "code_action", "Apply a code action", is_read_only=False, is_destructive=True, asks_user=True
)
async def code_action(
    client: Client,
    place: Place,
    end_line: EndLine = None,
    end_column: Annotated[
        Positive | None,
        Meta(description="Column after the last character, in end_line; default: whole lines"),
    ] = None,
    title: Annotated[
        Words | None,
        Meta(description="Exact title of the action, such as a fix that diagnostics lists"),
    ] = None,
    kind: Annotated[
        Words | None,
        Meta(description="Kind of the action, such as source.organizeImports or quickfix"),
    ] = None,
) -> Content:
    """Apply a fix, a refactoring or another code action that a language server offers at a place.

    Name it by its title, or by its kind if only one has it; without both, the actions on offer are
    listed. The user reviews the changes first, as for rename.
    """
    editor, servers = client.editor, client.editor.servers
    published: list[Published] = []
    with contextlib.suppress(TimeoutError):
        loaded = await editor.load(place.file)
        await editor.checked(loaded, CHECK_SECONDS)
        published = await servers.diagnostics(loaded.bufnr) if loaded.bufnr else []
    fields = {**place.fields(), "end_line": end_line, "end_column": end_column}
    wanted = actions.Wanted(fields, title, kind)
    try:
        action, ticks = await actions.find(servers, wanted, published)
    except ToolError as error:
        raise ToolError(await editor.told(str(error))) from None
    server, what = action.server, f'apply "{action.title}"'
    command = actions.follow_up(action)
    if command:
        await editor.check_change({"arguments": command.arguments})
    files = await composed(editor, action.edit, server, ticks) if action.edit else []
    outcome, notes = Outcome(), list[str]()
    if files:
        outcome = await review(client, what, files)
    if command is None:
        pass
    elif not outcome.is_complete:
        notes.append(f"The command that belongs to it was not run: {command.name}")
    else:
        try:
            notes += await _command(client, command, what, outcome)
        except (ToolError, EditorError) as error:
            if not outcome.lines():
                raise
            notes.append(f"Only this; then, for the command {command.name}: {error}")
    if not outcome.lines() and not notes:
        return page(f"{server.name} has nothing to change.", ())
    return report(f'{server.name}: "{action.title}"', outcome, notes)


@model_tool("format", "Format a file", is_read_only=False, is_destructive=False, asks_user=True)
async def format_file(
    client: Client,
    file: FilePath,
    line: Annotated[
        Positive | None, Meta(description="First line to format; default: the whole file")
    ] = None,
    end_line: EndLine = None,
) -> Content:
    """Format a file, or some of its lines, with the formatter that the user has set up for it.

    The user reviews the changes first, as for rename.
    """
    # Each further formatter would format the result of the one before. So the first that changes
    # something ends the run.
    asked, failures = list[str](), list[str]()
    others, edit = list[str](), None
    rows = None if line is None else (line, end_line or line)
    async with aclosing(client.editor.formatting.results(file)) as results:
        async for result in results:
            others = result.others
            try:
                edit = await asyncio.to_thread(_formatted, result, rows)
            except EditorError as error:
                failures.append(f"{result.name}: {error}")
                continue
            asked.append(result.name)
            if edit is not None:
                break
    if edit is None:
        if not asked:
            raise ToolError("; ".join(failures))
        return page(f"Nothing to change (asked {' and '.join(asked)}).", failures)
    outcome = await review(client, f"format {file}", [located(edit, client.editor)])
    notes = [f"Call format again for the next formatter: {', '.join(others)}"] if others else []
    return report(f"Formatted by {asked[-1]}.", outcome, notes)


def _formatted(result: Result, rows: tuple[int, int] | None) -> EditedFile | None:
    """Return a file as a formatter leaves it, or only these lines; None if nothing changes."""
    if result.failure:
        raise EditorError(result.failure)
    text, lines = result.text, result.lines
    if rows is not None:
        lines = within(text.lines, lines, *rows)
    return changed(text, lines)


async def _command(
    client: Client, command: actions.Command, what: str, outcome: Outcome
) -> list[str]:
    """Run the command of an action, and add what becomes of its edit; return what to note."""
    name, server = command.name, command.server.name
    done = await _run(client, command)
    if not done.edits:
        if done.failure:
            raise EditorError(f"{server}: {done.failure}")
        return [f"{server} has run the command {name}."]
    ticks = dict(done.ticks)
    files = await composed(client.editor, done.edits[0], command.server, ticks)
    outcome.add(await review(client, what, files))
    if left_out := len(done.edits) - 1:
        were = "was" if left_out == 1 else "were"
        return [f"{count(left_out, 'further edit')} of {server} for {name} {were} not applied."]
    return []


async def _run(client: Client, command: actions.Command) -> Run:
    """Have the server run a command, after asking the user unless it can only propose an edit."""
    name, server = command.name, command.server.name
    if not (server in EDITING and name.startswith(EDITING[server])):
        # A picker may cut it off, but no answer.
        question = f"{client.shown_name} wants {server} to run {name} ({command.title})"
        run = RUN.format(name)
        if await client.editor.decide(question, [run, REFUSE]) != run:
            raise ToolError(f"the user does not want {server} to run {name}")
    return await client.editor.servers.run(command.server.id, name, command.arguments)
