"""Names of keys, as in Vim's mappings, translated into the bytes that xterm sends for them."""

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


def encode(keys: str) -> bytes:
    """Translate `i…<Esc><CR><C-w>`; what is not the name of a key is typed unchanged."""
    pieces, end = [], 0
    for name in _NAME.finditer(keys):
        key = _key(name)
        pieces += [*keys[end : name.start()], key]
        end = name.end()
    pieces += keys[end:]
    for index, after in enumerate(pieces[1:]):
        # Both together would look like the code of another key.
        if pieces[index] == "\x1b" and after[0] in "[]OP^_\x1b":
            pieces[index] = _other("\x1b", 0)
    return "".join(pieces).encode("utf-8", "surrogateescape")


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
    """What xterm sends with `modifyOtherKeys`, which Vim asks for."""
    return f"\x1b[27;{bits + 1};{ord(character)}~"
