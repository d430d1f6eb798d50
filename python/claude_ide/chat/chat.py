"""One conversation: an agent, its panel, and the user's actions."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.agent import Agent, NewSession, Opening, ResumeSession
from claude_ide.agents.events import Event, Ready
from claude_ide.agents.session_state import SessionState, State
from claude_ide.chat import abilities, context_usage
from claude_ide.chat.attachment import Attachment
from claude_ide.chat.bar import Bar
from claude_ide.chat.bars import Bars
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.page.view import OpenOutput, Review
from claude_ide.chat.panel import Panels
from claude_ide.chat.patience import Patience
from claude_ide.chat.relaunching import Relaunching
from claude_ide.chat.requests.answers import Answers
from claude_ide.chat.requests.requests import Requests
from claude_ide.chat.requests.trust_question import KIND, TrustLine
from claude_ide.chat.rewinding import rewind
from claude_ide.chat.sending import Sending
from claude_ide.chat.settings import Settings
from claude_ide.chat.transcript import export, todos
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.chat.trusting import Trusting
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError, UnknownSessionError, UserError

logger = logging.getLogger(__name__)

ENDED = "the agent has ended; R in the transcript restarts it"

Run = Callable[[Awaitable[Any]], "asyncio.Task[None]"]
"""Starts a task, and shows its errors to the user in one line."""


class Chat:
    """A chat with one agent; `id` identifies it in Lua, `root` is the project's folder."""

    def __init__(
        self,
        id_: int,
        root: str,
        agent: Agent,
        editor: Editor,
        config: Config,
        run: Run,
        trusting: Trusting,
    ) -> None:
        self.id = id_
        self.root = root
        self.agent = agent
        self.title = ""
        self.shown = True
        self._panels = Panels(editor)
        self.panel = self._panels.of(id_)
        self._editor = editor
        self._run = run
        self._trusting = trusting
        self._opening: Opening = NewSession()
        self._ready: Ready | None = None
        self._started = asyncio.Event()
        self._agent_task: asyncio.Task[None] | None = None
        self._is_aborting = False
        self.transcript = Transcript(agent.name, root=root)
        self._painter = Painter(self.panel.draw, self.transcript.sheet)
        self._patience = Patience(self.transcript.sheet, agent.name, self._painter.now)
        self.trust_line = TrustLine(self.transcript.sheet)
        self.requests = Requests(self.transcript.sheet, agent.name, root, self._count_requests)
        self.answers = Answers(
            *(self.requests, agent, self.transcript, self._painter),
            *(self.panel, editor, config, run),
        )
        self.attachment = Attachment(editor, root)
        self._offers = abilities.Offer(agent, lambda offer: run(self.panel.offer(offer)))
        self.settings = Settings(agent, editor, self._offer)
        self.sending = Sending(
            *(root, agent, editor, self.panel, self.transcript, self._painter),
            *(self.attachment, self._offer, self._accepts, run),
        )
        self._relaunching = Relaunching(
            *(agent, self.requests, self.sending.lock, self._started, self._start_again)
        )
        self._bar = Bar()
        self._bars = Bars(
            *(self._bar, self.requests, self.attachment),
            *(self._state, self._tick, lambda: self.shown),
        )
        self._bars_painter = Painter(self.panel.draw_bars, self._bars)
        run(self._painter.run())
        run(self._bars_painter.run())

    # Start and end.

    def start(self, opening: Opening) -> None:
        """Start the agent, and show its events until it ends."""
        self._opening = opening
        self._relaunching.settle()
        self._started.clear()
        self._ready = None
        self._patience.begin()
        self.refresh()
        self._agent_task = self._run(self._run_agent(opening))

    async def close(self) -> None:
        """End the agent and everything else of the chat."""
        self._relaunching.settle()
        self._patience.end()
        self.answers.clear()
        self.sending.close()
        self._painter.close()
        self._bars_painter.close()
        self._bars.close()
        if self._agent_task is not None:
            self._agent_task.cancel()
        await self.agent.stop()

    async def _run_agent(self, opening: Opening) -> None:
        try:
            await self._show_history(opening)
            self.trust_line.show(await self._trusting.asked())
            self._ready = await self.agent.start(opening)
            await self.settings.repeat(self._bar.mode)
        except UnknownSessionError as error:
            self._opening = NewSession()
            return self._fail(f"{error} · R starts a new one")
        except AgentError as error:
            return self._fail(f"{error} · R retries")
        except Exception:
            logger.exception("an agent could not be started")
            self.agent.kill()
            name = self.agent.name
            return self._fail(f"{name} could not be started; see :ClaudeLog · R retries")
        finally:
            self._patience.end()
            if not self._is_aborting:
                self._started.set()
        async for event in self.agent.events():
            try:
                self._handle(event)
            except Exception:
                # The events after it may still be valid.
                logger.exception("an event could not be handled: %s", type(event).__name__)

    async def _abort(self) -> bool:
        """End an agent that is starting; return whether the chat is still open then."""
        self._is_aborting = True
        try:
            if self._agent_task is not None:
                self._agent_task.cancel()
                await asyncio.wait([self._agent_task])
            await self.agent.stop()
        finally:
            self._is_aborting = False
        return not self.sending.is_closed

    def _fail(self, reason: str) -> None:
        """Show why the agent could not be started."""
        self._ready = None
        self.transcript.apply(events.Notice(reason, "error"))
        self.refresh()

    async def _show_history(self, opening: Opening) -> None:
        if isinstance(opening, ResumeSession) and opening.id and self.transcript.is_empty:
            self.transcript.load_history(await self.agent.history(opening.id))
            self._painter.now()

    def _state(self) -> SessionState:
        """Return the agent's state; STARTING or DEAD while there is no agent."""
        if not self._started.is_set():
            return SessionState(State.STARTING)
        return self.agent.state if self._ready is not None else SessionState(State.DEAD)

    # Events of the agent.

    def _handle(self, event: Event) -> None:
        match event:
            case events.PermissionAsked() | events.QuestionAsked() | events.PlanProposed():
                self.answers.ask(event)
                if not self.shown:
                    name = self.agent.name
                    self._editor.notify(f"{name} is waiting for your answer (:ClaudeChat answer)")
            case _ if not self._relaunching.hides(event):
                self._show(event)

    def _show(self, event: Event) -> None:
        urgent = self.transcript.apply(event)
        self._bar.apply(event)
        self._offers.apply(event)
        self._offers.update()
        self.answers.settle(event)
        self._follow(event)
        self.sending.follow(event)
        if self._relaunching.is_due_after(event):
            self._run(self._relaunching.if_idle(self._agent_task))
        (self._painter.now if urgent else self._painter.soon)()
        self.refresh_bars()

    def _follow(self, event: Event) -> None:
        """Apply an event's effects on Neovim outside the transcript."""
        match event:
            case events.ToolInput(tool, path=path) if path and self.transcript.is_edit(tool):
                self._editor.announce_write(path)
            case events.TodoList():
                self._run(self.panel.pin(todos.pinned(event)))
            case events.Session(session, title):
                self.title = title or self.title
                self._run(self.panel.remember(session))
            case events.Dead():
                if numbers := self.sending.cancel_queued():
                    self._run(self.panel.give_back(numbers))

    def _count_requests(self, count: int) -> None:
        self._run(self.panel.count_requests(count))
        self.refresh_bars()

    # Drawing.

    def resize(self, width: int, columns: int) -> None:
        """Fit the requests into the transcript's window."""
        self.requests.resize(width, columns)
        self._painter.soon()

    def refresh(self) -> None:
        """Draw the changes, and send the agent's offer if it has changed."""
        self._offers.update()
        self._painter.soon()
        self.refresh_bars()

    def show(self, shown: bool) -> None:
        """Follow the panel, which is now visible or hidden."""
        self.shown = shown
        self._tick()

    def _tick(self) -> None:
        """Draw what changes with time."""
        if self.shown and not self.requests and self.transcript.tick():
            self._painter.soon()
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """Draw the bars, if they have changed."""
        self._bars_painter.soon()

    # The user's actions.

    async def stop(self, taken: Sequence[int] | None = None) -> None:
        """End the current turn; prompts that wait behind it remain.

        `taken` are the prompts that the user has taken back, because the agent did not have them.
        """
        taken = await self.panel.take_back() if taken is None else taken
        self.sending.taken_back(taken)
        state = self._state()
        if state.state is State.QUEUED and await self.sending.withdraw_all():
            return
        if state.busy:
            await self.agent.interrupt()
        elif self._patience.is_over and not taken and await self._abort():
            self._started.set()
            self._fail(f"{self.agent.name} did not answer and was stopped · R retries")

    async def restart(self) -> None:
        """Restart an agent that has ended or does not answer, in its session."""
        if self._patience.is_over:
            if await self._abort():
                self.start(self._opening)
        elif self._state().state is State.DEAD:
            self._start_again()

    def _start_again(self) -> None:
        session = self.agent.session
        if session and self.transcript.prompts and abilities.has(self.agent, "resume"):
            self.start(ResumeSession(session))
        else:
            # A fork has no session id before its first turn.
            is_fork = isinstance(self._opening, ResumeSession) and not session
            self.start(self._opening if is_fork else NewSession(session))

    async def trust_changed(self) -> None:
        """Follow the user's decision about the folder: now, or when the turn ends."""
        self.trust_line.show(await self._trusting.asked())
        if self._trusting.is_outdated and self._relaunching.is_possible:
            later = self.agent.state.busy
            self.transcript.note(KIND, self._trusting.news(later=later))
            await self._relaunching.now_or_later(self._agent_task)
        self._painter.now()

    async def press(self, part: int, offset: int) -> None:
        """Open or close a part of the transcript, show its whole text, or start a review."""
        match self.transcript.press(part, offset):
            case OpenOutput(title, text):
                await self._panels.show_text(title, text)
            case Review(request):
                self.answers.review(request)
        self._painter.now()

    async def go_to(self, part: int, offset: int, column: int) -> None:
        """Open the file whose path is under the cursor."""
        location = self.transcript.location(part, offset, column)
        if location is None:
            raise UserError("there is no file under the cursor")
        path, line = location
        request = {"path": path if path.startswith("/") else f"{self.root}/{path}"}
        await self._editor.open_file(request | ({"line": line} if line else {}))
        await self.panel.uncover()

    async def answer_trust(self, part: int, key: str) -> None:
        """Answer the question of trust, if it is still in this part of the transcript."""
        if self.trust_line.is_at(part):
            await self._trusting.key(key)

    async def choose_answer(self) -> None:
        """Have the user answer the oldest request, or the question of trust if there is none."""
        await (self.answers.choose() if self.requests else self._trusting.choose())

    async def redraw(self) -> None:
        """Draw everything again: the editor has lost the content."""
        self.transcript.sheet.redraw()
        self._painter.now()

    async def cycle_mode(self) -> None:
        """Switch to the next permission mode."""
        await self.settings.cycle_mode(self._bar.mode)

    async def rename(self, title: str) -> None:
        """Give the session a title, which the list of sessions shows."""
        await self.settings.rename(title, self.title)

    async def drop_context(self) -> None:
        """Exclude the current file or selection from the next prompt."""
        self.attachment.drop()
        self.refresh_bars()

    async def rewind(self) -> None:
        """Restore the files to their state before a prompt."""
        await self._offer("rewind")
        await rewind(self.agent, self._editor, self._panels, self.transcript, self.root)

    async def ask_aside(self, question: str) -> None:
        """Show the answer to a question that does not become part of the conversation."""
        await self._offer("aside")
        asked = question or await self._editor.input("Aside: ")
        if not asked:
            return
        answer = await self.agent.ask_aside(asked)
        self.transcript.apply(events.Notice(f"aside: {asked}\n{answer}"))
        self._painter.now()

    async def show_context(self) -> None:
        """Show how full the context is, by category."""
        await self._offer("context")
        usage = context_usage.lines(await self.agent.context_usage())
        await self._panels.show_lines("Context", usage)

    async def show_log(self) -> None:
        """Show the recent traffic with the agent."""
        log = self.agent.log()
        if not log:
            raise UserError("the conversation is empty")
        await self._panels.show_text("traffic.jsonl", log, "jsonl")

    def export(self) -> str:
        """Return the conversation as Markdown."""
        return export.markdown(self.transcript, self.title)

    async def _offer(self, feature: str = "") -> Ready:
        """Wait until the agent has started, and return its commands, models and modes.

        Raises `UserError` if it has ended or lacks the feature.
        """
        while not self._started.is_set():
            # It may be restarted before this task runs again.
            await self._started.wait()
        if not self._accepts():
            raise UserError(ENDED)
        abilities.require(self.agent, feature)
        assert self._ready is not None
        return self._ready

    def _accepts(self) -> bool:
        """Whether there is an agent that accepts prompts."""
        is_there = self._started.is_set() and self._ready is not None
        return is_there and self.agent.state.state is not State.DEAD
