"""A text that grows at its end."""

from hypothesis import given
from hypothesis import strategies as st

from claude_ide.chat.page.growing import Growing, Lines


def test_lines_are_given_once_and_the_last_one_each_time() -> None:
    growing = Growing()
    growing.add("one\ntw")
    assert growing.drain() == Lines(0, ["one"], "tw")

    growing.add("o\nthree")
    assert growing.drain() == Lines(1, ["two"], "three")
    assert growing.drain() == Lines(2, [], "three")


def test_empty_lines_at_the_ends_are_left_out() -> None:
    growing = Growing()
    growing.add("\n \n")
    assert growing.drain() == Lines(0, [], "")
    assert growing.blank

    growing.add("one\n\n")
    assert growing.drain() == Lines(0, ["one"], "")
    growing.add("\ntwo")
    assert growing.drain() == Lines(1, ["", ""], "two")


def test_another_text_is_taken_anew() -> None:
    growing = Growing()
    growing.add("one\ntwo")
    growing.drain()

    assert not growing.replace("one\ntwo")
    assert growing.replace("three\nfour")

    assert growing.drain() == Lines(0, ["three"], "four")
    assert growing.text == "three\nfour"


@given(st.lists(st.text(st.sampled_from("ab \n"), max_size=5)), st.data())
def test_what_is_taken_adds_up_to_the_text(pieces: list[str], data: st.DataObject) -> None:
    growing = Growing()
    page: list[str] = []
    for piece in pieces:
        growing.add(piece)
        if data.draw(st.booleans()):
            put(page, growing.drain())
    put(page, growing.drain())

    said = "".join(pieces).split("\n")
    while said and not said[0].strip():
        del said[0]
    while said and not said[-1].strip():
        del said[-1]
    assert page == said
    assert growing.text == "".join(pieces)


def put(page: list[str], new: Lines) -> None:
    page[new.first :] = [*new.complete, new.partial] if new.partial else new.complete
