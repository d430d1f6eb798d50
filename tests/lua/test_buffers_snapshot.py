"""`editors.lua`: the open files, and changes of them."""

from pathlib import Path
from typing import Any

from support.buffers import edit, open_editors, reported, write
from support.chunks import chunk
from support.neovim import Neovim, until

FOLDERS = "claude_ide#places#Folders()"


async def report(nvim: Neovim, on: bool) -> None:
    """Start or stop to follow the buffers and to report their changes, as with the server."""
    await nvim.lua("require('claude_ide.window.recent')")
    await nvim.lua("require('claude_ide.editors').watch(...)", on)


async def watch(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await report(nvim, True)


# editors, paths


async def test_editors_describes_an_open_file(nvim: Neovim, project: Path) -> None:
    path = write(project / "sp ace.txt")
    await edit(nvim, path)
    await nvim.command("call setline(1, 'changed')")

    assert await open_editors(nvim, "editors") == [
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


async def test_editors_and_paths_omit_buffers_that_are_not_open_files(
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

    assert [editor["fileName"] for editor in await open_editors(nvim, "editors")] == [str(path)]
    assert await open_editors(nvim, "paths") == [str(path)]


async def test_editors_is_empty_for_the_buffer_that_neovim_starts_with(nvim: Neovim) -> None:
    assert await open_editors(nvim, "editors") == []
    assert await open_editors(nvim, "paths") == []


async def test_editors_names_an_unnamed_buffer_untitled(nvim: Neovim) -> None:
    await nvim.command("call setline(1, 'note')")

    [editor] = await open_editors(nvim, "editors")

    assert editor["uri"] == "untitled:Untitled-1"
    assert (editor["fileName"], editor["label"]) == ("Untitled-1", "Untitled-1")
    assert (editor["isUntitled"], editor["isDirty"], editor["isActive"]) == (True, True, True)
    assert await open_editors(nvim, "paths") == []


async def test_editors_are_ordered_by_last_use(nvim: Neovim, project: Path) -> None:
    await report(nvim, True)
    for name in ("a.txt", "b.txt", "c.txt"):
        await edit(nvim, write(project / name))
    await edit(nvim, project / "a.txt")

    labels = [editor["label"] for editor in await open_editors(nvim, "editors")]

    assert labels == ["a.txt", "c.txt", "b.txt"]
    assert [Path(path).name for path in await open_editors(nvim, "paths")] == labels


async def test_editors_reports_where_each_file_is_shown(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "hidden.txt"))
    await edit(nvim, write(project / "first.txt"))
    await nvim.command(f"tabedit {write(project / 'left.txt')}")
    await nvim.command(f"rightbelow vsplit {write(project / 'right.txt')}")

    places = {
        editor["label"]: (editor["groupIndex"], editor["isGroupActive"], editor.get("viewColumn"))
        for editor in await open_editors(nvim, "editors")
    }

    assert places == {
        "hidden.txt": (0, False, None),
        "first.txt": (0, False, 1),
        "left.txt": (1, True, 1),
        "right.txt": (1, True, 2),
    }


async def test_the_file_next_to_a_terminal_is_active_while_the_terminal_has_focus(
    nvim: Neovim, project: Path
) -> None:
    await report(nvim, True)
    await edit(nvim, write(project / "other.txt"))
    await nvim.command(f"vsplit {write(project / 'shown.txt')}")
    await nvim.command("botright vsplit | terminal")

    active = [
        editor["label"] for editor in await open_editors(nvim, "editors") if editor["isActive"]
    ]

    assert active == ["shown.txt"]
    assert (await open_editors(nvim, "snapshot"))["current"] == str(project / "shown.txt")


async def test_describing_two_hundred_editors_takes_less_than_20_ms(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua(
        "for i = 1, 200 do vim.cmd.badd(('%s/f%d.txt'):format(..., i)) end", str(project)
    )

    milliseconds = await nvim.lua(chunk("buffers_snapshot/time_snapshot"))

    assert len(await open_editors(nvim, "editors")) == 200
    assert milliseconds < 20


# folders


async def test_folders_starts_with_the_global_folder(nvim: Neovim, project: Path) -> None:
    for name in ("tab", "window"):
        (project / name).mkdir()
    await nvim.command(f"lcd window | tabnew | tcd {project}/tab | split | new")

    assert await nvim.eval(FOLDERS) == [str(project), str(project / "window"), str(project / "tab")]


async def test_folders_names_each_folder_once(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"tabnew | tcd {project} | split | lcd {project}")

    assert await nvim.eval(FOLDERS) == [str(project)]


# snapshot, watch


async def test_snapshot_combines_editors_paths_folders_and_the_current_file(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, write(project / "a.txt"))

    assert await open_editors(nvim, "snapshot") == {
        "editors": await open_editors(nvim, "editors"),
        "paths": [str(project / "a.txt")],
        "folders": [str(project)],
        "current": str(project / "a.txt"),
    }


async def test_snapshot_omits_the_current_file_when_no_file_is_open(nvim: Neovim) -> None:
    assert "current" not in await open_editors(nvim, "snapshot")


async def last_snapshot(nvim: Neovim) -> Any:
    events = reported(nvim)
    return events and events[-1] == await open_editors(nvim, "snapshot") and events[-1]


async def test_watch_reports_each_change(nvim: Neovim, project: Path) -> None:
    await watch(nvim)
    (project / "sub").mkdir()

    await edit(nvim, write(project / "a.txt"))
    await nvim.command(f"badd {write(project / 'b.txt')}")
    snapshot = await until(lambda: last_snapshot(nvim))
    assert snapshot["current"] == str(project / "a.txt")
    assert sorted(snapshot["paths"]) == [str(project / "a.txt"), str(project / "b.txt")]

    await nvim.keys("Ax<Esc>")
    await until(lambda: reported(nvim)[-1]["editors"][0]["isDirty"])

    await nvim.command("write")
    await until(lambda: not reported(nvim)[-1]["editors"][0]["isDirty"])

    await nvim.command("bdelete b.txt")
    await until(lambda: reported(nvim)[-1]["paths"] == [str(project / "a.txt")])

    await nvim.command("cd sub")
    await until(lambda: reported(nvim)[-1]["folders"] == [str(project / "sub")])


async def test_watch_does_not_report_an_unchanged_snapshot(nvim: Neovim, project: Path) -> None:
    await edit(nvim, write(project / "a.txt"))
    await watch(nvim)
    await nvim.command("doautocmd BufEnter")
    await until(lambda: reported(nvim))

    await nvim.lua(chunk("buffers_snapshot/thirty_events"))
    await nvim.command("cd /")
    await until(lambda: reported(nvim)[-1]["folders"] == ["/"])

    assert len(reported(nvim)) == 2


async def test_watch_reports_at_most_every_tenth_of_a_second(nvim: Neovim, project: Path) -> None:
    await watch(nvim)

    milliseconds = await nvim.lua(chunk("buffers_snapshot/add_buffers"), str(project))

    await until(lambda: len(reported(nvim)[-1]["paths"]) == 60)
    assert len(reported(nvim)) <= milliseconds / 100 + 2


async def test_watch_reports_nothing_after_it_ends(nvim: Neovim, project: Path) -> None:
    await watch(nvim)
    await report(nvim, False)

    await edit(nvim, write(project / "a.txt"))
    await nvim.idle(200)

    assert reported(nvim) == []
    assert await nvim.lua("return #vim.api.nvim_get_autocmds({group = 'claude_ide_buffers'})") == 0
