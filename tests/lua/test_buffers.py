"""`file/buffers.lua`: what is open in Neovim, and writing it."""

import stat
from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, until
from support.typing_user import IN_THE_MIDDLE, Typing

TRICKY = [
    "plain.txt",
    "sp ace.txt",
    "br[ac]ket.txt",
    "st*r.txt",
    "qu?stion.txt",
    "com,ma.txt",
    "ü#%.txt",
]


async def call(nvim: Neovim, function: str, *arguments: Any) -> Any:
    """Call a function of the module as the host does."""
    return await nvim.lua(f"return require('claude_ide.file.buffers').{function}(...)", *arguments)


async def edit(nvim: Neovim, path: Path) -> None:
    await nvim.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))


async def watch(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await call(nvim, "watch", True)


def write(path: Path, text: str = "one\ntwo\n") -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# find


@pytest.mark.parametrize("name", TRICKY)
async def test_find_takes_a_name_as_it_is_not_as_a_pattern(
    nvim: Neovim, project: Path, name: str
) -> None:
    for other in TRICKY:
        await edit(nvim, write(project / other))
    bufnr = await nvim.lua("return vim.fn.bufadd(...)", str(project / name))

    found = await call(nvim, "find", str(project / name))

    assert found == {"bufnr": bufnr, "loaded": True, "modified": False, "listed": True}


async def test_find_tells_whether_the_buffer_is_loaded_and_modified(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, write(project / "a.txt"))
    await nvim.command("call setline(1, 'changed')")
    await nvim.command(f"badd {write(project / 'b.txt')}")

    a, b = [await call(nvim, "find", str(project / name)) for name in ("a.txt", "b.txt")]

    assert (a["loaded"], a["modified"], a["listed"]) == (True, True, True)
    assert (b["loaded"], b["modified"], b["listed"]) == (False, False, True)


async def test_find_sees_through_symlinks_in_what_is_asked_and_in_what_is_open(
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


async def test_find_gives_nil_for_what_is_not_open_and_for_special_buffers(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, write(project / "a.txt"))
    await nvim.command(f"new | setlocal buftype=nofile | file {project / 'b.txt'}")

    assert await call(nvim, "find", str(project / "b.txt")) is None
    assert await call(nvim, "find", str(project / "A.txt")) is None
    assert await call(nvim, "find", str(project)) is None


# editors, paths


async def test_editors_describes_an_open_file(nvim: Neovim, project: Path) -> None:
    path = write(project / "sp ace.txt")
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed')")

    assert await call(nvim, "editors") == [
        {
            "uri": f"file://{project}/sp%20ace.txt",
            "fileName": str(path),
            "label": "sp ace.txt",
            "languageId": "text",
            "isActive": True,
            "isPinned": False,
            "isPreview": False,
            "isDirty": True,
            "isUntitled": False,
            "isGroupActive": True,
            "groupIndex": 0,
            "viewColumn": 1,
            "lineCount": 2,
        }
    ]


async def test_editors_and_paths_leave_out_what_is_not_an_open_file(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    await nvim.command("help help | terminal")
    await nvim.command("new | setlocal buftype=nofile | file tree")
    await nvim.command("new | setlocal buftype=acwrite | file proposal.txt")
    await nvim.command("new | file fugitive:///some/repository//0/a.txt")
    await nvim.command("copen")
    await nvim.lua("vim.fn.bufadd(...)", str(write(project / "unlisted.txt")))

    assert [editor["fileName"] for editor in await call(nvim, "editors")] == [str(path)]
    assert await call(nvim, "paths") == [str(path)]


async def test_editors_is_empty_for_the_buffer_that_neovim_starts_with(nvim: Neovim) -> None:
    assert await call(nvim, "editors") == []
    assert await call(nvim, "paths") == []


async def test_editors_calls_text_without_a_name_untitled(nvim: Neovim) -> None:
    await nvim.command("call setline(1, 'note')")

    [editor] = await call(nvim, "editors")

    assert editor["uri"] == "untitled:Untitled-1"
    assert (editor["fileName"], editor["label"]) == ("Untitled-1", "Untitled-1")
    assert (editor["isUntitled"], editor["isDirty"], editor["isActive"]) == (True, True, True)
    assert await call(nvim, "paths") == []


async def test_editors_come_in_the_order_of_their_last_use(nvim: Neovim, project: Path) -> None:
    await call(nvim, "watch", True)
    for name in ("a.txt", "b.txt", "c.txt"):
        await edit(nvim, write(project / name))
    await edit(nvim, project / "a.txt")

    labels = [editor["label"] for editor in await call(nvim, "editors")]

    assert labels == ["a.txt", "c.txt", "b.txt"]
    assert [Path(path).name for path in await call(nvim, "paths")] == labels


async def test_editors_says_where_each_file_is_shown(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "hidden.txt"))
    await edit(nvim, write(project / "first.txt"))
    await nvim.command(f"tabedit {write(project / 'left.txt')}")
    await nvim.command(f"rightbelow vsplit {write(project / 'right.txt')}")

    places = {
        editor["label"]: (editor["groupIndex"], editor["isGroupActive"], editor.get("viewColumn"))
        for editor in await call(nvim, "editors")
    }

    assert places == {
        "hidden.txt": (0, False, None),
        "first.txt": (0, False, 1),
        "left.txt": (1, True, 1),
        "right.txt": (1, True, 2),
    }


async def test_the_file_beside_the_terminal_is_active_while_the_user_is_in_the_terminal(
    nvim: Neovim, project: Path
) -> None:
    await call(nvim, "watch", True)
    await edit(nvim, write(project / "other.txt"))
    await nvim.command(f"vsplit {write(project / 'shown.txt')}")
    await nvim.command("botright vsplit | terminal")

    active = [editor["label"] for editor in await call(nvim, "editors") if editor["isActive"]]

    assert active == ["shown.txt"]
    assert (await call(nvim, "snapshot"))["current"] == str(project / "shown.txt")


async def test_two_hundred_editors_take_less_than_an_instant(nvim: Neovim, project: Path) -> None:
    await nvim.lua(
        "for i = 1, 200 do vim.cmd.badd(('%s/f%d.txt'):format(..., i)) end", str(project)
    )

    milliseconds = await nvim.lua("""
      local best = math.huge
      for _ = 1, 5 do
        local began = os.clock()
        require('claude_ide.file.buffers').snapshot()
        best = math.min(best, (os.clock() - began) * 1000)
      end
      return best
    """)

    assert len(await call(nvim, "editors")) == 200
    assert milliseconds < 20


# dirty, text


async def test_dirty_tells_the_state_of_a_file(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "a.txt"))

    clean = await call(nvim, "dirty", str(project / "a.txt"))
    await nvim.command("call setline(1, 'changed')")
    changed = await call(nvim, "dirty", str(project / "a.txt"))

    assert clean == {"isOpen": True, "isDirty": False, "isUntitled": False}
    assert changed == {"isOpen": True, "isDirty": True, "isUntitled": False}


async def test_dirty_tells_that_a_file_is_not_open(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "a.txt"))
    await nvim.command("enew | bdelete a.txt")

    assert await call(nvim, "dirty", str(project / "a.txt")) == {"isOpen": False}
    assert await call(nvim, "dirty", str(project / "b.txt")) == {"isOpen": False}


async def test_a_file_that_is_only_loaded_is_not_open(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.lua("return require('claude_ide.diagnostics.unopened').load(...)", str(path))

    unseen = await call(nvim, "dirty", str(path))
    await edit(nvim, path)
    seen = await call(nvim, "dirty", str(path))

    assert unseen == {"isOpen": False}
    assert seen == {"isOpen": True, "isDirty": False, "isUntitled": False}


async def test_text_is_what_a_write_would_put_on_disk(nvim: Neovim, project: Path) -> None:
    path = project / "dos.txt"
    path.write_bytes("\ufeffeins\r\nzwei ü\r\n".encode())
    await edit(nvim, path)
    await nvim.command("call setline(1, 'one')")

    assert await call(nvim, "text", str(path)) == "\ufeffone\r\nzwei ü\r\n"


async def test_text_of_a_file_that_is_not_loaded_is_nil(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"badd {write(project / 'a.txt')}")

    assert await call(nvim, "text", str(project / "a.txt")) is None
    assert await call(nvim, "text", str(project / "b.txt")) is None


# save


@pytest.mark.parametrize("name", TRICKY)
async def test_save_writes_a_hidden_buffer_and_leaves_the_user_where_they_are(
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
    assert await call(nvim, "dirty", str(path)) == {
        "isOpen": True,
        "isDirty": False,
        "isUntitled": False,
    }


async def test_save_runs_the_autocommands_of_the_user(nvim: Neovim, project: Path) -> None:
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


async def test_save_leaves_a_file_without_changes_alone(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    path.write_text("written by somebody else\n", encoding="utf-8")

    assert await call(nvim, "save", str(path)) == {"saved": True}

    assert path.read_text(encoding="utf-8") == "written by somebody else\n"


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


async def test_save_gives_the_reason_when_the_folder_is_gone(nvim: Neovim, project: Path) -> None:
    await edit(nvim, project / "gone" / "a.txt")
    await nvim.command("call setline(1, 'changed')")

    result = await call(nvim, "save", str(project / "gone" / "a.txt"))

    assert result["error"].startswith("E212: Can't open file for writing")


async def test_save_gives_the_first_line_of_what_an_autocommand_raises(
    nvim: Neovim, project: Path
) -> None:
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
async def test_what_is_half_typed_goes_on_while_a_file_is_saved(
    nvim: Neovim, project: Path, typing: Typing
) -> None:
    path = write(project / "a.txt")
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed') | edit mine.txt")
    await typing.begin(nvim)

    assert await call(nvim, "save", str(path)) == {"saved": True}

    await typing.finish(nvim)


async def test_save_keeps_the_mode_of_the_file(nvim: Neovim, project: Path) -> None:
    path = write(project / "run.sh")
    path.chmod(0o755)
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed')")

    await call(nvim, "save", str(path))

    assert stat.S_IMODE(path.stat().st_mode) == 0o755


# folders


async def test_folders_begin_with_the_global_one(nvim: Neovim, project: Path) -> None:
    for name in ("tab", "window"):
        (project / name).mkdir()
    await nvim.command(f"lcd window | tabnew | tcd {project}/tab | split | new")

    assert await call(nvim, "folders") == [
        str(project),
        str(project / "window"),
        str(project / "tab"),
    ]


async def test_folders_names_each_folder_once(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"tabnew | tcd {project} | split | lcd {project}")

    assert await call(nvim, "folders") == [str(project)]


# snapshot, watch


async def test_snapshot_is_all_of_it_at_one_instant(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "a.txt"))

    assert await call(nvim, "snapshot") == {
        "editors": await call(nvim, "editors"),
        "paths": [str(project / "a.txt")],
        "folders": [str(project)],
        "current": str(project / "a.txt"),
    }


async def test_snapshot_has_no_current_file_where_there_is_none(nvim: Neovim) -> None:
    assert "current" not in await call(nvim, "snapshot")


async def last_snapshot(nvim: Neovim) -> Any:
    events = nvim.events("editors_changed")
    return events and events[-1] == await call(nvim, "snapshot") and events[-1]


async def test_watch_tells_what_changed_and_the_last_state(nvim: Neovim, project: Path) -> None:
    await watch(nvim)
    (project / "sub").mkdir()

    await edit(nvim, write(project / "a.txt"))
    await nvim.command(f"badd {write(project / 'b.txt')}")
    snapshot = await until(lambda: last_snapshot(nvim))
    assert snapshot["current"] == str(project / "a.txt")
    assert sorted(snapshot["paths"]) == [str(project / "a.txt"), str(project / "b.txt")]

    await nvim.keys("Ax<Esc>")
    await until(lambda: nvim.events("editors_changed")[-1]["editors"][0]["isDirty"])

    await nvim.command("write")
    await until(lambda: not nvim.events("editors_changed")[-1]["editors"][0]["isDirty"])

    await nvim.command("bdelete b.txt")
    await until(lambda: nvim.events("editors_changed")[-1]["paths"] == [str(project / "a.txt")])

    await nvim.command("cd sub")
    await until(
        lambda: nvim.events("editors_changed")[-1]["folders"] == [str(project / "sub")],
    )


async def test_watch_does_not_repeat_itself(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "a.txt"))
    await watch(nvim)
    await nvim.command("doautocmd BufEnter")
    await until(lambda: nvim.events("editors_changed"))

    await nvim.lua("""
      for _ = 1, 30 do
        vim.cmd.doautocmd('BufEnter')
        vim.wait(10)
      end
    """)
    await nvim.command("cd /")
    await until(lambda: nvim.events("editors_changed")[-1]["folders"] == ["/"])

    assert len(nvim.events("editors_changed")) == 2


async def test_watch_tells_at_most_every_tenth_of_a_second(nvim: Neovim, project: Path) -> None:
    await watch(nvim)

    milliseconds = await nvim.lua(
        """
        local began = vim.uv.hrtime()
        for i = 1, 60 do
          vim.cmd.badd(('%s/f%d.txt'):format(..., i))
          vim.wait(5)
        end
        return (vim.uv.hrtime() - began) / 1e6
        """,
        str(project),
    )

    await until(lambda: len(nvim.events("editors_changed")[-1]["paths"]) == 60)
    assert len(nvim.events("editors_changed")) <= milliseconds / 100 + 2


async def test_watch_can_be_ended(nvim: Neovim, project: Path) -> None:
    await watch(nvim)
    await call(nvim, "watch", False)

    await edit(nvim, write(project / "a.txt"))
    await nvim.lua("vim.wait(200)")

    assert nvim.events("editors_changed") == []
    assert await nvim.lua("return #vim.api.nvim_get_autocmds({group = 'claude_ide_buffers'})") == 0


async def test_find_of_a_real_path_follows_no_link_that_has_been_put_there(
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
