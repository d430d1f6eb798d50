"""The tools that ask language servers."""

from pathlib import Path

import pytest

from support.model_tools import ModelTools

pytestmark = pytest.mark.usefixtures("basedpyright")


async def test_references_are_grouped_by_file_with_their_lines(
    tools: ModelTools, greeter: Path
) -> None:
    main = greeter.with_name("main.py")

    found = await tools.text("references", file=str(main), line=3, symbol="greet")

    assert found.splitlines() == [
        "3 places in 2 files",
        str(greeter),
        "  5:9: def greet(self, times: int = 1) -> str:",
        str(main),
        '  3:32: é = Greeter("x"); print("𝄞", é.greet(2))',
        "  4:9: print(é.greet())",
    ]


async def test_a_definition_is_found_by_the_column(tools: ModelTools, greeter: Path) -> None:
    main = str(greeter.with_name("main.py"))

    found = await tools.text("definition", file=main, line=3, column=32)

    assert "5:9: def greet" in found
