"""What language servers say about a symbol or a call, as text."""

from typing import Any

import msgspec

from claude_ide.editor.protocol import index_of, listed

LONGEST = 50_000
"""Characters. An answer shows less."""


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a signature, and what is said about it."""

    label: str
    text: str


class Signature(msgspec.Struct, frozen=True):
    """A signature. `active` is the number of the parameter at the place; -1 if it is not known."""

    label: str
    text: str
    parameters: list[Parameter]
    is_active: bool
    active: int


def words(contents: Any) -> str:
    """Return documentation in any of the forms of the protocol as one text."""
    text = "\n".join(_lines(contents)).strip()
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _lines(contents: Any) -> list[str]:
    match contents:
        case str():
            return contents.strip().splitlines()
        case {"kind": _}:
            return _lines(contents.get("value"))
        case {"language": language}:
            return [f"```{language}", *str(contents.get("value") or "").splitlines(), "```"]
        case list():
            return [line for each in contents for line in _lines(each)]
    return []


def signatures(result: Any) -> list[Signature]:
    """Return the signatures of an answer."""
    chosen = result.get("activeSignature")
    chosen = chosen if isinstance(chosen, int) else 0
    return [
        _signature(each, result, is_active=index == chosen)
        for index, each in enumerate(listed(result.get("signatures")))
        if isinstance(each, dict) and isinstance(each.get("label"), str)
    ]


def _signature(each: dict[str, Any], result: dict[str, Any], *, is_active: bool) -> Signature:
    index = each.get("activeParameter", result.get("activeParameter"))
    label = each["label"]
    found = (_parameter(one, label) for one in listed(each.get("parameters")))
    parameters = [one for one in found if one is not None]
    active = index if is_active and isinstance(index, int) else -1
    return Signature(label, words(each.get("documentation")), parameters, is_active, active)


def _parameter(each: Any, signature: str) -> Parameter | None:
    """Return a parameter: its label is its text, or a part of the signature in UTF-16."""
    if not isinstance(each, dict):
        return None
    match each.get("label"):
        case str() as label:
            pass
        case [int() as first, int() as last]:
            start, end = (index_of(signature, at, "utf-16") for at in (first, last))
            label = signature[start:end]
        case _:
            return None
    return Parameter(label, words(each.get("documentation")))
