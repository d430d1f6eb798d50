"""The options: decodes `g:claude_ide` into a frozen `Config`, one key at a time.

A key that is unknown or has the wrong type is reported and keeps its default, so that one typo
never prevents the server from starting.
"""

import re
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from claude_ide.base.names import VIM, editor_name

LUA_TYPES = {
    "array": "a list",
    "bool": "a boolean",
    "float": "a number",
    "int": "a number",
    "null": "nil",
    "object": "a table",
    "str": "a string",
}
VIM_TYPES = LUA_TYPES | {"null": "null", "object": "a dictionary"}
_TYPE = re.compile(r"`([^`]*)`")
_AGENT_ID = re.compile(r"[A-Za-z0-9_-]+")
NOT_AN_ID = "must have only letters, digits, - and _"
"""Other names could not be an argument of a command."""

Size = Annotated[float, Meta(gt=0, le=10_000)]
Percentage = Annotated[float, Meta(ge=0, le=100)]
NotNegative = Annotated[float, Meta(ge=0)]
Mode = Literal[
    "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "default", ""
]
Cmd = Annotated[str, Meta(min_length=1)] | Annotated[list[str], Meta(min_length=1)]


class DiffConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a proposed edit is shown.

    Neovim itself reads `focus`, and `layout` if it is a function, which does not get here.
    """

    layout: Literal["tab", "vertical", "horizontal", "inline"] = "tab"
    focus: bool = True


class TerminalConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where `:Claude` opens the CLI; `size` is a fraction of the screen, or columns or lines.

    Neovim itself reads a function as `side`. `per`: which of several CLIs the commands mean.
    `mode` is the permission mode in which it starts; '' leaves it to the CLI. `keys`: whether
    CTRL-W with h, j, k, l or p leaves the terminal. `status_line`: whether the CLI shows a row of
    ours if the user has none. `quit`: what becomes of a CLI that works when the editor exits.
    """

    side: Literal["right", "left", "above", "below", "float", "tab", "tmux", "none"] = "right"
    size: Size = 0.4
    per: Literal["neovim", "tab", "worktree"] = "neovim"
    mode: Mode = "manual"
    keys: bool = True
    status_line: bool = True
    quit: Literal["end", "ask", "background"] = "end"


class ToolsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model's tools: whether `:Claude` passes them to the CLI, and which need no permission.

    `clipboard`: whether the model may read the clipboard.
    """

    enabled: bool = True
    allow_read: bool = True
    clipboard: bool = False


Glob = Annotated[str, Meta(min_length=1)]


class PrivacyConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Globs of files that stay in the editor, and of secrets that need not.

    `privacy.rules` reads them as they are at any time.
    """

    deny: list[Glob] = []
    allow: list[Glob] = []


ReviewKeys = dict[Literal["keep", "revert", "next", "previous", "show"], str]


class ReviewConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The review of what agents have written.

    Whether files show their hunks, a message ends each turn that has some, and a commit keeps what
    it contains; and the keys in buffers with hunks.
    """

    overlay: bool = True
    notify: bool = True
    commit_keeps: bool = True
    keys: ReviewKeys = {}


class LimitsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of the user's plan: the percentage above which bars and status lines show them."""

    show_above: Percentage = 75


class AttentionConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When an agent calls the user.

    `seconds`: how long a turn lasts, or a request waits on the screen. `bell`: also by the
    terminal's bell, or a notification of it.
    """

    seconds: NotNegative = 20
    bell: bool = False


class AskConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One-off requests: the model ('' lets the CLI choose) and the window of the answer."""

    model: str = ""
    window: Literal["float", "split"] = "float"


class HeadlessConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who answers one-off requests: the id of an agent ('' for Claude)."""

    agent: str = ""


class ChatConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chat panel: its position; the first model and mode of Claude ('' lets the CLI choose).

    `agent`: the agent of a new chat ('' for Claude, or an agent that is installed). `render`:
    whether Markdown is shown rendered; `follow`: whether a new chat follows its agent.
    """

    side: Literal["right", "left", "above", "below", "float", "tab"] = "right"
    size: Size = 0.4
    model: str = ""
    mode: str = ""
    agent: str = ""
    render: bool = True
    follow: bool = False


class McpServerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An MCP server of the user's: a command with its arguments and variables, or an address.

    `headers` are those of each request to the address, `type` says how it is reached.
    """

    command: str = ""
    args: list[str] = []
    env: dict[str, str | int | float] = {}
    type: Literal["stdio", "http", "sse"] | None = None
    url: str = ""
    headers: dict[str, str] = {}

    @property
    def transport(self) -> str:
        """How it is reached."""
        return self.type or ("http" if self.url else "stdio")


McpServers = dict[str, McpServerConfig]
"""MCP servers by their names."""


class AgentConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent for the chat: its command line, its environment in addition to Neovim's, its name.

    `mcp` is how it connects to the editor's MCP server; `mcp_servers` are more servers. An
    empty value is that of the built-in entry with the same id.
    """

    cmd: Cmd | None = None
    env: dict[str, str | int | float] = {}
    name: str = ""
    mcp: Literal["stdio", "http"] | None = None
    mcp_servers: McpServers = {}


Agents = dict[str, AgentConfig | bool]
"""Agents by their ids; False removes a built-in one."""

Contexts = dict[str, bool]
"""The user's own placeholders by their names; only the editor has their functions."""

Prompts = dict[str, str | Literal[0]]
"""Prompts by their names; False removes a built-in one."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All options with their defaults; `:help claude-ide-options` describes each.

    The editor itself reads `keys`, before there is a host, `prompts` and `contexts`.
    """

    python: str = ""
    auto_start: bool = False
    keys: bool = False
    host: str = "127.0.0.1"
    cmd: Cmd = "claude"
    diff: DiffConfig = DiffConfig()
    terminal: TerminalConfig = TerminalConfig()
    chat: ChatConfig = ChatConfig()
    ask: AskConfig = AskConfig()
    headless: HeadlessConfig = HeadlessConfig()
    tools: ToolsConfig = ToolsConfig()
    review: ReviewConfig = ReviewConfig()
    limits: LimitsConfig = LimitsConfig()
    attention: AttentionConfig | Literal[False] = AttentionConfig()
    hooks: bool = True
    privacy: PrivacyConfig = PrivacyConfig()
    agents: Agents = {}
    mcp_servers: McpServers = {}
    prompts: Prompts = {}
    contexts: Contexts = {}
    log_level: Literal["debug", "info", "warning", "error"] = "info"


def decode(options: Any) -> tuple[Config, list[str]]:
    """Decode the user's options; return the config and one line for each bad key."""
    complaints: list[str] = []
    config: Config = _decode_struct(Config, options, "g:claude_ide", complaints)
    return config, complaints


def decode_mcp_servers(given: Any, where: str) -> tuple[McpServers, list[str]]:
    """Decode the servers of a file that other programs read, too; return a line for each bad one.

    Keys that only those programs know are ignored.
    """
    complaints: list[str] = []
    known = {field.name for field in msgspec.structs.fields(McpServerConfig)}

    def decode(entry: Any, name: str, complaints: list[str]) -> McpServerConfig | None:
        if isinstance(entry, dict):
            entry = {key: value for key, value in entry.items() if key in known}
        return _decode_server(entry, name, complaints)

    return _decode_named(given, where, complaints, decode), complaints


A_FUNCTION = {"function": True}
"""Stands for a function that no option of the editor takes (`host/process`)."""


def _decode_struct(type_: Any, options: Any, where: str, complaints: list[str]) -> Any:
    if not options and isinstance(options, list | None):
        options = {}  # Lua's empty table arrives as a list
    if not isinstance(options, dict):
        complaints.append(f"{where}{_problem(options, type_)}")
        return type_()
    fields = {field.name: field for field in msgspec.structs.fields(type_)}
    good: dict[str, Any] = {}
    for key, value in options.items():
        name = f"{where}.{key}"
        if value == A_FUNCTION:
            complaints.append(f"{name} must not be a function")
            continue
        if key not in fields:
            import difflib

            close = difflib.get_close_matches(str(key), fields, n=1)
            hint = f"; did you mean {close[0]}?" if close else " (:help claude-ide-options)"
            complaints.append(f"{name} is not an option{hint}")
            continue
        wanted = fields[key].type
        # Older Vimscript configs write booleans as 0 and 1.
        given = bool(value) if wanted is bool and value in (0, 1) else value
        if wanted == Prompts:
            good[key] = _decode_named(given, name, complaints, _decode_prompt)
        elif wanted == Contexts:
            good[key] = _decode_named(given, name, complaints, _decode_context)
        elif wanted == Agents:
            good[key] = _decode_named(given, name, complaints, _decode_agent)
        elif wanted == McpServers:
            good[key] = _decode_named(given, name, complaints, _decode_server)
        elif isinstance(default := fields[key].default, msgspec.Struct):
            is_off = isinstance(given, int) and not given and wanted is not type(default)
            struct = False if is_off else _decode_struct(type(default), given, name, complaints)
            good[key] = struct
        elif problem := _problem(given, wanted):
            complaints.append(f"{name}{problem}")
        else:
            good[key] = given
    return type_(**good)


def _decode_named(given: Any, where: str, complaints: list[str], decode: Any) -> dict[str, Any]:
    """Decode entries by their names; `decode` returns one, or None after a complaint."""
    if not given and isinstance(given, list):
        return {}  # Lua's empty table arrives as a list
    if not isinstance(given, dict):
        complaints.append(f"{where}{_problem(given, dict)}")
        return {}
    found: dict[str, Any] = {}
    for key, entry in given.items():
        if not _AGENT_ID.fullmatch(str(key)):
            complaints.append(f"{where}: {_quoted(key)} {NOT_AN_ID}")
        elif (decoded := decode(entry, f"{where}.{key}", complaints)) is not None:
            found[key] = decoded
    return found


def _decode_agent(entry: Any, where: str, complaints: list[str]) -> AgentConfig | bool | None:
    if entry is False or (entry == 0 and isinstance(entry, int)):
        return False
    if entry == [] or isinstance(entry, dict):
        agent: AgentConfig = _decode_struct(AgentConfig, entry, where, complaints)
        return agent
    complaints.append(f"{where}{_problem(entry, dict)}")
    return None


def _decode_server(entry: Any, where: str, complaints: list[str]) -> McpServerConfig | None:
    """Decode an MCP server; one that has a bad key is not used at all."""
    wrong: list[str] = []
    server: McpServerConfig = _decode_struct(McpServerConfig, entry, where, wrong)
    needed = "command" if server.transport == "stdio" else "url"
    if not wrong and not getattr(server, needed):
        wrong.append(f"{where} needs a {needed}")
    complaints += wrong
    return None if wrong else server


def _decode_prompt(text: Any, where: str, complaints: list[str]) -> str | int | None:
    if isinstance(text, str):
        return text
    if text in (False, 0):
        return 0
    complaints.append(f"{where}{_problem(text, str)}")
    return None


def _decode_context(given: Any, where: str, complaints: list[str]) -> bool | None:
    if not where.rpartition(".")[2].isidentifier():
        complaints.append(f"{where}: a placeholder's name begins with a letter, and has no -")
    elif given == A_FUNCTION:
        return True
    else:
        complaints.append(f"{where} must be a function")
    return None


def _problem(value: Any, wanted: Any) -> str:
    """Return what is wrong with a value, to follow the option's name; "" if nothing is."""
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        return _in_words(str(error), value, wanted)
    return ""


def _in_words(error: str, value: Any, wanted: Any) -> str:
    """Return an error of msgspec as one about the types of the editor's language."""
    problem, _, path = error.partition(" - at ")
    if problem.startswith("Invalid enum value"):
        # A choice that may be left out is a union with None; keys are those of a dictionary.
        inner = (get_args(each) for each in get_args(wanted) if get_args(each))
        choices = next(inner, get_args(wanted))
        wrong = next(key for key in value if key not in choices) if path else value
        return f": {_quoted(wrong)} is not one of {', '.join(map(_quoted, choices))}"
    expected, _, got = _TYPE.sub(_types, problem).partition(", got ")
    must = expected.replace("Expected ", "must be ")
    subject = ": each item " if path else " "
    return f"{subject}{must}, not {got}" if got else f"{subject}{must}".removesuffix(".0")


def _types(types: re.Match[str]) -> str:
    words = VIM_TYPES if editor_name() == VIM else LUA_TYPES
    names = types[1].removesuffix(" | null").split(" | ")  # an optional key can just be left out
    return " or ".join(dict.fromkeys(words.get(name, name) for name in names))


def _quoted(value: Any) -> str:
    return f'"{value}"'
