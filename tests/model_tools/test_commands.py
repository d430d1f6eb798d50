"""The tools that run the user's 'makeprg' and show the output of commands."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, choose, dismiss, open_terminal
from support.model_tools import ModelTools
from support.neovim import until
from support.processes import alive, pid_in


@pytest.fixture
async def makeprg(serving: Editor, project: Path) -> Path:
    """A program that reports an error and leaves a trace, as the user's 'makeprg'."""
    trace = project / "trace"
    script = project / "build.sh"
    script.write_text(f"echo run >> {trace}\necho 'a.txt:2: it is wrong'\nexit 3\n")
    await serving.command(r"let [&makeprg, &errorformat] = ['sh build.sh $*', '%f:%l: %m']")
    return trace


async def answer(nvim: Editor, choice: str) -> None:
    """Answer the question of the editor itself."""
    await until(lambda: "wants to run: sh build.sh" in nvim.screen.text(), "the question")
    await choose(nvim, int(choice))


@BOTH
async def test_makeprg_runs_after_the_user_agrees(
    tools: ModelTools, serving: Editor, makeprg: Path
) -> None:
    number = await tools.client.begin("make")
    await answer(serving, "1")

    made = await tools.client.read()

    assert made["id"] == number
    text = made["result"]["content"][0]["text"].splitlines()
    assert text[0] == (
        "sh build.sh: exit code 3; 1 place in the quickfix list. The end of its output:"
    )
    assert text[1:] == ["a.txt:2: it is wrong"]
    assert "a.txt:2:0: it is wrong" in await tools.text("quickfix")
    assert makeprg.read_text() == "run\n"


@BOTH
async def test_makeprg_means_the_current_and_the_alternate_file(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    for name in ("other one.txt", "a.txt"):
        (project / name).write_text("")
        await serving.command(f"edit {name.replace(' ', chr(92) + ' ')}")
    await serving.command(r"let &makeprg = 'echo %:t #:t:r \#'")

    await tools.client.begin("make")
    await until(lambda: "echo 'a.txt' 'other one' #" in serving.screen.text(), "the question")
    await choose(serving, 1)

    text = (await tools.client.read())["result"]["content"][0]["text"]
    assert text.splitlines()[1:] == ["a.txt other one"]


@BOTH
async def test_makeprg_does_not_run_if_the_user_refuses(
    tools: ModelTools, serving: Editor, makeprg: Path
) -> None:
    await tools.client.begin("make")
    await answer(serving, "2")

    made = await tools.client.read()

    assert made["result"]["isError"]
    assert made["result"]["content"][0]["text"] == "the user does not want to run it"
    assert not makeprg.exists()


@BOTH
@pytest.mark.parametrize("makeprg", ['cat "%"', "cat '%:p'", "sh -c 'cat \"%\"'"])
async def test_a_makeprg_may_quote_the_name(
    tools: ModelTools, serving: Editor, project: Path, makeprg: str
) -> None:
    (project / "a file-1.txt").write_text("it is here\n")
    await serving.command(r"edit a\ file-1.txt")
    await serving.call("setbufvar", "%", "&makeprg", makeprg)

    await tools.client.begin("make")
    await until(lambda: "wants to run: " in serving.screen.text(), "the question")
    await choose(serving, 1)

    made = (await tools.client.read())["result"]["content"][0]["text"]
    assert "exit code 0" in made
    assert made.endswith("it is here")


@BOTH
@pytest.mark.parametrize("makeprg", ['cat "%"', "sh -c 'cat %'", "cat `echo %`"])
@pytest.mark.parametrize("name", ["$(touch canary).c", "`touch canary`.c", 'a";touch canary;".c'])
async def test_a_quoted_name_that_a_shell_would_interpret_is_refused(
    tools: ModelTools, serving: Editor, project: Path, makeprg: str, name: str
) -> None:
    (project / name).write_text("")
    await serving.command("execute 'edit' fnameescape('" + name + "')")
    await serving.call("setbufvar", "%", "&makeprg", makeprg)

    assert "the shell would interpret the name" in await tools.error("make")


@BOTH
async def test_the_whole_command_is_shown(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    await serving.call("setbufvar", "%", "&makeprg", f"echo {words} > trace")

    await tools.client.begin("make")
    await until(lambda: "Do not run it" in serving.screen.text(), "the question")
    words_shown = serving.screen.text().split()
    assert all(f"word{number}" in words_shown for number in range(40))
    await dismiss(serving)
    assert (await tools.client.read())["result"]["isError"]


@BOTH
@pytest.mark.parametrize("program", ["exec sleep 60", "yes", "yes >&2", "cat /dev/zero"])
async def test_cancelling_stops_the_running_command(
    tools: ModelTools, serving: Editor, project: Path, program: str
) -> None:
    await serving.command(f"let &makeprg = 'echo $$ > pid; {program}'")
    number = await tools.client.begin("make")
    await until(lambda: "wants to run: echo" in serving.screen.text(), "the question")
    await choose(serving, 1)
    pid = await pid_in(project / "pid")

    await tools.client.send("notifications/cancelled", {"requestId": number})

    await until(lambda: not alive(pid), "the command has ended")
    assert "1 folder" in await tools.text("working_folders")
    assert await serving.eval("getqflist({'nr': '$'}).nr") == 0


@BOTH
async def test_output_and_errors_stay_in_order(
    tools: ModelTools, serving: Editor, makeprg: Path, project: Path
) -> None:
    said = [f"{stream} {number}" for number in range(50) for stream in ("out", "err")]
    script = [f"echo {line}" + (" >&2" if "err" in line else "") for line in said]
    (project / "build.sh").write_text("\n".join(script))
    await tools.client.begin("make")
    await answer(serving, "1")

    made = (await tools.client.read())["result"]["content"][0]["text"].splitlines()

    assert made[-len(said) :] == said


@BOTH
async def test_commands_show_what_they_show(tools: ModelTools, serving: Editor) -> None:
    await serving.command("nnoremap <Leader>otter :swim<CR>")

    shown = await tools.text("ex_output", command="normal_maps", containing="OTTER")

    assert shown.splitlines()[0] == "1 line"
    assert ":swim<CR>" in shown


@BOTH
async def test_every_command_has_an_output(tools: ModelTools) -> None:
    listed = (await tools.client.request("tools/list"))["result"]["tools"]
    (schema,) = (tool["inputSchema"] for tool in listed if tool["name"] == "ex_output")

    for name in schema["properties"]["command"]["enum"]:
        assert "line" in await tools.text("ex_output", command=name), name


@BOTH
async def test_no_other_command_is_run(tools: ModelTools) -> None:
    answer = await tools.client.request(
        "tools/call", {"name": "ex_output", "arguments": {"command": "registers"}}
    )

    assert "Invalid enum value 'registers'" in answer["error"]["message"]


@BOTH
async def test_colours_and_progress_do_not_hide_a_place(
    tools: ModelTools, serving: Editor, makeprg: Path, project: Path
) -> None:
    (project / "build.sh").write_text(
        "printf '\\033[31m10%%\\r90%%\\ra.txt:2: \\033[1;31mwrong\\033[0m\\r\\n'\n"
    )
    await tools.client.begin("make")
    await answer(serving, "1")

    made = (await tools.client.read())["result"]["content"][0]["text"].splitlines()

    assert made[0].endswith("1 place in the quickfix list. The end of its output:")
    assert made[1:] == ["a.txt:2: wrong"]


@BOTH
async def test_makeprg_is_that_of_the_file_before_a_terminal(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    await serving.command("edit a.txt")
    await serving.command("let &l:makeprg = 'sh build.sh %'")
    await open_terminal(serving, "new")

    await tools.client.begin("make")

    await until(lambda: "run: sh build.sh 'a.txt'" in serving.screen.text(), "the question")
    await choose(serving, 2)
    assert (await tools.client.read())["result"]["isError"]


@BOTH
async def test_keys_that_the_user_types_do_not_answer_a_question(
    tools: ModelTools, serving: Editor, makeprg: Path
) -> None:
    await serving.keys("i")
    await tools.client.begin("make")
    await serving.idle(600)

    await serving.keys("1<CR>")
    await serving.keys("<Esc>")
    await answer(serving, "2")

    assert (await tools.client.read())["result"]["isError"]
    assert await serving.eval("getline(1, '$')") == ["1", ""]
    assert not makeprg.exists()
