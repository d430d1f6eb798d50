"""Names of keys, as in Vim's mappings, translated into the bytes that a terminal sends for them."""

import re

_NAMED = {
    "bar": "|",
    "bs": "\x7f",
    "bslash": "\\",
    "cr": "\r",
    "enter": "\r",
    "esc": "\x1b",
    "lt": "<",
    "return": "\r",
    "space": " ",
    "tab": "\t",
}
_FINAL = {"up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H"}
_NUMBERED = {"insert": 2, "del": 3, "pageup": 5, "pagedown": 6} | {
    f"f{key}": code for key, code in enumerate((11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24), 1)
}
_MODIFIERS = {"s": 1, "m": 2, "a": 2, "c": 4}
_NAME = re.compile(r"<((?:[SCMA]-)*)([A-Z][A-Z0-9]*|[^<>\s])>", re.IGNORECASE)


def encode(keys: str) -> list[bytes]:
    """Translate `i…<Esc><CR><C-w>`; what is not the name of a key is typed unchanged.

    Each portion must be handled before the next is typed: otherwise the <Esc> at its end and the
    key after that would look like the code of another key.
    """
    pieces, end = [], 0
    for name in _NAME.finditer(keys):
        pieces += [*keys[end : name.start()], _key(name)]
        end = name.end()
    pieces += keys[end:]
    portions = [""]
    for before, piece in zip(["", *pieces], pieces, strict=False):
        if before == "\x1b" and piece[0] in "[]OP^_\x1b":
            portions.append("")
        portions[-1] += piece
    return [portion.encode("utf-8", "surrogateescape") for portion in portions]


def _key(name: re.Match[str]) -> str:
    prefixes, key = name[1].lower(), name[2].lower()
    bits = sum(_MODIFIERS[prefix] for prefix in set(prefixes) - {"-"})
    if key in _FINAL:
        return f"\x1b[1;{bits + 1}{_FINAL[key]}" if bits else f"\x1b[{_FINAL[key]}"
    if key in _NUMBERED:
        return f"\x1b[{_NUMBERED[key]};{bits + 1}~" if bits else f"\x1b[{_NUMBERED[key]}~"
    if key not in _NAMED and (len(key) > 1 or not bits):
        return name[0]
    if (key, bits) == ("tab", _MODIFIERS["s"]):
        return "\x1b[Z"
    character = _NAMED.get(key, name[2])
    if bits == _MODIFIERS["c"] and "@" <= character.upper() <= "_":
        return chr(ord(character.upper()) & 0x1F)
    return _other(character, bits) if bits else character


def _other(character: str, bits: int) -> str:
    """Any character with modifiers; xterm's form of this code would change how Vim maps <C-w>."""
    return f"\x1b[{ord(character)};{bits + 1}u"
