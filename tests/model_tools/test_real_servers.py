"""The tools that ask language servers, with real ones on small projects."""

from pathlib import Path

import pytest

from support.model_languages import enable_real
from support.model_tools import ModelTools
from support.neovim import Neovim

SHAPES = """export interface Shape { area(): number }
export class Square implements Shape {
  constructor(private side: number) {}
  area(): number { return this.side * this.side }
}
export function total(shapes: Shape[]): number {
  return shapes.reduce((sum, shape) => sum + shape.area(), 0)
}
"""
APP = """import { Square, total } from './shapes'
const é = new Square(2); console.log('𝄞', total([é]))
const wrong: string = total([])
"""
PROGRAM = """#include "greet.h"
static int twice(int number) { return 2 * number; }
int main(void) { return twice(greet(1)) + twice(2); }
"""


@pytest.fixture(autouse=True)
def patient(tools: ModelTools) -> None:
    """Real servers take long to start on a busy machine."""
    tools.client.wait = 60


@pytest.fixture
def shapes(project: Path) -> Path:
    """A project in TypeScript."""
    (project / ".root").touch()
    (project / "tsconfig.json").write_text('{"compilerOptions": {"strict": true}}')
    (project / "app.ts").write_text(APP)
    path = project / "shapes.ts"
    path.write_text(SHAPES)
    return path


@pytest.fixture
def program(project: Path) -> Path:
    """A program in C."""
    (project / ".root").touch()
    (project / "greet.h").write_text("/** Greets often. */\nint greet(int times);\n")
    path = project / "main.c"
    path.write_text(PROGRAM)
    return path


async def test_typescript(serving: Neovim, tools: ModelTools, shapes: Path) -> None:
    await enable_real(serving, "ts_ls")
    app = str(shapes.with_name("app.ts"))

    defined = await tools.text("definition", file=app, line=2, symbol="total")
    assert defined.splitlines()[1:] == [
        str(shapes),
        "  6:17: export function total(shapes: Shape[]): number {",
    ]
    implemented = await tools.text("implementation", file=str(shapes), line=1, symbol="Shape")
    assert "2:14: export class Square implements Shape {" in implemented
    assert "new Square(side: number)" in await tools.text("hover", file=app, line=2, column=15)
    typed = await tools.text("type_definition", file=app, line=2, column=7)
    assert "2:14: export class Square" in typed
    used = await tools.text("references", file=app, line=2, symbol="total")
    assert "2:43: const é" in used
    signature = await tools.text("signature_help", file=app, line=2, symbol="total")
    assert "total(shapes: Shape[]): number" in signature
    assert "shapes: Shape[] (at this place)" in signature
    symbols = await tools.text("document_symbols", file=str(shapes))
    assert "  4:3 method area [4-4]" in symbols.splitlines()
    found = await tools.text("workspace_symbols", query="Square")
    assert f"{shapes}:2:1: class Square" in found
    callers = await tools.text("incoming_calls", file=str(shapes), line=6, symbol="total")
    assert "    call 2:43: const é" in callers
    problems = await tools.text("diagnostics", file=app)
    assert (
        "3:7: error: Type 'number' is not assignable to type 'string'. (typescript 2322)"
        in problems
    )


async def test_c(serving: Neovim, tools: ModelTools, program: Path) -> None:
    await enable_real(serving, "clangd")
    main = str(program)

    callers = await tools.text("incoming_calls", file=main, line=2, symbol="twice")
    assert callers.splitlines() == [
        "1 caller of twice",
        main,
        "  3:5 function main",
        "    call 3:25: int main(void) { return twice(greet(1)) + twice(2); }",
        "    call 3:43: int main(void) { return twice(greet(1)) + twice(2); }",
    ]
    assert "Greets often." in await tools.text("hover", file=main, line=3, symbol="greet")
    assert "2:5: int greet" in await tools.text("definition", file=main, line=3, symbol="greet")
    assert "3:5 function main" in await tools.text("document_symbols", file=main)


async def test_two_servers_of_python_are_asked_together(
    serving: Neovim, tools: ModelTools, greeter: Path
) -> None:
    await enable_real(serving, "basedpyright", "pylsp", "ruff")
    main = str(greeter.with_name("main.py"))

    used = await tools.text("references", file=main, line=3, symbol="greet")
    assert used.startswith("3 places in 2 files\n")
    assert "3:32: é =" in used
    hovered = await tools.text("hover", file=main, line=3, symbol="greet")
    assert "greet(" in hovered
    symbols = await tools.text("document_symbols", file=str(greeter), depth=2)
    assert "  5:9 method greet [5-6]" in symbols.splitlines()


async def test_basedpyright(serving: Neovim, tools: ModelTools, greeter: Path) -> None:
    await enable_real(serving, "basedpyright", "ruff")
    main = greeter.with_name("main.py")
    main.write_text("import os\n" + main.read_text() + "é.greet('no')\n")

    callers = await tools.text("incoming_calls", file=str(greeter), line=5, symbol="greet")
    assert f"{main}\n" in callers
    assert '    call 4:32: é = Greeter("x")' in callers
    found = await tools.text("workspace_symbols", query="greet", file=str(greeter))
    assert f"{greeter}:5:9: method greet in Greeter" in found
    problems = await tools.text("diagnostics", file=str(main), severity="warning")
    assert "6:9: error: Argument of type" in problems
    assert "    | é.greet('no')" in problems
    assert "1:8: warning: `os` imported but unused (Ruff F401)" in problems
    assert "    fix: Ruff (F401): Remove unused import: `os` (preferred)" in problems
