"""`launch.py`: the CLI's arguments and environment."""

import asyncio
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from claude_ide.agents.agent import NewSession, Opening, ResumeSession
from claude_ide.agents.stream_json.protocol import HOOK_EVENTS, Launch
from support.neovim import until
from support.transcripts import entries

ECHO = "--replay-user-messages"
OURS = {
    "PATH": "/bin",
    "CLAUDE_CONFIG_DIR": "/no/such/folder",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_SSE_PORT": "4711",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
}


def launch(**settings: object) -> Launch:
    return Launch(("claude",), Path("/p"), OURS, **{"trusted": True} | settings)  # type: ignore[arg-type]


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
def test_a_mode_that_only_the_cli_can_know_is_not_guessed(given: Launch) -> None:
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
    assert not Launch(("claude",), Path("/p"), OURS).trusted


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

    assert given["GIT_CONFIG_COUNT"] == "3"
    assert (given["GIT_CONFIG_KEY_0"], given["GIT_CONFIG_KEY_1"]) == ("a.b", "core.fsmonitor")
    assert given["GIT_CONFIG_VALUE_1"] == "false"


async def test_a_slow_git_holds_up_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate = tmp_path / "begun", tmp_path / "gate"
    os.mkfifo(gate)
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\n: >{begun}\nread line <{gate}\nprintf 'local\\0%s\\0' \"$line\"\n")
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
