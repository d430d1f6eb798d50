"""Which mentions the real CLI reads: a private file must stay private in each spelling."""

import json
from pathlib import Path

import pytest

from claude_ide.agents.stream_json.headless import Ask, HeadlessQuestion
from claude_ide.agents.stream_json.protocol import CliLaunch
from claude_ide.editor.mentions import read_by_agents
from support.claude_cli import environment
from support.fake_api import FakeApi, text

BLANKS = "\u00a0\ufeff\u3000\u200b\x1c\x85\u2028\x0b"
BEFORE = [*BLANKS, "\u3002", "\uff01", "x\u3002", "x@y\u3002", "'", "(", "[", "@", "x", "<"]
AFTER = [
    *"']})>`*,;:!?|$%&+=~./\\\u200b\u2013\u2026\u201c\u201d\u3002\u00e9",
    *("'s", "'\u00e9", "\"'", "**", "..", ".'", "-x", "(x)", "?x=1", "]x", ":1", ":1:2", "@x"),
    *("#L1", "#L1-2", "#x", "#L1#x", "#x#y"),
    *(f"{blank}x" for blank in BLANKS),
]
WITHIN = [
    *("./{}", ".//{}", "none/../{}", "~/{}", "/{}", "\\{}", "%2e/{}", "file:{}", "file://{}"),
    *("'{}'", "`{}`", "<{}>", "[x]({})", '"{}"', '"./{}"', '"{}#L1"', '"{}"x'),
    *('"{} "', '" {}"', '"{}\n"', '"\n{}"'),
]
SPELLINGS = [
    "@{}",
    *(f"{before}@{{}}" for before in BEFORE),
    *(f"@{{}}{after}" for after in AFTER),
    *(f"@{within}" for within in WITHIN),
]
"""With `{}` for the name of a file."""

MOST = 40
"""Mentions in one prompt: the CLI reads at most 100."""


async def read(spellings: list[str], cli: Path, api: FakeApi, folder: Path, home: Path) -> set[str]:
    """Return the spellings whose file the CLI has read for its model."""
    names = {each: f"secret{number:02}.env" for number, each in enumerate(spellings)}
    for name in names.values():
        for place in (folder, home):
            (place / name).write_text(f"the text of {name}\n")
    prompt = "\n".join(f"look {each.replace('{}', name)} now" for each, name in names.items())
    api.script([text("I see.")])
    before = len(api.requests)
    launch = CliLaunch((cli,), folder, environment(api, home, home / "config"))
    assert [event async for event in Ask(launch, HeadlessQuestion(prompt)).events()]
    sent = json.dumps([request.body for request in api.requests[before:]])
    return {each for each, name in names.items() if f"the text of {name}" in sent}


async def test_each_mention_that_the_cli_reads_is_known(
    cli: Path, api: FakeApi, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    found = set[str]()
    for first in range(0, len(SPELLINGS), MOST):
        found |= await read(SPELLINGS[first : first + MOST], cli, api, project, home)

    places = {str(project / "x.env"), str(home / "x.env")}
    known = {
        each
        for each in SPELLINGS
        if any(
            str(Path(path).resolve()) in places
            for path in read_by_agents(f"look {each.replace('{}', 'x.env')} now", str(project))
        )
    }
    assert found - known == set()
    assert {"@{}", "@{}'", "@{}]", '@"{}"', "@{}#x", "@{}\u00e9", "\u3002@{}"} <= found
