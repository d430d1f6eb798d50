"""`:ClaudeStatus`: the server, its clients, the chats, and what waits, line by line."""

import os
import time
from collections.abc import Callable, Iterable

from claude_ide.agents.stream_json.running import RunningSession
from claude_ide.app import App
from claude_ide.base.limits import Limit
from claude_ide.base.names import VIM, editor_name
from claude_ide.base.paths import below_home, within
from claude_ide.editor.port.terminals import Terminal
from claude_ide.mcp.client import Client
from claude_ide.mcp.ide import described


async def lines(app: App, bufnr: int) -> list[str]:
    """Return the lines; `bufnr` is the buffer in which the user is."""
    port = app.editor.port
    rules = await app.editor.private_files.update()
    is_shared, private = await port.selection.is_shared(), await port.privacy.why(bufnr)
    terminals = await app.editor.port.terminals.running()
    attached = app.sessions.attached(terminals)
    names = {pid: each.name for each in terminals for pid in each.pids}
    names |= {session.pid: each.name for each, session in attached}
    check = ":ClaudeCheck" if editor_name() == VIM else ":checkhealth claude_ide"
    shown = _shown(app.editor.private_files.cwd)
    limits = app.editor.limits.known
    chats = app.chats.describe() if app.begun("chats") else []
    return [
        *_server(app, shown),
        *([] if is_shared else [f"The selection stays in {editor_name()} (:ClaudeShare on)"]),
        *([private] if private else []),
        *(f"Privacy: {problem} ({check})" for problem in rules.problems),
        "",
        *_section("Clients", (_client(each, names) for each in app.ide.clients)),
        *(_section("Attached sessions", _attached(app, attached)) if attached else []),
        *([] if editor_name() == VIM else _section("Chats", map(words_of, chats))),
        # None are listed if none is known: there may be some.
        *(_section("Limits", map(_limit, limits)) if limits else []),
        *_section(
            "Open diffs",
            (
                shown(diff.path) + ("" if diff.shown.is_set() else " (waiting for a free moment)")
                for diff in app.editor.diffs
            ),
        ),
        *_section(
            "Mentions waiting for a client",
            (shown(described(mention)) for mention in app.ide.mentions),
        ),
    ]


def _shown(folder: str) -> Callable[[str], str]:
    return lambda path: below_home(within(path, folder), os.environ)


def _server(app: App, shown: Callable[[str], str]) -> list[str]:
    if app.serving is None:
        return ["Server:  not running (:ClaudeStart)"]
    lock = app.serving.bound.lock
    return [
        f"Server:  {app.address} as {lock.ideName}",
        f"Lock:    {shown(lock.path)}",
        f"Folders: {', '.join(map(shown, lock.workspaceFolders))}",
    ]


def _section(title: str, items: Iterable[str]) -> list[str]:
    rows = [f"  {item}" for item in items]
    return [f"{title}: {len(rows) or 'none'}", *rows]


def _limit(limit: Limit) -> str:
    used = "" if limit.used is None else f"{limit.used}% used"
    resets = limit.reset_time()
    return " · ".join(filter(None, (limit.label, used, f"resets {resets}" if resets else "")))


def _client(client: Client, names: dict[int, str]) -> str:
    since = time.strftime("%H:%M:%S", time.localtime(client.since))
    parts = [
        f"{client.shown_name} {client.version}".rstrip(),
        names.get(client.pid or 0, ""),
        below_home(client.folder, os.environ),
        f"pid {client.pid}" if client.pid else "",
        f"since {since} ({_ago(time.time() - client.since)})",
        "" if client.responsive else "does not answer",
    ]
    return " · ".join(filter(None, parts))


def _attached(app: App, attached: Iterable[tuple[Terminal, RunningSession]]) -> Iterable[str]:
    connected = {each.pid for each in app.ide.clients}
    for terminal, session in attached:
        is_there = session.pid in connected
        state = "connected" if is_there else "not connected (/ide there connects it)"
        yield f"{session.name or session.id} · {terminal.name} · {state}"


def _ago(seconds: float) -> str:
    if seconds < 60:
        return f"{int(seconds)} s ago"
    if seconds < 3600:
        return f"{int(seconds / 60)} min ago"
    return f"{int(seconds / 3600)} h ago"


def words_of(chat: dict[str, str]) -> str:
    """Return the line of a chat (`Chats.describe`)."""
    folder = below_home(chat["folder"], os.environ)
    return " · ".join(filter(None, (chat["agent"], chat["state"], chat["title"], folder)))
