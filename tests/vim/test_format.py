"""The tool `reformat_file` in Vim."""

import json
from pathlib import Path

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim


async def test_formatprg_formats_and_saves_and_keeps_cursor_mark_and_undo(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("b\na\nlast\n")
    await serving_vim.command(f"edit {path}")
    await serving_vim.command("let &l:formatprg = \"sed 's/a$/A/; 1i first'\"")
    await serving_vim.command("normal! 3Gmx")

    assert await reformat(serving_vim, path) == {
        "ok": True,
        "report": "Reformatted with sed 's/a$/A/; 1i first': 2 lines changed, saved.",
    }
    assert path.read_text() == "first\nb\nA\nlast\n"
    assert await serving_vim.eval("[line('.'), line(\"'x\")]") == [4, 4]
    await serving_vim.keys("u")
    assert await serving_vim.eval("getline(1, '$')") == ["b", "a", "last"]


async def test_a_failing_formatter_changes_nothing(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("b\n")
    await serving_vim.command(f"edit {path}")
    await serving_vim.command("let &l:formatprg = 'echo no >&2; exit 3'")

    said = (await reformat(serving_vim, path))["error"]
    assert said.endswith(f"could not reformat {path}: exit code 3: no")
    assert path.read_text() == "b\n"


async def reformat(vim: Vim, path: Path) -> dict[str, str]:
    """Call what the tool calls, and return what it emits, as the host would get it."""
    await vim.command("call ch_logfile('emitted.log', 'w')")
    await vim.call("claude_ide#format#Reformat", 99, str(path))
    log = Path(await vim.eval("getcwd()")) / "emitted.log"

    def emitted() -> str:
        return next(
            (
                line
                for line in log.read_text(errors="replace").splitlines()
                if '"reformatted"' in line
            ),
            "",
        )

    line = await until(emitted, "the event")
    payload = json.loads(line[line.index("[") : line.rindex("]") + 1])[3]
    del payload["token"]
    return dict(payload)
