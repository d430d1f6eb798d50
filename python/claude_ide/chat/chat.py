"""One conversation: an agent, its panel, and the user's actions."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from claude_ide.agents import events
from claude_ide.agents.agent import ContextUsage, NewSession, Opening
from claude_ide.agents.events import Event
from claude_ide.agents.requests import Asked, PermissionAsked, PlanProposed, QuestionAsked, UrlAsked
from claude_ide.agents.session_state import SessionState, State
from claude_ide.base.errors import UserError
from claude_ide.chat.background import Background
from claude_ide.chat.bar import Bar, Bars, Facts, Suggesting, Todos
from claude_ide.chat.branching import Branching
from claude_ide.chat.chat_context import ChatContext, ChatPart, Run, subcommand, subcommands
from claude_ide.chat.consent import KIND, Consent
from claude_ide.chat.context import Attachment
from claude_ide.chat.following import Following
from claude_ide.chat.life import Life, Stage
from claude_ide.chat.opening import OpenedAgent
from claude_ide.chat.page.rows import Chunk
from claude_ide.chat.page.sheet import OpenOutput, Resume, Review, ShowEarlier
from claude_ide.chat.page.text import one_line
from claude_ide.chat.recording import Reporting, Reviewing
from claude_ide.chat.requests.answers import Answers
from claude_ide.chat.requests.requests import Requests
from claude_ide.chat.sending import Sending, Shell, is_command
from claude_ide.chat.settings import Settings
from claude_ide.chat.transcript import earlier
from claude_ide.chat.transcript.earlier import Earlier, markdown
from claude_ide.chat.welcome import Welcome
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handlers, handles
from claude_ide.editor.port.windows import Look
from claude_ide.editor.status_line import CHAT

logger = logging.getLogger(__name__)

FORKED = "a fork: what follows is in a session of its own (:ClaudeChat resume lists the other one)"
UNSHOWN = "a request could not be shown, see :ClaudeLog · <C-c> stops the turn"

OFF = "off"
"""The word that ends remote control."""

LONGEST_NAME = 30
"""Characters."""

MOST_LINES = 120_000
"""A longer transcript is not extended."""

EXPORT = ":ClaudeChat export writes all of it"

WAITS = ("waits", "ClaudeChatRequest")
WORKS = ("works", "ClaudeChatToolRunning")
OPEN = ("open", "ClaudeChatMode")
ENDED = ("ended", "ClaudeChatError")


@dataclass(frozen=True, slots=True)
class Status:
    """A running chat: its title, its state, the number of waiting requests, its figures."""

    title: str
    state: SessionState
    waiting: int = 0
    cost: float = 0.0
    context: int | None = None
    """The used percentage."""

    @property
    def word(self) -> Chunk:
        """The state in one word."""
        if self.waiting:
            return WAITS
        if self.state.state is State.DEAD:
            return ENDED
        return WORKS if self.state.busy else OPEN


class Conversation(ChatPart):
    """The transcript, which shows each event before anything follows from it."""

    def apply(self, event: Event) -> None:
        """Show an event."""
        is_urgent = True
        try:
            is_urgent = self._transcript.apply(event)
        finally:
            painter = self._chat.painter
            (painter.now if is_urgent else painter.soon)()


class ReadingBack(ChatPart):
    """Shows the conversation above a transcript, and exports it, from the stored history."""

    def __init__(self, chat: ChatContext) -> None:
        super().__init__(chat)
        self._busy = asyncio.Lock()

    async def show_earlier(self) -> None:
        """Show the previous portion of the conversation above the transcript."""
        if self._busy.locked():
            return
        async with self._busy:
            if len(self._transcript.lines) > MOST_LINES:
                raise UserError(f"the transcript cannot grow further; {EXPORT}")
            above = await self._above()
            if not above.is_known:
                raise UserError("the conversation above this line belongs to another session")
            above.show(await asyncio.to_thread(above.portion))
            self._chat.painter.now()

    @subcommand("export")
    async def export(self, path: str) -> None:
        """Write the whole conversation to a file as Markdown, or show it."""
        text = await self._markdown()
        if not path:
            shown = self._chat.name, "conversation.md", text, "markdown"
            await self._editor.port.windows.show_text(*shown)
            return
        target = Path(self._chat.root, Path(path).expanduser())
        try:
            target.touch(exist_ok=False)
            target.write_text(text, encoding="utf-8")
        except FileExistsError:
            raise UserError(f"{path} already exists") from None
        except OSError as error:
            raise UserError(f"cannot write {target}: {error.strerror}") from None
        self._editor.notify(f"wrote {path}")

    async def _markdown(self) -> str:
        if self._transcript.sheet.page.earlier is None:
            return markdown(self._transcript, self._chat.title)
        above = await self._above()
        return await asyncio.to_thread(above.document, self._chat.title)

    async def _above(self) -> Earlier:
        self._chat.require_capability("stored_history")
        history = await self._agent.history(self._agent.session)
        return Earlier(self._transcript, history)


class Chat(ChatPart):
    """A chat with one agent.

    `label` returns what tells a chat from the others, or nothing. `trust_changed` is called when
    the user decides about a folder.
    """

    def __init__(
        self,
        id_: int,
        opened: OpenedAgent,
        editor: Editor,
        config: Config,
        run: Run,
        label: Callable[["Chat"], str],
        trust_changed: Callable[[], Awaitable[None]],
    ) -> None:
        root = str(opened.folder)
        self.context = chat = ChatContext(
            *(id_, opened.kind, opened.agent, root, editor, config, run)
        )
        super().__init__(chat)
        chat.label = lambda: label(self)
        chat.refresh = self.refresh
        self.id, self.root, self.kind, self.agent = id_, root, opened.kind, opened.agent
        self.panel, self.transcript = chat.panel, chat.transcript
        self._door = opened.door
        self.transcript.sheet.page.renders = config.chat.render
        self.transcript.resumes = lambda: chat.has("resume")
        self.welcome = Welcome(chat.sheet, chat.name, lambda: chat.has("modes"))
        self._reading_back = ReadingBack(chat)
        self._todos = Todos()
        self._bar = Bar()
        self.requests = Requests(chat.sheet, chat.name, root, lambda _: self._count_requests())
        self.consent = Consent(
            *(chat, opened.trust, self.requests, self._consent_changed, trust_changed)
        )
        self.answers = Answers(chat, self.requests)
        self.life = Life(
            *(chat, self.requests),
            admit=self.consent.admit,
            prepare=self._prepare,
            begin=lambda ready: self.settings.begin(ready),
            handle=self._handle,
        )
        self.settings = Settings(chat, self.life)
        self._attachment = Attachment(chat)
        self._shell = Shell(chat, lambda: opened.trust.is_trusted)
        self.sending = Sending(chat, self._attachment, self._shell, self.life)
        self.background = Background(chat, self.life)
        self.branching = Branching(
            *(chat, self.life, self.sending, self._attachment, self.answers, self.settings)
        )
        self.reviewing = Reviewing(chat, opened.witness, opened.review)
        self._following = Following(chat)
        self._bars = Bars(chat, self._bar, self._facts, self._tick)
        self._parts: tuple[ChatPart, ...] = (
            Conversation(chat),
            # What records an event, and shows it elsewhere.
            self.reviewing,
            Reporting(chat, opened.witness, opened.has_read),
            self._bars,
            self.settings,
            self.background,
            self._following,
            Suggesting(chat),
            # What then ends, begins or goes on.
            self.answers,
            self.branching,
            self,
            self.sending,
            self.life,
            self._shell,
        )
        owners = (*self._parts, self._reading_back)
        self.handlers = {event: act for part in owners for event, act in handlers(part)}
        """By the type of the event of the panel."""
        self.subcommands = subcommands(*owners)
        run(chat.painter.run())
        run(self._bars.painter.run())

    # Start and end.

    async def end(self) -> None:
        """End the agent and everything else of the chat."""
        self._with_parts("the end", lambda part: part.close())
        self.context.painter.close()
        try:
            await self.life.end()
        finally:
            await self._door.close()

    async def _prepare(self, opening: Opening) -> None:
        if isinstance(opening, NewSession):
            self.welcome.show()
        elif opening.id and self.transcript.sheet.is_empty:
            history = await self.agent.history(opening.id)
            earlier.load(self.transcript, history)
            if opening.fork:
                self.transcript.note("branch", FORKED)
            self.context.painter.now()
        await self.consent.show()

    # Events of the agent.

    def _handle(self, event: Event) -> None:
        match event:
            case PermissionAsked() | QuestionAsked() | UrlAsked() | PlanProposed():
                self._ask(event)
            case _ if not self.life.hides(event):
                self._apply_to_parts(event)

    def _ask(self, event: Asked) -> None:
        if isinstance(event, PermissionAsked):
            self.reviewing.asked(event)
        try:
            self.answers.ask(event)
        except Exception:
            # The agent waits, and the user has to know.
            logger.exception("%s could not be shown", type(event).__name__)
            self._apply_to_parts(events.Notice(UNSHOWN, "error"))

    def _apply_to_parts(self, event: Event) -> None:
        self._with_parts(type(event).__name__, lambda part: part.apply(event))
        models = self.settings.offered.models
        model = self._bar.model or (models[0].name if models else "")
        self.welcome.update(model, self._bar.mode_name)
        self.refresh_bars()

    def _with_parts(self, what: str, act: Callable[[ChatPart], object]) -> None:
        for part in self._parts:
            try:
                act(part)
            except Exception:
                # One that fails must not keep a request open, or a prompt waiting.
                logger.exception("%s failed in %s", what, type(part).__name__)

    def apply(self, event: Event) -> None:
        """Apply an event's effects on the editor outside the transcript."""
        if self._todos.apply(event):
            self._chat.run(self.panel.update({"pinned": self._todos.pinned()}))
        match event:
            case events.ToolInput(tool, path=path) if path and self.transcript.is_edit(tool):
                self._editor.port.disk.announce_write(path, self.transcript.name)
            case events.Session(session, title):
                self.context.title = title or self.title
                self._chat.run(self.panel.update({"session": session}))
            case events.LimitsTold(limits):
                self._editor.limits.learn(f"{CHAT}{self.id}", limits)
            case events.TurnEnded():
                self._door.withdraw()

    def _count_requests(self) -> None:
        facts = {"requests": len(self.consent), "label": self._chat.label()}
        self._chat.run(self.panel.update(facts))
        self.refresh_bars()

    def _consent_changed(self) -> None:
        self._count_requests()
        self.context.painter.now()

    @property
    def title(self) -> str:
        """The title of the session; empty if it has none."""
        return self.context.title

    @property
    def names(self) -> tuple[str, ...]:
        """What the user may know this chat by, the best first; some are empty."""
        first = next(iter(self.transcript.prompts.values()), "")
        return (
            one_line(self.title, LONGEST_NAME),
            one_line(first, LONGEST_NAME),
            Path(self.root).name,
        )

    @property
    def status(self) -> Status:
        """The state of this chat, for the list of sessions."""
        waiting = len(self.requests) + self.consent.is_asked
        bar = self._bar
        return Status(self.title, self.life.state, waiting, bar.cost, bar.percent)

    # Drawing.

    @handles(panel.Placed)
    def place(self, placed: panel.Placed) -> None:
        """Follow the panel, which is now visible or hidden, and fit the transcript into it."""
        self.context.shown = placed.shown
        self._tick()
        if placed.width:
            self.transcript.sheet.resize(placed.width)
            self.requests.resize(placed.width, placed.columns)
            self.context.painter.soon()

    def refresh(self) -> None:
        """Draw the changes, and send the agent's offer if it has changed."""
        self.settings.update()
        self.context.painter.soon()
        self.refresh_bars()

    def _tick(self) -> None:
        """Draw what changes with time."""
        if self.context.shown and not self.requests and self.transcript.tick():
            self.context.painter.soon()
            self.background.tick()
        self.refresh_bars()

    def _facts(self) -> Facts:
        return Facts(
            self.life.state,
            len(self.consent),
            self.background.running,
            self._attachment.chips(self._attachment.now),
            self.branching.edited,
            self._following.is_on,
            self._editor.limits.shown if self.context.has("limits") else (),
        )

    def refresh_bars(self) -> None:
        """Draw the bars, if they have changed."""
        self._bars.painter.soon()

    @handles(panel.RedrawAsked)
    def redraw(self, _: panel.RedrawAsked) -> None:
        """Draw everything again: the editor has lost the content."""
        self.transcript.sheet.redraw()
        self.context.painter.now()

    # The user's actions.

    @handles(panel.PromptSent)
    async def send(self, sent: panel.PromptSent) -> None:
        """Send a prompt to the agent, or run it as a command."""
        await (self.sending.run_command if is_command(sent.text) else self.branching.send)(sent)

    @handles(panel.Stopped)
    async def _stop(self, stopped: panel.Stopped) -> None:
        await self._end_turn(stopped.taken)

    @subcommand("stop")
    async def stop(self) -> None:
        """End the user's command, or else the current turn; prompts that wait behind it remain."""
        await self._end_turn(await self.panel.take_back())

    async def _end_turn(self, taken: Sequence[int]) -> None:
        """Do so; `taken` are the prompts that the user has taken back, as the agent lacks them."""
        self.sending.taken_back(taken)
        if self._shell.stop():
            return
        state = self.life.state
        if state.state is State.QUEUED and await self.sending.withdraw_all():
            return
        if state.busy:
            await self.agent.interrupt()
        elif self.life.stage is Stage.LATE and not taken:
            await self.life.give_up()
        self.background.report()

    async def trust_changed(self) -> None:
        """Follow the user's decision about the folder."""
        await self.consent.follow(self.life)

    async def press(self, part: int, offset: int) -> str:
        """Open or close a part of the transcript, show its whole text, or start a review.

        Returns the session that the user wants to resume in this empty chat, or "".
        """
        match self.transcript.press(part, offset):
            case OpenOutput(title, text):
                await self._editor.port.windows.show_text(self.agent.name, title, text)
            case Review(request):
                self.answers.review(request)
            case ShowEarlier():
                await self._reading_back.show_earlier()
            case Resume(session):
                return session
        self.context.painter.now()
        return ""

    @handles(panel.LocationWanted)
    async def go_to(self, wanted: panel.LocationWanted) -> None:
        """Open the file whose path is under the cursor."""
        location = self.transcript.location(wanted.part, wanted.offset, wanted.column)
        if location is None:
            raise UserError("there is no file under the cursor")
        path, line = location
        request = {"path": path if path.startswith("/") else f"{self.root}/{path}"}
        await self._editor.port.buffers.open_file(request | ({"line": line} if line else {}))
        await self.panel.uncover()

    @handles(panel.RequestAnswered)
    async def _answer(self, answered: panel.RequestAnswered) -> None:
        if answered.key == "d":
            await self.press(answered.part, 0)
        elif answered.kind == KIND:
            await self.consent.key(answered.part, answered.key)
        else:
            await self.answers.key(answered.part, answered.key, answered.kind, answered.reason)

    @handles(panel.AnswerWanted)
    async def _answer_wanted(self, _: panel.AnswerWanted) -> None:
        await self.choose_answer()

    async def choose_answer(self) -> None:
        """Have the user answer the oldest request, or the question of trust if there is none."""
        await (self.answers.choose() if self.requests else self.consent.choose())

    @handles(panel.ContextDropped)
    async def drop_context(self, _: panel.ContextDropped) -> None:
        """Leave the prompt that is being edited, or exclude the current file from the next one."""
        if self.branching.edited:
            return await self.branching.leave()
        self._attachment.drop()
        self.refresh_bars()

    @handles(panel.TodosToggled)
    async def toggle_todos(self, _: panel.TodosToggled) -> None:
        """Hide the pinned todo list, or show it again."""
        if self._todos.is_empty:
            raise UserError("there is no todo list")
        self._todos.toggle()
        await self.panel.update({"pinned": self._todos.pinned()})

    @subcommand("aside")
    async def ask_aside(self, question: str) -> None:
        """Show the answer to a question that does not become part of the conversation."""
        await self.life.started("aside")
        asked = question or await self._editor.input("Aside: ")
        if not asked:
            return
        answer = await self.agent.ask_aside(asked)
        self.transcript.apply(events.Notice(f"aside: {asked}\n{answer}"))
        self.context.painter.now()

    @subcommand("remote")
    async def control_remotely(self, word: str) -> None:
        """Show and yank the link with which the user continues elsewhere; `off` ends that."""
        if word not in ("", OFF):
            raise UserError(f"remote takes no argument but {OFF}: {word}")
        await self.life.started("remote")
        link = await self.agent.turn_remote(on=not word)
        if word:
            self._editor.notify("remote control is off")
        elif not link:
            raise UserError(f"{self.context.name} has told no link")
        else:
            await self._editor.port.windows.yank(link, "v")
            self.context.note("notice", f"remote control: {link}")
            self._editor.notify(f"remote control: {link} (yanked: put it with p)")

    @subcommand("context")
    async def show_context(self) -> None:
        """Show how full the context is, by category."""
        await self.life.started("context")
        usage = await self.agent.context_usage()
        await self._editor.port.windows.show_lines(usage_lines(usage), Look("Context"))

    @subcommand("logout")
    async def log_out(self) -> None:
        """End the user's login to the agent, in all sessions."""
        await self.life.started("logout")
        await self.agent.log_out()
        login = " · L logs in" if self.context.has("login") else ""
        self.context.note("notice", f"logged out of {self.agent.name}{login}")

    @subcommand("log")
    async def show_log(self) -> None:
        """Show the recent traffic with the agent."""
        log = self.agent.log()
        if not log:
            raise UserError("the conversation is empty")
        await self._editor.port.windows.show_text(self.agent.name, "traffic.jsonl", log, "jsonl")


def usage_lines(usage: ContextUsage) -> list[str]:
    """Return a line for the total, and one for each category with its tokens and its share."""
    total = f"{usage.used:,}" + (f" of {usage.size:,}" if usage.size else "") + " tokens"
    named = [(name, tokens) for name, tokens in usage.categories if tokens]
    widest = max((len(name) for name, _ in named), default=0)
    of = usage.size or usage.used or 1
    return [
        f"{total} ({usage.used / of:.0%})" if usage.size else total,
        *(f"  {name:{widest}}  {tokens:>9,}  {tokens / of:>4.0%}" for name, tokens in named),
    ]
