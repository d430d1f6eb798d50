"""Vim saves and closes files for clients, and tells which are open."""

import os
import signal
from pathlib import Path

import pytest

from support.buffers import open_editors
from support.claude_code import ClaudeCode
from support.neovim import Neovim, until
from support.pushed_rules import push
from support.vim import Vim

from .test_file_open import edit, in_normal_mode, shown, typed


@pytest.fixture
async def path(vim: Vim, project: Path) -> Path:
    """A file that is open in Vim."""
    file = project / "a b.py"
    file.write_text("first = 1\nsecond = 2\n")
    await edit(vim, file)
    return file


async def test_vim_and_neovim_describe_the_same_files_alike(
    vim: Vim, nvim: Neovim, project: Path
) -> None:
    (project / "sub").mkdir()
    for name in ("ä b%.py", "sub/x'y#.c", "z.txt"):
        (project / name).write_text("1\n2\n")
    steps = (
        *(f"execute 'edit' fnameescape('{name}')" for name in ("ä b%.py", "z.txt")),
        "call setline(1, 'changed') | split | enew | call setline(1, 'new')",
        "execute 'tabedit' fnameescape('sub/x''y#.c') | vsplit | tcd sub",
        "badd hidden.txt",
        "tabnext 1 | new | setlocal buftype=nofile | tabnext 2",
    )
    for editor in (vim, nvim):
        await push(editor)
        await editor.command("set hidden | filetype on | call setline(1, 'first')")
        for step in steps:
            await editor.command(step.replace("x''y", "x''''y"))

    await until(lambda: open_editors(vim, "editors"), "files are open")
    found = await open_editors(vim, "snapshot")
    expected = await open_editors(nvim, "snapshot")

    assert len(expected["editors"]) >= 5
    assert sorted(found["editors"], key=lambda each: each["fileName"]) == sorted(
        expected["editors"], key=lambda each: each["fileName"]
    )
    assert found["editors"][0] == expected["editors"][0]
    assert {key: found[key] for key in ("folders", "current")} == {
        key: expected[key] for key in ("folders", "current")
    }


@pytest.mark.parametrize("command", ["cd", "tcd", "lcd"])
async def test_a_buffer_that_gets_the_same_name_in_another_folder_has_another_path(
    vim: Vim, path: Path, project: Path, command: str
) -> None:
    (project / "sub").mkdir()
    await vim.command("cd .")  # Vim shortens the names
    found = "[bufname(), claude_ide#file#path#Path(bufnr())]"
    assert await vim.eval(found) == ["a b.py", str(path)]

    await vim.command(f"{command} sub | file a\\ b.py")

    assert await vim.eval(found) == ["a b.py", str(project / "sub" / "a b.py")]


async def test_a_path_through_a_link_finds_the_buffer(
    vim: Vim, path: Path, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(project)
    (project / "file link.py").symlink_to(path)

    links = tmp_path / "link" / path.name, project / "file link.py"
    for spelling in (path, *links, project / "x" / ".." / path.name):
        found = await vim.call("claude_ide#file#buffers#Find", str(spelling))
        known = {"bufnr": 1, "loaded": True, "modified": False, "listed": True, "is_open": True}
        assert found == known
    assert await vim.call("claude_ide#file#buffers#Find", str(project / "none")) is None


async def test_a_renamed_buffer_is_found_by_its_new_name(vim: Vim, path: Path) -> None:
    await vim.call("claude_ide#file#buffers#Find", str(path))

    await vim.command("noautocmd file renamed.py")

    found = await vim.call("claude_ide#file#buffers#Find", str(path.with_name("renamed.py")))
    assert found["bufnr"] == 1
    gone = await vim.call("claude_ide#file#buffers#Find", str(path))
    assert gone is None or await vim.eval("bufnr('a b.py') > 0")


async def test_the_text_of_a_file_is_what_a_write_would_put_on_disk(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await typed(serving_vim, "onew ä\x16u0000<Esc>:set ff=dos<CR>")

    text = await vim_client.request("readFile", {"path": path.name})

    assert text.startswith("first = 1\r\nnew ä")
    assert await serving_vim.eval("&modified")


async def test_a_file_without_a_buffer_has_no_text(vim: Vim, project: Path) -> None:
    assert await vim.call("claude_ide#file#buffers#Text", str(project / "none")) is None


async def test_a_hidden_buffer_is_saved_by_the_users_autocommands(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await serving_vim.command("autocmd BufWritePre *.py call setline(1, 'formatted')")
    await typed(serving_vim, "x:set hidden<CR>:enew<CR>:set nohidden confirm<CR>")

    saved = await vim_client.json("saveDocument", {"filePath": str(path)})

    assert saved["success"] is True
    assert path.read_text() == "formatted\nsecond = 2\n"
    assert await serving_vim.eval("[bufname(), &confirm, mode(1)]") == ["", 1, "n"]


async def test_a_file_that_has_changed_on_disk_is_not_overwritten(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await typed(serving_vim, "x")
    path.write_text("other = 1\nsecond = 2\n")  # of the same size, in the same second

    for _ in range(2):
        result = await vim_client.call("saveDocument", {"filePath": str(path)})
        assert result.get("isError") is True, result
        assert "has changed on disk since Vim read it" in result["content"][0]["text"]

    assert path.read_text() == "other = 1\nsecond = 2\n"
    assert await serving_vim.eval("[getline(1), &modified, mode(1)]") == ["irst = 1", 1, "n"]


async def test_a_file_that_changes_during_the_write_is_not_overwritten(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await typed(serving_vim, "x")
    await serving_vim.command("autocmd BufWritePre *.py call system('echo other > \"a b.py\"')")

    result = await vim_client.call("saveDocument", {"filePath": str(path)})

    assert "has changed on disk since Vim read it" in result["content"][0]["text"]
    assert path.read_text() == "other\n"
    assert (await serving_vim.mode())["mode"] == "n"


async def test_a_readonly_buffer_is_not_saved(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await typed(serving_vim, "x:set readonly confirm<CR>")

    result = await vim_client.call("saveDocument", {"filePath": str(path)})

    assert result.get("isError") is True, result
    assert "readonly" in result["content"][0]["text"]
    assert (await serving_vim.mode())["mode"] == "n"


async def test_a_file_that_was_created_meanwhile_is_not_overwritten(
    serving_vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    path = project / "new.py"
    await edit(serving_vim, path)
    await typed(serving_vim, "imine<Esc>")
    await in_normal_mode(serving_vim)
    path.write_text("theirs\n")

    result = await vim_client.call("saveDocument", {"filePath": str(path)})

    assert "has changed on disk" in result["content"][0]["text"]
    assert path.read_text() == "theirs\n"


async def test_a_new_file_is_saved(serving_vim: Vim, vim_client: ClaudeCode, project: Path) -> None:
    path = project / "new.py"
    await edit(serving_vim, path)
    await typed(serving_vim, "imine<Esc>")
    await in_normal_mode(serving_vim)

    assert (await vim_client.json("saveDocument", {"filePath": str(path)}))["success"] is True
    await typed(serving_vim, "x")
    assert (await vim_client.json("saveDocument", {"filePath": str(path)}))["success"] is True

    assert path.read_text() == "min\n"


async def test_a_closed_file_leaves_its_windows(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path, project: Path
) -> None:
    (project / "other.py").write_text("1\n")
    await typed(serving_vim, ":edit other.py<CR>:edit #<CR>:split<CR>:tab split<CR>")

    assert await vim_client.texts("close_tab", {"tab_name": str(path)}) == ["TAB_CLOSED"]

    assert await shown(serving_vim) == ["other.py"]
    assert await serving_vim.eval("[tabpagenr('$'), tabpagewinnr(1, '$')]") == [2, 2]
    assert await serving_vim.eval("buflisted(1)") == 0


async def test_the_last_file_leaves_an_empty_buffer(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    assert await vim_client.texts("close_tab", {"tab_name": str(path)}) == ["TAB_CLOSED"]

    assert await serving_vim.eval("[bufname(), &modified, winnr('$')]") == ["", 0, 1]
    assert await vim_client.json("getOpenEditors") == {"tabs": []}


@pytest.mark.parametrize("keys", ["ix<Esc>", ":diffthis<CR>", ":diffthis|tabnew<CR>", "i", "v"])
async def test_a_file_that_is_needed_stays_open(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path, keys: str
) -> None:
    await typed(serving_vim, keys)

    answer = await vim_client.texts("close_tab", {"tab_name": str(path)})

    assert (answer == ["TAB_CLOSED"]) is (keys == "v")
    assert await serving_vim.eval("buflisted(1)") == (keys != "v")


async def open_names(client: ClaudeCode) -> list[str]:
    """Return the labels of the open editors; a stopped Vim does not answer, but the host does."""
    return [tab["label"] for tab in (await client.json("getOpenEditors"))["tabs"]]


@pytest.mark.parametrize("others", [0, 120])
async def test_the_host_answers_for_a_stopped_vim(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path, project: Path, others: int
) -> None:
    for number in range(others):
        await serving_vim.command(f"badd other{number}.txt")
    (project / "new.py").write_text("1\n")
    await serving_vim.idle(300)
    await typed(serving_vim, "ix<Esc>")
    await typed(serving_vim, ":set hidden<CR>:edit new.py<CR>")
    await serving_vim.idle(300)

    os.kill(serving_vim.process.pid, signal.SIGSTOP)
    try:
        tabs = (await vim_client.json("getOpenEditors"))["tabs"]
        folders = await vim_client.json("getWorkspaceFolders")
        dirty = await vim_client.json("checkDocumentDirty", {"filePath": str(path)})
    finally:
        os.kill(serving_vim.process.pid, signal.SIGCONT)

    assert len(tabs) == others + 2
    assert [tab["label"] for tab in tabs[:2]] == ["new.py", "a b.py"]
    assert [tab["isActive"] for tab in tabs[:2]] == [True, False]
    assert dirty["isDirty"] is True
    assert folders["rootPath"] == str(project)


@pytest.mark.parametrize("others", [0, 120])
async def test_the_host_knows_when_a_buffer_is_saved_undone_or_closed(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path, others: int
) -> None:
    async def stopped() -> list[tuple[str, bool]]:
        await serving_vim.idle(300)
        os.kill(serving_vim.process.pid, signal.SIGSTOP)
        try:
            tabs = (await vim_client.json("getOpenEditors"))["tabs"]
        finally:
            os.kill(serving_vim.process.pid, signal.SIGCONT)
        return [(tab["label"], tab["isDirty"]) for tab in tabs if tab["label"] == "a b.py"]

    for number in range(others):
        await serving_vim.command(f"badd other{number}.txt")
    for keys, expected in (
        ("x", True),
        ("u", False),
        ("iy", True),
        ("<Esc>:write<CR>", False),
        ("x:set nomodified<CR>", False),
    ):
        await typed(serving_vim, keys)
        assert await stopped() == [("a b.py", expected)], keys
    await typed(serving_vim, ":bwipeout<CR>")
    assert await stopped() == []
