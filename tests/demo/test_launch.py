"""`launch.py`: `make try CLAUDE=1` starts the real CLI."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import program
from support.neovim import ROOT, nvim_binary
from support.terminal import Terminal

LAUNCH = ROOT / "tests/demo/launch.py"


def environment(tmp_path: Path, path: Path) -> dict[str, str]:
    return {"PATH": str(path), "HOME": str(tmp_path), "TERM": "xterm-256color", "LANG": "C.UTF-8"}


async def test_with_claude_the_cli_runs_with_the_users_configuration(tmp_path: Path) -> None:
    path = tmp_path / "bin"
    program(
        path / "claude",
        'for word; do case $word in --settings=*) ;; *) printf "%s " "$word";; esac; done; echo; '
        'echo "port ${CLAUDE_CODE_SSE_PORT:+set}, config ${CLAUDE_CONFIG_DIR:-the usual}"; read _',
    )
    screen = await Terminal.start(
        *(sys.executable, "-I", LAUNCH, tmp_path / "try", "--claude", f"--nvim={nvim_binary()}"),
        cwd=ROOT,
        env=environment(tmp_path, path),
    )
    try:
        await screen.shows("port set, config the usual")
        await screen.shows("--permission-mode default")
        await screen.shows("shop.py")
    finally:
        await screen.stop()


def test_the_error_for_a_missing_cli_explains_how_to_install_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", LAUNCH, tmp_path / "try", "--claude"],
        env=environment(tmp_path, tmp_path),
        cwd=os.fspath(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr == "no `claude` on PATH; npm install -g @anthropic-ai/claude-code\n"


@pytest.mark.parametrize("redirection", ["</dev/null", "<&-", "| cat >&2"])
async def test_without_a_terminal_one_line_says_so(tmp_path: Path, redirection: str) -> None:
    command = shlex.join([sys.executable, "-I", str(LAUNCH), "try", f"--nvim={nvim_binary()}"])
    screen = await Terminal.start(
        *("sh", "-c", f"{command} {redirection}; echo ended with $?"),
        cwd=tmp_path,
        env=environment(tmp_path, Path(os.defpath)),
    )
    try:
        await screen.shows("ended with")
        assert "make try needs a terminal; here, its input or its output" in screen.lines()[0]
        assert len([line for line in screen.lines() if line]) == 2
        assert not (tmp_path / "try").exists()
    finally:
        await screen.stop()


async def test_a_dumb_terminal_is_refused(tmp_path: Path) -> None:
    screen = await Terminal.start(
        *(sys.executable, "-I", LAUNCH, tmp_path / "try", f"--nvim={nvim_binary()}"),
        cwd=ROOT,
        env=environment(tmp_path, tmp_path) | {"TERM": "dumb"},
    )
    try:
        await screen.shows("here, TERM is dumb")
        assert await screen.process.wait() == 1
    finally:
        await screen.stop()
