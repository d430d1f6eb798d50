"""Edits of real servers: whole files, lazy fixes, commands; and the user's formatters."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from real.installed import node_path, search_path
from support.model_tools import ModelTools, Reviewed
from support.neovim import Neovim, until

MESSY = "import sys\nimport os\nx = 1\nprint( os.name )\nprint( x )\n"

ENABLE = """
local name, cmd, filetypes, settings, root = ...
vim.lsp.config(name, { cmd = cmd, filetypes = filetypes, settings = settings, root_dir = root })
vim.lsp.enable(name)
"""


async def enable(
    nvim: Neovim, name: str, *command: str, filetypes: list[str], settings: Any = None, root: Path
) -> None:
    """Start a real language server for files of some types."""
    program = shutil.which(command[0], path=search_path())
    if program is None:
        pytest.skip(f"{command[0]} is not installed (make real SHORT=1 installs it)")
    arguments = [name, [program, *command[1:]], filetypes, settings or {}, str(root)]
    await nvim.lua(ENABLE, *arguments)


@pytest.fixture
def messy(project: Path) -> Path:
    """A file that could be tidier."""
    path = project / "messy.py"
    path.write_text(MESSY)
    return path


@pytest.fixture
async def ruff(serving: Neovim, messy: Path) -> None:
    await enable(serving, "ruff", "ruff", "server", filetypes=["python"], root=messy.parent)


@pytest.mark.usefixtures("ruff")
async def test_imports_are_organized_by_an_action_that_is_completed_first(
    reviewed: Reviewed, messy: Path
) -> None:
    await reviewed.begin("code_action", file=str(messy), line=1, kind="source.organizeImports")
    await reviewed.decide("w")

    assert f"Written:\n  {messy}" in await reviewed.text()
    assert messy.read_text().startswith("import os\nimport sys\n")


@pytest.mark.usefixtures("ruff")
async def test_a_fix_of_a_diagnostic_is_applied_by_its_title(
    reviewed: Reviewed, tools: ModelTools, messy: Path
) -> None:
    offered = await tools.error("code_action", file=str(messy), line=1)
    (fix,) = (line for line in offered.splitlines() if "Remove unused import" in line)

    title = fix.removeprefix("- ").partition(" (quickfix)")[0]
    await reviewed.begin("code_action", file=str(messy), line=1, title=title)
    await reviewed.decide("w")

    await reviewed.text()
    assert messy.read_text().startswith("import os\n")


@pytest.mark.usefixtures("ruff")
async def test_a_file_is_formatted_after_the_review(
    reviewed: Reviewed, serving: Neovim, messy: Path
) -> None:
    await reviewed.begin("format", file=str(messy))
    await reviewed.shown("print(os.name)")
    assert messy.read_text() == MESSY
    await reviewed.decide("w")

    assert await reviewed.text() == f"Formatted by ruff.\nWritten:\n  {messy}"
    assert "print(os.name)\nprint(x)" in messy.read_text()


@pytest.mark.usefixtures("ruff")
async def test_only_some_lines_are_formatted(reviewed: Reviewed, messy: Path) -> None:
    await reviewed.begin("format", file=str(messy), line=5)
    await reviewed.decide("w")

    await reviewed.text()
    assert messy.read_text().endswith("print( os.name )\nprint(x)\n")


@pytest.mark.usefixtures("ruff")
async def test_a_formatted_file_needs_no_review(tools: ModelTools, messy: Path) -> None:
    messy.write_text("print(1)\n")

    assert await tools.text("format", file=str(messy)) == "Nothing to change (asked ruff)."


async def test_the_users_own_formatter_is_asked(
    reviewed: Reviewed, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("b\na\n")
    await serving.command("set formatprg=sort")
    await serving.command(f"edit {path}")
    await serving.keys("Goc<Esc>")

    await reviewed.begin("format", file=str(path))
    await reviewed.decide("w")

    assert "not saved" in await reviewed.text()
    assert path.read_text() == "b\na\n"
    assert await serving.eval("getline(1, '$')") == ["a", "b", "c"]


async def test_a_formatter_that_fails_says_why(
    tools: ModelTools, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("b\na\n")
    await serving.command("set formatprg=false")

    assert await tools.error("format", file=str(path)) == "false: exit code 1"


async def test_a_whole_file_as_one_edit_changes_only_what_differs(
    reviewed: Reviewed, serving: Neovim, greeter: Path
) -> None:
    await enable(serving, "pylsp", "pylsp", filetypes=["python"], root=greeter.parent)
    main = greeter.with_name("main.py")
    await serving.command(f"edit {main}")
    await serving.keys("3Gma")

    place = {"file": str(greeter), "line": 5, "symbol": "greet"}
    await reviewed.begin("rename", **place, new_name="hail")
    await reviewed.choose("2", "rename greet to hail: 3 lines in 2 files")

    assert "Renamed by pylsp." in await reviewed.text()
    assert "def hail" in greeter.read_text()
    assert main.read_text().count(".hail(") == 2
    assert await serving.eval('line("\'a")') == 3


@pytest.fixture
async def typescript(serving: Neovim, project: Path) -> Path:
    """A project of TypeScript."""
    (project / "tsconfig.json").write_text('{"compilerOptions": {"strict": true}}')
    path = project / "app.ts"
    path.write_text("export function a() {\n  return 1;\n}\nexport const b = a();\n")
    await enable(
        serving,
        *("ts_ls", "typescript-language-server", "--stdio"),
        filetypes=["typescript"],
        root=project,
    )
    return path


async def begin_move(reviewed: Reviewed, nvim: Neovim, path: Path) -> None:
    """Begin a refactoring that is a command, up to the first diff."""
    await nvim.command(f"edit {path}")
    title = "Move to a new file"
    await reviewed.begin("code_action", file=str(path), line=1, column=17, title=title)
    await reviewed.choose("1", "wants ts_ls to run _typescript.applyRefactoring")
    await reviewed.choose("1", f'apply "{title}"')


async def test_a_refactoring_of_typescript_that_is_a_command_is_reviewed(
    reviewed: Reviewed, serving: Neovim, typescript: Path
) -> None:
    before = typescript.read_text()
    await begin_move(reviewed, serving, typescript)
    await reviewed.shown("1 of 2")
    assert typescript.read_text() == before
    await reviewed.decide("w", "1 of 2")
    await reviewed.decide("w", "2 of 2")

    text = await reviewed.text()

    assert "Written:" in text
    assert "export function a" in typescript.with_name("a.ts").read_text()
    assert 'from "./a"' in typescript.read_text()


async def test_eslint_fixes_by_a_command_without_another_question(
    reviewed: Reviewed, serving: Neovim, project: Path
) -> None:
    (project / "node_modules").symlink_to(node_path())
    (project / ".eslintrc.json").write_text(
        '{"root": true, "rules": {"semi": "error"}, "parserOptions": {"ecmaVersion": 2020}}'
    )
    path = project / "app.js"
    path.write_text("var a = 1\n")
    settings = {
        "validate": "on",
        "run": "onType",
        "nodePath": str(node_path()),
        "workingDirectory": {"mode": "location"},
        "workspaceFolder": {"uri": project.as_uri(), "name": "project"},
        "rulesCustomizations": [],
        "problems": {"shortenToSingleLine": False},
        "codeAction": {
            "disableRuleComment": {"enable": True, "location": "separateLine"},
            "showDocumentation": {"enable": True},
        },
        "codeActionOnSave": {"enable": False, "mode": "all"},
        "experimental": {"useFlatConfig": False},
        "options": {},
        "format": True,
    }
    await enable(
        serving,
        *("eslint", "vscode-eslint-language-server", "--stdio"),
        filetypes=["javascript"],
        settings=settings,
        root=project,
    )
    await serving.command(f"edit {path}")
    await until(lambda: serving.lua("return #vim.diagnostic.get(0) > 0"), "eslint has checked it")

    fix = "Fix this semi problem"
    await reviewed.begin("code_action", file=str(path), line=1, title=fix)
    await reviewed.decide("w")

    await reviewed.text()
    assert path.read_text() == "var a = 1;\n"
