"""The same ten edits in a Python project, for each set of Python checkers."""

from dataclasses import dataclass

from real.scene import Edit, Finding, Scene

A = """\
import os

LIMIT = 10


def double(number: int) -> int:
    return number * 2


def greet(name: str) -> str:
    return "Hello " + name


print(os.name, double(LIMIT), greet("you"))
"""
B = """\
from a import double

print(double(2))
"""
C = """\
def triple(number: int) -> int:
    return number * 3
"""
D = """\
from a import greet

print(greet(unknown))
"""
LAST = "print(os.name, double(LIMIT), greet("


@dataclass(frozen=True, slots=True)
class Words:
    """The messages of a set of checkers."""

    undefined: tuple[str, ...]
    """For a name `%s` that is not defined."""

    mistake: str = "missing"
    """A wrong argument for `double`."""

    wrong: tuple[str, ...] = ()
    """For that argument; empty if it is an undefined name."""

    missing_import: tuple[str, ...] = ()
    """For a name `%s` that another module no longer defines."""


def edits(words: Words) -> tuple[Edit, ...]:
    """Return the edits, with the findings of these checkers after each."""

    def undefined(file: str, name: str, at: str) -> tuple[Finding, ...]:
        return tuple(Finding(file, at, message % name) for message in words.undefined)

    several = A.replace("LIMIT = 10\n", "LIMIT = 10\nFACTOR = 3\n").replace(
        'greet("you"))', 'greet("you"), FACTOR)'
    )
    wrong = several.replace("import os\n", "import os\nimport time\n").replace(
        "FACTOR)", "FACTOR, time.time(), nowhere)"
    )
    short = wrong.replace("nowhere", "1")
    renamed = short.replace("double(", "twice(")
    at_last = tuple(
        Finding("a.py", f"double({words.mistake})", message) for message in words.wrong
    ) or undefined("a.py", words.mistake, f"double({words.mistake})")
    new = undefined("d.py", "unknown", "greet(unknown)")
    closed = (*new, *undefined("c.py", "tree", "number * tree"))
    across = (
        *closed,
        *(Finding("b.py", "import double", message % "double") for message in words.missing_import),
    )
    return (
        Edit("break", "a.py", "double(LIMIT)", f"double({words.mistake})", at_last),
        Edit("mend", "a.py", f"double({words.mistake})", "double(LIMIT)"),
        Edit("harmless", "a.py", '"Hello "', '"Hi, "'),
        Edit("several hunks", "a.py", "", several),
        Edit(
            *("several hunks, one wrong", "a.py", "", wrong),
            undefined("a.py", "nowhere", "FACTOR, time"),
        ),
        Edit("shorten the line", "a.py", "nowhere", "1"),
        Edit("new file", "d.py", "", D, new),
        Edit("not open", "c.py", "number * 3", "number * tree", closed),
        Edit("in another file", "b.py", "double(2)", "double(3)", closed, continues=True),
        Edit("across files", "a.py", "", renamed, across),
        Edit(
            *("delete lines", "a.py", "import os\nimport time\n\n", ""),
            (
                *across,
                *undefined("a.py", "os", "print(os.name"),
                *undefined("a.py", "time", "print(os.name"),
            ),
        ),
    )


TEXTS = {"a.py": A, "b.py": B, "c.py": C}
RUFF = ("Undefined name `%s`",)

BASEDPYRIGHT_RUFF = Scene(
    name="basedpyright+ruff",
    clients=("basedpyright", "ruff"),
    programs=("basedpyright-langserver", "ruff"),
    texts=TEXTS | {"pyrightconfig.json": '{"typeCheckingMode": "standard"}\n'},
    opened=("a.py", "b.py"),
    edits=edits(
        Words(
            undefined=('"%s" is not defined', *RUFF),
            mistake='"ten"',
            wrong=("Argument of type \"Literal['ten']\" cannot be assigned",),
            missing_import=('"%s" is unknown import symbol',),
        )
    ),
)
PYLSP_RUFF = Scene(
    name="pylsp+ruff",
    clients=("pylsp", "ruff"),
    programs=("pylsp", "ruff"),
    texts=TEXTS,
    opened=("a.py", "b.py"),
    edits=edits(Words(undefined=("undefined name '%s'", *RUFF))),
)
LINTER = Scene(
    name="nvim-lint",
    clients=(),
    programs=("ruff",),
    texts=TEXTS,
    opened=("a.py", "b.py"),
    edits=edits(Words(undefined=RUFF)),
    linter="ruff",
)
