"""`ui.vim`: questions of the host, each answered once."""

from typing import Any

import pytest

from support.neovim import until
from support.vim import Vim


@pytest.fixture
async def dialogue(vim: Vim) -> Vim:
    """A Vim that records what it answers to the host, which does not run."""
    recorder = "import sys, json\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"
    await vim.call("writefile", recorder.split("\n"), "recorder.py")
    await vim.command(
        "let g:sent = [] | let g:recorder = job_start("
        "[g:claude_ide.python, 'recorder.py'], {'mode': 'nl', "
        "'out_cb': {_, line -> add(g:sent, json_decode(line))}})"
    )
    await vim.command("call claude_ide#channel#Open(job_getchannel(g:recorder))")
    return vim


async def answers(vim: Vim, count: int = 1) -> list[dict[str, Any]]:
    """Wait for so many answers, and return them."""
    sent = await until(lambda: vim.eval(f"len(g:sent) >= {count} ? g:sent : 0"), "the answer")
    assert [message[:3] for message in sent] == [[0, "event", "answered"]] * count
    return [message[3] for message in sent]


async def select(vim: Vim, token: int, prompt: str, items: list[str]) -> None:
    assert await vim.call("claude_ide#ui#Select", token, prompt, items)


async def ask(vim: Vim, token: int, prompt: str, default: Any = "") -> None:
    assert await vim.call("claude_ide#ui#Input", token, prompt, default)


async def shows(vim: Vim, text: str) -> None:
    """Wait until a question is on the screen and accepts keys."""
    await until(lambda: text in vim.screen.text(), f"{text!r} is on screen")
    await vim.idle(400)


async def settled(vim: Vim) -> None:
    await until(lambda: vim.eval("mode(1) == 'n' && empty(popup_list())"), "no question is left")


async def test_the_answer_is_the_number_of_the_chosen_item(dialogue: Vim) -> None:
    await select(dialogue, 7, "Which scope?", ["this time", "this project", "always"])
    await shows(dialogue, "this project")
    assert "Which scope?" in dialogue.screen.text()

    await dialogue.keys("j<CR>")

    assert await answers(dialogue) == [{"token": 7, "index": 2}]
    await settled(dialogue)


@pytest.mark.parametrize("keys", ["<Esc>", "x", "<C-c>"])
async def test_a_dismissed_choice_has_no_number(dialogue: Vim, keys: str) -> None:
    await select(dialogue, 7, "Which scope?", ["this time", "always"])
    await shows(dialogue, "always")

    await dialogue.keys(keys)

    assert await answers(dialogue) == [{"token": 7}]
    await settled(dialogue)


async def test_the_answer_is_the_typed_text(dialogue: Vim) -> None:
    await ask(dialogue, 3, "Why not? ", "because")
    await shows(dialogue, "Why not? because")

    await dialogue.keys(" it is käse<CR>")

    assert await answers(dialogue) == [{"token": 3, "text": ["because it is käse"]}]
    await settled(dialogue)
    await until(lambda: "Why not?" not in dialogue.screen.text(), "the question is gone")


async def test_an_empty_line_is_an_answer(dialogue: Vim) -> None:
    await ask(dialogue, 1, "Why not? ")
    await shows(dialogue, "Why not?")

    await dialogue.keys("<CR>")

    assert await answers(dialogue) == [{"token": 1, "text": [""]}]


@pytest.mark.parametrize("key", ["<Esc>", "<C-c>"])
async def test_a_cancelled_line_is_no_answer(dialogue: Vim, key: str) -> None:
    await ask(dialogue, 2, "And now? ")
    await shows(dialogue, "And now?")

    await dialogue.keys(f"text{key}")

    assert await answers(dialogue) == [{"token": 2}]
    await settled(dialogue)


async def test_long_texts_with_many_lines_cause_no_hit_enter_prompt(dialogue: Vim) -> None:
    long = "why\nis\tthis " + "so wide 漢字 " * 40
    await ask(dialogue, 1, long, long)
    await shows(dialogue, "why is this so wide")
    await dialogue.keys("<CR>")
    [answer] = await answers(dialogue)
    assert answer["text"][0].startswith("why is this so wide")
    await settled(dialogue)

    await select(dialogue, 2, long, [long, "two\nlines"])
    await shows(dialogue, "two lines")
    assert dialogue.screen.text().count("…") == 2
    await dialogue.keys("j<CR>")
    assert (await answers(dialogue, 2))[1] == {"token": 2, "index": 2}
    await settled(dialogue)


@pytest.mark.parametrize("keys", ["i", ":", "d", "v", "q:", "3", '"'])
@pytest.mark.parametrize("kind", ["select", "input"])
async def test_a_question_waits_until_nothing_is_half_typed(
    dialogue: Vim, kind: str, keys: str
) -> None:
    await dialogue.keys(keys)

    if kind == "select":
        await select(dialogue, 1, "Why not?", ["a", "b"])
    else:
        await ask(dialogue, 1, "Why not? ")
    await dialogue.idle(900)
    assert "Why not?" not in dialogue.screen.text()

    if keys == "q:":
        await dialogue.keys("<C-c>")
    await dialogue.keys("<Esc>")
    await shows(dialogue, "Why not?")
    await dialogue.keys("<CR>")
    [answer] = await answers(dialogue)
    assert len(answer) == 2
    await settled(dialogue)


@pytest.mark.parametrize("kind", ["select", "input"])
async def test_keys_typed_blindly_answer_nothing(dialogue: Vim, kind: str) -> None:
    await dialogue.call("setline", 1, ["one", "two", "three"])
    if kind == "select":
        await select(dialogue, 1, "Why not?", ["a", "b", "c"])
    else:
        await ask(dialogue, 1, "Why not? ")
    await until(lambda: "Why not?" in dialogue.screen.text(), "the question")

    await dialogue.keys("dd<CR>")

    await dialogue.idle(400)
    assert "Why not?" in dialogue.screen.text()
    await dialogue.keys("j<CR>")
    expected = {"index": 2} if kind == "select" else {"text": ["j"]}
    assert await answers(dialogue) == [{"token": 1, **expected}]
    assert await dialogue.call("getline", 1, "$") == ["one", "two", "three"]


async def test_a_late_answer_is_reported_and_not_sent(dialogue: Vim) -> None:
    await select(dialogue, 1, "Why not?", ["a", "b"])
    await shows(dialogue, "Why not?")
    assert await dialogue.call("claude_ide#ui#Close", 1)

    await dialogue.keys("<CR>")

    late = "this question is no longer waiting for an answer"
    await until(lambda: late in dialogue.screen.text(), "the message")
    assert await dialogue.eval("g:sent") == []


async def test_a_closed_question_does_not_appear(dialogue: Vim) -> None:
    await dialogue.keys("i")
    await select(dialogue, 1, "Why not?", ["a", "b"])
    assert await dialogue.call("claude_ide#ui#Close", 1)

    await dialogue.keys("<Esc>")
    await dialogue.idle(900)

    assert "Why not?" not in dialogue.screen.text()


async def test_a_question_asked_again_is_answered_once(dialogue: Vim) -> None:
    await dialogue.keys("i")
    await select(dialogue, 1, "The first?", ["a", "b"])
    await select(dialogue, 1, "The second?", ["a", "b"])
    await dialogue.keys("<Esc>")
    await shows(dialogue, "The second?")

    await dialogue.keys("j<CR>")

    assert await answers(dialogue) == [{"token": 1, "index": 2}]
    await settled(dialogue)
