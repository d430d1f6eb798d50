"""`Files` for an agent, in a real Neovim: buffers with their unsaved text, and files on disk."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest

from claude_ide.chat.agent_files import AgentFiles
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError
from support import chats_here
from support.chunks import chunk
from support.neovim import Neovim, until

FILE = "a.txt"
OLD = "one\ntwo\nthree\nfour\nfive\n"
NEW = OLD.replace("two\n", "TWO\nmore\n")
MINUS = "\N{MINUS SIGN}"
MARK = chunk("agent_files/mark")
MARKS = chunk("agent_files/marks")
UNDO_STEPS = "undotree().seq_last"
READY = "filter(luaeval(\"require('claude_ide.diff').list()\"), 'v:val.shown')"


class Here:
    """The files of an agent, and the writes that were announced to its journal."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim
        self.announced: list[str] = []
        editor = Editor(chats_here.TestedNeovim(nvim))
        self.files = AgentFiles("Otter", editor, Config(), self._before_write)
        nvim.notifications = chats_here.Notifications(
            lambda name, given: editor.events.dispatch(*given) if name == chats_here.EVENT else None
        )

    async def _before_write(self, path: str) -> None:
        self.announced.append(path)

    def write(self, path: Path, text: str) -> "asyncio.Task[str]":
        """Begin to write a file."""
        return asyncio.create_task(self.files.write(str(path), text))

    async def asked(self) -> None:
        """Wait until a diff asks the user."""
        await until(lambda: self.nvim.eval(f"len({READY})"), "a diff is shown")

    async def text(self) -> str:
        """Return the text of the current buffer."""
        return "".join(f"{line}\n" for line in await self.nvim.eval("getline(1, '$')"))


@pytest.fixture
async def here(nvim: Neovim) -> Here:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua("require('claude_ide.disk.change').watch('chats', true)")
    await nvim.lua("require('claude_ide.when.moment').notice_typing(true)")
    return Here(nvim)


@pytest.fixture
def path(project: Path) -> Path:
    path = project / FILE
    path.write_text(OLD)
    return path


@pytest.fixture
async def opened(here: Here, path: Path) -> Path:
    """A file that the current window shows."""
    await here.nvim.command(f"edit {path}")
    return path


@pytest.fixture
async def unsaved(here: Here, opened: Path) -> AsyncIterator[Path]:
    """A file with an unsaved line at its end."""
    await here.nvim.command("call append('$', 'mine')")
    yield opened


async def refused(work: Awaitable[Any]) -> str:
    with pytest.raises(AgentError) as error:
        await asyncio.wait_for(work, 10)
    return str(error.value)


async def messages(nvim: Neovim) -> str:
    found: str = await nvim.eval("execute('messages')")
    return found


# Reading.


async def test_a_file_that_is_not_open_is_read_from_the_disk(here: Here, path: Path) -> None:
    assert await here.files.read(str(path)) == OLD
    assert await here.nvim.eval("len(getbufinfo())") == 1


async def test_unsaved_text_is_read(here: Here, unsaved: Path) -> None:
    assert await here.files.read(str(unsaved)) == f"{OLD}mine\n"


async def test_a_write_of_another_program_is_read_before_the_buffer_follows(
    here: Here, opened: Path
) -> None:
    opened.write_text(NEW)

    assert await here.files.read(str(opened)) == NEW

    # The user types in the buffer, which cannot follow now.
    await here.nvim.keys("i")
    await until(lambda: here.nvim.eval("mode() == 'i'"))
    opened.write_text("newest\n")
    assert await here.files.read(str(opened)) == "newest\n"


async def test_the_text_is_read_as_it_would_be_on_disk(here: Here, path: Path) -> None:
    for content in (b"\xef\xbb\xbfone\r\ntwo\r\n", b"one", b"", b"\n", b"a\rb\n", b"a\r\nb\n"):
        path.write_bytes(content)
        await here.nvim.command(f"edit {path} | setlocal nofixeol")
        assert (await here.files.read(str(path))).encode() == content
        await here.nvim.command("%bwipeout!")
        assert (await here.files.read(str(path))).encode() == content


async def test_a_file_in_another_encoding_is_read_only_if_neovim_has_read_it(
    here: Here, path: Path
) -> None:
    path.write_bytes(b"gr\xfcn\n")
    assert await refused(here.files.read(str(path))) == f"{path}: not text in UTF-8"

    await here.nvim.command(f"edit ++enc=latin1 {path}")

    assert await here.files.read(str(path)) == "grün\n"


async def test_a_missing_file_is_not_found(here: Here, project: Path) -> None:
    await here.nvim.command(f"edit {project}/new.txt")
    for path in (project / "new.txt", project / "no" / "such.txt"):
        with pytest.raises(FileNotFoundError):
            await here.files.read(str(path))

    await here.nvim.command("call setline(1, 'unsaved')")

    assert await here.files.read(f"{project}/new.txt") == "unsaved\n"


async def test_only_a_regular_file_on_a_disk_is_read_or_written(here: Here, project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "loop").symlink_to("loop")
    (project / "endless").symlink_to("/dev/zero")
    (project / "folder").mkdir()
    (project / "large").touch()
    os.truncate(project / "large", 20_000_000)
    (project / "binary").write_bytes(b"a\0b")
    (project / "inner").symlink_to("/proc/self")
    reasons = {
        project / "pipe": "not a file but a pipe",
        project / "loop": "too many symbolic links encountered",
        project / "endless": "not a file on a disk",
        project / "folder": "not a file but a folder",
        project / "inner" / "environ": "not a file on a disk",
        Path("/dev/tty"): "not a file on a disk",
        Path("/proc/self/environ"): "not a file on a disk",
        Path("a.txt"): "not an absolute path",
        Path("~/a.txt"): "not an absolute path",
        Path("/a\0b"): "contains a NUL",
        Path("/" + "x/" * 3000): "the path is too long",
        Path("/a\ud800"): "no file can have this name",
    }
    for path, reason in reasons.items():
        assert (await refused(here.files.read(str(path)))).endswith(f": {reason}"), path
        assert (await refused(here.files.write(str(path), ""))).endswith(f": {reason}"), path
    assert "has 20,000,000 bytes" in await refused(here.files.read(str(project / "large")))
    assert "not text in UTF-8" in await refused(here.files.read(str(project / "binary")))


# Writing.


async def test_a_file_that_is_not_open_is_written_on_disk(here: Here, path: Path) -> None:
    path.chmod(0o750)

    assert await here.files.write(str(path), NEW) == NEW

    assert path.read_text() == NEW
    assert path.stat().st_mode & 0o777 == 0o750
    assert list(path.parent.iterdir()) == [path]
    assert here.announced == [str(path)]
    assert await here.nvim.eval("len(getbufinfo())") == 1


async def test_a_new_file_is_written_with_its_folders(here: Here, project: Path) -> None:
    await here.files.write(f"{project}/some/inner/new.txt", "new\n")

    assert (project / "some" / "inner" / "new.txt").read_text() == "new\n"


async def test_a_link_stays_a_link(here: Here, path: Path) -> None:
    link = path.with_name("link.txt")
    link.symlink_to(path)

    await here.files.write(str(link), NEW)

    assert link.is_symlink()
    assert path.read_text() == NEW


async def test_a_read_only_file_is_not_written(here: Here, path: Path) -> None:
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write everything")

    assert await refused(here.files.write(str(path), NEW)) == f"{path}: permission denied"

    assert path.read_text() == OLD


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"one\r\ntwo\r\n", "one\nTWO\n", b"one\r\nTWO\r\n"),
        (b"one\r\ntwo\r\n", "one\r\nTWO\r\n", b"one\r\nTWO\r\n"),
        (b"one\ntwo\n", "one\r\nTWO\r\n", b"one\r\nTWO\r\n"),
        (b"\xef\xbb\xbfone\n", "two\n", b"\xef\xbb\xbftwo\n"),
        (b"\xef\xbb\xbfone\n", "\ufefftwo\n", b"\xef\xbb\xbftwo\n"),
        (b"one\n", "two", b"two"),
        (b"one", "two\n", b"two\n"),
        (b"one\n", "", b""),
        (b"", "one\n", b"one\n"),
        (b"one\n", "\n", b"\n"),
        (b"a\r\nb\n", "a\r\nc\n", b"a\r\nc\n"),
        (b"one\n", "gr\u00fcn \u2028 \U0001f600\n", "gr\u00fcn \u2028 \U0001f600\n".encode()),
    ],
)
async def test_the_format_of_the_file_is_kept(
    here: Here, path: Path, before: bytes, text: str, after: bytes, is_open: bool
) -> None:
    path.write_bytes(before)
    if is_open:
        await here.nvim.command(f"edit {path} | setlocal nofixeol")

    await here.files.write(str(path), text)

    assert path.read_bytes() == after
    assert await here.nvim.eval("&modified") == 0
    assert (await here.files.read(str(path))).encode() == after


async def test_an_open_file_keeps_its_encoding_and_its_final_line_end(
    here: Here, path: Path
) -> None:
    path.write_bytes(b"gr\xfcn\n")
    await here.nvim.command(f"edit ++enc=latin1 {path}")

    await here.files.write(str(path), "rötlich")

    assert path.read_bytes() == b"r\xf6tlich\n"


async def test_a_file_of_carriage_returns_keeps_them(here: Here, path: Path) -> None:
    path.write_bytes(b"one\rtwo\r")
    await here.nvim.command(f"edit ++ff=mac {path}")

    await here.files.write(str(path), "one\rTWO\r")
    assert path.read_bytes() == b"one\rTWO\r"

    await here.files.write(str(path), "1\n2\n")
    assert path.read_bytes() == b"1\r2\r"


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

    await here.files.write(str(opened), NEW)

    formatted = NEW.replace("more", "formatted")
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

    await here.nvim.keys("<Esc>")
    await here.nvim.idle(200)
    assert opened.read_text() == await here.text() == OLD


# Unsaved changes.


async def test_unsaved_text_is_replaced_only_if_the_user_accepts(here: Here, unsaved: Path) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()
    # The diff compares the proposal with the unsaved text.
    shown = await here.nvim.eval("[getline('$'), getbufline(winbufnr(1), '$')]")
    assert shown == ["five", ["mine"]]

    await here.nvim.command("write")

    assert await writing == NEW
    assert unsaved.read_text() == NEW
    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"))
    assert await here.text() == NEW
    assert await here.nvim.eval("&modified") == 0
    await here.nvim.command("undo")
    assert await here.text() == f"{OLD}mine\n"


async def test_the_user_s_version_is_written(here: Here, unsaved: Path) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()

    await here.nvim.command("call setline(1, 'changed') | write")

    assert await writing == NEW.replace("one", "changed")
    assert unsaved.read_text() == NEW.replace("one", "changed")


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("quit", "the user rejected this change"),
        ("lua require('claude_ide.diff').reject(nil, 'not now')", "not now"),
    ],
)
async def test_a_rejection_is_an_error_with_its_reason(
    here: Here, unsaved: Path, how: str, reason: str
) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()

    await here.nvim.command(how)

    assert await refused(writing) == f"{unsaved}: not written: {reason}"
    assert unsaved.read_text() == OLD
    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"))
    assert await here.text() == f"{OLD}mine\n"
    assert await here.nvim.eval("&modified") == 1


async def test_a_cancelled_write_closes_its_diff(here: Here, unsaved: Path) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()

    writing.cancel()

    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"))
    assert await here.text() == f"{OLD}mine\n"
    assert unsaved.read_text() == OLD


@pytest.mark.parametrize("saves", [True, False])
async def test_text_that_the_user_types_during_the_diff_is_not_overwritten(
    here: Here, unsaved: Path, saves: bool
) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()
    buffer = await here.nvim.eval("winbufnr(1)")
    await here.nvim.eval(f"appendbufline({buffer}, '$', 'later')")
    if saves:
        await here.nvim.command("1windo noautocmd write | 2wincmd w")

    await here.nvim.command("call setline(1, 'changed') | write")
    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"), "the first diff is closed")
    await here.asked()

    # The next one shows what the user has accepted.
    assert await here.nvim.eval("getline(1)") == "changed"
    await here.nvim.command("quit")
    assert "rejected" in await refused(writing)
    assert await here.nvim.eval(f"getbufline({buffer}, '$')") == ["later"]


async def test_the_same_text_as_the_unsaved_one_is_saved_without_a_question(
    here: Here, unsaved: Path
) -> None:
    await here.files.write(str(unsaved), f"{OLD}mine\n")

    assert unsaved.read_text() == f"{OLD}mine\n"
    assert await here.nvim.eval("&modified") == 0


async def test_two_writes_of_a_file_follow_each_other(here: Here, unsaved: Path) -> None:
    first, second = here.write(unsaved, NEW), here.write(unsaved, f"{NEW}last\n")
    await here.asked()
    assert await here.nvim.eval(f"len({READY})") == 1

    await here.nvim.command("write")
    await asyncio.gather(first, second)

    assert unsaved.read_text() == f"{NEW}last\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\0b", "the text contains a NUL"),
        ("\ud800", "the text is not valid Unicode"),
        ("x" * 15_000_001, "the text has 15,000,001 bytes, more than 15,000,000"),
    ],
)
async def test_a_text_that_is_no_text_is_not_written(
    here: Here, path: Path, text: str, reason: str
) -> None:
    assert await refused(here.files.write(str(path), text)) == f"{path}: {reason}"
    assert path.read_text() == OLD
