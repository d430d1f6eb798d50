"""`editor/formatting.py`: language servers reformat files."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.formatting import (
    STRIP,
    TIDY,
    UNTIDY,
    answer,
    fail,
    is_over,
    read,
    reformat,
    set_option,
    start,
    succeed,
    write,
)
from support.language_client import attach, attach_to_every_text_file
from support.neovim import Neovim, until


@pytest.mark.parametrize("edits", ["lines", "document"])
async def test_the_language_server_formats_an_open_file(
    nvim: Neovim, project: Path, edits: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, f"--format={edits}")

    await succeed(nvim, path)

    assert await nvim.eval("getline(1, '$')") == ["one", "two", "three"]
    assert read(path) == TIDY
    assert await nvim.eval("&modified") == 0


async def test_formatting_creates_no_visible_buffer(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt | let g:seen = []")
    await attach(nvim)
    await nvim.command("autocmd BufAdd,BufNew,BufDelete,BufWipeout * call add(g:seen, bufnr())")

    await succeed(nvim, path)

    assert await nvim.eval("[g:seen, &eventignore]") == [[], ""]
    assert len(await nvim.eval("getbufinfo()")) == 1


async def test_the_language_server_comes_before_formatprg(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", "echo no")
    await attach(nvim)

    await succeed(nvim, path)

    assert read(path) == TIDY


async def test_a_language_server_that_cannot_format_is_skipped(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await attach(nvim, "--format=missing")

    await succeed(nvim, path)

    assert read(path) == TIDY


async def test_an_unopened_file_is_formatted_by_the_server_that_attaches_to_it(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await attach_to_every_text_file(nvim)

    await succeed(nvim, path)

    assert read(path) == TIDY


async def test_a_server_error_is_reported(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=error")

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"words could not reformat {path}: cannot parse line 1",
    }
    assert read(path) == UNTIDY


async def test_changes_made_during_the_request_are_kept(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=after-change")
    await start(nvim, path)

    await nvim.command("call setline(2, 'mine  ')")

    assert await answer(nvim) == {
        "ok": False,
        "error": f"{path} was changed while it was being reformatted; the changes were kept.",
    }
    assert await nvim.eval("getline(1, '$')") == ["one  ", "mine  ", "three \t"]


async def test_neovim_stays_responsive_while_a_server_does_not_answer(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=never")

    await start(nvim, path)

    await nvim.keys("Afast<Esc>")
    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'one  fast'"))
    assert not await is_over(nvim)


async def test_a_server_that_never_answers_times_out(
    nvim: Neovim, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=never")
    monkeypatch.setattr("claude_ide.editor.formatting.SERVER_SECONDS", 0.1)

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"words could not reformat {path}: no answer within 0.1 s",
    }


# Several servers


async def test_every_server_is_asked_in_turn(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=nothing", name="types")
    await attach(nvim)

    assert await succeed(nvim, path) == "Reformatted with words: 2 lines changed, saved."

    assert read(path) == TIDY


async def test_each_server_formats_the_result_of_the_previous_one(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=capitals", name="capitals")
    await attach(nvim)

    assert await succeed(nvim, path) == (
        "Reformatted with capitals and words: 3 lines changed, saved."
    )

    assert read(path) == TIDY.upper()
    await nvim.command("undo")
    assert await nvim.eval("getline(1, '$')") == ["one  ", "two", "three \t"]


async def test_a_failing_server_does_not_prevent_others_from_formatting(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=error", name="broken")
    await attach(nvim)

    assert await succeed(nvim, path) == (
        "Reformatted with words: 2 lines changed, saved. "
        f"broken could not reformat {path}: cannot parse line 1."
    )


async def test_the_answer_names_all_servers_that_had_nothing_to_change(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=nothing", name="types")
    await attach(nvim, "--format=nothing", name="style")

    assert await succeed(nvim, path) == "Nothing to change (asked types and style)."


async def test_changes_made_between_two_servers_are_kept(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=capitals", name="capitals")
    await attach(nvim, "--format=after-change")
    await start(nvim, path)
    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'ONE  '"))

    await nvim.command("call setline(2, 'mine')")

    assert "was changed while it was being reformatted" in (await answer(nvim))["error"]
    assert await nvim.eval("getline(1, '$')") == ["ONE  ", "mine", "THREE \t"]


async def test_a_server_that_knows_only_the_current_buffer_formats_another(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    client = await attach(nvim)
    await nvim.lua(chunk("format_server/support_text_only"), client)
    await nvim.command("edit other.py")

    assert await succeed(nvim, path) == "Reformatted with words: 2 lines changed, saved."


# A server that is not ready, or broken


async def test_a_server_that_is_still_starting_is_waited_for(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "equalprg", "echo no")
    await attach_to_every_text_file(nvim)
    await nvim.command("edit a.txt")

    assert await succeed(nvim, path) == "Reformatted with words: 2 lines changed, saved."


async def test_a_request_that_raises_is_an_error(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await nvim.lua(chunk("format_server/raise_on_request"))

    assert await fail(nvim, path) == f"words could not reformat {path}: broken pipe"
