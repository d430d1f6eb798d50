"""`editor/mentions.py`: the mentions in a text. `tests/cli/test_mentions.py` has the CLI's own."""

from pathlib import Path

import pytest

from claude_ide.editor.mentions import mentions, read_by_agents, without_mentions


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("look at @a.py", [("a.py", None, None)]),
        ("@a.py#L2-5, please", [("a.py", 2, 5)]),
        ("(see @a.py)", [("a.py", None, None)]),
        ('@"a b.py"#L3', [("a b.py", 3, 3)]),
        ('@"a b.py#L3-4" and more', [("a b.py", 3, 4)]),
        ("me@example.org", []),
        ("'@a.py' [@b.py] @c.py]'", [("c.py", None, None)]),
        ("@src/a.py and @b.py.", [("src/a.py", None, None), ("b.py", None, None)]),
    ],
)
def test_mentions_are_found(text: str, found: list[tuple[str, int | None, int | None]]) -> None:
    assert mentions(text) == found


async def test_a_quoted_text_mentions_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root, outside = tmp_path / "project", tmp_path / "outside"
    for path in (root / "a b.py", tmp_path / "home/secret", outside):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    lines = "> @property @~/secret, @~/secret.", f'> @"a b.py#L3" x@{outside}', f"+ @{outside}#L1"

    text = await without_mentions("\n".join(lines), str(root))

    assert [*filter(Path.exists, map(Path, read_by_agents(text, str(root))))] == []
    said = (
        "> @property @ ~/secret, @ ~/secret.",
        f'> @ "a b.py#L3" x@ {outside}',
        f"+ @ {outside}#L1",
    )
    assert text.splitlines() == [*said]
