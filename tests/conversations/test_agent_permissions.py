"""Requests of agents that offer other answers than Claude, or propose edits of several files."""

import contextlib
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.requests import (
    Allow,
    Answer,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Reject,
    Replacement,
)
from support.another_agent import ALL, FEW
from support.chunks import chunk
from support.either_editor import choose
from support.neovim import Neovim, until
from support.panel import choose_answer
from support.river import Begin, River

ONCE = Option("o1", "Let it", OptionKind.ALLOW_ONCE)
SESSION = Option("o2", "Allow for this session", OptionKind.ALLOW_ALWAYS)
EVER = Option("o3", "Allow for ever", OptionKind.ALLOW_ALWAYS)
NO = Option("o4", "No", OptionKind.REJECT_ONCE)
NEVER = Option("o5", "Never let it", OptionKind.REJECT_ALWAYS)
ALSO_ONCE = Option("o6", "Let it, but slowly", OptionKind.ALLOW_ONCE)
DELAY_SECONDS = 2.5
"""Neovim itself delays Insert mode for 3 seconds after a message."""

FEEDBACK = Option("o7", "No, and tell Otter what to do differently", OptionKind.REJECT_ONCE)


def started(kind: str = "execute") -> list[events.Event]:
    return [events.ToolStarted("t1", "gnaw", kind), events.ToolInput("t1", 5, {"what": "wood"})]


def command(*options: Option) -> PermissionAsked:
    return PermissionAsked(
        *("r1", "t1", "paddle", {"command": "swim"}, options), kind="execute", title="swim"
    )


def edits_of(*paths: Path, kind: str = "edit") -> PermissionAsked:
    return PermissionAsked(
        *("r1", "t1", "gnaw", {}, (ONCE, NO)),
        kind=kind,
        title=f"Edit {', '.join(map(str, paths))}",
        path=str(paths[0]),
        edits=tuple(
            Replacement(str(path), "TWO", "two") if path.exists() else Replacement(str(path), "new")
            for path in paths
        ),
    )


@pytest.fixture
def files(project: Path) -> tuple[Path, Path]:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text("one\ntwo\nthree\n")
    return project / "a.txt", project / "b.txt"


async def choose_way(river: River, words: str, key: str, shown: str, number: int) -> None:
    """Press a key on a request, and choose from the list that appears."""

    async def listed() -> bool:
        await river.panel.go_to(words)
        await river.nvim.keys(key)
        # A second key would be an answer to the list.
        with contextlib.suppress(AssertionError):
            return bool(await until(lambda: shown in river.nvim.screen.text(), seconds=2))
        return False

    await until(listed, f"the list with {shown!r}")
    await choose(river.nvim, number)


# Options.


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (
            (ONCE, SESSION, NO),
            ["  y  Let it (allow once)", "  a  Allow for this session", "  n  no"],
        ),
        ((SESSION, EVER, ONCE, NO), ["  y  Let it (allow once)", "  a  always… (2 ways)"]),
        ((ONCE, ALSO_ONCE, NO), ["  y  Let it (allow once)", "  a  Let it, but slowly"]),
        ((ONCE, FEEDBACK), ["  y  Let it (allow once)", f"  n  {FEEDBACK.name}"]),
        ((ONCE, SESSION, NO, NEVER), ["  a  always… (2 ways)"]),
        (
            (SESSION, ALSO_ONCE, ONCE, NO),
            ["  y  Let it, but slowly", "  a  other answers… (2 ways)"],
        ),
    ],
)
async def test_a_request_names_what_each_answer_does(
    begin: Begin, options: tuple[Option, ...], shown: list[str]
) -> None:
    river = await begin(FEW)
    river.agent.emit(*started(), command(*options))
    text = await river.panel.shows("? Run this")

    for line in shown:
        assert line in text.splitlines()
    others = [each for each in options if each.name not in ("Let it", "No")]
    assert all(each.name in text for each in others)


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        (1, Allow(("o2",))),
        (2, Allow(("o3",))),
        (3, Allow(("o6",))),
        (4, Reject(option="o7")),
        (5, Reject(option="o5")),
    ],
)
async def test_every_option_can_be_chosen(begin: Begin, number: int, answer: Answer) -> None:
    river = await begin(FEW)
    river.agent.emit(*started(), command(ONCE, SESSION, EVER, ALSO_ONCE, NO, FEEDBACK, NEVER))
    await river.panel.shows("? Run this")

    await choose_way(river, "? Run", "a", "Answer:", number)

    assert await river.wait_for_call("answer") == ("answer", "r1", answer)


async def test_yes_never_means_always(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(*started(), command(SESSION, NO))
    assert "  y  " not in await river.panel.shows("? Run this")

    await choose_way(river, "? Run", "y", "Allow always:", 1)

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow(("o2",)))


async def test_accepting_a_diff_never_means_always(begin: Begin, files: tuple[Path, Path]) -> None:
    river = await begin(FEW)
    river.agent.emit(*started("edit"), replace(edits_of(files[0]), options=(SESSION, NO)))
    await accept(river.nvim, await diff(river.nvim, "TWO"))

    await until(lambda: "Allow always:" in river.nvim.screen.text(), "the list")
    assert [call for call in river.agent.calls if call[0] == "answer"] == []
    await choose(river.nvim, 1)

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow(("o2",)))


@pytest.mark.parametrize(
    ("options", "keys", "choice", "chosen", "text"),
    [
        ((ONCE, SESSION, NO), "", 0, "o2", ""),
        ((ONCE, SESSION, EVER, NO), "", 2, "o3", ""),
        ((ONCE, SESSION, NO), "2Gcc2<Esc>", 0, "o2", "one\n2\nthree\n"),
    ],
)
async def test_a_key_of_the_diff_accepts_further_edits_too(
    begin: Begin,
    files: tuple[Path, Path],
    options: tuple[Option, ...],
    keys: str,
    choice: int,
    chosen: str,
    text: str,
) -> None:
    river = await begin(ALL)
    river.agent.emit(*started("edit"), replace(edits_of(files[0]), options=options))

    await accept(river.nvim, await diff(river.nvim, "TWO"), f"{keys}gA", "")
    if choice:
        await until(lambda: "Allow always:" in river.nvim.screen.text(), "the list")
        await choose(river.nvim, choice)

    _, _, answer = await river.wait_for_call("answer")
    assert answer.options == (chosen,)
    assert [edit.new for edit in answer.edits] == [text] * bool(text)


async def test_the_key_does_nothing_if_the_agent_offers_no_more(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(ALL)
    river.agent.emit(*started("edit"), edits_of(files[0]))
    bufnr = await diff(river.nvim, "TWO")
    await accept(river.nvim, bufnr, "gA", "")
    assert not [call for call in river.agent.calls if call[0] == "answer"]

    await accept(river.nvim, bufnr)

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow())


async def test_a_list_that_is_closed_leaves_the_diff_as_it_is(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(ALL)
    options = (ONCE, SESSION, EVER, NO)
    river.agent.emit(*started("edit"), replace(edits_of(files[0]), options=options))
    bufnr = await diff(river.nvim, "TWO")
    await accept(river.nvim, bufnr, "gA", "")
    await until(lambda: "Allow always:" in river.nvim.screen.text(), "the list")

    await choose(river.nvim, 0)
    await accept(river.nvim, bufnr)

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow())


async def test_a_changed_proposal_stays_changed_if_there_is_no_plain_yes(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(ALL)
    river.agent.emit(*started("edit"), replace(edits_of(files[0]), options=(SESSION, NO)))
    await accept(river.nvim, await diff(river.nvim, "TWO"), "2Gcc2<Esc>")

    await until(lambda: "Allow always:" in river.nvim.screen.text(), "the list")
    await choose(river.nvim, 1)

    _, _, answer = await river.wait_for_call("answer")
    assert answer.options == ("o2",)
    assert [edit.new for edit in answer.edits] == ["one\n2\nthree\n"]


async def test_the_list_of_answers_leads_to_every_option(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(*started(), command(ONCE, ALSO_ONCE, FEEDBACK))
    await river.panel.shows("? Run this")

    await river.command("answer")
    await until(lambda: "Let it" in river.nvim.screen.text(), "the answers")
    assert "No, and tell Otter" in river.nvim.screen.text()
    await choose_answer(river.nvim, "a")

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow(("o6",)))


async def test_a_plan_can_be_approved_in_each_way_that_the_agent_offers(begin: Begin) -> None:
    river = await begin(FEW)
    plan = PlanProposed("r1", "", "1. Build a dam\n", "", (ONCE, SESSION, EVER, FEEDBACK))
    river.agent.emit(plan)
    shown = await river.panel.shows("? Approve this plan?")
    assert SESSION.name in shown
    assert EVER.name in shown
    assert FEEDBACK.name in shown
    await river.nvim.keys("<Esc>")
    await _plan_is_open(river.nvim)

    await river.nvim.keys("gA")
    await until(lambda: "Approve:" in river.nvim.screen.text(), "the ways")
    await choose(river.nvim, 2)

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow(("o3",)))


async def _plan_is_open(nvim: Neovim) -> None:
    is_open = "bufname() =~# ' plan' && &modifiable"
    await until(lambda: nvim.eval(is_open), "the plan can be changed")


# Changes of a proposal.


async def diff(nvim: Neovim, words: str) -> int:
    """Wait until a proposed text with these words is shown; return its buffer."""
    find = chunk("another_agent/proposal")

    async def found() -> int:
        bufnr = int(await nvim.lua(find) or 0)
        lines = await nvim.eval(f"getbufline({bufnr}, 1, '$')") if bufnr else []
        return bufnr if words in "\n".join(lines) else 0

    return int(await until(found, f"a diff with {words!r}"))


async def accept(nvim: Neovim, bufnr: int, keys: str = "", then: str = ":w<CR>") -> None:
    """Type keys in a diff and accept it, once it accepts keys."""
    await until(lambda: nvim.eval(f"getbufvar({bufnr}, '&modifiable')"), "it accepts keys")
    await nvim.keys("<Esc>")
    await nvim.lua("vim.api.nvim_set_current_win(vim.fn.win_findbuf(...)[1])", bufnr)
    await nvim.keys(f"{keys}{then}")


async def change(begin: Begin, path: Path, choice: str) -> River:
    """Accept a changed edit of an agent that cannot accept changes; choose how to go on."""
    river = await begin(FEW)
    river.agent.emit(*started("edit"), edits_of(path))
    bufnr = await diff(river.nvim, "TWO")
    note = "changes go into a prompt"
    await until(lambda: note in river.nvim.screen.text(), "the note")
    await accept(river.nvim, bufnr, "2Gcc2<Esc>")
    question = "Otter cannot accept changes"
    await until(lambda: question in river.nvim.screen.text(), "the question")
    await choose(river.nvim, int(choice))
    return river


async def test_changes_that_an_agent_cannot_accept_become_the_next_prompt(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await change(begin, files[0], "1")

    _, words = await river.wait_for_call("prompt")
    assert "a.txt:\n```diff\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n```" in words
    [answer] = [call[2] for call in river.agent.calls if call[0] == "answer"]
    assert answer == Reject(words)
    await river.panel.shows("rejected, with your changes")


async def test_the_changes_in_the_prompt_are_not_kept_in_a_buffer_too(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await change(begin, files[0], "1")
    await river.panel.shows("rejected, with your changes")

    river.agent.emit(events.ToolEnded("t1", events.ToolStatus.REJECTED))
    await river.panel.shows("⊘ gnaw")
    await river.nvim.idle(100)

    reports = await river.nvim.lua("return _G.reports")
    assert not [text for text in reports if "kept in buffer" in text]


@pytest.mark.parametrize("number", [1, 2])
async def test_insert_mode_resumes_at_once_after_the_choice(
    begin: Begin, files: tuple[Path, Path], number: int
) -> None:
    river = await begin(FEW)
    nvim = river.nvim
    await river.panel.send("Go on")
    river.agent.emit(*started("edit"), edits_of(files[0]))
    await diff(nvim, "TWO")
    await until(lambda: nvim.eval("bufname() =~ 'a.txt'"), "the user is in the diff")
    await nvim.keys("2Gcc2<Esc>:w<CR>")
    question = "Otter cannot accept changes"
    await until(lambda: question in nvim.screen.text(), "the question")

    await choose(nvim, number)
    began = time.monotonic()

    await until(lambda: nvim.eval("mode() == 'i'"), "Insert mode resumes")
    assert time.monotonic() - began < DELAY_SECONDS


async def test_an_edit_can_be_allowed_without_the_users_changes(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await change(begin, files[0], "2")

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow())
    await river.panel.shows("allowed, without your changes")
    files[0].write_text("one\nTWO\nthree\n")
    river.agent.emit(events.ToolEnded("t1", events.ToolStatus.COMPLETED))
    await river.reports("kept in buffer")


async def test_a_cancelled_question_about_changes_answers_nothing(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await change(begin, files[0], "0")

    await river.reports("Otter cannot accept your changes; it still waits for an answer")
    assert all(call[0] != "answer" for call in river.agent.calls)
    await river.reports("kept in buffer")
    assert await river.press("? Edit", "y", "answer") == ("answer", "r1", Allow())


async def test_a_changed_plan_becomes_the_next_prompt(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(PlanProposed("r1", "", "1. Build a dam\n", "", (ONCE, NO)))
    await river.panel.shows("? Approve this plan?")
    await river.nvim.keys("<Esc>")
    await _plan_is_open(river.nvim)
    await river.nvim.keys("cc1. Build two dams<Esc>:w<CR>")
    question = "Otter cannot accept changes"
    await until(lambda: question in river.nvim.screen.text(), "the question")
    await choose(river.nvim, 0)
    await river.reports("it still waits for an answer")
    await _plan_is_open(river.nvim)
    assert await river.nvim.eval("getline(1)") == "1. Build two dams"

    await river.nvim.keys(":w<CR>")
    await until(lambda: question in river.nvim.screen.text(), "the question")
    await choose(river.nvim, 1)

    _, words = await river.wait_for_call("prompt")
    assert words.endswith("1. Build two dams\n")


async def test_an_agent_that_accepts_changes_has_no_note_in_the_diff(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(ALL)
    river.agent.emit(*started("edit"), edits_of(files[0]))
    await diff(river.nvim, "TWO")

    assert "go into a prompt" not in river.nvim.screen.text()


# Several files.


async def test_edits_of_several_files_are_shown_one_after_the_other(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(FEW)
    new = files[0].with_name("new.txt")
    river.agent.emit(*started("edit"), edits_of(*files, new))
    first = await diff(river.nvim, "TWO")
    shown = await river.panel.shows("? Write a.txt, b.txt, new.txt?")
    for words in ("a.txt", "b.txt", "new.txt", "in its diffs: :w accepts"):
        assert words in shown
    await until(lambda: "1 of 3" in river.nvim.screen.text(), "the first")

    await accept(river.nvim, first)
    await until(lambda: "2 of 3" in river.nvim.screen.text(), "the second")
    await accept(river.nvim, await diff(river.nvim, "TWO"))
    await accept(river.nvim, await diff(river.nvim, "new"))

    assert await river.wait_for_call("answer") == ("answer", "r1", Allow())
    assert [call[0] for call in river.agent.calls].count("answer") == 1
    await until(lambda: river.nvim.eval("tabpagenr('$') == 1"), "the diffs are gone")


async def test_rejecting_one_of_several_files_rejects_all(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(FEW)
    river.agent.emit(*started("edit"), edits_of(*files))
    await accept(river.nvim, await diff(river.nvim, "TWO"))
    await until(lambda: "2 of 2" in river.nvim.screen.text(), "the second")
    bufnr = await diff(river.nvim, "TWO")
    await river.nvim.lua("vim.api.nvim_set_current_win(vim.fn.win_findbuf(...)[1])", bufnr)

    await river.nvim.keys(":q<CR>")

    assert await river.wait_for_call("answer") == ("answer", "r1", Reject())


async def test_a_key_in_the_transcript_answers_for_all_files(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(FEW)
    river.agent.emit(*started("edit"), edits_of(*files))
    await diff(river.nvim, "TWO")
    await river.panel.shows("? Edit a.txt, b.txt?")

    assert await river.press("? Edit", "y", "answer") == ("answer", "r1", Allow())
    assert "+TWO" in await river.panel.text() or [
        call for call in river.agent.calls if call[0] == "answer"
    ]


async def test_changes_of_several_files_become_one_prompt(
    begin: Begin, files: tuple[Path, Path]
) -> None:
    river = await begin(FEW)
    river.agent.emit(*started("edit"), edits_of(*files))
    await accept(river.nvim, await diff(river.nvim, "TWO"), "2Gcc2<Esc>")
    await until(lambda: "2 of 2" in river.nvim.screen.text(), "the second")
    await accept(river.nvim, await diff(river.nvim, "TWO"))
    question = "Otter cannot accept changes"
    await until(lambda: question in river.nvim.screen.text(), "the question")

    await choose(river.nvim, 1)

    _, _, answer = await river.wait_for_call("answer")
    assert "a.txt:" in answer.reason
    assert "+2" in answer.reason
    assert "b.txt:" in answer.reason
    assert "+TWO" in answer.reason


async def test_a_deletion_is_shown_as_a_diff(begin: Begin, files: tuple[Path, Path]) -> None:
    river = await begin(FEW)
    asked = replace(edits_of(files[0], kind="delete"), edits=(Replacement(str(files[0]), ""),))
    river.agent.emit(*started("delete"), asked)

    shown = await river.panel.shows("? Delete a.txt?")

    assert "-three" in shown or "more line" in shown
    assert await river.press("? Delete", "n", "answer") == ("answer", "r1", Reject())


async def test_a_risky_file_among_several_is_named(
    begin: Begin, files: tuple[Path, Path], tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    river = await begin(FEW)

    river.agent.emit(*started("edit"), edits_of(files[0], outside))

    await river.panel.shows("outside.txt: outside")
