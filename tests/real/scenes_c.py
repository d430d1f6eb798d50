"""Edits in a C project, one of them in a header that another file includes."""

from real.scene import Edit, Finding, Scene

A = """\
#include "a.h"

#define LIMIT 10

int twice(int number) {
  return number * 2;
}

int length(const char *name) {
  return name[0] ? 1 : 0;
}

int main(void) {
  return twice(LIMIT) + length("you");
}
"""
HEADER = """\
int twice(int number);
int length(const char *name);
int triple(int number);
"""
B = """\
#include "a.h"

int nine(void) {
  return triple(3);
}
"""
C = """\
#include "a.h"

int triple(int number) {
  return number * 3;
}
"""
D = """\
#include "a.h"

int many(void) {
  return twice(unknown);
}
"""


def undeclared(file: str, name: str, at: str) -> tuple[Finding, ...]:
    """Return the findings for a name that is not declared."""
    return (Finding(file, at, f"Use of undeclared identifier '{name}'"),)


SEVERAL = A.replace("#define LIMIT 10\n", "#define LIMIT 10\n#define FACTOR 3\n").replace(
    'length("you")', 'length("you") * FACTOR'
)
WRONG = SEVERAL.replace("#define LIMIT 10\n", "#define START 4\n#define LIMIT 10\n").replace(
    "* FACTOR", "* FACTOR + START + a_name_that_nothing_declares"
)
NEW = undeclared("d.c", "unknown", "twice(unknown)")
CLOSED = (*NEW, *undeclared("c.c", "tree", "number * tree"))
ACROSS = (*CLOSED, Finding("b.c", "triple(3)", "Call to undeclared function 'triple'"))

EDITS = (
    Edit(
        *("break", "a.c", "twice(LIMIT)", 'twice("ten")'),
        (Finding("a.c", 'twice("ten")', "Incompatible pointer to integer conversion"),),
    ),
    Edit("mend", "a.c", 'twice("ten")', "twice(LIMIT)"),
    Edit("harmless", "a.c", "? 1 : 0", "? 2 : 1"),
    Edit("several hunks", "a.c", "", SEVERAL),
    Edit(
        *("several hunks, one wrong", "a.c", "", WRONG),
        undeclared("a.c", "a_name_that_nothing_declares", "FACTOR + START"),
    ),
    Edit("shorten the line", "a.c", "a_name_that_nothing_declares", "1"),
    Edit("new file", "d.c", "", D, NEW),
    Edit("not open", "c.c", "number * 3", "number * tree", CLOSED),
    Edit("in another file", "b.c", "nine(void)", "none(void)", CLOSED, continues=True),
    Edit("across files", "a.h", "int triple(int number);\n", "", ACROSS),
    Edit(
        *("delete lines", "a.c", "#define START 4\n#define LIMIT 10\n", ""),
        (
            *ACROSS,
            *undeclared("a.c", "START", "FACTOR + START"),
            *undeclared("a.c", "LIMIT", "twice(LIMIT)"),
        ),
    ),
)

CLANGD = Scene(
    name="clangd",
    clients=("clangd",),
    programs=("clangd",),
    texts={"a.c": A, "a.h": HEADER, "b.c": B, "c.c": C, "compile_flags.txt": "-Wall\n"},
    opened=("a.c", "b.c"),
    edits=EDITS,
)
