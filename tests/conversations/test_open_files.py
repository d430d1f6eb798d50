"""What it costs to list the open files."""

from pathlib import Path

from support.either_editor import BOTH, Editor, run
from support.processes import cpu

pytestmark = BOTH

FILES = 30
SIGNS = 400
"""In each file, as the diagnostics of a language server or a linter place them."""
CALLS, RUNS = 20, 4
MOST_GROWTH = 3.0
PLACE = (
    "call sign_define('here', {'text': 'x'})",
    f"let g:signs = map(range(1, {SIGNS}), {{_, line -> {{'name': 'here', 'lnum': line}}}})",
    "for g:number in range(1, bufnr('$'))"
    " | call sign_placelist(map(copy(g:signs), {_, one -> extend({'buffer': g:number}, one)}))"
    " | endfor",
)


async def listing(editor: Editor) -> float:
    """Return the CPU of the editor for listing the open files several times, in milliseconds."""
    used = []
    for _ in range(RUNS):
        before = cpu(editor.process.pid)
        for _ in range(CALLS):
            assert len((await run(editor, "editors.all"))["editors"]) == FILES
        used.append(cpu(editor.process.pid) - before)
    return min(used)


async def test_signs_do_not_make_the_list_of_open_files_slower(
    serving: Editor, project: Path
) -> None:
    for number in range(FILES):
        path = project / f"file{number}.txt"
        path.write_text("a line\n" * SIGNS)
        await serving.command(f"edit {path}")
    await serving.command("set hidden")
    without = await listing(serving)

    for command in PLACE:
        await serving.command(command)

    assert await serving.eval("len(sign_getplaced(bufnr('$'))[0].signs)") == SIGNS
    assert await listing(serving) < MOST_GROWTH * without
