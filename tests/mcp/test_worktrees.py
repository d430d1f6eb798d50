"""`mcp/ide.py`: which clients a file concerns, apart from any editor."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.ide import concerned


class Client:
    """A client that works in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("a/inner/x", {"inner", "unknown"}),
        ("a/x", {"outer", "unknown"}),
        ("elsewhere/x", {"outer", "inner", "unknown"}),
        ("circle/x", {"outer", "inner", "unknown"}),
    ],
)
def test_a_file_concerns_the_clients_of_the_closest_folder(
    tmp_path: Path, file: str, names: set[str]
) -> None:
    (tmp_path / "a" / "inner").mkdir(parents=True)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    folders = {"outer": str(tmp_path / "a"), "inner": str(tmp_path / "a" / "inner"), "unknown": ""}
    clients: Any = {Client(folder): name for name, folder in folders.items()}

    found: Any = concerned(clients, str(tmp_path / file))

    assert {clients[client] for client in found} == names
