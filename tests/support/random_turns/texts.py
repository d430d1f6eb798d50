"""Random texts of users and models, with everything that is difficult to show or to send."""

from random import Random

WORDS = (
    "word",
    "`code`",
    "**strong**",
    "_soft_",
    "a|b",
    "漢字",
    "한글",
    "👩‍👩‍👧",
    "é",
    "<b>",
    "&amp;",
    "$x$",
    "\\n",
)
CONTROL = (
    "\x01",
    "\x08",
    "\x0c",
    "\x1b[31m",
    "\x7f",
    "\x9b",
    "\u2028",
    "\u200b",
    "\ufeff",
    "\u202e",
)


def answer(random: Random, number: int) -> str:
    """Return a text of the model, which begins with `S1:` and ends with `end of S1`."""
    blocks = random.choices(BLOCKS, k=random.randint(0, 4))
    gap = random.choice(["\n\n", "\n", "\n\n\n"])
    return gap.join([f"S{number}:", *(block(random) for block in blocks), f"end of S{number}"])


def prompt(random: Random, number: int, words: str = "") -> str:
    """Return a prompt, which begins with `P1:` and ends with `end of P1`."""
    blocks = random.choices([*BLOCKS, paragraph], k=random.choice([0, 0, 1, 3]))
    first = f"P{number}: {words}".rstrip()
    return "\n".join([first, *(block(random) for block in blocks), f"end of P{number}"])


def paragraph(random: Random) -> str:
    """Return words in one line."""
    return " ".join(random.choices(WORDS, k=random.randint(1, 12)))


def _list(random: Random) -> str:
    marks = random.choice([("- ", "  * "), ("1. ", "   - "), ("- [ ] ", "- [x] ")])
    return "\n".join(random.choice(marks) + paragraph(random) for _ in range(random.randint(1, 5)))


def _table(random: Random) -> str:
    def line() -> str:
        return "| " + " | ".join(random.choice(WORDS).replace("|", "") for _ in range(3)) + " |"

    rule = random.choice(["|---|:-:|--:|", "| --- | --- | --- |"])
    return "\n".join([line(), rule, *(line() for _ in range(random.randint(0, 4)))])


def _fence(random: Random) -> str:
    mark = random.choice(["```", "````", "~~~"])
    language = random.choice(["", "python", "lua", "markdown"])
    end = random.choice([f"\n{mark}", f"\n{mark}", ""])
    return f"{mark}{language}\ndef f():\n\treturn '```'\n\n    x = 1  {end}"


def _quote(random: Random) -> str:
    return f"> {paragraph(random)}\n> > {paragraph(random)}"


def _heading(random: Random) -> str:
    return f"{'#' * random.randint(1, 6)} {paragraph(random)}"


def _long_line(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.choice([200, 2_000])))


def _long_text(random: Random) -> str:
    return "\n".join(
        f"{number}. {random.choice(WORDS)}" for number in range(random.choice([30, 150]))
    )


def _control(random: Random) -> str:
    return "".join(f"{random.choice(WORDS)}{each}" for each in random.sample(CONTROL, 4)) + "."


BLOCKS = (paragraph, _list, _table, _fence, _quote, _heading, _long_line, _long_text, _control)
