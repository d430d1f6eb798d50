"""`file/buffers.lua`: finds open files, and saves them."""

import stat
from pathlib import Path

import pytest

from support.buffers import TRICKY_NAMES, call, edit, write
from support.neovim import Neovim
from support.typing_user import IN_THE_MIDDLE, Typing

# find


@pytest.mark.parametrize("name", TRICKY_NAMES)
async def test_find_treats_a_name_literally_not_as_a_pattern(
    nvim: Neovim, project: Path, name: str
) -> None:
    for other in TRICKY_NAMES:
        await edit(nvim, write(project / other))
    bufnr = await nvim.lua("return vim.fn.bufadd(...)", str(project / name))

    found = await call(nvim, "find", str(project / name))

    assert found == {
        "bufnr": bufnr,
        "loaded": True,
        "modified": False,
        "listed": True,
        "is_open": True,
    }


async def test_find_reports_whether_the_buffer_is_loaded_and_modified(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, write(project / "a.txt"))
    await nvim.command("call setline(1, 'changed')")
    await nvim.command(f"badd {write(project / 'b.txt')}")

    a, b = [await call(nvim, "find", str(project / name)) for name in ("a.txt", "b.txt")]

    assert (a["loaded"], a["modified"], a["listed"]) == (True, True, True)
    assert (b["loaded"], b["modified"], b["listed"]) == (False, False, True)


async def test_find_resolves_symlinks_in_its_argument_and_in_buffer_names(
    nvim: Neovim, project: Path
) -> None:
    (project / "real").mkdir()
    write(project / "real" / "a.txt")
    (project / "link").symlink_to(project / "real")
    (project / "alias.txt").symlink_to(project / "real" / "a.txt")

    await edit(nvim, project / "real" / "a.txt")
    assert await call(nvim, "find", str(project / "link" / "a.txt"))
    assert await call(nvim, "find", str(project / "alias.txt"))

    await nvim.command("bwipeout")
    await edit(nvim, project / "alias.txt")
    assert await call(nvim, "find", str(project / "real" / "a.txt"))


async def test_find_knows_a_file_that_is_not_on_disk_yet(nvim: Neovim, project: Path) -> None:
    (project / "real").mkdir()
    (project / "link").symlink_to(project / "real")
    await edit(nvim, project / "real" / "new.txt")

    assert await call(nvim, "find", str(project / "link" / "new.txt"))


async def test_find_returns_nil_for_unopened_files_and_special_buffers(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, write(project / "a.txt"))
    await nvim.command(f"new | setlocal buftype=nofile | file {project / 'b.txt'}")

    assert await call(nvim, "find", str(project / "b.txt")) is None
    assert await call(nvim, "find", str(project / "A.txt")) is None
    assert await call(nvim, "find", str(project)) is None


async def test_a_file_whose_buffer_is_deleted_is_not_open(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "a.txt"))
    await nvim.command("enew | bdelete a.txt")

    assert (await call(nvim, "find", str(project / "a.txt")))["is_open"] is False


async def test_a_file_that_is_only_loaded_is_not_open(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.lua("return require('claude_ide.diagnostics.unopened').load(...)", str(path))

    unseen = await call(nvim, "find", str(path))
    await edit(nvim, path)
    seen = await call(nvim, "find", str(path))

    assert (unseen["is_open"], seen["is_open"]) == (False, True)


# text


async def test_text_matches_what_a_write_would_put_on_disk(nvim: Neovim, project: Path) -> None:
    path = project / "dos.txt"
    path.write_bytes("\ufeffeins\r\nzwei ü\r\n".encode())
    await edit(nvim, path)
    await nvim.command("call setline(1, 'one')")

    assert await call(nvim, "text", str(path)) == {"text": "\ufeffone\r\nzwei ü\r\n"}


async def test_text_of_a_file_that_is_not_loaded_is_nil(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"badd {write(project / 'a.txt')}")

    assert await call(nvim, "text", str(project / "a.txt")) is None
    assert await call(nvim, "text", str(project / "b.txt")) is None


# save


@pytest.mark.parametrize("name", TRICKY_NAMES)
async def test_save_writes_a_hidden_buffer_without_moving_the_user(
    nvim: Neovim, project: Path, name: str
) -> None:
    path = write(project / name)
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed') | vsplit | enew")
    before = await nvim.lua("return {vim.fn.win_getid(), vim.fn.bufnr(), vim.fn.winlayout()}")

    assert await call(nvim, "save", str(path)) == {"saved": True}

    assert path.read_text(encoding="utf-8") == "changed\ntwo\n"
    after = await nvim.lua("return {vim.fn.win_getid(), vim.fn.bufnr(), vim.fn.winlayout()}")
    assert after == before
    assert (await call(nvim, "find", str(path)))["modified"] is False


async def test_save_runs_user_autocommands(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    await nvim.command("autocmd BufWritePre *.txt %s/$/;/")
    await nvim.command("autocmd BufWritePost *.txt let g:written = expand('<afile>:t')")
    await nvim.command("call setline(1, 'changed') | enew")

    await call(nvim, "save", str(path))

    assert path.read_text(encoding="utf-8") == "changed;\ntwo;\n"
    assert await nvim.eval("g:written") == "a.txt"


async def test_save_of_a_file_that_is_not_open_is_an_error(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")

    assert await call(nvim, "save", str(path)) == {"error": f"{path} is not open in Neovim."}


async def test_save_does_not_write_an_unmodified_buffer(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    path.write_text("written by another program\n", encoding="utf-8")

    assert await call(nvim, "save", str(path)) == {"saved": True}

    assert path.read_text(encoding="utf-8") == "written by another program\n"


async def test_save_creates_a_new_file(nvim: Neovim, project: Path) -> None:
    await edit(nvim, project / "new.txt")
    await nvim.command("call setline(1, 'text')")

    assert await call(nvim, "save", str(project / "new.txt")) == {"saved": True}

    assert (project / "new.txt").read_text(encoding="utf-8") == "text\n"


async def test_save_does_not_write_a_read_only_buffer(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed') | set readonly confirm")

    result = await call(nvim, "save", str(path))

    assert result == {"error": "E45: 'readonly' option is set (add ! to override)"}
    assert path.read_text(encoding="utf-8") == "one\ntwo\n"
    assert await nvim.eval("&confirm") == 1
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_save_reports_the_reason_when_the_folder_is_missing(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, project / "gone" / "a.txt")
    await nvim.command("call setline(1, 'changed')")

    result = await call(nvim, "save", str(project / "gone" / "a.txt"))

    assert result["error"].startswith("E212: Can't open file for writing")


async def test_save_reports_an_autocommand_error_in_one_line(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    await nvim.lua("""
      vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error('no\\nnever') end })
    """)
    await nvim.command("call setline(1, 'changed')")

    result = await call(nvim, "save", str(path))

    assert "no" in result["error"]
    assert "\n" not in result["error"]
    assert path.read_text(encoding="utf-8") == "one\ntwo\n"
    assert await nvim.mode() == {"mode": "n", "blocking": False}


@pytest.mark.parametrize("typing", IN_THE_MIDDLE)
async def test_saving_a_file_does_not_interrupt_typing(
    nvim: Neovim, project: Path, typing: Typing
) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed') | edit mine.txt")
    await typing.begin(nvim)

    assert await call(nvim, "save", str(path)) == {"saved": True}

    await typing.finish(nvim)


async def test_save_keeps_the_file_permissions(nvim: Neovim, project: Path) -> None:
    path = write(project / "run.sh")
    path.chmod(0o755)
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed')")

    await call(nvim, "save", str(path))

    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_find_of_a_real_path_does_not_follow_symlinks(
    nvim: Neovim, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("")
    (project / "d").symlink_to(outside)
    await nvim.command(f"edit {outside}/a.txt")

    assert await call(nvim, "find", str(project / "d" / "a.txt"))
    assert await call(nvim, "find", str(project / "d" / "a.txt"), True) is None
    assert await call(nvim, "text", str(project / "d" / "a.txt"), True) is None
    assert await call(nvim, "find", str(outside / "a.txt"), True)
