"""`headless/run.py`: the CLI of a one-off request, and its permitted tools."""

import os
import sys
from pathlib import Path

import pytest

from claude_ide.base.errors import AgentError, UserError
from claude_ide.config import AskConfig, Config
from claude_ide.headless.run import launch


def test_the_cli_may_use_only_the_given_tools(tmp_path: Path) -> None:
    launched = launch(Config(cmd=sys.executable), str(tmp_path), ("Read", "Grep"))

    assert launched.command == (sys.executable,)
    assert launched.cwd == tmp_path
    assert launched.environment == os.environ
    assert launched.arguments[-2:] == ("--tools", "Read,Grep")
    assert "--strict-mcp-config" in launched.arguments
    assert "--no-session-persistence" in launched.arguments


def test_a_request_can_override_the_configured_model(tmp_path: Path) -> None:
    config = Config(cmd=[sys.executable, "-I"], ask=AskConfig(model="opus"))

    assert launch(config, str(tmp_path), ()).model == "opus"
    assert launch(config, str(tmp_path), (), "haiku").model == "haiku"
    assert launch(config, str(tmp_path), ()).command == (sys.executable, "-I")


def test_the_error_for_a_missing_cli_explains_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", str(tmp_path))  # installers put the CLI into the home folder, too

    with pytest.raises(AgentError, match=r"claude is not on PATH \(:checkhealth claude_ide says"):
        launch(Config(), str(tmp_path), ())
    with pytest.raises(AgentError, match=r"^mine is not on PATH \(g:claude_ide\.cmd\)$"):
        launch(Config(cmd="mine"), str(tmp_path), ())


def test_a_missing_folder_is_named_in_the_error() -> None:
    with pytest.raises(UserError, match=r"^no such folder: /no/such$"):
        launch(Config(cmd=sys.executable), "/no/such", ())
