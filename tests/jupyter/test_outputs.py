"""What a run puts out, from the messages of a kernel."""

from typing import Any

import pytest

from claude_ide.jupyter.outputs import (
    KEPT_CHARACTERS,
    KEPT_ERROR_CHARACTERS,
    MOST_IMAGES,
    KernelRun,
    clean,
)


def collected(*messages: tuple[str, dict[str, Any]]) -> list[tuple[str, str]]:
    outputs = KernelRun()
    for kind, content in messages:
        outputs.apply(kind, content)
    return [(each.kind, each.text) for each in outputs.all]


def stream(text: Any, name: str = "stdout") -> tuple[str, dict[str, Any]]:
    return "stream", {"name": name, "text": text}


def display(text: str, id_: str = "", kind: str = "display_data") -> tuple[str, dict[str, Any]]:
    return kind, {"data": {"text/plain": text}, "transient": {"display_id": id_} if id_ else {}}


def test_pieces_of_a_stream_are_joined_and_streams_keep_their_order() -> None:
    assert collected(stream("a"), stream("b"), stream("c", "stderr"), stream("d")) == [
        ("stdout", "ab"),
        ("stderr", "c"),
        ("stdout", "d"),
    ]


def test_an_image_is_preferred_to_its_text() -> None:
    bundle = {"data": {"text/plain": "<Figure>", "image/png": "aGFs\nbG8="}}

    assert collected(("display_data", bundle)) == [("image", "aGFsbG8=")]


def test_a_display_is_replaced_by_its_update() -> None:
    messages = display("1 %", "bar"), stream("x"), display("2 %", "bar", "update_display_data")

    assert collected(*messages) == [("display", "2 %"), ("stdout", "x")]


def test_an_update_of_an_unknown_display_is_ignored() -> None:
    assert collected(display("2 %", "bar", "update_display_data")) == []


def test_output_is_cleared_at_once_or_with_the_next_output() -> None:
    assert collected(stream("a"), ("clear_output", {"wait": False})) == []
    wait = "clear_output", {"wait": True}
    assert collected(stream("a"), wait) == [("stdout", "a")]
    assert collected(stream("a"), wait, stream("b")) == [("stdout", "b")]


def test_more_text_than_is_kept_is_counted() -> None:
    outputs = KernelRun()
    outputs.apply(*stream("a" * KEPT_CHARACTERS))
    outputs.apply(*stream("bc"))

    assert len(outputs.all[0].text) == KEPT_CHARACTERS
    assert outputs.left_out == 2


def test_an_error_after_too_much_output_is_kept() -> None:
    outputs = KernelRun()
    outputs.apply(*stream("a" * (KEPT_CHARACTERS + 1)))
    outputs.apply("error", {"traceback": ["a" * KEPT_ERROR_CHARACTERS, "ValueError"]})

    assert outputs.all[-1].kind == "error"
    assert outputs.all[-1].text.endswith("\nValueError")
    assert len(outputs.all[-1].text) == KEPT_ERROR_CHARACTERS


def test_cleared_output_makes_room() -> None:
    outputs = KernelRun()
    for _ in range(3):
        outputs.apply("clear_output", {"wait": True})
        outputs.apply(*stream("a" * (KEPT_CHARACTERS // 2 + 1)))

    assert [len(each.text) for each in outputs.all] == [KEPT_CHARACTERS // 2 + 1]
    assert outputs.left_out == 0


def test_what_is_displayed_is_limited_too() -> None:
    image = "display_data", {"data": {"image/png": "aGFsbG8="}}
    found = collected(*[image] * (MOST_IMAGES + 1))
    assert [kind for kind, _ in found] == ["image"] * MOST_IMAGES + ["display"]

    outputs = KernelRun()
    for _ in range(3):
        outputs.apply(*display("a" * (KEPT_CHARACTERS // 2)))
    assert len(outputs.all) == 2
    assert outputs.left_out == KEPT_CHARACTERS // 2


def test_a_run_is_done_with_its_reply_and_when_the_kernel_is_idle() -> None:
    outputs = KernelRun()
    outputs.apply("status", {"execution_state": "busy"})
    outputs.apply("execute_reply", {"status": "error"})
    assert outputs.has_begun
    assert not outputs.ended.is_set()

    outputs.apply("status", {"execution_state": "idle"})

    assert outputs.ended.is_set()


@pytest.mark.parametrize(
    "message",
    [
        stream(None),
        ("display_data", {}),
        ("display_data", {"data": "x"}),
        ("execute_reply", {"payload": [1, {"data": {"text/plain": 1}}]}),
        ("status", {}),
        ("unknown", {"data": 1}),
    ],
)
def test_malformed_messages_put_nothing_out(message: tuple[str, dict[str, Any]]) -> None:
    assert collected(message) == []


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[0;31mred\x1b[0m", "red"),
        ("\x1b]8;;file:///a\x07link\x1b]8;;\x07", "link"),
        ("10%\r 20%\rdone\nnext", "done\nnext"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("bell\x07 and\x00 nul\x9b", "bell and nul"),
    ],
)
def test_terminal_codes_are_removed(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
