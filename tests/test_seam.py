"""The seam of the two halves: each name that one uses exists in the other. Also calls within Lua.

No code is run: Python's own parser reads Python, and Neovim's reads Lua.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from claude_ide.editor import events
from claude_ide.editor.port import LACKING_IN_VIM
from support import lua_names, lua_source, port_calls
from support.lua_names import Call
from support.lua_source import Field, Source
from support.neovim import ROOT


def field(name: str) -> Field | None:
    """Return the field of a Lua module for `module.function`, or None."""
    module, _, function = name.rpartition(".")
    source = lua_source.modules().get(module)
    return source.defined.get(function) if source else None


@cache
def calls_from_python() -> list[Call]:
    """Return a call of each function of the port, with all of its arguments."""
    return [*port_calls.bound()]


def complaint(call: Call) -> str:
    """Return the error in a call from Python, or the empty string."""
    if "." not in call.function:
        return complaint_in_script(call)
    found = field(call.function)
    if found is None or not found.is_function:
        return f"{call.location}: Lua has no function {call.function}"
    if call.function.rpartition(".")[2].startswith("_"):
        return f"{call.location}: {call.function} is private"
    if call.given > found.count:
        return f"{call.location}: {call.function} takes {found.count} arguments, not {call.given}"
    return ""


def complaint_in_script(call: Call) -> str:
    """Return the error in a call of a function of Vim script, or the empty string."""
    script = call.function.rpartition("#")[0].replace("#", "/")
    if not script:
        return "" if call.function in ("environ", "getcwd") else f"{call.function}: unknown"
    text = (ROOT / "autoload" / f"{script}.vim").read_text("utf-8")
    found = re.search(rf"^function {call.function}\(([^)]*)\) abort$", text, re.MULTILINE)
    if found is None:
        return f"{call.location}: there is no function {call.function}"
    count = len([each for each in found[1].split(",") if each.strip()])
    return "" if call.given <= count else f"{call.location}: {call.function} takes {count}"


def test_lua_has_every_function_of_the_port() -> None:
    calls = calls_from_python()
    offenders = {complaint(call) for call in calls} - {""}

    assert len({call.function for call in calls}) > 100
    assert not offenders, "\n".join(sorted(offenders))


def test_each_function_of_the_port_has_one_method() -> None:
    cancelling = {binding.cancel for binding in port_calls.bindings_of_all()}
    functions = Counter(call.function for call in calls_from_python())

    assert not {name for name, count in functions.items() if count > 1} - cancelling


def test_only_the_port_names_functions_of_the_editor() -> None:
    modules = {*lua_source.modules()}
    rooms = {module.partition(".")[0] for module in modules}
    outside = [
        f"{call.location}: {call.function}"
        for call in lua_names.mentioned(rooms, modules)
        if not call.location.startswith("python/claude_ide/editor/port/")
        and field(call.function) is not None
        and call.location.partition(":")[0] not in STARTS
    ]

    assert not outside, "\n".join(outside)


STARTS = {f"python/claude_ide/{name}" for name in ("editor/operations.py", "host.py")}
"""They call what carries calls of the port, or comes before them."""

VIM = ROOT / "autoload/claude_ide"
EXPORTED = r"^export def {}\(([^)]*)\)"


def complaint_in_vim(call: Call) -> str:
    """Return the error in a call from Python to Vim, or the empty string."""
    if "." not in call.function:
        return complaint_in_script(call)
    module, _, function = call.function.rpartition(".")
    path = VIM / f"{module.replace('.', '/')}.vim"
    camel = "".join(word[:1].upper() + word[1:] for word in function.split("_"))
    text = path.read_text("utf-8") if path.exists() else ""
    found = re.search(EXPORTED.format(camel), text, re.MULTILINE)
    if found is None:
        return f"{call.location}: Vim has no function {call.function}"
    count = len([each for each in found[1].split(",") if each.strip()])
    if call.given > count and "..." not in found[1]:
        return f"{call.location}: {call.function} takes {count} arguments in Vim, not {call.given}"
    return ""


def is_lacking_in_vim(function: str) -> bool:
    """Return whether a function belongs to a feature that Vim does not have."""
    return any(f"{function}.".startswith(f"{name}.") for name in LACKING_IN_VIM)


def test_vim_has_every_function_of_the_port_or_lacks_the_feature() -> None:
    complaints = {call.function: complaint_in_vim(call) for call in calls_from_python()}
    lacking = {function for function, problem in complaints.items() if problem}
    offenders = {complaints[name] for name in lacking if not is_lacking_in_vim(name)}
    needless = [
        name
        for name in LACKING_IN_VIM
        if not any(f"{function}.".startswith(f"{name}.") for function in lacking)
    ]

    assert len(complaints) - len(lacking) > 50
    assert not offenders, "\n".join(sorted(offenders))
    assert not needless


def emitted() -> dict[str, str]:
    """Return the events that Lua emits, with their locations.

    If a variable holds the name, each `…_changed` string of its module counts.
    """
    found: dict[str, str] = {}
    for name, source in lua_source.modules().items():
        found |= {event.text: f"{name}:{event.line}" for event in source.emits}
        if any(not event.text for event in source.emits):
            found |= {
                s.text: f"{name}:{s.line}" for s in source.strings if s.text.endswith("_changed")
            }
    return {event: location for event, location in found.items() if event}


def emitted_by_vim() -> dict[str, str]:
    """Return the events that the scripts for Vim emit, with their files."""
    return {
        event: path.relative_to(ROOT).as_posix()
        for path in sorted(VIM.rglob("*.vim"))
        for event in re.findall(r"\b[Ee]mit\('(\w+)'", path.read_text("utf-8"))
    }


def test_each_event_has_an_emitter_and_a_handler() -> None:
    types, handled, emitters = events.types(), lua_names.handled(), emitted() | emitted_by_vim()
    without_handler = {name for name, (type_, _) in types.items() if type_.__name__ not in handled}
    offenders = [
        *(f"{emitters[event]}: {event} is no event" for event in emitters.keys() - types),
        *(f"nothing handles {event}" for event in without_handler),
        *(f"nothing emits {event}" for event in types.keys() - emitters),
    ]

    assert emitters
    assert not offenders, "\n".join(sorted(offenders))


def test_each_kind_of_a_chat_event_has_a_handler_and_an_emitter() -> None:
    handled, sources = lua_names.handled(), lua_source.modules().items()
    strings = {
        s.text for name, source in sources if name.startswith("chat.") for s in source.strings
    }
    _, kinds = events.types()["chat"]

    assert kinds
    assert not {kind.__name__ for kind in kinds.values()} - handled.keys()
    assert not kinds.keys() - strings


def test_a_handler_gets_what_it_is_marked_with() -> None:
    """The decorator itself has no types."""
    offenders = [
        node.name
        for node, marked in lua_names.handlers()
        if marked != annotated(node.args.args[-1].annotation)
    ]

    assert [*lua_names.handlers()]
    assert not offenders


def annotated(node: ast.AST | None) -> list[str]:
    """Return the names of the types of an annotation."""
    if isinstance(node, ast.BinOp):
        return [*annotated(node.left), *annotated(node.right)]
    return [lua_names.last_name(node)] if node else []


def complaints_in_lua(modules: dict[str, Source], path: str, source: Source) -> list[str]:
    """Return the errors in the calls of one file."""
    complaints = []
    for use in source.calls():
        module = use.module.removeprefix("claude_ide").removeprefix(".")
        there = modules.get(module or "init") if use.module else source
        found = there.defined.get(use.name) if there else None
        if found is None:
            complaints.append(f"{path}:{use.line}: {use.module or 'M'} has no {use.name}")
        elif use.count > found.count:
            name = f"{use.module or 'M'}.{use.name}"
            complaints.append(
                f"{path}:{use.line}: {name} takes {found.count} arguments, not {use.count}"
            )
    return complaints


def test_lua_has_every_function_that_lua_calls() -> None:
    modules = lua_source.modules()
    offenders = [
        complaint
        for path, source in lua_source.sources().items()
        for complaint in complaints_in_lua(modules, str(path.relative_to(ROOT)), source)
    ]

    assert not offenders, "\n".join(offenders)


def test_lua_has_every_function_that_a_command_calls_by_name() -> None:
    """`plugin/` loads a module when its command is used, so only a user would notice."""
    modules = lua_source.modules()
    named = [
        (use, f"{path.relative_to(ROOT)}:{use.line}")
        for path, source in lua_source.sources().items()
        if path.is_relative_to(ROOT / "plugin")
        for use in source.pairs
        if use.module in modules
    ]
    offenders = [
        f"{location}: {use.module} has no {use.name}"
        for use, location in named
        if use.name not in modules[use.module].defined
    ]

    assert len(named) > 3
    assert not offenders, "\n".join(offenders)


def test_each_class_is_annotated_once() -> None:
    locations: dict[str, list[str]] = {}
    for path, source in lua_source.plugin().items():
        for declared in source.classes:
            location = f"{path.relative_to(ROOT)}:{declared.line}"
            locations.setdefault(declared.text, []).append(location)
    offenders = [
        f"{name}: {', '.join(found)}" for name, found in locations.items() if len(found) > 1
    ]

    assert len(locations) > 20
    assert not offenders, "\n".join(offenders)


def test_every_lua_file_can_be_parsed() -> None:
    assert [path for path, source in lua_source.sources().items() if not source.is_sound] == []


# The reader itself, with a file that has errors.

WRONG = """
local channel = require('claude_ide.channel')
local M = {}
M.limit = 3
function M.two(a, b) end
local function lazily() return require('claude_ide.file.path') end
local function run(channel)
  channel.unknown()
  M.two(1, 2, 3)
  M.missing()
end
channel.emit('gone', { M.two })
channel.nothing(...)
lazily().never(require('claude_ide.messages.plain').one_line(1, 2, 3))
vim.notify = run
return M
"""


def test_a_wrong_call_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.lua"
    path.write_text(WRONG)
    (source,) = lua_source.read([path]).values()
    plain = lua_source.modules()["messages.plain"].defined["one_line"]

    assert complaints_in_lua(lua_source.modules(), "wrong.lua", source) == [
        "wrong.lua:9: M.two takes 2 arguments, not 3",
        "wrong.lua:10: M has no missing",
        "wrong.lua:13: claude_ide.channel has no nothing",
        "wrong.lua:14: claude_ide.file.path has no never",
        f"wrong.lua:14: claude_ide.messages.plain.one_line takes {plain.count} arguments, not 3",
    ]
    assert [event.text for event in source.emits] == ["gone"]
    assert [target.text for target in source.replaced] == ["vim.notify"]
    assert source.required() == {"channel", "file.path", "messages.plain"}
    assert not source.defined["limit"].is_function
