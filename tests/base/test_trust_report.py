"""`base/trust.py`: the messages of `:ClaudeTrust`, which may be cut at the end."""

import json
import re
from pathlib import Path

import pytest

from claude_ide.base import trust as report
from claude_ide.base.trust import Trust


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    (tmp_path / "home").mkdir()
    (tmp_path / "a" / "b").mkdir(parents=True)
    return Trust(tmp_path / "trust.json", {"HOME": str(tmp_path / "home")}, print)


def state(trust: Trust, folder: Path) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "DAY", report.state(trust, str(folder)))


def recorded(folder: Path) -> None:
    projects = {str(folder / "a"): {"hasTrustDialogAccepted": True}}
    (folder / "home" / ".claude.json").write_text(json.dumps({"projects": projects}))


def test_an_untrusted_folder_is_reported(trust: Trust, tmp_path: Path) -> None:
    assert state(trust, tmp_path) == f"not trusted, only your own settings are used: {tmp_path}"


def test_a_folder_trusted_by_the_user_is_reported(trust: Trust, tmp_path: Path) -> None:
    trust.grant(tmp_path / "a")
    ours = "trusted since DAY (:ClaudeTrust revoke ends it)"

    assert state(trust, tmp_path / "a") == f"{ours}: {tmp_path}/a"
    assert state(trust, tmp_path / "a" / "b") == f"{ours}: {tmp_path}/a/b (a part of {tmp_path}/a)"


def test_a_folder_trusted_by_the_cli_is_reported(trust: Trust, tmp_path: Path) -> None:
    recorded(tmp_path)
    cli = "trusted by the CLI's own record"

    assert state(trust, tmp_path / "a") == f"{cli}: {tmp_path}/a"
    assert state(trust, tmp_path / "a" / "b") == f"{cli}: {tmp_path}/a/b (a part of {tmp_path}/a)"


def test_a_folder_trusted_by_both_is_reported(trust: Trust, tmp_path: Path) -> None:
    recorded(tmp_path)
    trust.grant(tmp_path / "a")
    ours = "trusted since DAY (:ClaudeTrust revoke ends it)"

    assert state(trust, tmp_path / "a") == f"{ours} and by the CLI's own record: {tmp_path}/a"


def test_the_result_of_revoking_is_reported(trust: Trust, tmp_path: Path) -> None:
    folder = str(tmp_path / "a")

    assert report.revoked(trust, folder, [folder]) == f"no longer trusted: {folder}"
    assert report.revoked(trust, folder, []) == f"was not trusted: {folder}"
    recorded(tmp_path)
    assert report.revoked(trust, folder, [folder]) == (
        f"still trusted by the CLI's own record, which only the CLI changes: {folder}"
    )
