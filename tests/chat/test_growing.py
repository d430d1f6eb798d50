"""A text that grows at its end."""

from hypothesis import given
from hypothesis import strategies as st

from claude_ide.chat.transcript.talk import Drained, Growing


def test_each_line_is_drained_once_and_the_last_one_every_time() -> None:
    growing = Growing()
    growing.add("one\ntw")
    assert growing.drain() == Drained(0, ["one"], "tw")

    growing.add("o\nthree")
    assert growing.drain() == Drained(1, ["two"], "three")
    assert growing.drain() == Drained(2, [], "three")


def test_blank_lines_at_both_ends_are_omitted() -> None:
    growing = Growing()
    growing.add("\n \n")
    assert growing.drain() == Drained(0, [], "")

    growing.add("one\n\n")
    assert growing.drain() == Drained(0, ["one"], "")
    growing.add("\ntwo")
    assert growing.drain() == Drained(1, ["", ""], "two")


def test_a_replaced_text_is_drained_from_its_start() -> None:
    growing = Growing()
    growing.add("one\ntwo")
    growing.drain()

    assert not growing.replace("one\ntwo")
    assert growing.replace("three\nfour")

    assert growing.drain() == Drained(0, ["three"], "four")
    assert growing.text == "three\nfour"


@given(st.lists(st.text(st.sampled_from("ab \n"), max_size=5)), st.data())
def test_the_drained_lines_add_up_to_the_text(pieces: list[str], data: st.DataObject) -> None:
    growing = Growing()
    page: list[str] = []
    for piece in pieces:
        growing.add(piece)
        if data.draw(st.booleans()):
            put(page, growing.drain())
    put(page, growing.drain())

    lines = "".join(pieces).split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    assert page == lines
    assert growing.text == "".join(pieces)


def put(page: list[str], new: Drained) -> None:
    page[new.first :] = [*new.complete, new.partial] if new.partial else new.complete
