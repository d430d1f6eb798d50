"""The remarks of a review, and the prompt that sends it."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, choose_item, configure, dismiss, edit, on_screen
from support.happenings import HookedCli, follow
from support.neovim import until
from support.reviews import Agent, git, make_repository, prompted_cli
from support.vim import Vim

pytestmark = BOTH

BEFORE = "one\ntwo\nthree\nfour\nfive\n"
AFTER = "one\nTWO\nthree\nfour\nFIVE\n"


@pytest.fixture
def repository(path: Path) -> Path:
    """A repository with the file, which is open."""
    path.write_text(BEFORE)
    make_repository(path.parent)
    return path.parent


async def begin(nvim: Editor, folder: Path, cli: Path, number: int, command: str) -> Agent:
    """Start a CLI in a terminal; return to the file."""
    await nvim.command(command)
    started = await HookedCli.started(cli.with_name(f"cli-{number}.json"))
    started.session = f"s-{number}"
    await nvim.command("stopinsert | wincmd t")
    return Agent(started, folder)


@pytest.fixture
def cli(tmp_path: Path) -> Path:
    """The program of the CLIs."""
    return prompted_cli(tmp_path)


@pytest.fixture
async def agent(nvim: Editor, cli: Path, path: Path, repository: Path) -> Agent:
    """A CLI in the terminal of `:Claude`; the user is in the file."""
    await configure(nvim, cmd=str(cli))
    await follow(nvim)
    await nvim.command(f"edit {path}")
    return await begin(nvim, repository, cli, 1, "Claude")


@pytest.fixture
async def other(nvim: Editor, cli: Path, agent: Agent) -> Agent:
    """Another CLI, which was started later."""
    # Vim has no `:ClaudeNew`.
    command = "Claude --verbose" if isinstance(nvim, Vim) else "ClaudeNew the other"
    return await begin(nvim, agent.folder, cli, 2, command)


def names(nvim: Editor) -> tuple[str, str]:
    """What the two CLIs are called."""
    return ("terminal 1", "terminal 2") if isinstance(nvim, Vim) else ("terminal", "the other")


async def write(nvim: Editor, agent: Agent, path: Path, text: str) -> None:
    """Have an agent write the file, and wait until the buffer follows."""
    await agent.write({path: text})
    await until(lambda: nvim.eval(f"getline(1, '$') == {text.splitlines()}"), "the buffer follows")


@pytest.fixture
def log(cli: Path) -> Path:
    """The prompts that the CLI has got."""
    return cli.with_name("cli-1.log")


async def opened(nvim: Editor) -> str:
    """Wait until the review is open; return its text."""
    await until(lambda: nvim.eval("&buftype == 'acwrite' && bufname() =~ 'Review'"), "the review")
    return "\n".join(await nvim.eval("getline(1, '$')"))


async def got(log: Path, *prompts: str) -> None:
    expected = "".join(f"{each}\n--\n" for each in prompts)
    await until(lambda: log.read_text() == expected, f"the prompts {prompts}")


async def says(nvim: Editor, words: str) -> None:
    await until(lambda: nvim.eval(f"execute('messages') =~ '{words}'"), words)


async def states(nvim: Editor, *expected: str) -> None:
    """Wait until the remarks have these states."""

    async def found() -> bool:
        return [each["state"] for each in (await value(nvim))["remarks"]] == [*expected]

    await until(found, f"the remarks are {expected}")


async def value(nvim: Editor) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = await nvim.eval("claude_ide#review()")
    return found


async def test_a_review_tells_remarks_and_what_was_reverted_and_kept_once(
    nvim: Editor, path: Path, agent: Agent, log: Path
) -> None:
    await write(nvim, agent, path, "one\nA\nB\ntwo\nthree\nfour\nFIVE\n")
    await nvim.command("7ClaudeKeep")
    await nvim.command("2 | normal! V\x1b")
    await nvim.command("'<,'>ClaudeRevert")
    half = "one\nB\ntwo\nthree\nfour\nFIVE\n"
    await until(lambda: path.read_text() == half, "half is reverted")
    await nvim.command("4ClaudeComment why not?")
    await nvim.command("ClaudeReview send")

    text = await opened(nvim)
    assert text == (
        f"{path.name}:4\n```\nthree\n```\nwhy not?\n\n"
        "I have reverted these of your changes. The files no longer contain them; do not make "
        f"them again unless I ask:\n\n{path.name}:\n```diff\n-A\n```\n\n"
        "I have reviewed and kept these of your changes:\n\n"
        f"{path.name}:\n```diff\n-five\n+FIVE\n```"
    )
    await nvim.keys("ggOPlease:<Esc>:w<CR>")
    await got(log, f"Please:\n{text}")
    await states(nvim, "sent")
    assert await agent.prompt() == b""
    await nvim.command("ClaudeReview send")
    await says(nvim, "there is no remark to send")


async def test_a_sent_remark_is_answered_and_a_second_round_begins(
    nvim: Editor, path: Path, agent: Agent, log: Path
) -> None:
    await write(nvim, agent, path, AFTER)
    await nvim.command("2ClaudeComment why?")
    await nvim.command("4ClaudeComment and this?")
    await nvim.command("ClaudeReview send")
    await opened(nvim)
    await nvim.keys(":w<CR>")
    await states(nvim, "sent", "sent")

    await agent.write({path: AFTER.replace("TWO", "Two")})
    await states(nvim, "answered", "sent")
    await nvim.command("2ClaudeComment!")
    await nvim.command("4ClaudeComment!")
    await nvim.command("2ClaudeComment better")
    await states(nvim, "open")
    await nvim.command("2ClaudeComment much better")
    await nvim.command("ClaudeReview send")
    assert await opened(nvim) == f"{path.name}:2\n```\nTwo\n```\nmuch better"
    await nvim.keys(":q<CR>")
    await nvim.command("ClaudeReview clear")
    await states(nvim)
    await nvim.command("ClaudeReview clear")
    await says(nvim, "there is no remark")


async def test_a_review_goes_to_the_agent_that_wrote_or_the_user_chooses(
    nvim: Editor, path: Path, agent: Agent, other: Agent, log: Path
) -> None:
    await write(nvim, other, path, AFTER)
    await nvim.command("2ClaudeComment one")
    await nvim.command("ClaudeReview send")
    await opened(nvim)
    await nvim.keys(":w<CR>")
    await says(nvim, f"the review was sent to {names(nvim)[1]}")
    await got(log.with_name("cli-2.log"), f"{path.name}:2\n```\nTWO\n```\none")

    await write(nvim, agent, path, AFTER.replace("one", "ONE"))
    await nvim.command("3ClaudeComment three")
    await nvim.command("ClaudeReview send")
    await opened(nvim)
    await nvim.keys(":w<CR>")
    await on_screen(nvim, "Send to")
    await dismiss(nvim)
    await opened(nvim)
    await nvim.keys(":w<CR>")
    await on_screen(nvim, "Send to")
    await choose_item(nvim, names(nvim)[0])
    await got(log, f"{path.name}:3\n```\nthree\n```\nthree")


async def test_a_name_says_to_whom_and_is_completed(
    nvim: Editor, path: Path, agent: Agent, other: Agent, log: Path
) -> None:
    await write(nvim, agent, path, AFTER)
    await nvim.command("1ClaudeComment one")
    await states(nvim, "open")

    first, second = names(nvim)
    found = await nvim.eval("getcompletion('ClaudeReview send ', 'cmdline')")
    assert sorted(found) == sorted((first, second))
    last = second.split()[-1]
    found = await nvim.eval(f"getcompletion('ClaudeReview send {second}', 'cmdline')")
    assert found == [last]
    await nvim.command("ClaudeReview send nobody")
    await says(nvim, f'no agent is named "nobody" here ({second}, {first})')
    await nvim.command(f"ClaudeReview send {second}")
    await opened(nvim)
    await nvim.keys(":x<CR>")
    await got(log.with_name("cli-2.log"), f"{path.name}:1\n```\none\n```\none")


async def test_a_remark_is_sent_with_the_lines_where_it_is_by_then(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    other = path.with_name("other.py")
    other.write_text("a\n}\nb\n}\n")
    await nvim.command("3ClaudeComment why?")
    await nvim.command(f"split {other} | 4ClaudeComment this one?")
    await until(lambda: nvim.eval("len(claude_ide#review().remarks) == 2"), "the remarks")
    await nvim.keys("ggOx<CR>}<Esc>\x17pggOmine<Esc>")
    firsts = "map(claude_ide#review().remarks, 'v:val.first')"
    await until(lambda: nvim.eval(f"sort({firsts}) ==# [4, 6]"), "they have moved")
    await nvim.command("ClaudeReview send")

    text = await opened(nvim)
    third = (path.read_text().split("\n"))[2]
    assert text == (
        f"{path.name}:4\n```\n{third}\n```\nwhy?\n\nother.py:6\n```\n}}\n```\nthis one?"
    )


async def test_a_remark_at_the_cursor_is_on_its_hunk_or_else_on_its_line(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    new = path.with_name("new.txt")
    await write(nvim, agent, path, "one\nA\nB\nthree\nfour\nfive\n")
    await agent.write({new: "a\nb\nc\n"})
    await nvim.command("3 | ClaudeComment hunk")
    await nvim.command("5 | ClaudeComment line")
    # A new file is one hunk, which nobody has to read whole.
    await nvim.command(f"edit {new} | 2 | ClaudeComment new")

    async def rows() -> bool:
        found = [f"{each['first']}-{each['last']}" for each in (await value(nvim))["remarks"]]
        return found == ["2-3", "5-5", "2-2"]

    await until(rows, "the remarks")


async def test_a_very_large_file_has_no_remarks(nvim: Editor, path: Path, agent: Agent) -> None:
    large = path.with_name("large.txt")
    large.write_text("x\n" * 1_100_000)
    await nvim.command(f"edit {large}")

    await nvim.command("%ClaudeComment all of this?")
    await says(nvim, "large.txt is too large for remarks")
    await states(nvim)


async def test_without_an_agent_a_review_is_yanked(
    nvim: Editor, path: Path, repository: Path
) -> None:
    await nvim.command("edit | 2,3ClaudeComment why?")
    await nvim.command("ClaudeReview send")
    await says(nvim, "no agent runs here")

    await nvim.command("ClaudeReview yank")

    await says(nvim, "the remarks are yanked")
    assert await nvim.eval("getreg('\"')") == f"{path.name}:2-3\n```\ntwo\nthree\n```\nwhy?\n"
    await states(nvim, "open")


async def test_what_is_not_sent_is_not_lost(
    nvim: Editor, path: Path, agent: Agent, log: Path
) -> None:
    await nvim.command("1ClaudeComment one")
    await nvim.command("2ClaudeComment two")
    await nvim.command("ClaudeReview send")
    await opened(nvim)
    await nvim.keys("Gomore<Esc>:q<CR>")
    await on_screen(nvim, "E37")
    await nvim.keys("<CR>")
    await opened(nvim)
    # The first remark is taken out, and stays open.
    await nvim.keys("gg5dd:w<CR>")
    await got(log, f"{path.name}:2\n```\ntwo\n```\ntwo\nmore")
    await states(nvim, "open", "sent")


async def test_remarks_in_the_list_and_where_there_can_be_none(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    gone = path.with_name("b.txt")
    gone.write_text("gone\n")
    git(path.parent, "add", "-A")
    git(path.parent, "commit", "-qm", "y")
    await agent.write({path: AFTER, gone: None})
    await nvim.command("ClaudeReview")
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list is open")
    await nvim.command("3ClaudeComment keep it")
    await nvim.command("2ClaudeComment why?")
    await states(nvim, "open", "open")
    await nvim.command("2ClaudeComment!")
    await states(nvim, "open")
    await nvim.command("ClaudeReview yank")
    await says(nvim, "the remarks are yanked")
    assert await nvim.eval("getreg('\"')") == "b.txt\nkeep it\n"

    await nvim.command("messages clear | enew")
    await nvim.command("ClaudeComment nothing")
    await says(nvim, "this buffer has no file")


async def test_a_remark_outside_of_the_project_is_sent_too(
    nvim: Editor, path: Path, agent: Agent, tmp_path: Path
) -> None:
    outside = tmp_path / "elsewhere" / "c.txt"
    outside.parent.mkdir()
    outside.write_text("c\n")
    await edit(nvim, outside)
    await nvim.command("1ClaudeComment what?")
    await nvim.command("ClaudeReview send")

    assert await opened(nvim) == f"{outside}:1\n```\nc\n```\nwhat?"


async def test_a_later_review_replaces_the_one_that_is_open(
    nvim: Editor, path: Path, agent: Agent, log: Path
) -> None:
    await nvim.command("1ClaudeComment one")
    await nvim.command("ClaudeReview send")
    assert "one" in await opened(nvim)
    assert not await nvim.eval("&modified")
    await nvim.keys("Gomine<Esc>")
    await nvim.command("wincmd t")
    await nvim.command("2ClaudeComment two")
    await nvim.command("ClaudeReview send")

    await until(lambda: nvim.eval("join(getline(1, '$')) =~ 'two$'"), "the later one")
    assert await nvim.eval("len(filter(getwininfo(), 'bufname(v:val.bufnr) =~ \"Review\"'))") == 1
    await says(nvim, "your text is kept in buffer")
    await nvim.keys(":w<CR>")
    await states(nvim, "sent", "sent")


async def test_no_review_mentions_a_private_file_from_the_folder_of_a_terminal(
    nvim: Editor, path: Path, repository: Path, cli: Path
) -> None:
    (repository / ".env").write_text("KEY=1\n")
    (repository / "inside").mkdir()
    await configure(nvim, cmd=str(cli))
    await follow(nvim)
    await nvim.command(f"edit {path}")
    await nvim.command(f"cd {repository / 'inside'}")
    await begin(nvim, repository, cli, 1, "Claude")
    await nvim.command(f"cd {repository}")
    await nvim.command("1ClaudeComment see @../.env")
    await nvim.command("ClaudeReview send")
    await opened(nvim)

    await nvim.command("write")

    await says(nvim, "not sent: @../.env stays in")


async def test_words_whose_host_has_ended_are_not_stored_for_the_next_one(nvim: Editor) -> None:
    await nvim.call("claude_ide#remark#Write", 1, "Remark", "why?", 1)
    await nvim.command("ClaudeStop | call claude_ide#remark#HostEnded()")

    await nvim.command("write")

    await says(nvim, "the host has ended: copy your words")
    assert await nvim.eval("getline(1)") == "why?"
