"""`mcp/workspace.py`: the file methods without a tool, and the limits of the workspace."""

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.workspace import matches
from support.claude_code import ClaudeCode, RpcFailure
from support.neovim import Neovim, until


async def refusal(claude: ClaudeCode, method: str, **params: Any) -> tuple[int, str]:
    """Return the code and message of the error that answers a request."""
    with pytest.raises(RpcFailure) as raised:
        await claude.request(method, params)
    return raised.value.code, raised.value.message


def write(path: Path, text: str | bytes = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture
def outside(tmp_path: Path, project: Path) -> Path:
    """A file outside the project, with links to it and to its folder inside."""
    secret = write(tmp_path / "outside" / "secret.txt", "secret")
    (project / "link.txt").symlink_to(secret)
    (project / "folder").symlink_to(secret.parent)
    return secret


# Paths that leave the workspace.

LEAVING = {
    "": "path: is empty",
    "..": "path: ..: leaves the workspace",
    "../outside/secret.txt": "path: ../outside/secret.txt: leaves the workspace",
    "a/../../outside/secret.txt": "path: a/../../outside/secret.txt: leaves the workspace",
    "a/..": "path: a/..: leaves the workspace",
    "/etc/hostname": "path: /etc/hostname: leaves the workspace",
    "//etc/hostname": "path: //etc/hostname: leaves the workspace",
    "~": "path: ~: starts with ~",
    "~/.bashrc": "path: ~/.bashrc: starts with ~",
    "~root/x": "path: ~root/x: starts with ~",
    "a\0b": "path: a\0b: contains a NUL",
    "link.txt": "path: link.txt: a link that leaves the workspace",
    "folder/secret.txt": "path: folder/secret.txt: a link that leaves the workspace",
    "folder/new.txt": "path: folder/new.txt: a link that leaves the workspace",
}


async def test_paths_that_leave_the_workspace_are_neither_read_nor_written(
    claude: ClaudeCode, outside: Path
) -> None:
    for path, reason in LEAVING.items():
        assert await refusal(claude, "readFile", path=path) == (-32602, reason)
        assert await refusal(claude, "writeFile", path=path, content="x") == (-32602, reason)

    assert outside.read_text() == "secret"
    assert list(outside.parent.iterdir()) == [outside]


async def test_a_file_outside_the_workspace_is_refused_even_if_it_is_open(
    serving: Neovim, claude: ClaudeCode, outside: Path
) -> None:
    await serving.command(f"edit {outside}")

    assert (await refusal(claude, "readFile", path=str(outside)))[0] == -32602
    assert (await refusal(claude, "readFile", path="link.txt"))[0] == -32602


async def test_an_impossible_path_is_an_error_with_a_reason(
    claude: ClaudeCode, project: Path
) -> None:
    (project / "loop").symlink_to("loop")
    for path in ("loop", "loop/a", "x" * 300, "x/" * 3000 + "x"):
        for method in ("readFile", "writeFile"):
            code, message = await refusal(claude, method, path=path, content="x")

            assert code in (-32602, -32603)
            assert re.match(r"(path|readFile|writeFile): (loop|x)", message)


# readFile.


async def test_a_file_is_read_unchanged(claude: ClaudeCode, project: Path) -> None:
    for text in ("", "a", "a\n", "a\r\nb\n", "\ufeffa\n", "ü🎉\0\n"):
        write(project / "a" / "b.txt", text)

        assert await claude.request("readFile", {"path": "a/b.txt"}) == text


async def test_a_link_within_the_workspace_is_followed(claude: ClaudeCode, project: Path) -> None:
    write(project / "a.txt", "a")
    (project / "to-a.txt").symlink_to("a.txt")

    assert await claude.request("readFile", {"path": "to-a.txt"}) == "a"


async def test_a_loaded_file_is_read_from_its_buffer(
    serving: Neovim, claude: ClaudeCode, project: Path
) -> None:
    write(project / "a.txt", "on disk\n")
    await serving.command("edit a.txt | call setline(1, 'in the buffer')")

    assert await claude.request("readFile", {"path": "a.txt"}) == "in the buffer\n"
    assert await claude.request("readFile", {"path": "./a.txt"}) == "in the buffer\n"


async def test_an_unreadable_file_is_an_error_with_a_reason(
    claude: ClaudeCode, project: Path
) -> None:
    write(project / "latin-1.txt", b"caf\xe9")
    (project / "folder").mkdir()
    os.mkfifo(project / "pipe")

    assert await refusal(claude, "readFile", path="none") == (
        -32602,
        "readFile: none: no such file",
    )
    assert await refusal(claude, "readFile", path="folder") == (
        -32602,
        "readFile: folder: not a file but a folder",
    )
    assert await refusal(claude, "readFile", path="pipe") == (
        -32602,
        "readFile: pipe: not a file but a pipe",
    )
    assert await refusal(claude, "readFile", path="latin-1.txt") == (
        -32603,
        "readFile: latin-1.txt: not UTF-8 text",
    )


# writeFile.


async def test_a_new_file_is_written_with_its_folders(claude: ClaudeCode, project: Path) -> None:
    params = {"path": "a/b/c.txt", "content": "ü\r\n"}

    assert await claude.request("writeFile", params) == {"success": True}

    assert (project / "a/b/c.txt").read_bytes() == "ü\r\n".encode()
    assert [path.name for path in (project / "a/b").iterdir()] == ["c.txt"]


async def test_an_existing_file_keeps_its_permissions_and_its_links(
    claude: ClaudeCode, project: Path
) -> None:
    script = write(project / "run.sh", "old")
    script.chmod(0o750)
    (project / "link.sh").symlink_to("run.sh")

    await claude.request("writeFile", {"path": "link.sh", "content": "new"})

    assert script.read_text() == "new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert (project / "link.sh").is_symlink()


async def test_an_unmodified_buffer_is_reloaded_after_a_write(
    serving: Neovim, claude: ClaudeCode, project: Path
) -> None:
    write(project / "a.txt", "old\n")
    await serving.command("edit a.txt")

    await claude.request("writeFile", {"path": "a.txt", "content": "new\n"})

    await until(lambda: serving.eval("getline(1) == 'new' && !&modified"))
    assert await serving.mode() == {"mode": "n", "blocking": False}


async def test_a_file_with_unsaved_changes_is_not_overwritten(
    serving: Neovim, claude: ClaudeCode, project: Path
) -> None:
    path = write(project / "a.txt", "old\n")
    await serving.command("edit a.txt | call setline(1, 'mine') | enew")

    refused = await refusal(claude, "writeFile", path="a.txt", content="new\n")

    assert refused == (-32603, "writeFile: a.txt: has unsaved changes in Neovim")
    assert path.read_text() == "old\n"
    assert await serving.eval("getbufline('a.txt', 1, '$')") == ["mine"]


async def test_a_failed_write_is_an_error_and_leaves_no_file(
    claude: ClaudeCode, project: Path
) -> None:
    (project / "folder").mkdir()
    write(project / "file")

    code, message = await refusal(claude, "writeFile", path="folder", content="x")
    assert (code, message) == (-32602, "writeFile: folder: not a file but a folder")
    code, message = await refusal(claude, "writeFile", path="file/a", content="x")
    assert code == -32603
    assert message.startswith("writeFile: file/a: ")
    assert sorted(path.name for path in project.iterdir()) == ["file", "folder"]


# Listing.


async def test_list_files_omits_git_caches_dependencies_and_outside_folders(
    claude: ClaudeCode, project: Path, outside: Path
) -> None:
    for path in ("b.py", "a.txt", "sub/c.py", "sub/.hidden"):
        write(project / path)
    for folder in (".git", "node_modules", "sub/__pycache__", ".venv"):
        write(project / folder / "d.py")
    Path(os.fsdecode(os.fsencode(project) + b"/caf\xe9.py")).touch()
    (project / "loop").symlink_to("loop")
    listed = ["a.txt", "b.py", "link.txt", "sub/.hidden", "sub/c.py"]

    assert await claude.request("listFiles") == listed
    assert await claude.request("listFiles", {"pattern": None}) == listed
    assert await claude.request("listFiles", {"pattern": "*.py"}) == ["b.py", "sub/c.py"]
    assert await claude.request("listFiles", {"pattern": "sub/*.py"}) == ["sub/c.py"]
    assert await claude.request("listFiles", {"pattern": "*.rs"}) == []
    assert await claude.request("getWorkspaceInfo") == {
        "name": "project",
        "path": str(project),
        "fileCount": len(listed),
        "type": "neovim",
    }


async def test_unreadable_folders_are_omitted_from_the_list(
    claude: ClaudeCode, project: Path
) -> None:
    write(project / "a.txt")
    write(project / "closed" / "b.txt")
    (project / "closed").chmod(0)
    try:
        listed = await claude.request("listFiles")
    finally:
        (project / "closed").chmod(0o700)

    # Root can read the folder.
    assert listed in (["a.txt"], ["a.txt", "closed/b.txt"])


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("a.py", "*.py", True),
        ("x/a.py", "*.py", True),
        ("a.pyc", "*.py", False),
        ("A.PY", "*.py", False),
        ("a.py", "**/*.py", True),
        ("x/y/a.py", "**/*.py", True),
        ("x/a.py", "x/*.py", True),
        ("x/y/a.py", "x/*.py", False),
        ("x/a.py", "x/**/*.py", True),
        ("x/y/z/a.py", "x/**/*.py", True),
        ("y/a.py", "x/**/*.py", False),
        ("x/y", "x/**", True),
        ("a.py", "/a.py", True),
        ("x/a.py", "/a.py", False),
        ("a.py", "[ab].p?", True),
        ("x/a.py", "x[/]a.py", False),
        ("a", "", False),
        ("a/" * 12 + "b", "**/a/" * 6 + "c", False),
        ("a/" * 60 + "b", "**/a/" * 30 + "c", False),
        ("x/y/a.py", "**/**/*.py", True),
    ],
)
def test_a_pattern_is_a_glob(path: str, pattern: str, expected: bool) -> None:
    assert matches(path, pattern) is expected


# Open files.


async def test_open_files_are_listed_relative_to_the_workspace(
    serving: Neovim, claude: ClaudeCode, project: Path, outside: Path
) -> None:
    write(project / "sub" / "a.txt")
    await serving.command(f"edit {outside} | edit sub/a.txt")

    opened = await claude.request("getOpenFiles")

    assert sorted(opened) == [str(outside), "sub/a.txt"]
    assert await claude.request("getCurrentFile") == "sub/a.txt"

    await serving.command(f"edit {outside}")
    assert await claude.request("getCurrentFile") == str(outside)


async def test_without_a_file_there_is_no_current_one(claude: ClaudeCode) -> None:
    assert await claude.request("getCurrentFile") is None
    assert await claude.request("getOpenFiles") == []
