"""Puts a text into the prompt of the agent that a mention goes to, or of another one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from claude_ide.app import App
from claude_ide.base import program
from claude_ide.base.errors import UserError
from claude_ide.editor.contexts import WORD, diagnostics, expanded, listed_diagnostics, selected
from claude_ide.editor.mentions import check_private, without_mentions
from claude_ide.editor.port.prompts import Sent
from claude_ide.mcp.ide import SAVED

CHAT, TERMINAL = "chat", "terminal"

NO_CHAT = "there is no chat (:ClaudeChat opens one)"


class _Target(NamedTuple):
    """A CLI in a terminal: the process id of its client, 0 if unknown; its name; its folder."""

    pid: int
    name: str = ""
    folder: str = ""


@dataclass(frozen=True)
class Clis:
    """The CLIs in terminals."""

    find: Callable[[], Awaitable[bool]]
    """Return whether one runs."""
    open: Callable[[], Awaitable[None]]
    """Start one."""


Compose = Callable[[str], Awaitable[str]]
"""Make the text for an agent in a folder."""


async def send(app: App, sent: Sent, clis: Clis) -> None:
    """Send a text.

    A CLI is started if the user is to be taken there. Raises `UserError`, or `EditorError`; then
    nothing is sent.
    """

    async def compose(folder: str) -> str:
        how = {"is_typed": sent.is_typed, "is_begun": not sent.submit}
        return await expanded(app.editor, sent.text, sent.facts, folder=folder, **how)

    # Words that say nothing of the file may go to another worktree.
    await _deliver(app, sent, compose, clis, asks=bool(WORD.search(sent.text)))


async def fix(app: App, sent: Sent, clis: Clis) -> None:
    """Send the diagnostics of a file, or of lines of it, to be fixed. Raises as `send` does."""
    found = await diagnostics(app.editor, sent.facts)
    if not found:
        where = "these lines have" if sent.facts.selection else "this buffer has"
        return app.editor.notify(f"nothing to fix: {where} no diagnostics")

    async def compose(folder: str) -> str:
        what = "this" if len(found) == 1 else "these"
        where = await selected(app.editor, sent.facts, folder)
        listed = await without_mentions(listed_diagnostics(found), folder or sent.facts.folder)
        return f"{where}\nFix {what}:\n{listed}"

    if await _deliver(app, sent, compose, clis, asks=True):
        count = f"{len(found)} diagnostic" + ("s" if len(found) > 1 else "")
        app.editor.notify(f"Claude is to fix {count}")


async def _deliver(app: App, sent: Sent, text: Compose, clis: Clis, *, asks: bool) -> bool:
    """Put a text into a prompt, or send it; return False if it is kept for later.

    `asks` says whether the user is asked before it goes to another worktree.
    """

    async def compose(folder: str) -> str:
        words = await text(folder)
        if not words.strip():
            raise UserError("there is no text to send")
        await check_private(app.editor, words, [folder or sent.facts.folder])
        return words

    path = "" if sent.to else sent.facts.path
    if sent.to in ("", CHAT):
        if app.begun("chats"):
            insist = bool(sent.to) or not app.ide.clients
            how = {"submit": sent.submit, "focus": sent.focus, "insist": insist, "asks": asks}
            if await app.chats.write(compose, path, **how):
                return True
        if sent.to == CHAT:
            raise UserError(NO_CHAT)
    await app.start()
    name = "" if sent.to == TERMINAL else sent.to
    target = await _target(app, name, clis.find, path, asks=asks)
    words = await compose(target.folder if target else "")
    if target is None and not sent.focus:
        await app.ide.keep(words, submit=sent.submit)
        app.editor.notify(SAVED)
        return False
    if target is None:
        await clis.open()
        target = _Target(0)
    await app.editor.typing.say(words, target.pid, target.name, submits=sent.submit)
    if sent.focus and target.name:
        await app.editor.port.terminals.switch(target.name)
    elif sent.focus:
        await app.editor.port.terminals.focus(target.pid)
    return True


async def _target(
    app: App, name: str, find_claude: Callable[[], Awaitable[bool]], path: str, *, asks: bool
) -> _Target | None:
    """Return the CLI with a name, or else the one that a mention goes to; None if there is none."""
    running = await app.editor.port.terminals.running()
    if name:
        for each in running:
            if each.name == name:
                return _Target(next(iter(each.pids), 0), name, each.folder)
        names = ", ".join(sorted(each.name for each in running))
        raise UserError(f'no Claude is named "{name}"' + (f" ({names})" if names else ""))
    addressee = await app.ide.addressee(path, asks=asks)
    if addressee is not None:
        pid = addressee.pid or 0
        return _Target(pid, folder=program.working_folder(pid) if pid else "")
    if await find_claude():
        current = [each for each in running if each.is_current]
        return _Target(0, folder=current[0].folder if current else "")
    return None
