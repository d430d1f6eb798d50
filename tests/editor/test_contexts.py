"""How a text is filled with what its placeholders say."""

import json

import pytest

from claude_ide.editor.contexts import _BUILT_IN, _filled
from support.neovim import ROOT

SAID = {"one": "1", "long": "a:\n> b", "list": "- a\n- b", "own_2": "x"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{one}", "1"),
        ("{one}{one} {own_2}", "11 x"),
        ("{} { one } } {-one} {1} {on-e}", "{} { one } } {-one} {1} {on-e}"),
        ("{{one} {{{one}} {{{{", "{one} {1} {{"),
        ("{nope} {One}", "{nope} {One}"),
        ("see {long}", "see a:\n> b"),
        ("see {long}, please", "see a:\n> b\n, please"),
        ("{long} {one}", "a:\n> b\n1"),
        ("{long} {{x}", "a:\n> b\n{x}"),
        ("{long} {nope}", "a:\n> b\n{nope}"),
        ("{long}\nend", "a:\n> b\nend"),
        ("{long} \n end", "a:\n> b\n end"),
        ("look at {list}", "look at\n- a\n- b"),
        ("{list} there", "- a\n- b\nthere"),
    ],
)
def test_a_text_is_filled(text: str, filled: str) -> None:
    assert _filled(text, SAID) == filled


def test_the_editors_complete_the_placeholders_that_the_host_knows() -> None:
    tables = json.loads((ROOT / "python/claude_ide/editor/tables.json").read_text("utf-8"))

    assert set(tables["completion"]["placeholders"]) == _BUILT_IN.keys()
