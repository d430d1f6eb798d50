"""`support/registry/make.py`: the built-in agents, from the public registry."""

import json
from typing import Any

import pytest

from claude_ide.agents.acp.launch import FILE
from support.registry.make import AMENDMENTS, SOURCE, made, text

AMENDED = json.loads(AMENDMENTS.read_text())


def registry(distribution: dict[str, Any], id_: str = "otter") -> dict[str, Any]:
    place = {"website": "https://otter"}
    return {"agents": [{"id": id_, "name": "Otter", "distribution": distribution, **place}]}


def amended(**agents: Any) -> dict[str, Any]:
    return {"omitted": {"crab": "it pinches"}, "agents": agents}


@pytest.mark.parametrize(
    ("distribution", "cmd", "install"),
    [
        (
            {"uvx": {"package": "otter-acp==0.1.2", "args": ["-x"]}},
            ["otter-acp", "-x"],
            "uv tool install otter-acp",
        ),
        (
            {"binary": {"linux-x86_64": {"cmd": "./bin/otter acp", "args": ["--deep"]}}},
            ["otter", "acp", "--deep"],
            "https://otter",
        ),
        ({"binary": {"darwin-x86_64": {"cmd": "./otter"}}}, ["otter"], "https://otter"),
    ],
)
def test_an_agent_is_taken_as_the_registry_describes_it(
    distribution: dict[str, Any], cmd: list[str], install: str
) -> None:
    agents, left_out = made(registry(distribution), amended())

    assert agents == {"otter": {"name": "Otter", "cmd": cmd, "install": install}}
    assert not left_out


def test_an_agent_of_npm_needs_a_known_program() -> None:
    npx = {"npx": {"package": "@river/otter-cli@1.2.3", "args": ["acp"]}}

    assert made(registry(npx), amended()) == ({}, ["otter: unknown program"])
    own = {"registry": "otter", "program": "otter", "login": ["", "login"]}
    agents, _ = made(registry(npx), amended(fish=own))
    assert agents == {
        "fish": {
            "name": "Otter",
            "cmd": ["otter", "acp"],
            "install": "npm install -g @river/otter-cli",
            "login": ["", "login"],
        }
    }


def test_what_is_left_out_or_gone_is_named_and_our_own_agents_remain() -> None:
    beaver = {"name": "Beaver", "cmd": ["beaver"]}
    given = amended(beaver=beaver, dam={"registry": "dam", "program": "dam"})

    agents, left_out = made(registry({"uvx": {"package": "crab"}}, "crab"), given)

    assert agents == {"beaver": beaver}
    assert left_out == ["crab: it pinches", "dam: no longer in the registry"]


def test_the_file_has_its_source_and_all_that_is_amended() -> None:
    content = json.loads(FILE.read_text())

    assert content["source"] == SOURCE
    assert FILE.read_text() == text(content["agents"], SOURCE, content["as_of"])
    for id_, own in AMENDED["agents"].items():
        entry = content["agents"][id_]
        assert own.items() <= {**entry, **_of_maker(own)}.items()
        assert own.get("program", entry["cmd"][0]) == entry["cmd"][0]


def _of_maker(own: dict[str, Any]) -> dict[str, Any]:
    return {key: own[key] for key in ("registry", "program") if key in own}
