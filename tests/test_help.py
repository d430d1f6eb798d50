"""`:help` and the README, compared with the code."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from claude_ide.agents.acp.launch import known
from claude_ide.chat import chats  # noqa: F401  it declares the subcommands
from claude_ide.chat.chat_context import SUBCOMMANDS
from claude_ide.config import Config
from support.neovim import ROOT, Neovim

HELP = (ROOT / "doc/claude_ide.txt").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
LUA = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("lua", "plugin")
    for path in sorted((ROOT / folder).rglob("*.lua"))
)
ANNOUNCING = "".join(
    text
    for path in sorted((ROOT / "autoload/claude_ide").glob("*.vim"))
    if "claude_ide#editor#Announce(" in (text := path.read_text(encoding="utf-8"))
)
GROUPS = set(re.findall(r"\b(Claude[A-Z]\w+) = ['{]", LUA))
COMMANDS = set(re.findall(r"command\('(\w+)'", LUA))


def section(tag: str) -> str:
    """Return the section of the help that starts with a tag."""
    return HELP.partition(f"*{tag}*")[2].partition("\n====")[0]


def options(type_: Any = Config, prefix: str = "") -> Iterator[str]:
    """Yield the names of all options, such as `diff.layout`."""
    for field in msgspec.structs.fields(type_):
        if isinstance(field.default, msgspec.Struct):
            if field.type is not type(field.default):
                yield f"{prefix}{field.name}"  # it can be off
            yield from options(type(field.default), f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}"


@pytest.mark.parametrize("text", [section("claude-ide-options"), README], ids=["help", "README"])
async def test_the_documented_defaults_are_the_actual_ones(nvim: Neovim, text: str) -> None:
    shown = re.search(r"vim\.g\.claude_ide = (\{.*?\n\s*\})\n", text, re.DOTALL)
    assert shown

    defaults = await nvim.lua(f"return {shown[1]}")

    # Lua's empty table arrives as a list.
    tables = {
        name: dict(defaults[name]) for name in ("agents", "contexts", "mcp_servers", "prompts")
    }
    tables["review"] = defaults["review"] | {"keys": dict(defaults["review"]["keys"])}
    assert defaults | tables == msgspec.to_builtins(Config())


def test_the_help_has_tags_for_exactly_the_existing_options() -> None:
    described = section("claude-ide-options")

    assert sorted(re.findall(r"\*claude-ide-([\w.]+)\*", described)) == sorted(options())


def test_the_help_has_tags_for_exactly_the_existing_highlight_groups() -> None:
    assert set(re.findall(r"\*hl-(\w+)\*", HELP)) == GROUPS


def test_the_help_has_tags_for_exactly_the_existing_events() -> None:
    """Every other name of ours in Lua is a highlight group or a command."""
    named = set(re.findall(r"'(Claude[A-Z]\w+)'", LUA + ANNOUNCING))
    announcers = ("review/announcer.py", "review/reverting.py")
    texts = [(ROOT / "python/claude_ide" / name).read_text("utf-8") for name in announcers]
    announced = set(re.findall(r'"(Claude[A-Z]\w+)"', "".join(texts)))

    assert set(re.findall(r"\*(Claude\w+)\*", section("claude-ide-events"))) == (
        named - GROUPS - (COMMANDS - {"ClaudeComment"}) | announced
    )


def test_the_help_has_tags_for_exactly_the_existing_maps() -> None:
    plugin = (ROOT / "plugin/claude_ide.lua").read_text(encoding="utf-8")

    assert set(re.findall(r"\*(<Plug>\(claude-[\w-]+\))\*", section("claude-ide-maps"))) == set(
        re.findall(r"<Plug>\(claude-[\w-]+\)", plugin)
    )


def test_each_subcommand_of_claude_chat_is_completed_and_described() -> None:
    tables = json.loads((ROOT / "python/claude_ide/editor/tables.json").read_text("utf-8"))
    kinds = tables["completion"]["chat"]
    known = {word: kind for kind, words in kinds.items() for word in words}

    described = HELP.partition(":ClaudeChat {what}")[2].partition("*:ClaudeReview*")[0]

    assert {word: argument != "nothing" for word, argument in known.items()} == {
        word: takes_one for word, takes_one in SUBCOMMANDS.items() if word
    }
    assert set(re.findall(r"^\t\t\t`(\w+)`", described, re.MULTILINE)) == set(known)


def test_the_built_in_agents_are_described_with_what_installs_them() -> None:
    table = HELP.partition("*claude-ide-agents-list*")[2].partition("means `npm install")[0]
    described = re.findall(r"^\t`([\w-]+)`", table, re.MULTILINE)

    assert described == sorted(known())
    for entry in known().values():
        assert entry.name in README or entry.id == "claude-acp"
        packages = re.findall(r"^(?:npm install -g|uv tool install) (.*)", entry.install)
        for package in " ".join(packages).replace("'", "").split():
            if package not in ("--python", "3.13"):
                assert package in re.sub(r"/\n\s+", "/", table), package


@pytest.mark.parametrize(
    ("module", "heading"),
    [("prompt/init", "In the prompt ~"), ("transcript/keys", "In the transcript ~")],
)
def test_the_keys_of_the_chat_are_described(module: str, heading: str) -> None:
    source = (ROOT / f"lua/claude_ide/chat/{module}.lua").read_text(encoding="utf-8")
    keys = re.findall(r"\{\s*'(?!o')\w+',\s*\{ '([^']+)'", source)
    table = section("claude-ide-chat").partition(heading)[2].partition("\n\n")[0]

    assert len(keys) >= 10
    for key in set(keys) - {"<2-LeftMouse>"}:
        control = re.sub(r"<C-(\w)>", lambda found: f"CTRL-{found[1].upper()} ", key).strip()
        assert f"`{control}`" in table or control in table.split(), key


async def test_each_link_of_the_help_has_a_tag(nvim: Neovim) -> None:
    """Vim hides the bars around any word, so that `[off|on|toggle]` becomes `[offontoggle]`."""
    of_nvim = await nvim.eval("readfile($VIMRUNTIME .. '/doc/tags')")
    tags = {line.partition("\t")[0] for line in of_nvim} | set(re.findall(r"\*(\S+)\*", HELP))
    of_vim = {"+job", "+channel", "+timers", "+textprop", "+popupwin", "evim"}

    assert set(re.findall(r"(?<!\\)\|([^|\s]+)\|", HELP)) - tags == of_vim


def test_no_line_of_the_help_is_wider_than_78_columns() -> None:
    """Neovim wraps wider ones where the window of the help is 80 columns wide."""
    lines = enumerate(HELP.expandtabs().splitlines(), start=1)

    assert [f"{number}: {line}" for number, line in lines if len(line) > 78] == []
