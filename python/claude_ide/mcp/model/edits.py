"""Changes by language servers and formatters; the user reviews each before it is applied."""

import asyncio
import contextlib
from collections.abc import Iterator
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from claude_ide.base.errors import EditorError, ToolError
from claude_ide.editor.formatting import FormatResult
from claude_ide.editor.port.tools import (
    CommandEdits,
    LanguageServer,
    ServerDiagnostic,
    ServersView,
    Spot,
)
from claude_ide.editor.protocol import listed, place_in, position_of, shortened, within, word_at
from claude_ide.editor.servers import LanguageServers, ServerAnswer, ServerQuestion
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.common import FilePath, Positive, SymbolPlace, Words, count, page
from claude_ide.mcp.model.reviewed_edit import (
    EditedFile,
    EditOutcome,
    changed,
    composed,
    located,
    report,
    review,
)
from claude_ide.mcp.tool import Content, model_tool

RUN, REFUSE = "Run {}; it may change files without review", "Do not run it"

CHECK_SECONDS = 5.0
"""How long the servers may check a file that was not open: fixes are offered for what they find."""

EDITING = {"eslint": "eslint.apply", "ruff": "ruff.apply", "ruff_lsp": "ruff.apply"}
"""By the server's name in the user's configuration, which no project chooses: commands that only
send an edit, which is reviewed; so no question is needed before."""

CHECK_NAME = "textDocument/prepareRename"
CODE_ACTION, RESOLVE = "textDocument/codeAction", "codeAction/resolve"

NONE = "no code action is offered here"

MOST_LISTED, LONGEST_TITLE = 30, 200

EndLine = Annotated[Positive | None, Meta(description="Last line; default: line")]


# Code actions of language servers: found, chosen and completed.


class Action(msgspec.Struct):
    """A code action and its server; a bare command is the `command` of one."""

    server: LanguageServer
    fields: dict[str, Any]

    @property
    def title(self) -> str:
        """What the user and the model call it."""
        return str(self.fields.get("title"))

    @property
    def kind(self) -> str:
        """Its kind, such as `quickfix` or `source.organizeImports`."""
        return str(self.fields.get("kind") or "")

    @property
    def edit(self) -> Any:
        """Its edit, if it has one."""
        return self.fields.get("edit")

    def is_of_kind(self, kind: str) -> bool:
        """Return whether it is of a kind, or of a part of it."""
        return self.kind == kind or self.kind.startswith(f"{kind}.")


class Command(msgspec.Struct, frozen=True):
    """The command that has to follow the edit of an action."""

    server: LanguageServer
    name: str
    arguments: Any
    title: str


class Wanted(msgspec.Struct, frozen=True):
    """Which action is wanted, and where."""

    place: dict[str, Any]
    title: str | None
    kind: str | None


async def find_action(
    servers: LanguageServers, wanted: Wanted, published: list[ServerDiagnostic]
) -> tuple[Action, dict[int, int]]:
    """Return the wanted action, completed, and the changedticks of all buffers before.

    `published` are the diagnostics of the file. Raises `ToolError` with the actions on offer.
    """

    def question(only: str | None) -> ServerQuestion:
        def parameters(view: ServersView, server: LanguageServer) -> dict[str, Any]:
            first, last = spots(view, wanted.place)
            raw = [
                each.raw
                for each in published
                if each.client == server.id and each.row <= last.row and each.end_row >= first.row
            ]
            return {
                "textDocument": {"uri": view.uri},
                "range": {"start": position_of(first, server), "end": position_of(last, server)},
                "context": {
                    "diagnostics": raw,
                    "triggerKind": 1,
                    **({"only": [only]} if only else {}),
                },
            }

        return ServerQuestion(CODE_ACTION, wanted.place, parameters, supports=(RESOLVE,))

    found = await servers.ask(question(wanted.kind))
    offered = [*_offered(found.answers)]
    chosen, problem = choose(offered, wanted)
    if chosen is None and not wanted.kind:
        # Some servers offer actions on the whole file only if asked for these.
        try:
            more = [*_offered((await servers.ask(question("source"))).answers)]
        except EditorError:
            more = []
        # Some answer with all actions, whatever is asked for.
        known = {_key(each) for each in offered}
        offered += (each for each in more if _key(each) not in known)
        chosen, problem = choose(offered, wanted)
    if chosen is None:
        raise ToolError(problem)
    await _complete(servers, chosen, found.view.bufnr)
    return chosen, found.ticks


def spots(view: ServersView, place: dict[str, Any]) -> tuple[Spot, Spot]:
    """Return the ends of a place: those of whole lines, unless it has a column or a symbol."""
    assert view.first is not None
    first, symbol = view.first, place.get("symbol") or ""
    has_column = bool(place.get("column") or symbol)
    if view.last is not None:
        last = view.last if place.get("end_column") else _end_of(view.last)
    elif has_column:
        last = msgspec.structs.replace(first, index=first.index + len(symbol))
    else:
        last = _end_of(first)
    return first if has_column else msgspec.structs.replace(first, index=0), last


def _end_of(spot: Spot) -> Spot:
    return msgspec.structs.replace(spot, index=len(spot.text))


def _offered(answers: list[ServerAnswer]) -> Iterator[Action]:
    for answer in answers:
        for action in listed(answer.result):
            if not isinstance(action, dict) or not isinstance(action.get("title"), str):
                continue
            if isinstance(action.get("command"), str):
                yield Action(answer.server, {"title": action["title"], "command": action})
            else:
                yield Action(answer.server, action)


def _key(action: Action) -> tuple[int, str, str]:
    return action.server.id, action.kind, action.title


def choose(offered: list[Action], wanted: Wanted) -> tuple[Action | None, str]:
    """Return the wanted action; or None, and why there is none."""
    fitting = [
        each
        for each in offered
        if (not wanted.title or each.title == wanted.title)
        and (not wanted.kind or each.is_of_kind(wanted.kind))
    ]
    enabled = [each for each in fitting if not each.fields.get("disabled")]
    if fitting and not enabled:
        disabled = fitting[0].fields["disabled"]
        reason = disabled.get("reason") if isinstance(disabled, dict) else ""
        why = reason or "no reason was given"
        return None, f'"{fitting[0].title}" is not possible here: {why}'
    if not offered:
        return None, NONE
    if not wanted.title and (not wanted.kind or len(enabled) > 1):
        return None, f"give the title of one of these code actions:{_listed(fitting)}"
    if not enabled:
        return None, f"not offered here; these are:{_listed(offered)}"
    return enabled[0], ""


def _listed(actions: list[Action]) -> str:
    lines = (
        f"\n- {shortened(each.title, LONGEST_TITLE)}{f' ({each.kind})' * bool(each.kind)}, "
        f"{each.server.name}"
        for each in actions[:MOST_LISTED]
    )
    return "".join(lines)


async def _complete(servers: LanguageServers, action: Action, bufnr: int | None) -> None:
    """Request what an action without an edit leaves out."""
    if action.edit or RESOLVE not in action.server.supports:
        return
    requests = [(action.server.id, action.fields)]
    (reply,) = await servers.send(RESOLVE, requests, bufnr)
    if reply.failure and not action.fields.get("command"):
        raise EditorError(f"{action.server.name}: {reply.failure}")
    if not reply.failure and isinstance(reply.result, dict):
        action.fields = reply.result


def follow_up(action: Action) -> Command | None:
    """Return the command that has to follow an action.

    Raises `EditorError` if its server does not run it.
    """
    command = action.fields.get("command")
    if not isinstance(command, dict):
        if not action.edit:
            raise EditorError(f'"{action.title}" has neither an edit nor a command')
        return None
    name, known = str(command.get("command")), action.server.commands
    if known is not None and name not in known:
        raise EditorError(
            f'"{action.title}" needs the command {name} of another editor; nothing was changed'
        )
    return Command(action.server, name, command.get("arguments"), action.title)


# The tools.


@model_tool("rename", "Rename a symbol", is_read_only=False, is_destructive=True, asks_user=True)
async def rename(
    client: Client,
    place: SymbolPlace,
    new_name: Annotated[str, Meta(min_length=1, max_length=200, description="The new name")],
) -> Content:
    """Rename the symbol at a place everywhere in the project.

    The user reviews the changes of all files first, and may change or reject some. Accepted files
    are written; those with unsaved changes are changed and stay unsaved.
    """
    if not new_name.isprintable():
        raise ToolError("new_name: not a name")

    def parameters(view: ServersView, server: LanguageServer) -> dict[str, Any]:
        return {**place_in(view, server), "newName": new_name}

    asked = "textDocument/rename", place.fields(), parameters
    question = ServerQuestion(*asked, supports=(CHECK_NAME,))
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
    place: SymbolPlace,
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
    published: list[ServerDiagnostic] = []
    with contextlib.suppress(TimeoutError):
        loaded = await editor.load(place.file, CHECK_SECONDS)
        await editor.checked(loaded, CHECK_SECONDS)
        published = await servers.diagnostics(loaded.bufnr) if loaded.bufnr else []
    fields = {**place.fields(), "end_line": end_line, "end_column": end_column}
    wanted = Wanted(fields, title, kind)
    try:
        action, ticks = await find_action(servers, wanted, published)
    except ToolError as error:
        raise ToolError(await editor.gate.told(str(error))) from None
    server, what = action.server, f'apply "{action.title}"'
    command = follow_up(action)
    if command:
        await editor.gate.check_change({"arguments": command.arguments})
    files = await composed(editor, action.edit, server, ticks) if action.edit else []
    outcome, notes = EditOutcome(), list[str]()
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


def _formatted(result: FormatResult, rows: tuple[int, int] | None) -> EditedFile | None:
    """Return a file as a formatter leaves it, or only these lines; None if nothing changes."""
    if result.failure:
        raise EditorError(result.failure)
    text, lines = result.text, result.lines
    if rows is not None:
        lines = within(text.lines, lines, *rows)
    return changed(text, lines)


async def _command(client: Client, command: Command, what: str, outcome: EditOutcome) -> list[str]:
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


async def _run(client: Client, command: Command) -> CommandEdits:
    """Have the server run a command, after asking the user unless it can only propose an edit."""
    name, server = command.name, command.server.name
    if not (server in EDITING and name.startswith(EDITING[server])):
        # A picker may cut it off, but no answer.
        question = f"{client.shown_name} wants {server} to run {name} ({command.title})"
        run = RUN.format(name)
        if await client.editor.decide(question, [run, REFUSE]) != run:
            raise ToolError(f"the user does not want {server} to run {name}")
    return await client.editor.servers.run(command.server.id, name, command.arguments)
