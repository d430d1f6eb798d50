"""Files that an agent writes while they are open without unsaved changes."""

import asyncio
from pathlib import Path

from support.agent_files import FILE, NEW, OLD, Here, messages, refused
from support.chunks import chunk
from support.neovim import until

MINUS = "\N{MINUS SIGN}"
MARK = chunk("agent_files/mark")
MARKS = chunk("agent_files/marks")


async def test_an_open_file_keeps_its_encoding_and_its_final_line_end(
    here: Here, path: Path
) -> None:
    path.write_bytes(b"gr\xfcn\n")
    await here.nvim.command(f"edit ++enc=latin1 {path}")

    await here.files.write(str(path), "rötlich")

    assert path.read_bytes() == b"r\xf6tlich\n"


async def test_an_open_file_is_changed_in_one_undo_step_and_saved(here: Here, opened: Path) -> None:
    await here.files.write(str(opened), NEW)

    assert opened.read_text() == NEW
    assert await here.text() == NEW
    assert await here.nvim.eval("&modified") == 0
    assert here.announced == [str(opened)]

    await here.nvim.keys("u")
    await until(lambda: here.nvim.eval("&modified"))
    assert await here.text() == OLD


async def test_marks_folds_and_the_view_stay(here: Here, path: Path) -> None:
    lines = [f"line {number}\n" for number in range(1, 201)]
    path.write_text("".join(lines))
    await here.nvim.command(f"edit {path} | set foldmethod=manual | 150,160fold")
    await here.nvim.command("normal! 100Gztjj0ll")
    await here.nvim.lua(MARK, 119, 2)
    lines[19:20] = ["LINE 20\n", "more\n"]

    await here.files.write(str(path), "".join(lines))

    assert await here.nvim.lua(MARKS) == {
        "mark": [121, 2],
        "extmark": [120, 2],
        "cursor": [103, 2],
        "folded": 151,
        "first": 101,
    }


async def test_a_hidden_file_is_written_without_a_window(here: Here, opened: Path) -> None:
    await here.nvim.command("set hidden | enew")
    before = await here.nvim.eval("[winnr('$'), bufname(), win_getid()]")

    await here.files.write(str(opened), NEW)

    assert opened.read_text() == NEW
    assert await here.nvim.eval("[winnr('$'), bufname(), win_getid()]") == before


async def test_the_write_is_reported_with_the_agent_s_name(here: Here, opened: Path) -> None:
    await here.files.write(str(opened), NEW)

    report = f"Otter changed {FILE} (+2 {MINUS}1); u undoes"
    await until(lambda: report in here.nvim.screen.text())
    assert (await here.nvim.mode())["blocking"] is False


async def test_autocommands_run_once_and_a_formatter_joins_the_undo_step(
    here: Here, opened: Path
) -> None:
    await here.nvim.command("let g:writes = []")
    for event in ("BufWritePre", "BufWritePost"):
        await here.nvim.command(f"autocmd {event} * call add(g:writes, '{event}')")
    await here.nvim.command("autocmd BufWritePre * %s/more/formatted/e")

    written = await here.files.write(str(opened), NEW)

    formatted = NEW.replace("more", "formatted")
    assert (written.text, written.saved) == (NEW, formatted)
    assert opened.read_text() == formatted
    assert await here.nvim.eval("g:writes") == ["BufWritePre", "BufWritePost"]
    await here.nvim.command("undo")
    assert await here.text() == OLD


async def test_a_formatter_that_saves_after_the_write_does_not_loop(
    here: Here, opened: Path
) -> None:
    await here.nvim.command("let g:writes = 0")
    await here.nvim.command(
        "autocmd BufWritePost * ++nested let g:writes += 1 | if g:writes < 5 |"
        " call setline(1, g:writes) | silent noautocmd update | endif"
    )

    await here.files.write(str(opened), NEW)

    assert await here.nvim.eval("g:writes") == 1
    assert opened.read_text() == NEW.replace("one", "1")
    assert await here.nvim.eval("&modified") == 0


async def test_a_write_that_fails_leaves_the_buffer_as_it_was(here: Here, opened: Path) -> None:
    await here.nvim.command("autocmd BufWritePre * throw 'not today'")

    assert "not today" in await refused(here.files.write(str(opened), "new\r\n"))

    assert opened.read_text() == OLD
    assert await here.text() == OLD
    assert await here.nvim.eval("[&modified, &fileformat]") == [0, "unix"]


async def test_a_text_that_the_encoding_lacks_is_not_written(here: Here, path: Path) -> None:
    path.write_bytes(b"gr\xfcn\n")
    await here.nvim.command(f"edit ++enc=latin1 {path}")

    refusal = f"{path}: its encoding (latin1) lacks some of these characters"
    assert await refused(here.files.write(str(path), "€\n")) == refusal

    assert path.read_bytes() == b"gr\xfcn\n"
    assert await here.nvim.eval("[getline(1), &modified]") == ["grün", 0]


async def test_writes_in_turn_of_the_agent_and_of_the_buffer_are_no_conflict(
    here: Here, opened: Path
) -> None:
    """Some agents write the same text to the disk themselves, too."""
    for number in range(3):
        text = f"{number}\n{OLD}"
        await here.files.write(str(opened), text)
        opened.with_name("new").write_text(text)
        opened.with_name("new").replace(opened)

    assert await here.text() == f"2\n{OLD}"
    assert "W1" not in await messages(here.nvim)


async def test_a_change_on_disk_that_neovim_does_not_follow_is_not_overwritten(
    here: Here, opened: Path
) -> None:
    await here.nvim.command("set noautoread")
    opened.write_text("other\n")

    await here.files.write(str(opened), NEW)

    assert opened.read_text() == NEW
    await here.nvim.command("undo")
    assert await here.text() == "other\n"


async def test_a_buffer_that_is_only_shown_follows_the_disk(here: Here, opened: Path) -> None:
    for option in ("readonly", "nomodifiable"):
        await here.nvim.command(f"setlocal {option}")

        await here.files.write(str(opened), f"{option}\n")

        assert opened.read_text() == f"{option}\n"
        await until(lambda: here.nvim.eval(f"getline(1) == '{option}'"))  # noqa: B023


async def test_a_write_waits_while_the_user_types_in_the_buffer(here: Here, opened: Path) -> None:
    await here.nvim.keys("i")
    await until(lambda: here.nvim.eval("mode() == 'i'"))

    writing = here.write(opened, NEW)
    await until(lambda: f"edit of {FILE} waits: leave Insert mode" in here.nvim.screen.text())
    assert not writing.done()
    assert await here.text() == OLD

    await here.nvim.keys("<Esc>")
    await writing
    assert await here.text() == NEW


async def test_a_write_that_waits_can_be_cancelled(here: Here, opened: Path) -> None:
    await here.nvim.keys("i")
    await until(lambda: here.nvim.eval("mode() == 'i'"))
    writing = here.write(opened, NEW)
    await until(lambda: here.announced)
    await here.nvim.eval("1")

    writing.cancel()
    await asyncio.wait([writing])
    # Keys overtake what was sent before them, such as the withdrawal.
    await here.nvim.eval("1")

    await here.nvim.keys("<Esc>")
    await here.nvim.idle(200)
    assert opened.read_text() == await here.text() == OLD


async def test_an_agent_may_write_the_disk_itself_while_the_buffer_is_formatted(
    here: Here, opened: Path
) -> None:
    write = f"call writefile({NEW.splitlines()!r}, '{opened}')"
    await here.nvim.command(f"autocmd BufWritePre * call setline(1, 'formatted') | {write}")

    await asyncio.wait_for(here.files.write(str(opened), NEW), 10)

    assert opened.read_text() == NEW
    assert await here.text() == NEW
    assert await here.nvim.eval("&modified") == 0
    await here.nvim.command("autocmd! BufWritePre *")
    await here.nvim.keys("u")
    await until(lambda: here.nvim.eval("&modified"))
    assert await here.text() == OLD
    await here.nvim.keys(":write<CR>")
    await until(lambda: here.nvim.eval("!&modified"))
    assert opened.read_text() == OLD


async def test_another_text_that_is_written_while_the_buffer_is_formatted_stays(
    here: Here, opened: Path
) -> None:
    await here.nvim.command(f"autocmd BufWritePre * call writefile(['theirs'], '{opened}')")

    assert "has changed on disk" in await refused(here.write(opened, NEW))

    assert opened.read_text() == "theirs\n"
