"""`permission.py`: the question of a request, also to run code, and its command in colour."""

import time
from typing import Any

import pytest

from claude_ide.agents.requests import Option, OptionKind, PermissionAsked
from claude_ide.ui.page import Code, Page, Part
from claude_ide.ui.permission import LONGEST_COMMAND, Permission, shell_words
from claude_ide.ui.request import CUT, WHOLE, RequestView
from claude_ide.ui.sheet import Sheet


@pytest.mark.parametrize(
    ("name", "arguments", "question"),
    [
        ("Run", {}, "? Run this command?  ls"),
        ("Run", {"cmd": "ls"}, "? Use Run ls?"),
        ("paddle", {}, "? Use paddle ls?"),
    ],
)
def test_a_command_whose_tool_is_not_named_is_a_command(
    name: str, arguments: dict[str, Any], question: str
) -> None:
    asked = PermissionAsked("r", "t", name, arguments, (), kind="execute", title="ls")

    assert Permission(asked, "/p", "Otter").head(80).text == question


OPTIONS = (
    Option("allow", "Allow", OptionKind.ALLOW_ONCE),
    Option("reject", "Reject", OptionKind.REJECT_ONCE),
)


def request(name: str = "mcp__neovim__execute_code", **fields: Any) -> RequestView:
    asked = {"arguments": {"code": "x = 1\nx"}} | fields
    asked |= {"code": asked["arguments"]["code"]} if name == "mcp__neovim__execute_code" else {}
    return RequestView(
        *(Part(1, "request"), PermissionAsked("r", "t", name, options=OPTIONS, **asked)),
        *("/p", "Claude"),
    )


def lines(view: RequestView) -> list[str]:
    return [row.text for row in view.rows()]


def test_the_code_stands_alone_in_its_rows_and_can_be_changed() -> None:
    assert lines(request()) == [
        "? Run this code?",
        "x = 1",
        "x",
        "  y  yes, once",
        "  n  no",
        "  N  no, because…",
        "  c  change the code",
    ]


@pytest.mark.parametrize("name", ["mcp__other__execute_code", "executeCode"])
def test_the_code_of_another_server_cannot_be_changed(name: str) -> None:
    shown = lines(request(name))

    assert shown[:3] == ["? Run this code?", "x = 1", "x"]
    assert "  c  change the code" not in shown


def test_other_arguments_follow_the_code() -> None:
    arguments = {"code": "x", "seconds": 5}

    assert lines(request(arguments=arguments))[:3] == ["? Run this code?", "x", "  │ seconds: 5"]


def test_the_page_knows_where_the_code_is() -> None:
    view = request(arguments={"code": "x = 1\nx", "seconds": 5})
    page = Page()
    part = view.part = page.add("request")

    view.draw(page)

    assert part.code == [Code(1, 3, "python")]
    assert view.rows()[1].looks[0].text == "  │ "


def test_characters_that_hide_something_are_made_visible() -> None:
    assert "x = 1 # <202e>\x1b"[:-1] + "^[" in lines(
        request(arguments={"code": "x = 1 # \u202e\x1b"})
    )


def test_long_code_must_be_seen_before_it_is_allowed() -> None:
    view = request(arguments={"code": "\n".join(f"x{number}" for number in range(40))})
    assert view.kind == CUT

    view.unfold("y")

    assert view.kind == WHOLE
    assert "x39" in lines(view)


def test_code_that_is_no_text_is_shown_like_any_argument() -> None:
    shown = lines(request("mcp__other__execute_code", arguments={"code": 5}))

    assert shown[:2] == ["? Use mcp__other__execute_code?", "  │ code: 5"]


GROUP = "ClaudeChatShell"


def named(command: str) -> dict[str, str]:
    return {command[word.first : word.last]: word.name for word in shell_words(command)}


def test_the_words_of_a_command_are_coloured() -> None:
    assert named("""FOO=1 git push -f "$x; y" '#' a#b && rm $dir >out 2>&1 # all""") == {
        "FOO=1": "variable",
        "git": "function.call",
        "-f": "constant",
        '"$x; y"': "string",
        "'#'": "string",
        "&&": "operator",
        "rm": "function.call",
        "$dir": "variable",
        ">": "operator",
        "2>&": "operator",
        "# all": "comment",
    }


def test_a_program_after_a_keyword_or_an_operator_is_found() -> None:
    found = named("for f in $(ls); do wc -l; done | sort\nif a; then b; fi")

    assert [word for word, name in found.items() if name == "function.call"] == [
        *("ls", "wc", "sort", "a", "b")
    ]
    keywords = {word for word, name in found.items() if name == "keyword"}
    assert keywords == {"for", "in", "do", "done", "if", "then", "fi"} - {"in"}


def test_a_here_document_is_a_string() -> None:
    found = named("cat <<'EOF' >x\nrm -rf y\nEOF\nls")

    assert (found["rm -rf y\nEOF"], found["<<'EOF'"], found["ls"]) == (
        *("string", "operator", "function.call"),
    )


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("'it''s\\'", "string"), ('"a\\"b"', "string"), ("${a b}", "variable")),
        *(("\\rm\\ x", "function.call"), ("$?", "variable"), ("$(", "operator")),
    ],
)
def test_a_word_goes_on_to_its_end(command: str, name: str) -> None:
    assert [(word.last, word.name) for word in shell_words(command)][-1] == (len(command), name)


@pytest.mark.parametrize(
    "command", ["echo 'x", 'echo "\\"', "echo $(", "cat <<E", "cat <<E\n", "\\", "a\\", "$", ""]
)
def test_an_incomplete_command_is_no_error(command: str) -> None:
    assert all(0 <= word.first < word.last <= len(command) for word in shell_words(command))


@pytest.mark.parametrize("piece", ["'", '"', "<<a\n", "$", "\\", "#", "(", " x", "${"])
def test_it_takes_linear_time(piece: str) -> None:
    begun = time.process_time()
    list(shell_words(piece * 100_000))

    assert time.process_time() - begun < 3


def drawn(command: str, width: int = 60) -> list[tuple[str, str]]:
    """Return the texts of a drawn request that are part of the command, with their groups."""
    option = Option("allow", "Allow", OptionKind.ALLOW_ONCE)
    asked = PermissionAsked(
        *("r", "t", "Bash"),
        kind="execute",
        title=command,
        arguments={"command": command},
        options=(option,),
    )
    sheet = Sheet()
    request = sheet.add("request", lambda part: RequestView(part, asked, "/p", "Claude", width))
    request.open = True
    request.draw(sheet.page)
    return [
        (row.text.encode()[first:last].decode(), group)
        for row in request.part.rows
        for first, last, group in row.marks
        if group == GROUP or group.endswith(".bash")
    ]


def test_the_command_in_the_question_is_coloured() -> None:
    assert drawn("ls é -a | wc") == [
        ("ls", "@function.call.bash"),
        (" é ", GROUP),
        ("-a", "@constant.bash"),
        (" ", GROUP),
        ("|", "@operator.bash"),
        (" ", GROUP),
        ("wc", "@function.call.bash"),
    ]


def test_a_word_that_continues_in_the_next_row_is_coloured_in_both() -> None:
    found = drawn(f"echo 'é{'x' * 30}' # all\nls", 30)

    strings = [text for text, group in found if group == "@string.bash"]
    assert len(strings) == 2
    assert "".join(strings) == f"'é{'x' * 30}'"
    assert ("# all", "@comment.bash") in found
    assert ("ls", "@function.call.bash") in found


def test_a_long_command_has_one_colour() -> None:
    assert {group for _, group in drawn(f"ls {'x' * LONGEST_COMMAND}")} == {GROUP}
