"""Changes by language servers and formatters; the user reviews each before it is applied."""

import contextlib
from typing import Annotated, Any

from msgspec import Meta

from claude_ide.errors import EditorError, ToolError
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.pages import count, page
from claude_ide.mcp.model.place import File, Place
from claude_ide.mcp.model.reviewed_edit import Outcome, edited_files, report, review
from claude_ide.mcp.tool import Content, model_tool

RUN, REFUSE = "Run {}; it may change files without review", "Do not run it"

CHECK_SECONDS = 5.0
"""How long the servers may check a file that was not open: fixes are offered for what they find."""

EDITING = {"eslint": "eslint.apply", "ruff": "ruff.apply", "ruff_lsp": "ruff.apply"}
"""By the server's name in the user's configuration, which no project chooses: commands that only
send an edit, which is reviewed; so no question is needed before."""

EndLine = Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="Last line; default: line")]


class Rename(Place, frozen=True, kw_only=True):
    """Arguments of `rename`."""

    new_name: Annotated[str, Meta(min_length=1, max_length=200, description="The new name")]


class CodeAction(Place, frozen=True):
    """Arguments of `code_action`."""

    end_line: EndLine = None
    end_column: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Column after the last character, in end_line; default: whole lines"),
    ] = None
    title: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="Exact title of the action, such as a fix that diagnostics lists"),
    ] = None
    kind: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="Kind of the action, such as source.organizeImports or quickfix"),
    ] = None


class Format(File, frozen=True):
    """Arguments of `format`."""

    line: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="First line to format; default: the whole file"),
    ] = None
    end_line: EndLine = None


@model_tool("rename", "Rename a symbol", is_read_only=False, is_destructive=True, asks_user=True)
async def rename(client: Client, arguments: Rename) -> Content:
    """Rename the symbol at a place everywhere in the project.

    The user reviews the changes of all files first, and may change or reject some. Accepted files
    are written; those with unsaved changes are changed and stay unsaved.
    """
    new_name = arguments.new_name
    if not new_name.isprintable():
        raise ToolError("new_name: not a name")
    plan = await client.editor.use("tools.edits.rename", arguments.fields())
    files = edited_files(plan)
    if not files:
        return page(f"{plan['server']} has nothing to change.", ())
    old_name = plan["name"] or "a symbol"
    outcome = await review(client, f"rename {old_name} to {new_name}", files)
    return report(f"Renamed by {plan['server']}.", outcome)


@model_tool(
    "code_action", "Apply a code action", is_read_only=False, is_destructive=True, asks_user=True
)
async def code_action(client: Client, arguments: CodeAction) -> Content:
    """Apply a fix, a refactoring or another code action that a language server offers at a place.

    Name it by its title, or by its kind if only one has it; without both, the actions on offer are
    listed. The user reviews the changes first, as for rename.
    """
    with contextlib.suppress(TimeoutError):
        await client.editor.is_checked(arguments.file, CHECK_SECONDS)
    plan = await client.editor.use("tools.code_actions.find", arguments.fields())
    what = f'apply "{plan["title"]}"'
    files, outcome, notes = edited_files(plan), Outcome(), list[str]()
    if files:
        outcome = await review(client, what, files)
    if (command := plan.get("command")) is None:
        pass
    elif not outcome.is_complete:
        notes.append(f"The command that belongs to it was not run: {command['command']}")
    else:
        try:
            notes += await _command(client, command, what, outcome)
        except (ToolError, EditorError) as error:
            if not outcome.lines():
                raise
            notes.append(f"Only this; then, for the command {command['command']}: {error}")
    if not outcome.lines() and not notes:
        return page(f"{plan['server']} has nothing to change.", ())
    return report(f'{plan["server"]}: "{plan["title"]}"', outcome, notes)


@model_tool("format", "Format a file", is_read_only=False, is_destructive=False, asks_user=True)
async def format_file(client: Client, arguments: Format) -> Content:
    """Format a file, or some of its lines, with the formatter that the user has set up for it.

    The user reviews the changes first, as for rename.
    """
    plan = await client.editor.use("tools.formatting.format", arguments.fields())
    files, failures = edited_files(plan), plan.get("failures") or []
    if not files:
        return page(f"Nothing to change (asked {plan['server']}).", failures)
    outcome = await review(client, f"format {arguments.file}", files)
    others = plan.get("others") or []
    notes = [f"Call format again for the next formatter: {', '.join(others)}"] if others else []
    return report(f"Formatted by {plan['server']}.", outcome, notes)


async def _command(
    client: Client, command: dict[str, Any], what: str, outcome: Outcome
) -> list[str]:
    """Run the command of an action, and add what becomes of its edit; return what to note."""
    more = await _run(client, command)
    name, server = command["command"], command["server"]
    if not more.get("has_edit"):
        return [f"{server} has run the command {name}."]
    outcome.add(await review(client, what, edited_files(more)))
    if left_out := more["left_out"]:
        were = "was" if left_out == 1 else "were"
        return [f"{count(left_out, 'further edit')} of {server} for {name} {were} not applied."]
    return []


async def _run(client: Client, command: dict[str, Any]) -> dict[str, Any]:
    """Have the server run a command, after asking the user unless it can only propose an edit."""
    name, server = command["command"], command["server"]
    if not (server in EDITING and name.startswith(EDITING[server])):
        # A picker may cut it off, but no answer.
        question = f"{client.shown_name} wants {server} to run {name} ({command['title']})"
        run = RUN.format(name)
        if await client.editor.decide(question, [run, REFUSE]) != run:
            raise ToolError(f"the user does not want {server} to run {name}")
    done: dict[str, Any] = await client.editor.use("tools.code_actions.run", command)
    return done
