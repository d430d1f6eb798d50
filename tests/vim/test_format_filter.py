"""The tool `reformat_file` with a program in 'formatprg'."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.formatting import STRIP, TIDY, UNTIDY, read, write
from support.neovim import until
from support.processes import alive, pid_in
from support.vim import Vim


async def set_program(vim: Vim, program: str) -> None:
    """Set 'formatprg' for all buffers."""
    await vim.call("setbufvar", 1, "given", program)
    await vim.command("let &g:formatprg = getbufvar(1, 'given')")


async def reformat(client: ClaudeCode, path: Path) -> str:
    """Reformat a file, and return the report or the error."""
    answer = await client.call("reformat_file", {"file_path": str(path)})
    return str(answer["content"][0]["text"])


@pytest.fixture
async def path(serving_vim: Vim, project: Path) -> Path:
    """A file, open in the editor."""
    path = write(project / "a.txt")
    await serving_vim.command("edit a.txt")
    return path


@pytest.mark.parametrize("name", ["sp ace.txt", "it's.txt", "br[ac]ket.txt", "$HOME;%#!.txt"])
async def test_a_program_gets_the_name_of_the_file(
    serving_vim: Vim, vim_client: ClaudeCode, project: Path, name: str
) -> None:
    path = write(project / name, "old\n")
    await set_program(serving_vim, r"echo %:t %:t:r % %:p:S 5\%; cat > /dev/null")

    await reformat(vim_client, path)

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
    serving_vim: Vim, vim_client: ClaudeCode, path: Path, program: str, error: str
) -> None:
    await set_program(serving_vim, program)

    said = await reformat(vim_client, path)

    assert said == f"{program} could not reformat {path}: {error}"
    assert await serving_vim.eval("getline(1, '$')") == ["one  ", "two", "three \t"]
    assert read(path) == UNTIDY


async def test_a_missing_shell_is_an_error(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await set_program(serving_vim, "cat")
    await serving_vim.command("set shell=/no/such/shell")

    said = await reformat(vim_client, path)

    assert said == (
        f"cat could not reformat {path}: it could not be started: No such file or directory"
    )


async def test_a_program_may_write_other_line_ends(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await set_program(serving_vim, rf"{STRIP} | sed 's/$/\r/'")

    await reformat(vim_client, path)

    assert read(path) == TIDY


@pytest.mark.parametrize("endless", ["yes", "tr '\\0' x < /dev/zero"], ids=["lines", "one line"])
async def test_a_program_with_endless_output_is_stopped(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path, endless: str
) -> None:
    program = f"echo $$ > pid; {endless}"
    await set_program(serving_vim, program)

    assert await reformat(vim_client, path) == (
        f"{program} could not reformat {path}: wrote more than 10 MB and was stopped"
    )

    pid = await pid_in(path.parent / "pid")
    await until(lambda: not alive(pid), "the program has ended")


async def test_a_program_ends_when_vim_quits(
    serving_vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await set_program(serving_vim, "sh -c 'trap \"\" TERM; echo $$ > pid; sleep 1000; sleep 1000'")
    vim_client.start_call("reformat_file", {"file_path": str(path)})
    pid = await pid_in(path.parent / "pid")

    await serving_vim.keys(":qall!<CR>")

    await until(lambda: not alive(pid), "the program has ended")
