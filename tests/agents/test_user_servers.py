"""The user's own MCP servers for an agent, from the options and from `.mcp.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.editor_services import McpAddress, McpCommand
from claude_ide.agents.user_servers import Server, UserServers
from claude_ide.base import redaction
from claude_ide.base.redaction import without_secrets
from claude_ide.config import decode

ALL = ("stdio", "http", "sse")


@pytest.fixture(autouse=True)
def _no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_secrets", set())


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A program `db` on PATH."""
    program = tmp_path / "bin" / "db"
    program.parent.mkdir()
    program.touch(0o755)
    return str(program)


class Fixed:
    """The servers of an agent in a folder, which is a repository."""

    def __init__(
        self, folder: Path, *, trusted: bool = True, untrusted: Path | None = None, **options: Any
    ) -> None:
        config, complaints = decode(options)
        assert not complaints
        environment = {"PATH": str(folder / "bin"), "HOME": "/home/me", "KEY": "pike-and-carp"}
        (folder / ".git").mkdir(exist_ok=True)

        def trusts(which: Path) -> bool:
            return trusted and which != untrusted

        self._servers = UserServers(config, "otter", folder, trusts, environment)

    def taken(self, *transports: str) -> list[Server]:
        return self._servers.taken(transports or ALL)

    @property
    def complaints(self) -> list[str]:
        return self._servers.complaints


def write(folder: Path, **servers: Any) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def test_a_server_of_the_options_is_expanded_and_found_on_path(tmp_path: Path, db: str) -> None:
    given = {"command": "db", "args": ["~/x", "-v"], "env": {"A": "$KEY", "N": 1}}
    fixed = Fixed(tmp_path, mcp_servers={"db": given})

    expected = McpCommand("db", (db, "/home/me/x", "-v"), {"A": "pike-and-carp", "N": "1"})
    assert fixed.taken() == [expected]
    assert not fixed.complaints


def test_an_address_has_headers_and_a_transport(tmp_path: Path) -> None:
    wiki = {"url": "http://wiki/mcp", "headers": {"X": "$KEY"}}
    fixed = Fixed(tmp_path, mcp_servers={"wiki": wiki, "old": {"url": "http://o", "type": "sse"}})

    assert fixed.taken() == [
        McpAddress("wiki", "http://wiki/mcp", {"X": "pike-and-carp"}),
        McpAddress("old", "http://o", {}, "sse"),
    ]


def test_the_agents_own_option_is_the_strongest_and_the_nearest_file_next(
    tmp_path: Path, db: str
) -> None:
    inner = tmp_path / "inner"
    names = "abcd"
    write(tmp_path, **{name: {"url": f"http://outer/{name}"} for name in names})
    write(inner, **{name: {"url": f"http://inner/{name}"} for name in names[:3]})
    own = {"otter": {"mcp_servers": {"a": {"command": db}}}, "beaver": {"cmd": "x"}}
    of_all = {name: {"url": f"http://all/{name}"} for name in names[:2]}
    fixed = Fixed(tmp_path, agents=own, mcp_servers=of_all)
    inside = Fixed(inner, agents=own, mcp_servers=of_all)
    (inner / ".git").rmdir()

    found = {each.name: each for each in inside.taken()}

    assert isinstance(found["a"], McpCommand)
    urls = {name: each.url for name, each in found.items() if isinstance(each, McpAddress)}
    assert urls == {"b": "http://all/b", "c": "http://inner/c", "d": "http://outer/d"}
    assert {each.name for each in fixed.taken()} == set(names)


def test_a_wrong_server_hides_the_one_that_it_was_to_replace(tmp_path: Path) -> None:
    write(tmp_path, db={"url": "http://db"})
    fixed = Fixed(tmp_path, mcp_servers={"db": {"command": "crab"}})

    assert not fixed.taken()
    assert fixed.complaints == ["g:claude_ide.mcp_servers.db: crab is not on PATH"]


def test_a_file_counts_only_in_a_trusted_folder(tmp_path: Path) -> None:
    write(tmp_path, wiki={"url": "http://wiki"})

    assert not Fixed(tmp_path, trusted=False).taken()
    assert Fixed(tmp_path).taken() == [McpAddress("wiki", "http://wiki")]


def test_a_file_above_counts_only_if_that_folder_is_trusted(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    write(inner, wiki={"url": "http://wiki"})
    write(tmp_path, wiki={"url": "http://other"}, shell={"command": "sh"})
    (tmp_path / ".git").mkdir()
    fixed = Fixed(inner, untrusted=tmp_path)
    (inner / ".git").rmdir()

    assert fixed.taken() == [McpAddress("wiki", "http://wiki")]
    where = f"trust {tmp_path} (:ClaudeTrust) to use it"
    assert fixed.complaints == [f"../.mcp.json is not used: {where}"]


def test_a_file_is_read_as_the_cli_reads_it(tmp_path: Path) -> None:
    program = tmp_path / "serve.sh"
    program.touch(0o755)
    env = {"A": "${KEY}", "B": "${NONE:-b}", "C": "$KEY", "D": "~/d"}
    write(tmp_path, db={"command": "./serve.sh", "args": [], "env": env, "timeout": 5})

    variables = {"A": "pike-and-carp", "B": "b", "C": "$KEY", "D": "~/d"}
    assert Fixed(tmp_path).taken() == [McpCommand("db", (str(program),), variables)]


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        ({"command": "crab"}, ".db: crab is not on PATH"),
        ({"command": "./crab"}, ".db: ./crab is no program"),
        ({"command": "/no/crab"}, ".db: /no/crab is no program"),
        ({"url": "${NONE}/x"}, ".db: NONE is not set"),
        ({"args": []}, ".db needs a command"),
        ({"type": "http"}, ".db needs a url"),
        ({"command": 3}, ".db.command must be a string, not a number"),
        (
            {"command": "db", "env": {"A": ["pike"]}},
            ".db.env: each item must be a number or a string",
        ),
        ({"type": "pigeon", "url": "x"}, '.db.type: "pigeon" is not one of "stdio", "http", "sse"'),
        ("db", ".db must be a table, not a string"),
    ],
)
def test_a_server_that_cannot_be_used_is_named_and_the_others_remain(
    tmp_path: Path, server: Any, problem: str
) -> None:
    write(tmp_path, db=server, wiki={"url": "http://wiki"})
    fixed = Fixed(tmp_path)

    assert fixed.taken() == [McpAddress("wiki", "http://wiki")]
    (complaint,) = fixed.complaints
    assert complaint.startswith(f".mcp.json{problem}")
    assert "pike" not in complaint


@pytest.mark.parametrize("text", ["", "[]", "{", "\0"])
def test_a_file_that_is_broken_is_named(tmp_path: Path, text: str) -> None:
    path = write(tmp_path)
    path.write_text(text)
    fixed = Fixed(tmp_path)

    assert not fixed.taken()
    assert fixed.complaints == [".mcp.json cannot be read as a JSON object"]


def test_a_transport_that_the_agent_does_not_take_is_named(tmp_path: Path) -> None:
    fixed = Fixed(tmp_path, mcp_servers={"wiki": {"url": "http://wiki"}})

    assert not fixed.taken("stdio")
    assert fixed.complaints == [
        "g:claude_ide.mcp_servers.wiki: the agent takes no MCP server over http"
    ]


def test_the_name_of_the_editors_server_is_taken(tmp_path: Path) -> None:
    fixed = Fixed(tmp_path, mcp_servers={"neovim": {"url": "http://wiki"}})

    assert not fixed.taken()
    assert "neovim: the editor's own server has this name" in fixed.complaints[0]


def test_the_values_of_variables_and_headers_stay_out_of_the_log(tmp_path: Path, db: str) -> None:
    command = {"command": db, "env": {"A": "$KEY"}}
    address = {"url": "http://wiki", "headers": {"X": "perch-and-eel"}}
    Fixed(tmp_path, mcp_servers={"db": command, "wiki": address}).taken()

    assert without_secrets("pike-and-carp, perch-and-eel") == "[hidden], [hidden]"
