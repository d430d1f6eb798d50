"""`editor/formatting.py`: programs reformat files."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor
from support.formatting import STRIP, TIDY, UNTIDY, fail, read, reformat, set_option, succeed, write
from support.neovim import until
from support.processes import alive, most_memory, pid_in

pytestmark = BOTH


@pytest.mark.parametrize("option", ["formatprg", "equalprg"])
@pytest.mark.parametrize("scope", ["", "l:"])
async def test_a_program_formats_an_open_file(
    nvim: Editor, project: Path, option: str, scope: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, option, STRIP, scope)

    await succeed(nvim, path)

    assert read(path) == TIDY


@pytest.mark.parametrize("name", ["sp ace.txt", "it's.txt", "br[ac]ket.txt", "$HOME;%#!.txt"])
async def test_a_program_gets_the_name_of_the_file(nvim: Editor, project: Path, name: str) -> None:
    path = write(project / name, "old\n")
    await set_option(nvim, "formatprg", r"echo %:t %:t:r % %:p:S 5\%; cat > /dev/null")

    await succeed(nvim, path)

    assert read(path) == f"{name} {path.stem} {path} {path} 5%\n"


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("echo not this; echo 'bad syntax' >&2; exit 3", "exit code 3: bad syntax"),
        ("cat > /dev/null", "no output"),
        ("exit 1", "exit code 1"),
        ("kill -9 $$", "ended by signal KILL"),
    ],
)
async def test_a_failing_program_changes_nothing(
    nvim: Editor, project: Path, program: str, error: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", program)

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"{program} could not reformat {path}: {error}",
    }
    assert await nvim.eval("getline(1, '$')") == ["one  ", "two", "three \t"]
    assert read(path) == UNTIDY


async def test_a_missing_shell_is_an_error(nvim: Editor, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", "cat")
    await set_option(nvim, "shell", "/no/such/shell")

    result = await reformat(nvim, path)

    assert "cat could not reformat" in result["error"]
    assert "it could not be started: No such file or directory" in result["error"]


async def test_a_program_may_write_other_line_ends(nvim: Editor, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", rf"{STRIP} | sed 's/$/\r/'")

    await succeed(nvim, path)

    assert read(path) == TIDY


# A program that does not end


@pytest.fixture
def a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs may take a second."""
    monkeypatch.setattr("claude_ide.editor.formatting.PROGRAM_SECONDS", 1)


@pytest.mark.parametrize(
    "program",
    [
        "echo $$ > pid; sleep 1000; cat",
        "sh -c 'echo $$ > pid; exec sleep 1000'; cat",
        "sh -c 'echo $$ > pid; exec sleep 1000' & cat",
        "trap '' TERM; echo $$ > pid; while true; do sleep 1000; done",
        "echo $$ > pid; yes >&2",
    ],
    ids=["itself", "child", "in the background", "deaf to SIGTERM", "endless errors"],
)
async def test_a_program_that_hangs_is_stopped_with_its_children(
    nvim: Editor, project: Path, a_second: None, program: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", program)

    assert await fail(nvim, path) == (
        f"{program} could not reformat {path}: did not answer within 1 s and was stopped"
    )

    pid = await pid_in(project / "pid")
    await until(lambda: not alive(pid), "the program has ended")
    assert read(path) == UNTIDY
    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "two", "three \t"], 0]


@pytest.mark.parametrize("endless", ["yes", "tr '\\0' x < /dev/zero"], ids=["lines", "one line"])
async def test_a_program_with_endless_output_is_stopped(
    nvim: Editor, project: Path, monkeypatch: pytest.MonkeyPatch, endless: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    program = f"echo $$ > pid; {endless}"
    await set_option(nvim, "formatprg", program)
    monkeypatch.setattr("claude_ide.editor.formatting.MOST_MORE_BYTES", 2_000_000)

    assert await fail(nvim, path) == (
        f"{program} could not reformat {path}: wrote more than 2 MB and was stopped"
    )

    pid = await pid_in(project / "pid")
    await until(lambda: not alive(pid), "the program has ended")


async def test_endless_errors_take_no_memory(nvim: Editor, project: Path, a_second: None) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", "yes >&2")

    await fail(nvim, path)

    assert most_memory(await nvim.eval("getpid()")) < 200_000_000
