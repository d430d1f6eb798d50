"""The `:Claude…` commands that the host executes, one decorated function each.

`plugin/claude_ide.lua` defines them in Neovim and forwards them to the host.
"""

import logging
import os
import shlex
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.app import App
from claude_ide.base import program
from claude_ide.base.errors import UserError
from claude_ide.base.names import VIM, editor_name, for_this_editor
from claude_ide.editor.mentions import is_elsewhere, mentioned_path, worktree
from claude_ide.editor.port.review import CalledAt
from claude_ide.editor.port.terminals import Terminal
from claude_ide.editor.port.windows import FloatLook
from claude_ide.mcp import registration
from claude_ide.mcp.ide import SAVED
from claude_ide.mcp.registration import TOKEN

if TYPE_CHECKING:
    from claude_ide.editor.port.prompts import Sent
    from claude_ide.mcp.client import Client
    from claude_ide.sending import Clis

logger = logging.getLogger(__name__)

NONE_RUNS = "no terminal of this Neovim runs Claude (:Claude opens one)"
ONLY_ONE = "only one Claude runs (:ClaudeNew starts another)"


class CommandCall(msgspec.Struct, frozen=True):
    """One call of a command: arguments, range (1-based and inclusive, or None), `!`, place."""

    arguments: list[str] = msgspec.field(default_factory=list)
    lines: tuple[int, int] | None = None
    bang: bool = False
    at: CalledAt = CalledAt()

    @property
    def bufnr(self) -> int:
        """The buffer."""
        return self.at.bufnr

    @property
    def name(self) -> str:
        """The arguments as one name, without the quotes around it."""
        words = " ".join(self.arguments)
        is_quoted = len(words) > 1 and words[0] == words[-1] and words[0] in "\"'"
        return words[1:-1].strip() if is_quoted else words


Run = Callable[[App, CommandCall], Awaitable[None]]

COMMANDS: dict[str, Run] = {}


def command(name: str) -> Callable[[Run], Run]:
    """Register a coroutine `(app, call)` as the command `name`."""

    def register(run: Run) -> Run:
        COMMANDS[name] = run
        return run

    return register


def dispatch(app: App, name: str, call: CommandCall) -> None:
    """Start a command in a task."""
    app.guard(COMMANDS[name](app, call))


@command("ClaudeStart")
async def start(app: App, call: CommandCall) -> None:
    """:ClaudeStart — start the server and show its address. `!`: silently."""
    started = await app.start()
    if not call.bang:
        ready = f"ready ({app.address}) · :Claude opens Claude"
        app.editor.notify(ready if started else f"already running ({app.address})")


@command("ClaudeStop")
async def stop(app: App, call: CommandCall) -> None:
    """:ClaudeStop — reject open diffs, close the clients, remove the lock file. `!`: silently."""
    stopped = await app.stop()
    if not call.bang:
        app.editor.notify("server stopped" if stopped else "the server is not running")


@command("ClaudeStatus")
async def status(app: App, call: CommandCall) -> None:
    """:ClaudeStatus — show address, lock file, clients, open diffs, queued mentions."""
    from claude_ide.status import lines

    look = FloatLook("claude-ide", filetype="claude-ide-status")
    await app.editor.port.windows.show_lines(await lines(app, call.bufnr), look)


@command("Claude")
async def claude(app: App, call: CommandCall) -> None:
    """:Claude [arguments] — open the CLI in a terminal, or hide it again."""
    if await _serves_for_terminals(app):
        async with app.opening_terminal:
            if call.arguments or not await _is_toggled(app):
                await app.open_terminal(call.arguments)


@command("ClaudeNew")
async def new(app: App, call: CommandCall) -> None:
    """:ClaudeNew [name] — start another CLI in a terminal."""
    name = call.name
    if await _serves_for_terminals(app):
        async with app.opening_terminal:
            running = await app.editor.port.terminals.running()
            if any(each.name == name for each in running):
                raise UserError(f'there is a Claude named "{name}" (:ClaudeSwitch goes there)')
            await _hide_pane(app, running)
            await app.open_terminal([], {"takes_window": True} | ({"name": name} if name else {}))


@command("ClaudeSwitch")
async def switch(app: App, call: CommandCall) -> None:
    """:ClaudeSwitch [name] — go to another CLI in a terminal, or attach to a session."""
    running = await app.editor.port.terminals.running()
    background = app.sessions.shown.in_background(running)
    names = sorted((*(each.name for each in running), *background))
    others = sorted(each.name for each in running if not each.is_current) + sorted(background)
    name = call.name
    if name and name not in names:
        known = f" ({', '.join(names)})" if names else ""
        raise UserError(f'no Claude is named "{name}"{known}')
    if not (name or others):
        raise UserError(ONLY_ONE if running else for_this_editor(NONE_RUNS))
    name = name or (others[0] if len(others) == 1 else await app.editor.choose("Claude:", others))
    chosen = next((each for each in running if each.name == name), None)
    if chosen is None:
        if name in background:
            async with app.opening_terminal:
                await app.sessions.shown.background.attach(background[name])
        return
    if chosen.pane and not chosen.is_current:
        await _hide_pane(app, running)
    await app.editor.port.terminals.switch(name)


async def _hide_pane(app: App, running: Sequence[Terminal]) -> None:
    """Hide the pane of the current CLI, if it has one."""
    for each in running:
        if each.is_current and each.pane:
            await app.hooks.hide_pane(each.pane)


@command("ClaudePrompt")
async def prompt(app: App, call: CommandCall) -> None:
    """:ClaudePrompt — type a prompt into the terminal of a CLI; one is started if none runs."""
    is_sent = False
    try:
        await app.start()
        if not app.ide.clients and not await _find(app):
            if not await _serves_for_terminals(app):
                return
            async with app.opening_terminal:
                if not await _is_toggled(app):
                    await app.open_terminal([])
        await app.ide.say(call.arguments[0])
        is_sent = True
    finally:
        await app.editor.port.terminals.finish_prompt(is_sent)


async def _find(app: App) -> bool:
    """Return whether a CLI runs here; one that an earlier editor has left is taken over first."""
    if not await _is_running(app):
        await app.find_panes()
    return await _is_running(app)


async def _is_running(app: App) -> bool:
    return any(each.is_current for each in await app.editor.port.terminals.running())


async def _serves_for_terminals(app: App) -> bool:
    """Start the server; return False if the user starts the CLI, who is told how."""
    await app.start()
    if app.config.terminal.side != "none":
        return True
    runs = shlex.join([*program.words(app.config.cmd), "--ide"])
    app.editor.notify(f"ready ({app.address}) · run {runs} in a terminal of yours")
    return False


async def _is_toggled(app: App) -> bool:
    await _find(app)
    place = {"side": app.config.terminal.side, "size": app.config.terminal.size}
    toggled = await app.editor.port.terminals.toggle(place)
    if not toggled.pane:
        return toggled.is_done
    try:
        if toggled.is_found or not await app.hooks.hide_pane(toggled.pane):
            await app.hooks.show_pane(toggled.pane)
    except UserError as error:
        # It has just closed: another CLI is started.
        logger.info("%s: %s", toggled.pane, error)
        return False
    return True


@command("ClaudeMcpConfig")
async def mcp_config(app: App, call: CommandCall) -> None:
    """:ClaudeMcpConfig[!] [stdio|ws] — show how to give another program the tools; `!`: yank it."""
    await app.start()
    assert app.serving is not None
    what = " ".join(call.arguments) or "stdio"
    bound = app.serving.bound
    match what:
        case "stdio":
            title = "For hosts that start their MCP servers"
            shown = registration.over_stdio(bound.port, os.environ)
        case "ws":
            title = "For a CLI started elsewhere; contains the token"
            await app.tools.complete()
            options = registration.options(app.options.host, bound.port, app.allowed)
            command = shlex.join([*program.words(app.config.cmd), *options])
            # Other users can read the arguments of a program, but not its environment.
            shown = f"{TOKEN}={shlex.quote(bound.lock.authToken)} {command}"
        case _:
            raise UserError(f':ClaudeMcpConfig: no subcommand "{what}" (stdio, ws)')
    if call.bang:
        await app.editor.port.windows.yank(shown, "l")
        app.editor.notify("yanked: put it with p")
    else:
        await app.editor.port.windows.show_lines(shown.split("\n"), FloatLook(title, wrap=True))


@command("ClaudeTools")
async def tools(app: App, call: CommandCall) -> None:
    """:ClaudeTools [on|off {name}] — list the model's tools, or turn one on or off."""
    match call.arguments:
        case []:
            await app.tool_list.open()
        case ["on" | "off" as what, name]:
            await app.tool_list.turn(name, on=what == "on")
        case _:
            raise UserError("usage: :ClaudeTools [on|off {name}]")


@command("ClaudeSend")
async def send(app: App, call: CommandCall) -> None:
    """:[range]ClaudeSend[!] — mention the lines, or the file; `!` also moves the cursor there.

    Where files are listed, the editor passes what is meant there.
    """
    mentioning = app.editor.mentioning
    if not call.arguments:
        await _mention(app, call, await mentioning.of_buffer(call.bufnr, call.lines))
        return
    from claude_ide.editor.mentions import Listed

    listed = msgspec.json.decode(call.arguments[0], type=Listed, strict=False)
    mentions, errors = await mentioning.of_entries(listed.entries())
    if not mentions:
        raise UserError(errors[0])
    await _mention(app, call, *mentions)
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        app.editor.notify(f"not mentioned: {errors[0]}{more}", "warn")


@command("ClaudeType")
async def type_(app: App, call: CommandCall) -> None:
    """:[range]ClaudeType[!] {text} — put a text into the prompt; `!` sends it.

    It is the prompt of what a mention goes to. The editor keeps the text under a number, with what
    its placeholders mean.
    """
    from claude_ide import sending

    await sending.send(app, *await _taken(app, call))


@command("ClaudeFix")
async def fix(app: App, call: CommandCall) -> None:
    """:[range]ClaudeFix — have the diagnostics of the file, or of the range, fixed."""
    from claude_ide import sending

    await sending.fix(app, *await _taken(app, call))


async def _taken(app: App, call: CommandCall) -> "tuple[Sent, Clis]":
    """Return the text that the editor keeps under a number, and the CLIs that may get it."""
    from claude_ide.sending import Clis

    (number,) = call.arguments
    sent = await app.editor.port.contexts.take(int(number))
    return sent, Clis(partial(_find, app), partial(claude, app, CommandCall()))


@command("ClaudeAdd")
async def add(app: App, call: CommandCall) -> None:
    """:[range]ClaudeAdd[!] {path} [first] [last] — mention a file, a folder, or lines in a file."""
    if not 1 <= len(call.arguments) <= 3:
        raise UserError("usage: :ClaudeAdd {path} [first] [last]")
    path, *lines = call.arguments
    selected = app.editor.mentioning.of_path(path, lines, bufnr=call.bufnr, selected=call.lines)
    await _mention(app, call, await selected)


@command("ClaudeChat")
async def chat(app: App, call: CommandCall) -> None:
    """:ClaudeChat [subcommand] [argument] — show or hide the chat, or run a subcommand."""
    what, *words = call.arguments or [""]
    # The agent learns the user's position through the server; a chat also works without it.
    await app.guard(app.start())
    await app.chats.command(what, " ".join(words))


@command("ClaudeSessions")
async def sessions(app: App, call: CommandCall) -> None:
    """:ClaudeSessions[!] [words] — list all sessions, or those with all words; `!`: choose one."""
    shown = app.sessions.shown
    await (shown.choose(call.name) if call.bang else shown.open(call.name))


@command("ClaudeBackground")
async def background(app: App, call: CommandCall) -> None:
    """:ClaudeBackground[!] [--name=NAME] {prompt} — begin a session; `!`: in a new worktree.

    Without arguments, the session of the terminal goes on in the background.
    """
    from claude_ide.editor.contexts import expanded
    from claude_ide.sessions.background import Beginning

    words = ""
    for number in call.arguments:
        sent = await app.editor.port.contexts.take(int(number))
        words = await expanded(app.editor, sent.text, sent.facts, is_typed=True)
    if not (call.bang or words):
        return await app.sessions.shown.leaving.send_away()
    wanted = Beginning.parsed([words], has_worktree=call.bang)
    await app.start()
    await app.sessions.shown.begin(wanted)


@command("ClaudeMerge")
async def merge(app: App, call: CommandCall) -> None:
    """:ClaudeMerge [name] — merge a worktree, squash, rebase or discard it."""
    await app.sessions.shown.merge(call.name)


@command("ClaudeAnswer")
async def answer(app: App, _call: CommandCall) -> None:
    """:ClaudeAnswer — go to the permission that a CLI in a terminal waits for, or to a chat's."""
    if app.begun("hooks") and await app.hooks.answer():
        return
    if editor_name() == VIM:
        app.editor.notify("no CLI in a terminal waits for your permission", "warn")
    else:
        await chat(app, CommandCall(arguments=["answer"]))


@command("ClaudeReview")
async def review(app: App, call: CommandCall) -> None:
    """:ClaudeReview[!] [what] [file] … — list what waits for review; `!`: the whole session."""
    if call.arguments[:1] == ["send"]:
        return await app.review.remarks.send(" ".join(call.arguments[1:]))
    async with app.review.order:
        await _review(app, call)


async def _review(app: App, call: CommandCall) -> None:
    here = await app.editor.port.buffers.folder()
    match call.arguments:
        case ["undo"]:
            await app.review.undo(here)
        case ["clear"]:
            await app.review.remarks.clear()
        case ["base", revision, *only]:
            await app.review.show(here, only, since="base", session=revision)
        case ["base"]:
            raise UserError("usage: :ClaudeReview base {revision}")
        case ["yank"]:
            await app.editor.port.windows.yank(await app.review.remarks.text(here), "l")
            app.editor.notify("the remarks are yanked (p puts them)")
        case ["turn", *only]:
            await app.review.show(here, only, since="turn")
        case ["session", *only]:
            await app.review.show(here, only, since="session")
        case only:
            await app.review.show(here, only, since="session" if call.bang else "")


@command("ClaudeChanges")
async def changes(app: App, call: CommandCall) -> None:
    """:ClaudeChanges[!] [what] [file] … — another name of :ClaudeReview."""
    await review(app, call)


@command("ClaudeComment")
async def comment(app: App, call: CommandCall) -> None:
    """:[range]ClaudeComment[!] [words] — remark on lines of a file; `!`: remove what is there."""
    rows = None if call.lines is None else (call.lines[0] - 1, call.lines[1])
    if call.bang:
        await app.review.remarks.remove(call.at, rows)
    else:
        await app.review.remarks.add(call.at, rows, " ".join(call.arguments))


@command("ClaudeKeep")
async def keep(app: App, call: CommandCall) -> None:
    """:[range]ClaudeKeep[!] [all|lines|{count}] — keep the hunks there, `!` of the file, or all."""
    async with app.review.order:
        await _decide(app, call, is_kept=True)


@command("ClaudeRevert")
async def revert(app: App, call: CommandCall) -> None:
    """:[range]ClaudeRevert[!] [all|lines|{count}] — revert the hunks there, likewise."""
    async with app.review.order:
        await _decide(app, call, is_kept=False)


@command("ClaudeWhy")
async def why(app: App, call: CommandCall) -> None:
    """:[range]ClaudeWhy — show for which prompt an agent has written the line, and why."""
    await app.review.why(call.at, (call.lines[0] - 1, call.lines[0]) if call.lines else None)


def _is_count(word: str) -> bool:
    return word.isdecimal() and int(word) > 0


async def _decide(app: App, call: CommandCall, *, is_kept: bool) -> None:
    match call.arguments:
        case ["all"]:
            here = await app.editor.port.buffers.folder()
            await app.review.decide_all(here, is_kept=is_kept)
        case [word] if call.bang:
            raise UserError(f"! means the whole file: without {word}, or without !")
        case [] | [_] if all(word == "lines" or _is_count(word) for word in call.arguments):
            rows = None if call.lines is None else (call.lines[0] - 1, call.lines[1])
            word = "".join(call.arguments)
            # Without a range, it is the hunk at the cursor.
            count = 0 if word == "lines" else int(word) if word else None if rows else 1
            decide = app.review.keep if is_kept else app.review.revert
            await decide(call.at, rows, count, is_whole=call.bang)
        case [other, *_]:
            raise UserError(f"not an argument: {other} (all, lines, or a number of hunks)")


@command("ClaudeKernel")
async def kernel(app: App, call: CommandCall) -> None:
    """:ClaudeKernel [choose|restart|interrupt|status|stop] — show or control the Jupyter kernel."""
    await app.kernels.command(call.arguments)


@command("ClaudeWire")
async def wire(app: App, call: CommandCall) -> None:
    """:ClaudeWire [save {file}] — show the live traffic with all clients, or write it to a file."""
    match call.arguments:
        case []:
            await app.wire_view.open()
        case ["save", *words] if words:
            await app.wire_view.save(" ".join(words))
        case _:
            raise UserError("usage: :ClaudeWire [save {file}]")


@command("ClaudeTrust")
async def trust(app: App, call: CommandCall) -> None:
    """:ClaudeTrust [yes|revoke|list] [folder] — show, grant or revoke trust in a folder."""
    from claude_ide.base import trust as report

    what, *words = call.arguments or [""]
    folder = await _folder(app, " ".join(words))
    match what:
        case "":
            app.editor.notify(report.state(app.trust, folder))
        case "yes":
            app.trust.grant(folder)
            await _trust_changed(app)
            app.editor.notify(report.state(app.trust, folder))
        case "revoke":
            removed = app.trust.revoke(folder)
            app.trust.declined.add(os.path.realpath(folder))
            await _trust_changed(app)
            app.editor.notify(report.revoked(app.trust, folder, removed))
        case "list":
            lines = report.listing(app.trust) or ["no folder is trusted by :ClaudeTrust or a chat"]
            await app.editor.port.windows.show_lines(lines, FloatLook("Trusted folders"))
        case _:
            raise UserError(f':ClaudeTrust: no subcommand "{what}" (list, revoke, yes)')


async def _folder(app: App, given: str) -> str:
    here = Path(await app.editor.port.buffers.folder())
    folder = here / Path(given).expanduser() if given else here
    if not folder.is_dir():
        raise UserError(f"no such folder: {given}")
    return str(folder)


async def _trust_changed(app: App) -> None:
    if app.begun("chats"):
        await app.chats.trust_changed()


async def _mention(app: App, call: CommandCall, *mentions: dict[str, Any]) -> None:
    left = [*mentions]
    if app.begun("chats"):
        insist = not app.ide.clients
        left = [
            mention
            for mention in mentions
            if not await app.chats.mention(mention, focus=call.bang, insist=insist)
        ]
        if not left:
            return
    await app.start()
    addressees: dict[Path, Client | None] = {}
    for mention in left:
        home = worktree(mentioned_path(mention))
        if home not in addressees:
            addressees[home] = await app.ide.addressee(mentioned_path(mention))
        app.ide.mention(mention, addressees[home])
    addressee = addressees[home]
    if addressee is None and is_elsewhere(str(home), await app.editor.port.buffers.folder()):
        return app.editor.notify(f"saved; Claude gets it when it connects in {home.name}")
    if call.bang and addressee is None and not await _is_running(app):
        return await claude(app, CommandCall())
    if addressee is None:
        app.editor.notify(SAVED)
    elif not call.bang:
        app.editor.notify(_sent(mentions))
    if call.bang:
        pid = addressee.pid if addressee is not None and addressee.pid is not None else 0
        await app.editor.port.terminals.focus(pid)


def _sent(mentions: Sequence[dict[str, Any]]) -> str:
    """Say what has been mentioned."""
    if len(mentions) > 1:
        return f"sent {len(mentions)} files"
    mention = mentions[0]
    path = mention["filePath"].strip('"')
    name = Path(path).name or path
    if "lineStart" not in mention:
        return f"sent {name}"
    count = mention["lineEnd"] - mention["lineStart"] + 1
    return f"sent {count} line{'' if count == 1 else 's'} of {name}"
