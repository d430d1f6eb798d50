"""The settings that a folder brings for the CLI: hooks, servers, environment, permissions."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.base import files, git

LARGEST_BYTES = 1_000_000
"""Bytes of the largest settings file that is read; a larger one is reported as unreadable."""

SETTINGS = ("settings.json", "settings.local.json")
HELPERS = (
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "otelHeadersHelper",
)
"""Commands that print a key for the CLI."""

COMMANDS = ("statusLine", "subagentStatusLine", "fileSuggestion")
"""Settings whose `command` is a shell command."""

MEMORY = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
FOLDERS = ("rules", "agents", "commands", "skills", "output-styles", "workflows")
"""Folders in `.claude` whose files the model reads or runs."""


class Item(NamedTuple):
    """One thing that a folder brings: its kind, name and text.

    An example is `hook`, `SessionStart`, `make setup`.
    """

    kind: str
    name: str
    text: str = ""


def items(folder: str | Path, config: Path) -> list[Item]:
    """Return all things that the CLI would use in a folder; `config` is the user's own settings."""
    real, found = Path(folder).resolve(), list[Item]()
    try:
        found += _settings_of(real / ".claude", config)
        for path, given in server_files(real):
            found += _servers(path, given)
        for each in _reaching(real):
            found += [Item("file", _shown(each / name, real)) for name in _files(each, config)]
    except OSError as error:
        found.append(Item("unreadable file", str(error.filename)))
    return found


def settings(folder: str | Path) -> Iterator[tuple[Path, Mapping[str, Any] | None]]:
    """Yield the settings files of a folder with their content, lowest priority first.

    The content is None if the file cannot be read or is not a JSON object.
    """
    for name in SETTINGS:
        path = Path(folder, ".claude", name)
        if path.exists():
            yield path, read(path)


def server_files(folder: str | Path) -> Iterator[tuple[Path, Mapping[str, Any] | None]]:
    """Yield the `.mcp.json` that reach a folder with their content, the nearest first.

    The content is None if the file cannot be read or is not a JSON object.
    """
    for each in _reaching(Path(folder).resolve()):
        if (path := each / ".mcp.json").exists():
            yield path, read(path)


def summary(found: Iterable[Item]) -> str:
    """Return a short summary of items."""
    counts = Counter(item.kind for item in found if item.kind not in ("file", "env", "mode"))
    words = [f"{count} {kind}{'s' * (count > 1)}" for kind, count in counts.items()]
    variables = [item.name for item in found if item.kind == "env"]
    words += [f"env ({_few(variables)})"] if variables else []
    words += [f"mode {item.name}" for item in found if item.kind == "mode"]
    names = [item.name for item in found if item.kind == "file"]
    return ", ".join([*words, _few(names)] if names else words)


def _settings_of(claude: Path, config: Path) -> Iterator[Item]:
    for path, given in settings(claude.parent):
        if path.resolve() == (config / "settings.json").resolve():
            continue  # the home directory's are the user's own
        if given is None:
            yield Item("unreadable file", f".claude/{path.name}")
        else:
            yield from _of_settings(given)


def _of_settings(given: Mapping[str, Any]) -> Iterator[Item]:
    for key, value in given.items():
        if key == "hooks":
            yield from _hooks(value)
        elif key in HELPERS:
            yield Item("helper", key, _text(value))
        elif key in COMMANDS:
            command = value.get("command") if isinstance(value, dict) else value
            yield Item("command", key, _text(command))
        elif key == "env" and isinstance(value, dict):
            yield from (Item("env", name, _text(each)) for name, each in value.items())
        elif key == "permissions" and isinstance(value, dict):
            yield from _permissions(value)
        elif key == "enabledPlugins" and isinstance(value, dict):
            yield from (Item("plugin", name) for name, on in value.items() if on)
        elif key != "$schema":
            yield Item("setting", key, _text(value))


def _hooks(value: Any) -> Iterator[Item]:
    if not isinstance(value, dict):
        return
    for event, matchers in value.items():
        for matcher in matchers if isinstance(matchers, list) else []:
            hooks = matcher.get("hooks") if isinstance(matcher, dict) else None
            for hook in hooks if isinstance(hooks, list) else []:
                run = hook if not isinstance(hook, dict) else _run(hook)
                yield Item("hook", event, _text(run))


def _run(hook: Mapping[str, Any]) -> Any:
    return next((hook[key] for key in ("command", "url", "prompt") if key in hook), dict(hook))


def _permissions(value: Mapping[str, Any]) -> Iterator[Item]:
    for key, given in value.items():
        if key == "defaultMode":
            yield Item("mode", _text(given))
        else:
            rules = given if isinstance(given, list) else [given]
            yield from (Item("permission", key, _text(rule)) for rule in rules)


def _servers(path: Path, given: Mapping[str, Any] | None) -> Iterator[Item]:
    if given is None:
        yield Item("unreadable file", path.name)
        return
    servers = given.get("mcpServers", given)
    for name, server in servers.items() if isinstance(servers, dict) else []:
        yield Item("MCP server", name, _server(server))


def _server(server: Any) -> str:
    if not isinstance(server, dict):
        return _text(server)
    arguments = server.get("args")
    words = [server.get("command") or server.get("url") or ""]
    words += arguments if isinstance(arguments, list) else []
    return " ".join(map(_text, words))


def _files(folder: Path, config: Path) -> Iterator[str]:
    """Yield the files and folders that the model would read."""
    is_own = (folder / ".claude").resolve() == config.resolve()
    yield from (name for name in MEMORY if not is_own and (folder / name).is_file())
    if not is_own:
        for name in FOLDERS:
            inside = folder / ".claude" / name
            if inside.is_dir() and next(inside.iterdir(), None) is not None:
                yield f".claude/{name}"


def _reaching(real: Path) -> Iterator[Path]:
    """Yield the folders that the CLI searches: up to the repository's root, or below home."""
    found = git.find_repository(real)
    home = Path.home().resolve()
    for each in (real, *real.parents):
        if each != real and (each == home or each == each.parent):
            return
        yield each
        if found is not None and each == found.root:
            return


def read(path: Path) -> Mapping[str, Any] | None:
    """Return the content of a settings file; None if it is missing, too large or not an object."""
    content = files.read_if_sound(path, LARGEST_BYTES)
    try:
        given = json.loads(content) if content is not None else None
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _shown(path: Path, real: Path) -> str:
    return str(path.relative_to(real)) if path.is_relative_to(real) else str(path)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _few(names: list[str], most: int = 3) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f", {more} more" if more > 0 else "")
