"""`base/paths.py`: file uris both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.base.paths import from_uri, normalized, to_uri, within
from support.neovim import Neovim


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
        ("file:///c:/x", "/c:/x"),
        ("file:/a/b.py", "/a/b.py"),
        ("file://localhost/a/b.py", "/a/b.py"),
        ("file:///a%20b", "/a b"),
        ("file:///a?b#c", "/a?b#c"),
        ("file:///a\tb", "/a\tb"),
        ("file://[::/a", "/a"),
        ("file:///%", "/%"),
        ("/a/b.py", "/a/b.py"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("", ""),
    ],
)
def test_any_spelling_of_a_file_uri_gives_its_path_and_a_path_is_unchanged(
    uri: str, path: str
) -> None:
    assert from_uri(uri) == path


def names_without(characters: str) -> st.SearchStrategy[str]:
    return st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters=characters), min_size=1
    )


posix_paths = st.lists(names_without("/\0")).map(lambda parts: "/" + "/".join(parts))


@given(posix_paths)
def test_a_path_survives_conversion_to_a_uri_and_back(path: str) -> None:
    assert from_uri(to_uri(path)) == path


@given(st.binary(min_size=1).filter(lambda name: b"/" not in name and b"\0" not in name))
def test_a_path_that_is_not_unicode_survives_conversion_to_a_uri_and_back(name: bytes) -> None:
    path = "/" + name.decode("utf-8", "surrogateescape")

    assert from_uri(to_uri(path)) == path


@given(posix_paths)
def test_a_uri_is_ascii_without_blanks(path: str) -> None:
    uri = to_uri(path)

    assert uri.isascii()
    assert not any(character.isspace() for character in uri)


@given(st.text())
def test_any_text_is_accepted_as_a_uri(uri: str) -> None:
    from_uri(uri)
    from_uri(f"file:{uri}")


async def test_uris_from_neovim_give_their_paths(nvim: Neovim) -> None:
    paths = [f"/a{chr(code)}b" for code in range(1, 128)] + ["/ü/日本/🎉.py", "/a%20b"]

    uris = await nvim.lua("return vim.tbl_map(vim.uri_from_fname, ...)", paths)

    assert [from_uri(uri) for uri in uris] == paths


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/b", "/a/b"),
        ("//a//b/", "/a/b"),
        ("///a", "/a"),
        ("/a/../../b/./c", "/b/c"),
        ("/p/term://x", "/p/term:/x"),
        ("/", "/"),
        ("//", "/"),
    ],
)
def test_a_normalized_path_has_no_superfluous_parts(path: str, expected: str) -> None:
    assert normalized(path) == expected


@pytest.mark.parametrize(
    ("path", "root", "short"),
    [
        ("/p/a.py", "/p", "a.py"),
        ("/p/a.py", "/p/", "a.py"),
        ("/a.py", "/", "a.py"),
        ("/pp/a.py", "/p", "/pp/a.py"),
        ("/p/a.py", "", "/p/a.py"),
        ("ls /p/a.py", "/p", "ls /p/a.py"),
    ],
)
def test_a_path_below_a_folder_is_relative_to_it(path: str, root: str, short: str) -> None:
    assert within(path, root) == short
