"""The permissions for which CLIs in terminals ask, in a float that any window can answer.

The CLI shows its own dialog at the same time, and follows whoever answers first. It reports an
answer there only by what it does next.
"""

import asyncio
import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from claude_ide.agents import requests
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.stream_json.permission import decode_request, encode_answer
from claude_ide.base.paths import is_same
from claude_ide.editor.attention import Call
from claude_ide.editor.diffs import Diff, Offer
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.hooks.registration import AGENT, ENDS, TOOL_ENDS, Hook
from claude_ide.ui import permission, proposal
from claude_ide.ui.page import Part, Row, drawn, moved, row
from claude_ide.ui.request import LINE, WHOLE, Answering, PendingRequest, RequestView
from claude_ide.ui.text import one_line

REVIEW_SECONDS = 1.0
"""How long an edit waits for its diff, before it is shown here until the diff opens."""

MOST_BEGUN = 1000
"""Running tools of a session; some that an interruption has ended are never reported as ended."""
MOST_SESSIONS = 50

DIALOGS = ("agent_needs_input", "elicitation_dialog", "elicitation_url_dialog")
"""The notifications of dialogs that no other hook tells of."""

Frame = dict[str, Any]


class Begun(NamedTuple):
    """A running tool: the digest of its use, and the subagent that uses it, or ""."""

    use: bytes
    agent_id: str


@dataclass(kw_only=True, eq=False)
class PendingPermission(PendingRequest):
    """A permission that waits. `decision` is the CLI's answer; None leaves it to its own dialog."""

    launch: str
    hook: Hook
    tool_use: str
    """Empty if it is not known for which use of a tool the CLI asks."""
    decision: "asyncio.Future[Frame | None]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    in_diff: "asyncio.Future[None]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """Done once a diff shows it, in which the user may choose an answer of the hook's."""

    @property
    def asked(self) -> requests.PermissionAsked:
        assert isinstance(self.view.asked, requests.PermissionAsked)
        return self.view.asked

    def resolve(self, decision: Frame | None) -> None:
        """Answer it, unless it is over."""
        self.is_over = True
        if not self.decision.done():
            self.decision.set_result(decision)


class Permissions(Answering[PendingPermission]):
    """All permissions that wait, the oldest first; the float shows one at a time.

    `run` starts a task, and shows its errors to the user.
    """

    def __init__(self, editor: Editor, run: Run) -> None:
        self._editor = editor
        self._run = run
        self._ids = itertools.count(1)
        self._asked: list[PendingPermission] = []
        """All that the CLIs wait for, also those for which no float is due yet."""
        self._waiting: list[PendingPermission] = []
        """Those for the float."""
        editor.diffs.subscribe(self._diff_opened)
        self._in_dialogs: list[tuple[str, Hook, Call]] = []
        """What waits in the dialogs of CLIs only."""
        self._drawing = asyncio.Lock()
        self._begun: dict[tuple[str, str], dict[str, Begun]] = {}
        """The running tools of each session, by the ids of their uses; the oldest are dropped."""

    async def ask(self, launch: str, hook: Hook) -> Frame | None:
        """Return the user's decision; None if the CLI's own dialog has to get it."""
        asked = _decoded(hook)
        if not isinstance(asked, requests.PermissionAsked):
            if asked is not None:
                label = RequestView(Part(0, WHOLE), asked, hook.cwd, AGENT).label
                self._leave_to_dialog(launch, hook, label)
            return None
        waiting = self._new(launch, hook, asked)
        self._asked.append(waiting)
        try:
            await self._expect_diff(waiting)
            if not (waiting.is_over or waiting.in_diff.done()):
                waiting.call = self._call(waiting)
                self._waiting.append(waiting)
                waiting.view.locate()
                self._run(self.draw())
            return await waiting.decision
        finally:
            if waiting.call is not None:
                is_left = waiting.decision.cancelled() or waiting.in_diff.done()
                waiting.call.end(is_answered=waiting.is_over and not is_left)
            # The CLI has disconnected, because its dialog was cancelled.
            waiting.resolve(None)
            self._asked.remove(waiting)
            self._hide(waiting)

    def follow(self, launch: str, hook: Hook) -> None:
        """End what no longer waits after a hook of a session."""
        session = launch, hook.session_id
        if hook.hook_event_name in (*TOOL_ENDS, *ENDS):
            key = (*session, hook.agent_id)
            self._end_dialogs(lambda of, asked: (of, asked.session_id, asked.agent_id) == key)
        match hook.hook_event_name:
            case "Notification" if hook.notification_type in DIALOGS:
                if not any(of == launch for of, *_ in self._in_dialogs):
                    self._leave_to_dialog(launch, hook, one_line(text(hook.message)))
            case "PreToolUse":
                begun = self._begun.setdefault(session, {})
                begun[hook.tool_use_id] = Begun(_digest(hook), hook.agent_id)
                _limit(begun, MOST_BEGUN)
                _limit(self._begun, MOST_SESSIONS)
            case name if name in TOOL_ENDS:
                self._begun.get(session, {}).pop(hook.tool_use_id, None)
                self._end(
                    session,
                    lambda each: (
                        each.tool_use == hook.tool_use_id
                        if each.tool_use
                        else each.hook.agent_id == hook.agent_id
                    ),
                )
            case name if name in ENDS:
                self._end_turn(session, is_whole=name == "SessionEnd")

    def interrupted(self, launch: str) -> None:
        """End what only dialogs show: the user has left them."""
        self._end_dialogs(lambda of, _: of == launch)

    def terminal_ended(self, launch: str) -> None:
        """End the permissions of a terminal that has ended."""
        self.interrupted(launch)
        for waiting in self._asked:
            if waiting.launch == launch:
                waiting.resolve(None)
        self._begun = {key: tools for key, tools in self._begun.items() if key[0] != launch}

    def of(self, launch: str) -> RequestView | None:
        """Return what the CLI in a terminal waits for, if the float shows it, or will."""
        return next((each.view for each in self._waiting if each.launch == launch), None)

    async def enter(self) -> bool:
        """Move the user into the float; return False if there is nothing to answer."""
        if not self._waiting:
            return False
        await self.draw()
        oldest = self._editor.terminals.session(AGENT, self._waiting[0].launch)
        self._editor.attention.came(oldest)
        await self._editor.port.permission.enter()
        return True

    async def press(self, id_: int, key: str, kind: str, reason: str = "") -> None:
        """Handle a key of the float, as `act` does.

        With "resized" the float has another width; with "left" the user answers in the terminal.
        """
        waiting = next((each for each in self._waiting if each.view.part.id == id_), None)
        if key == "resized":
            await self.draw()
        elif waiting is not None and key == "left":
            waiting.resolve(None)
        elif waiting is not None:
            await self.act(waiting, key, kind, reason)

    async def redraw(self, waiting: PendingPermission) -> None:
        await self.draw()

    def _new(self, launch: str, hook: Hook, asked: requests.PermissionAsked) -> PendingPermission:
        if hook.agent_id:
            asked = replace(asked, agent=requests.Subagent(kind=hook.agent_type))
        view = RequestView(Part(next(self._ids), WHOLE), asked, hook.cwd, AGENT)
        view.show_ways()
        use = self._use(launch, hook)
        return PendingPermission(view=view, launch=launch, hook=hook, tool_use=use)

    def _call(self, waiting: PendingPermission) -> Call:
        """Have the user called: the float is on the screen wherever they are."""
        session = self._editor.terminals.session(AGENT, waiting.launch)
        what = f"{waiting.view.label} · :ClaudeAnswer"
        return self._editor.attention.asked(session, what, is_floating=True)

    def _leave_to_dialog(self, launch: str, hook: Hook, what: str) -> None:
        """Have the user called to what only a dialog of the CLI shows, such as a question."""
        session = self._editor.terminals.session(AGENT, launch)
        call = self._editor.attention.asked(session, f"{what} · :ClaudeFocus")
        self._in_dialogs.append((launch, hook, call))
        self._run(self.draw())

    def _end_dialogs(self, is_over: Callable[[str, Hook], bool]) -> None:
        over = [each for each in self._in_dialogs if is_over(each[0], each[1])]
        for each in over:
            self._in_dialogs.remove(each)
            each[2].end()
        if over:
            self._run(self.draw())

    def _use(self, launch: str, hook: Hook) -> str:
        """Return the running use of a tool for which the CLI asks, which does not name it."""
        known = {each.tool_use for each in self._asked}
        begun = self._begun.get((launch, hook.session_id), {})
        use = _digest(hook)
        for id_, tool in reversed(begun.items()):
            if tool.use == use and id_ not in known:
                return id_
        return ""

    def _end(self, session: tuple[str, str], is_over: Callable[[PendingPermission], bool]) -> None:
        for waiting in self._asked:
            if (waiting.launch, waiting.hook.session_id) == session and is_over(waiting):
                waiting.resolve(None)

    def _end_turn(self, session: tuple[str, str], *, is_whole: bool) -> None:
        """End all of a session; subagents in the background continue unless `is_whole`."""
        tools = {} if is_whole else self._begun.get(session, {})
        self._begun[session] = {id_: tool for id_, tool in tools.items() if tool.agent_id}
        if not self._begun[session]:
            del self._begun[session]
        self._end(session, lambda each: is_whole or not each.hook.agent_id)

    async def _expect_diff(self, waiting: PendingPermission) -> None:
        """Wait a moment for the diff of an edit."""
        if waiting.asked.is_edit:
            for diff in self._editor.diffs:
                self._diff_opened(diff)
            await asyncio.wait(
                (waiting.decision, waiting.in_diff),
                timeout=REVIEW_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )

    def _diff_opened(self, diff: Diff) -> None:
        """Leave edits to their diff; hold the answer of one that offers to accept more there."""
        found = [
            each
            for each in self._asked
            if each.asked.is_edit
            and not each.in_diff.done()
            and any(is_same(diff.path, path) for path in each.asked.paths)
        ]
        # Only if the diff shows exactly this edit: its answer allows nothing else.
        proposed = [edit for each in found for edit in proposal.of(each.asked)]
        is_whole = len(found) == len(proposed) == 1 and proposed[0].is_text(diff.text)
        is_known = is_whole and diff.offer is None
        for waiting in found:
            if is_known and permission.lasting(waiting.asked):
                self._hold(waiting, diff)
            else:
                waiting.in_diff.set_result(None)
                waiting.resolve(None)

    def _hold(self, waiting: PendingPermission, diff: Diff) -> None:
        """Hold the hook's answer while a diff shows the edit, since only it can carry a mode."""

        def answer() -> None:
            assert waiting.way is not None
            _respond(waiting, permission.answer(waiting.way))

        choose = partial(waiting.choose_lasting, self._editor)
        name = permission.lasting_name(waiting.asked)
        offer = Offer(name, choose, answer, lambda: waiting.resolve(None))
        waiting.in_diff.set_result(None)
        self._hide(waiting)
        self._editor.diffs.offer(diff, offer)

    def _hide(self, waiting: PendingPermission) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            self._run(self.draw())

    async def draw(self) -> None:
        """Show the oldest permission; close the float if there is none."""
        async with self._drawing:
            width = await self._editor.port.permission.width() if self._waiting else 0
            found = [each for each in self._waiting if not each.is_over]
            launches = [each.launch for each in found] + [each[0] for each in self._in_dialogs]
            labels = [await self._editor.terminals.label(launch=each) for each in launches]
            self._editor.status.requests_wait(labels)
            if not self._waiting:
                await self._editor.port.permission.close()
            elif found:
                found[0].view.resize(width, min(LINE, width))
                await self._editor.port.permission.show(_shown(found[0], labels[: len(found)]))

    async def respond(
        self, waiting: PendingPermission, answer: requests.Answer, summary: str
    ) -> None:
        _respond(waiting, answer)


def _respond(waiting: PendingPermission, answer: requests.Answer) -> None:
    """Send an answer. Raises `InvalidRuleError`."""
    frame = _frame(waiting.hook)
    decision = encode_answer(frame, answer)
    if decision.get("updatedInput") == frame["input"]:
        del decision["updatedInput"]
    waiting.resolve(decision)


def _frame(hook: Hook) -> Frame:
    """Return the request as the CLI makes it in stream-json."""
    return {
        "subtype": "can_use_tool",
        "tool_name": hook.tool_name,
        "input": mapping(hook.tool_input),
        "permission_suggestions": mappings(hook.permission_suggestions),
    }


def _decoded(hook: Hook) -> requests.Asked | None:
    """Return what a hook asks for; None if it is nothing that we know."""
    match decode_request({"request_id": "", "request": _frame(hook)}, hook.cwd):
        case [
            requests.PermissionAsked() | requests.QuestionAsked() | requests.PlanProposed() as asked
        ]:
            return asked
    return None


def _digest(hook: Hook) -> bytes:
    """Return what uses of a tool with the same input have in common; an input may be large."""
    return hashlib.sha256(
        msgspec.json.encode((hook.tool_name, hook.tool_input), order="sorted")
    ).digest()


def _limit(entries: dict[Any, Any], most: int) -> None:
    while len(entries) > most:
        del entries[next(iter(entries))]


def _shown(waiting: PendingPermission, labels: list[str]) -> dict[str, Any]:
    """Return what the float shows of the first of some permissions, with the label of each CLI."""
    rows = [moved(_flat(each), 1) for each in waiting.view.rows()]
    name = one_line(f"{AGENT} ({labels[0]})" if labels[0] else AGENT)
    return {
        "id": waiting.view.part.id,
        "launch": waiting.launch,
        "agent": AGENT,
        "title": f"{name} asks{f' · 1 of {len(labels)}' if len(labels) > 1 else ''}",
        "tool": waiting.asked.name,
        "count": len(labels),
        "kind": waiting.view.kind,
        **drawn(rows),
    }


def _flat(shown: Row) -> Row:
    """Return a row in which the prefix of a line of code is text."""
    if not shown.looks:
        return shown
    look = shown.looks[0]
    return row((look.text, look.group), (shown.text, ""))
