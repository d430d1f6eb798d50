"""`chat/form/`: texts, numbers, optional answers, and forms in which one key is the answer."""

from typing import Any

import pytest

from support.answers import answer, answers, settled
from support.forms import MODULE, open_form, wait_until_closed
from support.neovim import Neovim, until

KEYS = [
    {"key": "y", "label": "Yes, once", "value": "y"},
    {"key": "n", "label": "No", "value": "n"},
    {"key": "N", "label": "No, because…", "value": "N"},
]


def field(key: str, **rest: Any) -> dict[str, Any]:
    return {"key": key, "text": key.title(), "choices": []} | rest


async def typed(nvim: Neovim, text: str) -> None:
    """Type an answer to the question at the cursor, instead of the previous one."""
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() ==# 'c'"), "the dialogue")
    await nvim.keys(f"<C-u>{text}<CR>")
    await until(lambda: nvim.eval("mode() ==# 'n'"), "the dialogue is closed")


@pytest.mark.parametrize(
    ("question", "wrong", "problem", "right"),
    [
        ({"input": "integer", "expects": "a whole number"}, "7.5", "a whole number", "-7"),
        ({"input": "number", "expects": "a number"}, "0x10", "a number", "1.5e3"),
        ({"input": "number", "expects": "a number"}, "nan", "a number", ".5"),
        ({"input": "number", "least": 0}, "-1", "at least 0", "0"),
        ({"input": "integer", "most": 150}, "151", "at most 150", "150"),
        ({"input": "number", "most": 0.5}, "1", "at most 0.5", "0.5"),
        ({"least": 2}, "ö", "at least 2 characters", "öö"),
        ({"most": 2}, "abc", "at most 2 characters", "ab"),
        ({"input": "email", "expects": "an e-mail address"}, "ann", "an e-mail address", "ann@x.y"),
        (
            {"input": "uri", "expects": "an address such as https://example.com"},
            "x y",
            "an address such as https://example.com",
            "https://x.y",
        ),
        (
            {"input": "date", "expects": "a date such as 2026-01-31"},
            "2026-02-29",
            "a date such as 2026-01-31",
            "2024-02-29",
        ),
        (
            {"input": "date", "expects": "a date such as 2026-01-31"},
            "2026-13-01",
            "a date such as 2026-01-31",
            "2026-12-01",
        ),
        (
            {"input": "date-time", "expects": "a time such as 2026-01-31T18:00:00Z"},
            "2026-01-31",
            "a time such as 2026-01-31T18:00:00Z",
            "2026-01-31T18:00:00.5+01:00",
        ),
        ({"input": "unknown"}, "", "", "anything"),
    ],
)
async def test_a_wrong_answer_is_named_and_kept_until_it_is_right(
    form: Neovim, question: dict[str, Any], wrong: str, problem: str, right: str
) -> None:
    await open_form(form, [field("size", **question)])

    if wrong:
        await typed(form, wrong)
        await until(lambda: f"✗ expected: {problem}" in form.screen.text(), "the problem")
        assert f"▸ {wrong}" in form.screen.text()
        assert "(1 not valid)" in form.screen.text()
        await form.keys("<C-s>")
        await until(lambda: f"Size: expected {problem}" in form.screen.text(), "a message")
        assert answers(form, 1) == []
    await typed(form, right)
    await until(lambda: "✗" not in form.screen.text(), "no problem")
    await form.keys("<C-s>")

    assert await answer(form, 1) == {"answers": [{"question": "size", "chosen": [right]}]}


async def test_an_optional_question_may_remain_unanswered(form: Neovim) -> None:
    color = field("color", required=False, is_open=False)
    color |= {"choices": [{"label": "Red", "value": "r"}, {"label": "Green", "value": "g"}]}
    await open_form(form, [field("name", required=False), color])
    await until(lambda: "Color (optional)" in form.screen.text(), "the note")

    await form.keys("<Tab>1<S-Tab>")
    await until(lambda: "(•) 1 Red" in form.screen.text(), "the choice")
    await form.keys("1")
    await until(lambda: "( ) 1 Red" in form.screen.text(), "no choice")
    await form.keys("<C-s>")

    assert await answer(form, 1) == {
        "answers": [{"question": "name", "chosen": []}, {"question": "color", "chosen": []}]
    }


async def test_answers_are_given_in_advance(form: Neovim) -> None:
    tags = field("tags", multiple=True, is_open=False, picked=["b"])
    tags |= {"choices": [{"label": "A", "value": "a"}, {"label": "B", "value": "b"}]}
    await open_form(form, [field("age", input="integer", own="30"), tags])

    await until(lambda: "▸ 30" in form.screen.text(), "the text")
    assert "[x] 2 B" in form.screen.text()
    assert "something else" not in form.screen.text()
    await form.keys("<C-s>")

    assert (await answer(form, 1))["answers"] == [
        {"question": "age", "chosen": ["30"]},
        {"question": "tags", "chosen": ["b"]},
    ]


async def test_the_number_of_choices_is_limited(form: Neovim) -> None:
    tags = field("tags", multiple=True, is_open=False, most=1)
    await open_form(form, [tags | {"choices": [{"label": "A"}, {"label": "B"}]}])

    await form.keys("12")
    await until(lambda: "✗ expected: at most 1 choice" in form.screen.text(), "the problem")
    await form.keys("1<C-s>")

    assert (await answer(form, 1))["answers"] == [{"question": "tags", "chosen": ["B"]}]


async def open_keys(form: Neovim, token: int = 1) -> None:
    question = {"text": "?", "choices": KEYS, "is_open": False}
    request = {"title": "Answer Claude", "message": "Claude asks: Bash ls", "is_instant": True}
    await form.lua(f"{MODULE}.open(...)", token, request | {"questions": [question]})
    await until(lambda: "letter answers" in form.screen.text(), "the form")


@pytest.mark.parametrize(("key", "chosen"), [("y", "y"), ("N", "N"), ("2", "n"), ("jj<CR>", "N")])
async def test_one_key_answers_a_form_of_keys(form: Neovim, key: str, chosen: str) -> None:
    await open_keys(form)
    assert "Claude asks: Bash ls" in form.screen.text()
    await form.keys("/Yes<CR>")
    await form.idle(500)

    await form.keys(key)

    assert (await answer(form, 1))["answers"] == [{"question": "?", "chosen": [chosen]}]
    await wait_until_closed(form)


async def test_a_key_that_was_typed_before_the_form_could_be_read_is_ignored(form: Neovim) -> None:
    await open_keys(form)

    await form.lua("vim.api.nvim_feedkeys('y', 'tx', false)")
    assert answers(form, 1) == []

    await form.keys("q")
    assert await answer(form, 1) == {"closed": True}


@pytest.mark.parametrize("is_instant", [False, True])
async def test_the_keys_of_a_form_are_shown(form: Neovim, is_instant: bool) -> None:
    if is_instant:
        await open_keys(form)
    else:
        await open_form(form, [field("name")])

    await form.keys("g?")

    await until(lambda: "Show these keys" in form.screen.text(), "the keys")
    await form.keys("q")
    await until(lambda: "Show these keys" not in form.screen.text(), "the form")
    await settled(form)
    assert answers(form, 1) == []


async def test_typed_answers_are_kept_if_the_form_is_withdrawn(form: Neovim) -> None:
    await open_form(form, [field("name"), field("age", own="30")])
    await typed(form, "Ann")

    await form.lua(f"{MODULE}.close(1)")

    await wait_until_closed(form)
    kept = "map(filter(getbufinfo(), {_, each -> each.name =~ 'kept'}), 'v:val.bufnr')"
    [bufnr] = await form.eval(kept)
    assert await form.eval(f"getbufline({bufnr}, 1, '$')") == ["Name: Ann"]
    assert answers(form, 1) == []
