"""Edits in a JavaScript project whose types are checked."""

import json

from real.scene import Edit, Finding, Scene

A = """\
import { triple } from './c.js'

const limit = 10

/** @param {number} number */
export function double(number) {
  return number * 2
}

/** @param {string} name */
export function greet(name) {
  return 'Hello ' + name
}

console.log(triple(1), double(limit), greet('you'))
"""
B = """\
import { double } from './a.js'

console.log(double(2))
"""
C = """\
/** @param {number} number */
export function triple(number) {
  return number * 3
}
"""
D = """\
import { greet } from './a.js'

console.log(greet(nameless))
"""


def undefined(file: str, name: str, at: str) -> tuple[Finding, ...]:
    """Return the findings of both servers for a name that is not defined."""
    return (
        Finding(file, at, f"Cannot find name '{name}'."),
        Finding(file, at, f"'{name}' is not defined."),
    )


SEVERAL = A.replace("const limit = 10\n", "const limit = 10\nconst factor = 3\n").replace(
    "greet('you'))", "greet('you'), factor)"
)
WRONG = SEVERAL.replace("const limit = 10\n", "const start = 4\nconst limit = 10\n").replace(
    "factor)", "factor, start, nameThatNothingDefines)"
)
RENAMED = WRONG.replace("nameThatNothingDefines", "1").replace("double(", "twice(")
NEW = undefined("d.js", "nameless", "greet(nameless)")
CLOSED = (*NEW, *undefined("c.js", "tree", "number * tree"))
ACROSS = (*CLOSED, Finding("b.js", "import { double }", "has no exported member"))
ARGUMENT = (
    Finding("a.js", "double('ten')", "Argument of type 'string' is not assignable"),
    Finding("a.js", "const limit", "'limit' is assigned a value but never used."),
    Finding(
        "a.js", "const limit", "'limit' is declared but its value is never read.", required=False
    ),
)

EDITS = (
    Edit("break", "a.js", "double(limit)", "double('ten')", ARGUMENT),
    Edit("mend", "a.js", "double('ten')", "double(limit)"),
    Edit("harmless", "a.js", "'Hello '", "'Hi, '"),
    Edit("several hunks", "a.js", "", SEVERAL),
    Edit(
        *("several hunks, one wrong", "a.js", "", WRONG),
        undefined("a.js", "nameThatNothingDefines", "factor, start"),
    ),
    Edit("shorten the line", "a.js", "nameThatNothingDefines", "1"),
    Edit("new file", "d.js", "", D, NEW),
    Edit("not open", "c.js", "number * 3", "number * tree", CLOSED),
    Edit("in another file", "b.js", "double(2)", "double(3)", CLOSED, continues=True),
    Edit("across files", "a.js", "", RENAMED, ACROSS),
    Edit(
        *("delete lines", "a.js", "import { triple } from './c.js'\n\n", ""),
        (*ACROSS, *undefined("a.js", "triple", "console.log(triple")),
    ),
)
ESLINT = {
    "root": True,
    "env": {"es2022": True, "node": True},
    "parserOptions": {"ecmaVersion": 2022, "sourceType": "module"},
    "rules": {"no-undef": "error", "no-unused-vars": "warn"},
}

TS_LS_ESLINT = Scene(
    name="ts_ls+eslint",
    clients=("ts_ls", "eslint"),
    programs=("typescript-language-server", "vscode-eslint-language-server"),
    texts={
        **{"a.js": A, "b.js": B, "c.js": C, ".eslintrc.json": json.dumps(ESLINT)},
        "jsconfig.json": '{"compilerOptions": {"checkJs": true, "strict": true}}\n',
        "package.json": '{"type": "module"}\n',
    },
    opened=("a.js", "b.js"),
    edits=EDITS,
    seconds=8,
)
