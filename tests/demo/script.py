"""The script of the demo's chat: which prompts it knows, and what it does for each."""

import difflib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from demo import scratch
from demo.turn import FailedError, Refused, Turn

COMMAND = "python3 -m unittest"
LONGEST_QUOTE = 60
COUNT = 200
COUNT_SLOWDOWN = 8.0

GREETING = "A script has no thoughts; here you would see those of Claude."

PLAN = """\
# Give the till one more change

1. Read `shop.py`.
2. Propose an edit.
3. Run the tests.
"""

QUESTIONS = [
    {
        "question": "What should I do next?",
        "header": "Next",
        "multiSelect": False,
        "options": [
            {"label": "Run the tests", "description": "asks before it runs a command"},
            {"label": "Propose an edit", "description": "opens a diff"},
            {"label": "Nothing", "description": "ends this turn"},
        ],
    },
    {
        "question": "What should I explain?",
        "header": "Explain",
        "multiSelect": True,
        "options": [
            {"label": "Keys", "description": "in the transcript and in the prompt"},
            {"label": "Modes", "description": "what needs your permission"},
        ],
    },
]
EXPLANATIONS = {
    "Keys": "**Keys**: `g?` lists them, in the prompt and in the transcript. `gd` there reviews"
    " the turn: every hunk, and `x` reverts one.",
    "Modes": "**Modes**: `<S-Tab>` in the prompt changes what I may do without asking: *manual*"
    " asks always, *acceptEdits* writes files at once, *plan* writes nothing.",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """Something that the demo does for a prompt that matches `pattern`."""

    command: str
    prompt: str
    summary: str
    pattern: re.Pattern[str]
    play: Callable[[Turn], Awaitable[None]]


async def _run_tests(turn: Turn) -> None:
    if not turn.permissions.allows("Bash"):
        await turn.say(
            "I run the tests if you let me. `CTRL-S` in the empty prompt offers the answers; in"
            " the transcript, each is a key."
        )
    try:
        status = await turn.run(COMMAND)
    except Refused as refused:
        return await turn.say(f"{_no(refused)} Nothing has run.")
    if status == 0:
        return await turn.say("The tests **pass**. `<Tab>` on the command shows its output.")
    text = await turn.read(turn.folder / "shop.py")
    why = scratch.next_idea(text).reason if scratch.is_broken(text) else ""
    await turn.say(
        f"The tests **fail** (exit status {status}); `<Tab>` on the command shows why. {why}"
    )


async def _edit(turn: Turn) -> None:
    path = turn.folder / "shop.py"
    old = await turn.read(path)
    idea = scratch.next_idea(old)
    new = idea.change(old)
    asks = not turn.permissions.allows("Edit")
    how = " In the diff, `:w` accepts my edit, `:q` rejects it; change it first if you like."
    await turn.say(f"{idea.reason}{how if asks else ''}")
    try:
        written = await turn.edit(path, old, new)
    except Refused as refused:
        return await turn.say(f"{_no(refused)} `{path.name}` is as it was.")
    if not asks:
        words = f"`{path.name}` is **written**, without a question because of your permissions."
    elif written == new:
        words = f"You accepted my edit: `{path.name}` is **written**."
    else:
        words = f"You **changed** my edit. This is how yours differs:\n\n{_diff(new, written)}"
    await turn.say(f"{words}\n\n`u` in its window undoes that, `gd` here reviews it.")


async def _ask(turn: Turn) -> None:
    await turn.say("I have two questions. `CTRL-S` in the empty prompt opens the form.")
    try:
        answers = await turn.ask(QUESTIONS)
    except Refused as refused:
        return await turn.say(f"{_no(refused)} So I ask no more.")
    said = "\n".join(f"- {question} **{answer}**" for question, answer in answers.items())
    explained = [words for topic, words in EXPLANATIONS.items() if topic in said]
    await turn.say("\n\n".join([f"You answered:\n\n{said}", *explained]))
    next_ = answers.get(str(QUESTIONS[0]["question"]), "")
    if next_ == "Run the tests":
        await _run_tests(turn)
    elif next_ == "Propose an edit":
        await _edit(turn)


async def _plan(turn: Turn) -> None:
    await turn.say("I have a plan. It opens in a buffer: change it if you like, `:w` approves it.")
    try:
        plan = await turn.plan(PLAN)
    except Refused as refused:
        return await turn.say(f"{_no(refused)} Claude would go on planning; my script ends here.")
    if turn.permissions.mode == "plan":
        turn.permissions.set_mode("default")
    if plan.strip() != PLAN.strip():
        await turn.say(
            "You changed the plan:\n\n" + _diff(PLAN, plan) + "\n\nClaude would follow it. I am a"
            " script, and can only carry out mine."
        )
    await _edit(turn)
    await _run_tests(turn)


async def _count(turn: Turn) -> None:
    await turn.say(f"I count to {COUNT}. CTRL-C stops me, and so does `<Esc>` pressed twice.")
    await turn.say(" ".join(map(str, range(1, COUNT + 1))), COUNT_SLOWDOWN)


SCENES = (
    Scene("fix", "fix the bug", "propose an edit, as a diff",
          re.compile(r"\b(fix|edit|chang|improv|mend|repair|bug)"), _edit),
    Scene("test", "run the tests", "ask before I run a command",
          re.compile(r"\b(tests?|run)\b"), _run_tests),
    Scene("ask", "ask me", "ask two questions, in a form",
          re.compile(r"\b(ask|question|form)"), _ask),
    Scene("plan", "make a plan", "show a plan, which you can edit",
          re.compile(r"\bplan"), _plan),
    Scene("count", "count", "count until you stop me",
          re.compile(r"\bcount"), _count),
)  # fmt: skip
ORDER = ("test", "fix", "test", "ask", "plan", "count")
"""In this order the scenes tell a story."""


class Script:
    """The script of one conversation."""

    def __init__(self) -> None:
        self._played: list[str] = []

    async def answer(self, turn: Turn, blocks: list[str]) -> None:
        """Answer a prompt, given as its blocks of text."""
        words = blocks[-1] if blocks else ""
        scene = self._scene(turn, words.lower())
        try:
            if scene is None:
                await self._introduce(turn, words)
            else:
                self._played.append(scene.command)
                await scene.play(turn)
        except FailedError as failed:
            await turn.say(f"That did not work: {failed}")
        await turn.say(self._hint())

    def _scene(self, turn: Turn, words: str) -> Scene | None:
        found = next((scene for scene in SCENES if scene.pattern.search(words)), None)
        is_planned = found is not None and turn.permissions.mode == "plan"
        return next(s for s in SCENES if s.command == "plan") if is_planned else found

    async def _introduce(self, turn: Turn, words: str) -> None:
        if not self._played:
            await turn.think(GREETING)
        quote = " ".join(words.split())
        quote = quote if len(quote) <= LONGEST_QUOTE else f"{quote[: LONGEST_QUOTE - 1]}…"
        known = "\n".join(f"- `{scene.prompt}`: I {scene.summary}" for scene in SCENES)
        await turn.say(
            "I am a demo, a script **without a model**, so I cannot understand"
            f" “{quote}”. I know these prompts:\n\n{known}"
        )

    def _hint(self) -> str:
        story = list(ORDER)
        for played in self._played:
            if played in story:
                story.remove(played)
        if not story:
            return "That was all of the chat. `TOUR.md` goes on with `:ClaudeAsk`."
        scene = next(scene for scene in SCENES if scene.command == story[0])
        return f"Try next: `{scene.prompt}`"


def _no(refused: Refused) -> str:
    reason = str(refused)
    return f"You said no: *{reason}*." if reason else "You said no."


def _diff(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(["```diff", *changed, "```"])
