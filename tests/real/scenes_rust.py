"""Edits in a Rust project, which rust-analyzer checks with cargo after each save."""

from real.scene import Edit, Finding, Scene

MAIN = """\
mod b;
mod c;

const LIMIT: i32 = 10;

pub fn double(number: i32) -> i32 {
    number * 2
}

pub fn greet(name: &str) -> String {
    format!("Hello {name}")
}

fn main() {
    println!("{} {} {}", double(LIMIT), greet("you"), b::six() + c::triple(1));
}
"""
B = """\
use crate::double;

pub fn six() -> i32 {
    double(3)
}
"""
C = """\
pub fn triple(number: i32) -> i32 {
    number * 3
}
"""
D = """\
pub fn many() -> i32 {
    unknown
}
"""


def undefined(file: str, name: str, at: str) -> tuple[Finding, ...]:
    """Return the findings for a name that is not defined."""
    return (
        Finding(file, at, f"cannot find value `{name}` in this scope"),
        Finding(file, at, "no such value in this scope", required=False),
    )


SEVERAL = MAIN.replace("i32 = 10;\n", "i32 = 10;\nconst FACTOR: i32 = 3;\n").replace(
    "double(LIMIT)", "FACTOR * double(LIMIT)"
)
WRONG = SEVERAL.replace("const LIMIT", "const START: i32 = 4;\nconst LIMIT").replace(
    "FACTOR *", "a_name_that_nothing_defines * START * FACTOR *"
)
SHORT = WRONG.replace("a_name_that_nothing_defines", "1")
MODULE = SHORT.replace("mod c;\n", "mod c;\nmod d;\n").replace("c::triple(1)", "d::many()")
RENAMED = MODULE.replace("double(", "twice(")
NO_FILE = (
    Finding("src/main.rs", "mod d;", "file not found for module `d`"),
    Finding("src/main.rs", "mod d;", "unresolved module", required=False),
)
NEW = undefined("src/d.rs", "unknown", "    unknown")
CLOSED = (*NEW, *undefined("src/c.rs", "tree", "number * tree"))
ACROSS = (*CLOSED, Finding("src/b.rs", "use crate::double", "unresolved import `crate::double`"))

EDITS = (
    Edit(
        *("break", "src/main.rs", "double(LIMIT)", 'double("ten")'),
        (
            Finding("src/main.rs", 'double("ten")', "mismatched types"),
            Finding("src/main.rs", 'double("ten")', "arguments to this function", required=False),
            Finding("src/main.rs", "pub fn double", "function defined here", required=False),
        ),
    ),
    Edit("mend", "src/main.rs", 'double("ten")', "double(LIMIT)"),
    Edit("harmless", "src/main.rs", "Hello", "Hi"),
    Edit("several hunks", "src/main.rs", "", SEVERAL),
    Edit(
        *("several hunks, one wrong", "src/main.rs", "", WRONG),
        undefined("src/main.rs", "a_name_that_nothing_defines", "* START * FACTOR"),
    ),
    Edit("shorten the line", "src/main.rs", "a_name_that_nothing_defines", "1"),
    Edit("a missing file", "src/main.rs", "", MODULE, NO_FILE, continues=True),
    Edit("new file", "src/d.rs", "", D, NEW),
    Edit("not open", "src/c.rs", "number * 3", "number * tree", CLOSED),
    Edit("in another file", "src/b.rs", "double(3)", "double(4)", CLOSED, continues=True),
    Edit("across files", "src/main.rs", "", RENAMED, ACROSS),
    Edit(
        *("delete lines", "src/main.rs", "const START: i32 = 4;\nconst LIMIT: i32 = 10;\n", ""),
        (
            *ACROSS,
            *undefined("src/main.rs", "START", "* START * FACTOR"),
            *undefined("src/main.rs", "LIMIT", "* START * FACTOR"),
        ),
    ),
)
RUST_ANALYZER = Scene(
    name="rust-analyzer",
    clients=("rust_analyzer",),
    programs=("rust-analyzer", "cargo", "rustc"),
    texts={
        **{"src/main.rs": MAIN, "src/b.rs": B, "src/c.rs": C},
        "Cargo.lock": 'version = 4\n\n[[package]]\nname = "scene"\nversion = "0.1.0"\n',
        "Cargo.toml": '[package]\nname = "scene"\nversion = "0.1.0"\nedition = "2021"\n',
    },
    opened=("src/main.rs", "src/b.rs"),
    edits=EDITS,
    seconds=15,
)
