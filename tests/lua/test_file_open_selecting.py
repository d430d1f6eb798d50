"""`file/open.lua`: a passage is selected in the file that is opened."""

from pathlib import Path

from support.neovim import Neovim, until
from support.opening import here, open_file, selected, write


async def test_a_passage_is_selected_from_the_start_text_to_the_end_text(
    nvim: Neovim, project: Path
) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", start_text="gamma", end_text="epsi")

    assert result["found"] is True
    assert "note" not in result
    assert await selected(nvim) == "gamma\ndelta\nepsi"


async def test_the_start_text_alone_is_selected(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", start_text="eta ga", end_text="")

    assert await selected(nvim) == "eta ga"


async def test_a_passage_is_selected_to_the_end_of_its_line(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(
        nvim, project / "a.txt", start_text="gamma", end_text="eps", to_end_of_line=True
    )

    assert await selected(nvim) == "gamma\ndelta\nepsilon zeta"


async def test_the_file_opens_even_if_the_text_is_not_found(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", start_text="omega")

    assert result["found"] is False
    assert result["note"] == "The file does not contain the start text."
    assert await here(nvim) == "a.txt"
    assert (await nvim.mode())["mode"] == "n"


async def test_a_missing_end_text_selects_the_start_text(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", start_text="gamma", end_text="beta")

    assert result["found"] is False
    assert result["note"] == "The file does not contain the end text after the start text."
    assert await selected(nvim) == "gamma"


async def test_a_passage_is_selected_from_terminal_mode(
    nvim: Neovim, project: Path, terminal: int
) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", start_text="gamma", end_text="delta")

    assert await selected(nvim) == "gamma\ndelta"


async def test_a_passage_replaces_the_previous_selection(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')}")
    await nvim.keys("Vj")
    await until(lambda: nvim.lua("return vim.fn.mode() == 'V'"))

    await open_file(nvim, project / "a.txt", start_text="zeta")

    assert await selected(nvim) == "zeta"


async def test_a_range_of_lines_is_selected(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", line=2, end_line=3)

    assert await selected(nvim) == "beta gamma\ndelta"


async def test_open_file_moves_the_cursor_to_a_line(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", line=3)

    assert await nvim.eval("line('.')") == 3
    assert (await nvim.mode())["mode"] == "n"


async def test_ctrl_o_returns_to_the_previous_position_in_the_file(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | 4")
    await open_file(nvim, project / "a.txt", start_text="alpha")

    await nvim.keys("<Esc><C-o>")

    await until(lambda: nvim.lua("return vim.fn.line('.') == 4"))


async def test_ctrl_o_returns_to_the_previous_file(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")
    await nvim.command(f"edit {write(project / 'b.txt')} | 3")
    await open_file(nvim, project / "a.txt", start_text="delta")

    await nvim.keys("<Esc><C-o>")

    await until(lambda: nvim.lua("return vim.fn.expand('%:t') == 'b.txt'"))
    assert await nvim.eval("line('.')") == 3
