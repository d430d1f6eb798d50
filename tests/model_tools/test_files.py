"""The model's tools for files and folders."""

from pathlib import Path

from support.either_editor import BOTH, Editor, name_of
from support.model_tools import ModelTools


@BOTH
async def test_the_model_gets_the_working_folders_the_current_one_first(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    inner = project / "inner"
    inner.mkdir()
    await serving.command("lcd inner")

    assert (await tools.text("working_folders")).splitlines() == [
        "2 folders",
        str(inner),
        str(project),
    ]


@BOTH
async def test_the_model_saves_an_open_file(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    await serving.command("edit a.txt | call setline(1, 'two')")

    assert await tools.text("save_file", file=str(path)) == f"Saved {path}"

    assert path.read_text() == "two\n"
    assert not await serving.eval("&modified")


@BOTH
async def test_a_file_that_cannot_be_saved_says_why(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")

    assert f"is not open in {name_of(serving)}" in await tools.error("save_file", file=str(path))

    await serving.command("edit a.txt | call setline(1, 'two') | setlocal readonly")
    assert "readonly" in await tools.error("save_file", file=str(path))
    assert path.read_text() == "one\n"
