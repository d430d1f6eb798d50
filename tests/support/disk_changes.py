"""Writing files that a Neovim under test watches, for the tests of what follows."""

from pathlib import Path

from support.neovim import Neovim, until

OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"
MINUS = "\N{MINUS SIGN}"
CHANGE = "require('claude_ide.disk.change')"
SECONDS = 0.5
"""How soon a change is to be seen; a machine that others use gets ten times that."""

# In Neovim's own loop, so that a busy machine cannot make a pause of it.
WRITE_IN_PIECES = """
local path, pieces = ...
local file = assert(io.open(path, 'w'))
local timer = assert(vim.uv.new_timer())
timer:start(0, 20, function()
  local piece = table.remove(pieces, 1)
  if not piece then
    file:close()
    return timer:close()
  end
  file:write(piece)
  file:flush()
end)
"""


async def watch(nvim: Neovim) -> None:
    """Watch in Neovim what changes on disk."""
    await nvim.lua(f"{CHANGE}.watch('server', true)")
    await until(lambda: nvim.lua("return require('claude_ide.disk.folders').state().folders > 0"))


async def edit_watched(nvim: Neovim, project: Path) -> Path:
    """Edit a file, in a Neovim that watches it."""
    file = project / "a.txt"
    file.write_text(OLD)
    await nvim.command("edit a.txt")
    await watch(nvim)
    return file


def replace(path: Path, text: str) -> None:
    """Write as most programs do: another file takes the name."""
    new = path.with_name("new.tmp")
    new.write_text(text)
    new.replace(path)


async def text(nvim: Neovim, path: Path) -> str:
    """What the buffer of a file holds."""
    lines = await nvim.lua("return vim.fn.getbufline(vim.fn.bufnr(...), 1, '$')", str(path))
    return "".join(f"{line}\n" for line in lines)


async def shows(nvim: Neovim, path: Path, wanted: str) -> None:
    """Wait until the buffer of a file holds a text."""

    async def is_shown() -> bool:
        return await text(nvim, path) == wanted

    await until(is_shown, f"the buffer of {path.name} follows", SECONDS * 10)


async def looked(nvim: Neovim, path: Path) -> None:
    """Wait until what happened before is seen: a file beside it changes last."""
    other = path.with_name("last.txt")
    other.write_text("before\n")
    load = "local b = vim.fn.bufadd(...); vim.fn.bufload(b); vim.bo[b].autoread = true"
    await nvim.lua(load, str(other))
    other.write_text("after\n")
    await shows(nvim, other, "after\n")


async def messages(nvim: Neovim) -> str:
    """All messages that were shown."""
    said: str = await nvim.eval("execute('messages')")
    return said


async def all_reported(nvim: Neovim, path: Path) -> None:
    """Wait until what happened before is reported, along with another file or before it."""
    other = path.with_name("other.txt")
    other.write_text(OLD)
    await nvim.command(f"split {other} | wincmd p")
    replace(other, NEW)

    async def is_reported() -> bool:
        return other.name in await messages(nvim)

    await until(is_reported, "another file is reported")
