"""Makes `agents/acp/known.json`: `python -m support.registry.make [FILE]`, for `make agent-list`.

It reads the public registry, or a file with a copy. `amendments.json` has what the registry does
not say: our id for an agent (its key; `registry` is the other one), its program, how its user logs
in, what to beware of; agents that the registry lacks; and those that are left out, with the reason.
An agent of npm is taken only if its program is known: a package may have another name.
"""

import json
import sys
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from claude_ide.agents.acp.launch import FILE

SOURCE = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
AMENDMENTS = Path(__file__).with_name("amendments.json")
PLATFORM = "linux-x86_64"
TIMEOUT_SECONDS = 30

Entry = dict[str, Any]


def made(registry: Entry, amendments: Entry) -> tuple[dict[str, Entry], list[str]]:
    """Return the agents by our ids, and a line for each that is left out."""
    omitted: dict[str, str] = amendments["omitted"]
    ours: dict[str, Entry] = amendments["agents"]
    ids = {entry["registry"]: id_ for id_, entry in ours.items() if "registry" in entry}
    found = {id_: entry for id_, entry in ours.items() if "registry" not in entry}
    left_out: list[str] = []
    for agent in registry["agents"]:
        id_ = ids.get(agent["id"], agent["id"])
        own = dict(ours.get(id_, {}))
        program, arguments, install = _installed(agent)
        program = own.pop("program", program)
        own.pop("registry", None)
        if reason := omitted.get(agent["id"]) or ("" if program else "unknown program"):
            left_out.append(f"{agent['id']}: {reason}")
            continue
        cmd = [program, *arguments]
        found[id_] = {"name": agent["name"], "cmd": cmd, "install": install, **own}
    gone = ids.keys() - {agent["id"] for agent in registry["agents"]}
    left_out += [f"{id_}: no longer in the registry" for id_ in sorted(gone)]
    return dict(sorted(found.items())), left_out


def _installed(agent: Entry) -> tuple[str, list[str], str]:
    """Return the program of an agent, its arguments, and how to install it."""
    given: Entry = agent["distribution"]
    for kind, install in (("npx", "npm install -g"), ("uvx", "uv tool install")):
        if kind in given:
            package = _unversioned(given[kind]["package"])
            program = package if kind == "uvx" else ""
            return program, given[kind].get("args", []), f"{install} {package}"
    by_platform: Entry = given["binary"]
    binary = by_platform.get(PLATFORM) or next(iter(by_platform.values()))
    program, *more = binary["cmd"].split()
    place = agent.get("website") or agent.get("repository", "")
    return Path(program).name, [*more, *binary.get("args", [])], place


def _unversioned(package: str) -> str:
    name, _, _ = package.partition("==")
    return name[:1] + name[1:].partition("@")[0]


def text(agents: dict[str, Entry], source: str, day: str) -> str:
    """Return the file: an agent a line."""
    lines = ",\n".join(f"    {json.dumps(id_)}: {json.dumps(each)}" for id_, each in agents.items())
    head = f'"source": {json.dumps(source)},\n  "as_of": {json.dumps(day)}'
    return f'{{\n  {head},\n  "agents": {{\n{lines}\n  }}\n}}\n'


def main() -> int:
    """Write the file, and report what is left out."""
    if sys.argv[1:]:
        content = Path(sys.argv[1]).read_bytes()
    else:
        with urllib.request.urlopen(SOURCE, timeout=TIMEOUT_SECONDS) as answer:
            content = answer.read()
    agents, left_out = made(json.loads(content), json.loads(AMENDMENTS.read_bytes()))
    FILE.write_text(text(agents, SOURCE, f"{datetime.now(UTC):%Y-%m-%d}"), encoding="utf-8")
    print("\n".join((f"{len(agents)} agents in {FILE.name}", *left_out)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
