"""`agents/stream_json/protocol.py`: frames, prompts, the command line, and the CLI's own mode."""

import asyncio
import base64
import json
import os
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from claude_ide.agents.agent import (
    Image,
    NewSession,
    OpenFile,
    Opening,
    ResumeSession,
    Selection,
    ShellResult,
    Words,
)
from claude_ide.agents.stream_json import protocol
from claude_ide.agents.stream_json.protocol import (
    DEFAULT,
    HOOK_EVENTS,
    MODES,
    CliLaunch,
    decode_line,
    encode_line,
    given_words,
    own_mode,
    terminal_options,
)
from claude_ide.config import Mode
from support.neovim import until
from support.transcripts import entries

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), values, max_size=5))
def test_a_frame_survives_encoding_and_decoding(frame: dict[str, object]) -> None:
    assert decode_line(encode_line(frame)) == frame


@given(st.dictionaries(st.text(), st.text()))
def test_an_encoded_line_is_one_line_to_every_reader(frame: dict[str, object]) -> None:
    """Some readers treat U+2028 as the end of a line."""
    line = encode_line(frame | {"text": "a\u2028b\r\nc\x85"})

    assert line.isascii()
    assert len(line.decode().splitlines()) == 1


@pytest.mark.parametrize(
    "line", [b"not json", b"[1,2]", b"1", b"null", b'{"a":', b'{"a":' * 100_000, b"\xff\xfe"]
)
def test_a_line_that_is_not_a_frame_is_ignored(line: bytes) -> None:
    assert decode_line(line) is None


def test_half_a_surrogate_pair_is_replaced() -> None:
    """The CLI cuts long texts anywhere, but Neovim accepts only valid Unicode."""
    line = json.dumps({"text": "cut \ud83d", "whole": "\U0001f389"}).encode()

    assert decode_line(line) == {"text": "cut �", "whole": "\U0001f389"}


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert decode_line(b'{"text":"a\xffb"}') == {"text": "a�b"}


def test_text_that_is_not_unicode_is_sent_readably() -> None:
    """A model refuses half a surrogate pair, and with it all of the conversation after it."""
    line = encode_line({"text": ["\udc80", "caf\udce9", "\ud83d"], "whole": "\U0001f389"})

    assert json.loads(line) == {"text": ["�", "caf�", "�"], "whole": "\U0001f389"}


def content(*parts: Words | Image | Selection | OpenFile | ShellResult) -> list[dict[str, object]]:
    blocks: list[dict[str, object]] = protocol.prompt("u", parts)["message"]["content"]
    return blocks


def recorded(name: str, number: int) -> list[dict[str, object]]:
    """Return the content of a prompt that was sent to the real CLI."""
    sent = [e["m"] for e in entries(name) if e["dir"] == "in" and e["m"].get("type") == "user"]
    blocks: list[dict[str, object]] = sent[number]["message"]["content"]
    return blocks


def test_a_mention_is_part_of_the_text() -> None:
    assert content(Words("look at @a.py#L2-2 please")) == recorded("mention_range", 0)


def test_the_selection_precedes_the_text_in_a_tag() -> None:
    blocks = content(Words("what is it?"), Selection("a.py", 2, 2, "    return 1"))

    assert blocks == recorded("mention_range", 1)


def test_the_open_file_is_in_a_tag() -> None:
    opened, words = content(OpenFile("/p/a.py"), Words("look at @a.py"))

    assert str(opened["text"]).startswith("<ide_opened_file>The user opened the file /p/a.py in")
    assert str(opened["text"]).endswith("</ide_opened_file>")
    assert words == recorded("image_and_context", 1)[-1]


def test_an_image_is_sent_unchanged() -> None:
    [_, image] = recorded("image_and_context", 0)
    data = base64.b64decode(image["source"]["data"])  # type: ignore[index]

    assert content(Words("what is this?"), Image(data)) == recorded("image_and_context", 0)


def test_a_slash_command_begins_its_text_whatever_the_editor_adds() -> None:
    blocks = content(OpenFile("/p/a.py"), Words("/compact"))

    assert blocks[-1] == {"type": "text", "text": "/compact"}


def test_a_prompt_carries_its_id_and_its_priority() -> None:
    plain, urgent = protocol.prompt("u", [Words("x")]), protocol.prompt("u", [Words("x")], "now")

    assert plain["uuid"] == "u"
    assert "priority" not in plain
    assert urgent["priority"] == "now"


def test_a_prompt_can_be_encoded_as_one_text() -> None:
    parts = (Words("what is @a.py"), OpenFile("/p/b.py"), Image(b"x"))

    context, _, words = protocol.words(parts).partition("\n\n")

    assert context == content(OpenFile("/p/b.py"))[0]["text"]
    assert words == "what is @a.py"


def test_a_shell_result_has_the_form_of_the_cli_and_comes_first() -> None:
    failed = ShellResult("false", "1 < 2\n", failed=True)
    blocks = content(Words("why?"), ShellResult("echo 'a & <b>'", "a & <b>\n"), failed)

    assert [block["text"] for block in blocks] == [
        "<bash-input>echo 'a &amp; &lt;b&gt;'</bash-input>",
        "<bash-stdout>a &amp; &lt;b&gt;</bash-stdout><bash-stderr></bash-stderr>",
        "<bash-input>false</bash-input>",
        "<bash-stdout></bash-stdout><bash-stderr>1 &lt; 2</bash-stderr>",
        "why?",
    ]


ECHO = "--replay-user-messages"
OURS = {
    "PATH": "/bin",
    "CLAUDE_CONFIG_DIR": "/no/such/folder",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_SSE_PORT": "4711",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
}


def launch(**settings: object) -> CliLaunch:
    return CliLaunch(("claude",), Path("/p"), OURS, **{"trusted": True} | settings)  # type: ignore[arg-type]


def test_the_cli_is_started_with_the_arguments_of_the_recordings() -> None:
    given = launch().arguments_for(NewSession())

    # The older recordings were made without the output of hooks, the oldest also without the echo
    # of prompts.
    given.remove(HOOK_EVENTS)
    assert given == entries("cli197_queue")[0]["m"]["argv"]
    recorded = entries("plain_thinking")[0]["m"]["argv"]
    assert [word for word in given if word != ECHO] == recorded[:1] + recorded[2:10]


@pytest.mark.parametrize(
    ("opening", "arguments"),
    [
        (NewSession(), []),
        (NewSession("u"), ["--session-id", "u"]),
        (ResumeSession("u"), ["--resume", "u"]),
        (ResumeSession("u", fork=True), ["--resume", "u", "--fork-session"]),
        (
            ResumeSession("u", fork=True, until="m"),
            ["--resume", "u", "--fork-session", "--resume-session-at", "m"],
        ),
        (ResumeSession(), ["--continue"]),
        (ResumeSession(fork=True), ["--continue", "--fork-session"]),
    ],
)
def test_each_way_to_open_a_session_has_its_arguments(
    opening: Opening, arguments: list[str]
) -> None:
    plain = launch().arguments_for(NewSession())

    assert launch().arguments_for(opening) == plain + arguments


def test_the_users_choices_are_arguments_of_the_cli() -> None:
    chosen = launch(model="m", mode="plan", allowed_tools=("Read", "Bash(ls)"), arguments=("--x",))

    given = chosen.arguments_for(NewSession())

    assert given[-7:] == [
        *("--model", "m", "--permission-mode", "plan"),
        *("--allowedTools", "Read,Bash(ls)", "--x"),
    ]


@pytest.mark.parametrize(
    ("mode", "usual", "first"),
    [("", "", "default"), ("", "plan", "plan"), ("acceptEdits", "plan", "acceptEdits")],
)
def test_the_first_mode_follows_from_the_options_and_the_settings(
    mode: str, usual: str, first: str
) -> None:
    assert launch(mode=mode).first_mode(usual) == first


@pytest.mark.parametrize(
    "given",
    [
        launch(mode="bypassPermissions"),
        launch(mode="plan", arguments=("--dangerously-skip-permissions",)),
        replace(launch(), command=("claude", "--permission-mode=plan")),
    ],
)
def test_a_mode_that_only_the_cli_can_know_is_not_guessed(given: CliLaunch) -> None:
    assert given.first_mode("") == ""


def test_an_untrusted_folder_provides_no_settings_and_no_mode() -> None:
    given = launch(trusted=False).options()

    assert given == ["--setting-sources", "user", "--permission-mode", "default"]


@pytest.mark.parametrize(
    ("settings", "mode"),
    [
        ('{"permissions": {"defaultMode": "plan"}}', "plan"),
        ('{"permissions": {}}', "default"),
        ('{"permissions": 1}', "default"),
        ("[" * 100_000, "default"),
        ("", "default"),
    ],
)
def test_an_untrusted_folder_gets_the_mode_of_the_user(
    tmp_path: Path, settings: str, mode: str
) -> None:
    (tmp_path / "settings.json").write_text(settings)
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path)}

    given = replace(launch(trusted=False), environment=environment).options()

    assert given == ["--setting-sources", "user", "--permission-mode", mode]


def test_no_folder_is_trusted_by_default() -> None:
    assert not CliLaunch(("claude",), Path("/p"), OURS).trusted


def test_the_users_own_mode_applies_in_an_untrusted_folder() -> None:
    assert launch(trusted=False, mode="plan").options()[2:] == ["--permission-mode", "plan"]


@pytest.mark.parametrize("words", [("--permission-mode", "plan"), ("--permission-mode=plan",)])
def test_the_users_own_permission_options_apply(words: tuple[str, ...]) -> None:
    given = replace(launch(trusted=False), command=("claude", *words))

    assert given.options() == ["--setting-sources", "user"]


@pytest.mark.parametrize("word", ["--setting-sources=user,project", "--setting-sources"])
def test_the_users_own_option_for_settings_applies(word: str) -> None:
    given = replace(launch(trusted=False), command=("claude", word))

    assert given.options() == []


async def test_git_runs_no_program_for_a_cli_in_an_untrusted_folder() -> None:
    inherited = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}

    given = await replace(launch(trusted=False), environment=inherited).child_environment()

    keys = [given[f"GIT_CONFIG_KEY_{at}"] for at in range(int(given["GIT_CONFIG_COUNT"]))]
    guarded = ["core.fsmonitor", "log.showSignature", "maintenance.auto"]
    assert keys == ["a.b", *guarded, "diff.ignoreSubmodules"]
    assert given["GIT_CONFIG_VALUE_1"] == "false"


async def test_a_slow_git_holds_up_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate, line = tmp_path / "begun", tmp_path / "gate", tmp_path / "line"
    os.mkfifo(gate)
    git = tmp_path / "git"
    waits = f": >{begun}\n[ -e {line} ] || cat {gate} >{line}"
    git.write_text(f"#!/bin/sh\n{waits}\nprintf 'local\\0%s\\0' \"$(cat {line})\"\n")
    git.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("claude_ide.base.git.CONFIG_SECONDS", 30.0)
    cli = replace(launch(trusted=False), cwd=tmp_path)
    asking = asyncio.create_task(cli.child_environment())

    await until(begun.exists, "git runs")
    gate.write_text("filter.x.clean\n")

    assert "filter.x.clean" in (await asking).values()


async def test_the_environment_names_us_and_hides_our_own_parent() -> None:
    assert await launch().child_environment() == {
        "PATH": "/bin",
        "CLAUDE_CONFIG_DIR": "/no/such/folder",
        "CLAUDE_CODE_ENTRYPOINT": "claude-ide-nvim",
        "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "true",
    }


def settings(path: Path, mode: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": {"defaultMode": mode}}))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}


@pytest.fixture
def managed(tmp_path: Path) -> Path:
    return tmp_path / "managed"


def test_an_administrator_comes_before_the_user(
    environment: dict[str, str], managed: Path, tmp_path: Path
) -> None:
    assert own_mode(environment, managed) == ""
    settings(tmp_path / "claude" / "settings.json", "acceptEdits")
    assert own_mode(environment, managed) == "acceptEdits"
    settings(managed / "managed-settings.json", "plan")
    assert own_mode(environment, managed) == "plan"
    settings(managed / "managed-settings.d" / "10.json", "default")
    settings(managed / "managed-settings.d" / "20.json", "auto")
    assert own_mode(environment, managed) == "auto"


def test_the_settings_of_a_folder_do_not_count(
    environment: dict[str, str], managed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path / "project" / ".claude" / "settings.json", "bypassPermissions")
    monkeypatch.chdir(tmp_path / "project")

    assert own_mode(environment, managed) == ""


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        ("manual", ["--permission-mode", "default"]),
        ("default", ["--permission-mode", "default"]),
        ("acceptEdits", ["--permission-mode", "acceptEdits"]),
        ("", []),
    ],
)
def test_the_cli_starts_in_the_mode_of_the_option(
    environment: dict[str, str], managed: Path, mode: str, options: list[str]
) -> None:
    assert terminal_options(environment, ["--resume"], mode, managed) == options


@pytest.mark.parametrize(
    "words",
    [
        ("--permission-mode", "plan"),
        ("--permission-mode=plan",),
        ("--dangerously-skip-permissions",),
        ("--resume", "--allow-dangerously-skip-permissions"),
    ],
)
def test_a_mode_in_the_command_line_wins(
    environment: dict[str, str], managed: Path, words: tuple[str, ...]
) -> None:
    assert terminal_options(environment, words, "manual", managed) == []


def test_a_mode_in_the_users_settings_wins(
    environment: dict[str, str], managed: Path, tmp_path: Path
) -> None:
    settings(tmp_path / "claude" / "settings.json", "acceptEdits")

    assert terminal_options(environment, [], "manual", managed) == []


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (["--permission-mode", "manual"], ["--permission-mode", "default"]),
        (["--permission-mode=manual", "go"], ["--permission-mode=default", "go"]),
        (["--permission-mode", "plan"], ["--permission-mode", "plan"]),
        (["manual", "--permission-mode"], ["manual", "--permission-mode"]),
    ],
)
def test_manual_in_the_command_line_gets_the_name_that_every_version_accepts(
    words: list[str], passed: list[str]
) -> None:
    assert list(given_words(words)) == passed


def test_the_option_offers_every_mode() -> None:
    assert {*get_args(Mode)} == {*MODES, DEFAULT, ""}
