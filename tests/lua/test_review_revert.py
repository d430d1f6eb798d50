"""`review/revert.lua`: hunks are reverted and restored through the buffer."""

import random
from functools import partial
from pathlib import Path

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until
from support.reviews import Review, change

OLD = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = OLD.replace("line 3\n", "LINE 3\nmore\n").replace("line 20\n", "").replace("line 38", "x")
MINUS = "\N{MINUS SIGN}"
CHOOSE = chunk("review/choose")


def holds(path: Path, text: str) -> bool:
    return path.read_text() == text


@pytest.fixture
def review(nvim: Neovim) -> Review:
    return Review(nvim)


async def test_a_hunk_is_reverted_in_the_file_and_in_its_buffer(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text(CHANGED)
    await nvim.command(f"edit {path}")
    await review.show(change(path, OLD, CHANGED))

    await nvim.keys("x")
    await review.has(f"reverted: +2 {MINUS}1  LINE 3", f"+0 {MINUS}1  line 20", f"+1 {MINUS}1  x")

    expected = CHANGED.replace("LINE 3\nmore\n", "line 3\n")
    assert path.read_text() == expected
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == expected.splitlines()
    assert await nvim.eval(f"getbufvar('{path}', '&modified')") == 0
    assert await review.lines() == [3, 20, 37]


async def test_one_undo_brings_back_all_hunks_of_a_file(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text(CHANGED)
    await nvim.command(f"edit {path}")
    await review.show(change(path, OLD, CHANGED))
    await nvim.keys("ggVGx")
    await until(lambda: path.read_text() == OLD)

    await nvim.command("wincmd p")
    await nvim.keys("u")

    assert await nvim.eval("getline(1, '$')") == CHANGED.splitlines()
    await nvim.command("wincmd p")
    await review.has(f"+2 {MINUS}1  LINE 3", f"+0 {MINUS}1  line 20", f"+1 {MINUS}1  x")


async def test_a_count_reverts_several_hunks(nvim: Neovim, review: Review, path: Path) -> None:
    await review.write(path, OLD, CHANGED)

    await nvim.keys("2x")

    expected = OLD.replace("line 38", "x")
    await until(lambda: path.read_text() == expected)


async def test_a_reverted_hunk_can_be_restored(nvim: Neovim, review: Review, path: Path) -> None:
    await review.write(path, OLD, CHANGED)
    await nvim.keys("ggVGx")
    await until(lambda: path.read_text() == OLD)

    await nvim.keys("ggVGu")

    await until(lambda: path.read_text() == CHANGED)
    await review.has(f"+2 {MINUS}1  LINE 3", f"+0 {MINUS}1  line 20", f"+1 {MINUS}1  x")


async def test_marks_and_unsaved_changes_stay(nvim: Neovim, review: Review, path: Path) -> None:
    path.write_text(CHANGED)
    await nvim.command(f"edit {path} | 30mark a | 1put! ='mine'")
    await review.show(change(path, OLD, CHANGED))

    await nvim.keys("ggVGx")
    await until(lambda: nvim.eval(f"getbufline('{path}', 1, '$') == {['mine', *OLD.splitlines()]}"))

    assert path.read_text() == CHANGED
    assert await nvim.eval(f"getbufvar('{path}', '&modified')") == 1
    await nvim.command("wincmd p")
    assert await nvim.eval('getline("\'a")') == CHANGED.splitlines()[29]
    assert "a.txt is not saved: it had unsaved changes" in await review.messages()


async def test_a_hunk_whose_lines_have_changed_since_stays(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text(CHANGED)
    await nvim.command(f"edit {path} | 4substitute/more/mine/ | write")
    await review.show(change(path, OLD, CHANGED))
    changed = path.read_text()

    await nvim.keys("x")

    await until(lambda: nvim.eval("execute('messages') =~ 'a.txt:3 has changed since'"))
    assert path.read_text() == changed
    assert (await review.texts())[0] == f"changed since: +2 {MINUS}1  LINE 3"


async def test_the_other_hunks_are_reverted_although_one_has_changed(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text(CHANGED.replace("more", "mine"))
    await review.show(change(path, OLD, CHANGED))

    await nvim.keys("ggVGx")

    expected = OLD.replace("line 3\n", "LINE 3\nmine\n")
    await until(lambda: path.read_text() == expected)
    await until(lambda: nvim.eval("execute('messages') =~ 'reverted 2 changes'"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\r\ntwo\r\n", "one\r\nTWO\r\n"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("one\ntwo", "one\ntwo\n"),
        ("one\ntwo\n", "one\nTWO"),
        ("\ufeffone\n", "one\n"),
        ("", "one\n"),
        ("one\n", ""),
        ("one\n\n\n", "one\n"),
        ("a\x0cb\n", "a\x0bb\n"),
        ("Grüße 👩‍👧\n", "Grüße\n"),
    ],
)
async def test_all_bytes_are_as_before_and_after(
    nvim: Neovim, review: Review, path: Path, before: str, after: str
) -> None:
    await review.write(path, before, after)

    await nvim.keys("ggVGx")
    await until(lambda: path.read_bytes() == before.encode(), f"{before!r}")
    await nvim.keys("ggVGu")
    await until(lambda: path.read_bytes() == after.encode(), f"{after!r}")


async def test_random_hunks_can_be_reverted_in_any_order(
    nvim: Neovim, review: Review, project: Path
) -> None:
    chance = random.Random(7)
    for turn in range(12):
        path = project / f"{turn}.txt"
        old = [chance.choice("abc") * chance.randint(1, 3) for _ in range(chance.randint(1, 30))]
        new = [*old]
        for _ in range(chance.randint(1, 5)):
            row = chance.randrange(len(new) + 1)
            new[row : row + chance.randint(0, 2)] = ["new"] * chance.randint(0, 2)
        before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
        path.write_text(after)
        await review.show(change(path, before, after), turn=str(turn))
        rows = list(range(1, len(await review.texts()) + 1))
        chance.shuffle(rows)
        for row in rows:
            await nvim.keys(f"{row}Gx")
        await until(partial(holds, path, before), f"turn {turn}")


async def test_a_new_file_is_deleted_only_after_a_question(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text("new\n")
    await nvim.command(f"edit {path}")
    await nvim.lua(CHOOSE, "Keep it")
    await review.show(change(path, None, "new\n"))
    await nvim.keys("x")
    assert await nvim.lua("return _G.asked") == ["Delete a.txt?"]
    assert path.exists()

    await nvim.lua(CHOOSE, "Delete it")
    await nvim.keys("x")

    await review.has(f"reverted: +1 {MINUS}0  new file")
    assert not path.exists()
    assert await nvim.eval(f"buflisted('{path}')") == 0


async def test_what_the_user_has_written_in_a_new_file_since_is_named_and_restored(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text("new\nlines\n")
    await nvim.command(f"edit ++enc=latin1 {path} | 1delete | put =['mine', 'grün'] | write")
    edited = path.read_bytes()
    assert edited == "lines\nmine\ngrün\n".encode("latin-1")
    await nvim.lua(CHOOSE, "Delete it")
    await review.show(change(path, None, "new\nlines\n"))
    await review.has(f"changed since: +2 {MINUS}0  new file")

    await nvim.keys("x")
    await review.has(f"reverted: +2 {MINUS}0  new file")

    question = f"Delete a.txt, which has changed since (+2 {MINUS}1)?"
    assert await nvim.lua("return _G.asked") == [question]
    assert not path.exists()

    await nvim.keys("u")
    await until(path.exists)
    assert path.read_bytes() == edited

    # Another review of the same change knows it, too.
    await nvim.keys("x")
    await until(lambda: not path.exists())
    await review.show(change(path, None, "new\nlines\n"), turn="")
    await nvim.keys("u")
    await until(path.exists)
    assert path.read_bytes() == edited


async def test_what_the_user_has_written_in_a_restored_file_is_restored_again(
    nvim: Neovim, review: Review, path: Path
) -> None:
    await review.show(change(path, "one\n", None))
    await nvim.keys("x")
    await until(path.exists)
    path.write_text("one\nmine\n")
    await nvim.lua(CHOOSE, "Delete it")
    await nvim.keys("u")
    await until(lambda: not path.exists())
    question = f"Delete a.txt, which has changed since (+1 {MINUS}0)?"
    assert await nvim.lua("return _G.asked") == [question]

    await nvim.keys("x")

    await until(path.exists)
    assert path.read_text() == "one\nmine\n"


@pytest.mark.parametrize(
    ("before", "after"), [("one\n", None), ("one\n", "two\n"), (None, "two\n")]
)
@pytest.mark.parametrize("link", ["folder/a.txt", "folder"])
async def test_nothing_is_reverted_through_a_link_that_was_made_meanwhile(
    nvim: Neovim,
    review: Review,
    project: Path,
    tmp_path: Path,
    before: str | None,
    after: str | None,
    link: str,
) -> None:
    path, outside = project / "folder" / "a.txt", tmp_path / "outside"
    outside.mkdir()
    if after is not None:
        (outside / "a.txt").write_text(after)
    target = outside if link == "folder" else outside / "a.txt"
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(target)
    await nvim.lua(CHOOSE, "Delete it")
    await review.show(change(path, before, after))

    await nvim.keys("x")

    await until(lambda: nvim.eval("execute('messages') =~ 'a link on its path'"))
    assert await nvim.lua("return _G.asked") == []
    assert [each.read_text() for each in outside.iterdir()] == [after] * (after is not None)


async def test_a_new_file_with_unsaved_changes_is_not_deleted(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text("new\n")
    await nvim.command(f"edit {path} | put ='mine'")
    await nvim.lua(CHOOSE, "Delete it")
    await review.show(change(path, None, "new\n"))

    await nvim.keys("x")

    await until(lambda: nvim.eval("execute('messages') =~ 'has unsaved changes'"))
    assert path.exists()
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == ["new", "mine"]


async def test_a_deleted_file_is_written_again_in_its_folder(
    nvim: Neovim, review: Review, project: Path
) -> None:
    path = project / "gone" / "a b.txt"
    await review.show(change(path, "one\r\ntwo", None))
    assert await review.texts() == [f"+0 {MINUS}2  deleted file"]

    await nvim.keys("x")

    await review.has(f"reverted: +0 {MINUS}2  deleted file")
    assert path.read_bytes() == b"one\r\ntwo"


async def test_a_binary_file_is_named_and_stays(nvim: Neovim, review: Review, path: Path) -> None:
    path.write_bytes(b"\0")
    await review.show(change(path, None, None, "not text in UTF-8"))
    assert await review.texts() == ["changed; its lines are unknown: not text in UTF-8"]

    await nvim.keys("x")

    await until(lambda: nvim.eval("execute('messages') =~ 'an earlier text is unknown'"))
    assert path.read_bytes() == b"\0"


async def test_a_file_that_is_not_modifiable_stays(
    nvim: Neovim, review: Review, path: Path
) -> None:
    path.write_text(CHANGED)
    await nvim.command(f"edit {path} | setlocal nomodifiable")
    await review.show(change(path, OLD, CHANGED))

    await nvim.keys("x")

    await until(lambda: nvim.eval("execute('messages') =~ \"'modifiable' is off\""))
    assert path.read_text() == CHANGED


async def test_an_autocommand_is_informed_of_each_file(
    nvim: Neovim, review: Review, path: Path
) -> None:
    await nvim.lua(chunk("review/listen"))
    await review.write(path, OLD, CHANGED)

    await nvim.keys("2x")

    told = {"path": str(path), "hunks": 2, "reverted": True}
    await until(lambda: nvim.lua("return vim.deep_equal(_G.told, { ... })", told))
