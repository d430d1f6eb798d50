"""`paths.py`: Windows spellings both ways, file uris both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.paths import from_uri, normalized, to_posix, to_uri, to_windows, within
from support.neovim import Neovim

WINDOWS = [
    ("C:\\Users\\x", "/c/Users/x", "file:///c:/Users/x"),
    ("D:\\", "/d/", "file:///d:/"),
    ("C:\\a b\\ü.py", "/c/a b/ü.py", "file:///c:/a%20b/%C3%BC.py"),
]


@pytest.mark.parametrize(("windows", "posix", "uri"), WINDOWS)
def test_windows_paths_are_spelled_three_ways(windows: str, posix: str, uri: str) -> None:
    assert to_posix(windows) == posix
    assert to_windows(posix) == windows
    assert to_uri(windows) == uri
    assert from_uri(uri, windows=True) == windows


@pytest.mark.parametrize(
    ("path", "posix"),
    [
        ("c:/Users/x", "/c/Users/x"),
        ("C:\\a/b", "/c/a/b"),
        ("/home/x", "/home/x"),
        ("relative\\x", "relative\\x"),
        ("C:x", "C:x"),
        ("", ""),
    ],
)
def test_only_an_absolute_windows_path_is_converted_to_slashes(path: str, posix: str) -> None:
    assert to_posix(path) == posix


@pytest.mark.parametrize(
    ("path", "windows"),
    [
        ("/c", "C:\\"),
        ("/home/x", "/home/x"),
        ("C:\\Users", "C:\\Users"),
        ("relative/x", "relative/x"),
        ("", ""),
    ],
)
def test_only_a_path_below_a_drive_is_converted_to_windows(path: str, windows: str) -> None:
    assert to_windows(path) == windows


def test_encoded_colons_and_capital_drives_in_uris_are_understood() -> None:
    """VS Code writes `c%3A`, Neovim on Windows keeps the drive's case."""
    assert from_uri("file:///c%3A/Users/x", windows=True) == "C:\\Users\\x"
    assert from_uri("file:///C:/Users/x", windows=True) == "C:\\Users\\x"


def test_a_drive_in_a_uri_has_no_meaning_on_other_systems() -> None:
    assert from_uri("file:///c:/Users/x") == "/c:/Users/x"


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
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
windows_paths = st.builds(
    lambda drive, parts: f"{drive}:\\" + "\\".join(parts),
    st.sampled_from("ABCXYZ"),
    st.lists(names_without('/\\\0<>:"|?*')),
)


@given(posix_paths)
def test_a_path_survives_conversion_to_a_uri_and_back(path: str) -> None:
    assert from_uri(to_uri(path)) == path


@given(windows_paths)
def test_a_windows_path_survives_each_conversion_and_back(path: str) -> None:
    assert to_windows(to_posix(path)) == path
    assert from_uri(to_uri(path), windows=True) == path


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
    from_uri(f"file:{uri}", windows=True)


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
