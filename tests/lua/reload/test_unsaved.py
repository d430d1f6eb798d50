"""`disk_changes/reload.lua`: unsaved changes stay on top of Claude's writes."""

from pathlib import Path

from support.neovim import Neovim, until
from support.reloading import expect, messages, shows, text, write

OLD = "one\ntwo\nthree\n"


NEW = "one\nTWO\nthree\n"


async def test_unsaved_changes_stay_on_top_of_the_write(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert path.read_text() == NEW
    assert await nvim.eval("&modified") == 1
    assert await messages(nvim) == ""
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")
    assert await nvim.eval("&modified") == 1
    await nvim.keys("<C-r>")
    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval("&modified") == 1


async def test_changes_on_top_of_the_write_are_saved_without_a_question(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)
    write(path, NEW)
    await shows(nvim, path, "mine\nTWO\nthree\n")

    await nvim.keys(":checktime<CR>:write<CR>")

    await until(lambda: path.read_text() == "mine\nTWO\nthree\n")
    assert not (await nvim.mode())["blocking"]
    assert "W1" not in await messages(nvim)


async def test_unsaved_changes_to_the_same_lines_return_with_one_undo(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("Gccmine<Esc>ggccmine, too<Esc>")
    await until(lambda: nvim.eval("getline(1) ==# 'mine, too'"))
    before = await text(nvim, path)
    await expect(nvim, path)

    write(path, "one\nTWO\nTHREE\n")

    await shows(nvim, path, "mine, too\nTWO\nTHREE\n")
    assert await nvim.eval("&modified") == 1
    await until(lambda: "a.txt: your unsaved changes to the same" in nvim.screen.text())
    await nvim.keys("u")
    await shows(nvim, path, before)


async def test_the_cursor_marks_and_folds_are_kept_with_unsaved_changes(
    nvim: Neovim, path: Path
) -> None:
    lines = [f"line {number}" for number in range(1, 101)]
    path.write_text("".join(f"{line}\n" for line in lines))
    await nvim.command("edit!")
    await nvim.keys("Gounsaved<Esc>50Gma")
    await until(lambda: nvim.eval("line('.') == 50"))
    await nvim.command("setlocal foldmethod=manual | 60,70fold")
    await expect(nvim, path)

    write(path, "".join(f"{line}\n" for line in ["new", "newer", *lines]))

    await until(lambda: nvim.eval("getline(1) ==# 'new'"))
    assert await nvim.eval("[getline('.'), getline(\"'a\"), getline('$')]") == [
        "line 50",
        "line 50",
        "unsaved",
    ]
    assert await nvim.eval("[foldclosed(62), foldclosedend(62)]") == [62, 72]


async def test_unsaved_changes_of_a_hidden_buffer_stay_on_top(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>:set hidden | enew<CR>")
    await until(lambda: nvim.eval("bufname() ==# ''"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval(f"getbufvar('{path}', '&modified')") == 1


async def test_text_that_is_being_typed_stays_on_top_of_the_write(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)
    await nvim.keys("Gomi")
    await until(lambda: nvim.eval("getline('$') ==# 'mi'"))

    write(path, NEW)
    await nvim.keys("ne<Esc>")

    await shows(nvim, path, f"{NEW}mine\n")
    assert await nvim.eval("[getline('.'), &modified]") == ["mine", 1]


async def test_changes_that_the_user_has_discarded_do_not_return_with_the_write(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)
    await nvim.command("edit!")
    await nvim.keys("Gomore<Esc>")
    await until(lambda: nvim.eval("&modified"))

    write(path, NEW)

    await shows(nvim, path, f"{NEW}more\n")
