"""Puts a text into the prompt of the agent that a mention goes to, or of another one."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from claude_ide import pids
from claude_ide.app import App
from claude_ide.contexts import WORD, expanded
from claude_ide.editor.port.contexts import Sent
from claude_ide.errors import UserError
from claude_ide.mcp.ide import SAVED
from claude_ide.mentions import check_private

CHAT, TERMINAL = "chat", "terminal"

NO_CHAT = "there is no chat (:ClaudeChat opens one)"


class _Target(NamedTuple):
    """A CLI in a terminal: the process id of its client, 0 if unknown; its name; its folder."""

    pid: int
    name: str = ""
    folder: str = ""


async def send(
    app: App,
    sent: Sent,
    find_claude: Callable[[], Awaitable[bool]],
    open_claude: Callable[[], Awaitable[None]],
) -> None:
    """Send a text.

    `find_claude` returns whether a CLI runs in a terminal; `open_claude` starts one if the user is
    to be taken there. Raises `UserError`, or `EditorError`; then nothing is sent.
    """

    async def compose(folder: str) -> str:
        words = await expanded(
            app.editor, sent.text, sent.facts, folder=folder, is_typed=sent.is_typed
        )
        if not words.strip():
            raise UserError("there is no text to send")
        await check_private(app.editor, words, [folder or sent.facts.folder])
        return words

    # Words that say nothing of the file may go to another worktree.
    path, says_more = "" if sent.to else sent.facts.path, bool(WORD.search(sent.text))
    if sent.to in ("", CHAT):
        if app.begun("chats"):
            insist = bool(sent.to) or not app.ide.clients
            how = {"submit": sent.submit, "focus": sent.focus, "insist": insist, "asks": says_more}
            if await app.chats.write(compose, path, **how):
                return
        if sent.to == CHAT:
            raise UserError(NO_CHAT)
    await app.start()
    name = "" if sent.to == TERMINAL else sent.to
    target = await _target(app, name, find_claude, path, asks=says_more)
    words = await compose(target.folder if target else "")
    if target is None and not sent.focus:
        await app.ide.keep(words, submit=sent.submit)
        app.editor.notify(SAVED)
        return
    if target is None:
        await open_claude()
        target = _Target(0)
    await app.editor.typing.say(words, target.pid, target.name, submits=sent.submit)
    if sent.focus and target.name:
        await app.editor.port.terminals.switch(target.name)
    elif sent.focus:
        await app.editor.port.terminals.focus(target.pid)


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
        return _Target(pid, folder=pids.working_folder(pid) if pid else "")
    if await find_claude():
        current = [each for each in running if each.is_current]
        return _Target(0, folder=current[0].folder if current else "")
    return None
