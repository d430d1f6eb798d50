"""`diagnostics/texts.lua`: language servers are notified of a write."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, received
from support.neovim import Neovim, until

REPORT = "require('claude_ide.diagnostics.texts').report(...)"
DID_SAVE = "textDocument/didSave"
DID_CHANGE = "textDocument/didChange"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


async def edit(nvim: Neovim, path: Path, text: bytes = b"one\ntwo\n") -> int:
    path.write_bytes(text)
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def reported(log: Path, method: str) -> Any:
    return await until(lambda: received(log, method), method)


async def test_a_server_that_wants_saves_is_notified_of_the_save(
    nvim: Neovim, project: Path, log: Path
) -> None:
    path = project / "a b#.txt"
    path.write_bytes(b"one\n")
    await nvim.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))
    await attach(nvim, "--save=yes", f"--log={log}")

    await nvim.lua(REPORT, await nvim.eval("bufnr()"))

    assert await reported(log, DID_SAVE) == [{"textDocument": {"uri": path.as_uri()}}]


async def test_other_servers_are_not_notified_of_the_save(
    nvim: Neovim, project: Path, log: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    client = await attach(nvim, "--save=no", f"--log={log}")

    await nvim.lua(REPORT, bufnr)
    await nvim.lua("vim.lsp.get_client_by_id(...):notify('test/last', {})", client)

    await reported(log, "test/last")
    assert received(log, DID_SAVE) == []


TEXTS = {
    "plain": (b"one\ntwo\n", "one\ntwo\n"),
    "without a last line end": (b"one\ntwo", "one\ntwo"),
    "of Windows": (b"one\r\ntwo\r\n", "one\r\ntwo\r\n"),
    "with a byte order mark": (b"\xef\xbb\xbfone\n", "one\n"),
    "with characters": ("é𝄞\n".encode(), "é𝄞\n"),
}


@pytest.mark.parametrize("kind", TEXTS)
async def test_a_server_that_wants_the_text_gets_the_same_text_as_neovim_sent(
    nvim: Neovim, project: Path, log: Path, kind: str
) -> None:
    written, text = TEXTS[kind]
    bufnr = await edit(nvim, project / "a.txt", written)
    await attach(nvim, "--save=text", f"--log={log}")

    await nvim.lua(REPORT, bufnr)

    (saved,) = await reported(log, DID_SAVE)
    (opened,) = received(log, "textDocument/didOpen")
    assert saved["text"] == text == opened["textDocument"]["text"]


async def test_the_notification_omits_the_text_of_a_buffer_with_unsaved_changes(
    nvim: Neovim, project: Path, log: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await attach(nvim, "--save=text", f"--log={log}")
    await nvim.command("call setline(1, 'unsaved')")

    await nvim.lua(REPORT, bufnr)

    (saved,) = await reported(log, DID_SAVE)
    assert "text" not in saved


async def test_changes_that_neovim_delays_are_sent_before_the_save(
    nvim: Neovim, project: Path, log: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await attach(nvim, "--save=yes", f"--log={log}")

    await nvim.lua(
        """
        vim.api.nvim_buf_set_lines(..., 0, 1, true, { 'first' })
        vim.api.nvim_buf_set_lines(..., 1, 2, true, { 'second' })
        require('claude_ide.diagnostics.texts').report(...)
        """,
        bufnr,
    )

    await reported(log, DID_SAVE)
    (last,) = received(log, DID_CHANGE)[-1]["contentChanges"]
    assert last["text"] == "first\nsecond\n"


async def test_a_server_without_text_synchronization_is_not_notified(
    nvim: Neovim, project: Path, log: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    client = await attach(nvim, "--sync=0", "--save=no", f"--log={log}")

    await nvim.lua(REPORT, bufnr)
    await nvim.lua("vim.lsp.get_client_by_id(...):notify('test/last', {})", client)

    await reported(log, "test/last")
    assert received(log, DID_CHANGE) == received(log, DID_SAVE) == []


HINTS = """
return vim.tbl_map(function(one)
  return one.inlay_hint.position.line
end, vim.lsp.inlay_hint.get({ bufnr = ... }))
"""


def hint_in(line: int) -> dict[str, Any]:
    return {"result": [{"position": {"line": line, "character": 0}, "label": "hint"}]}


async def test_inlay_hints_of_a_buffer_that_is_not_current_move_with_its_text(
    nvim: Neovim, project: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    answers = [hint_in(1), hint_in(0)]
    script.write_text(
        json.dumps(
            {
                "capabilities": {"inlayHintProvider": True},
                "answers": {"textDocument/inlayHint": answers},
            }
        )
    )
    bufnr = await edit(nvim, project / "a.txt")
    await attach(nvim, f"--script={script}", "--publish=never")
    await nvim.lua("vim.lsp.inlay_hint.enable(true, { bufnr = ... })", bufnr)
    await until(lambda: nvim.lua(HINTS, bufnr), "the hints are there")
    assert await nvim.lua(HINTS, bufnr) == [1]
    await nvim.command("split other.txt")

    await nvim.lua("vim.api.nvim_buf_set_lines(..., 0, 1, true, {})", bufnr)
    await nvim.lua(REPORT, bufnr)

    async def has_moved() -> bool:
        return bool(await nvim.lua(HINTS, bufnr) == [0])

    await until(has_moved, "the hint has moved")
