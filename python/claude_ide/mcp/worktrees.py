"""Which clients a file concerns: with several of them, or several worktrees, those of its own."""

from collections.abc import Iterable
from pathlib import Path

from claude_ide import repository
from claude_ide.mcp.client import Client
from claude_ide.paths import real
from claude_ide.repository import Repository


def concerned(clients: Iterable[Client], path: str) -> list[Client]:
    """Return the clients that may learn what the user does in a file.

    They are those whose worktree, or else folder, contains it most closely; if none does, all but
    those of another worktree of its repository. A client whose folder is unknown always may.
    """
    file = Path(real(path))
    own = repository.find(file.parent)
    homes = {client: _home(client) for client in clients}
    roots = {home.root for home in homes.values() if home}
    nearest = next((parent for parent in file.parents if parent in roots), None)

    def may_learn(home: Repository | None) -> bool:
        if home is None:
            return True
        if own and own.root != home.root and own.main == home.main:
            return False
        return nearest in (None, home.root)

    return [client for client, home in homes.items() if may_learn(home)]


def _home(client: Client) -> Repository | None:
    folder = client.folder
    return repository.home(Path(folder)) if folder else None
