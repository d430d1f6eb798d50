"""One conversation: an agent, what is shown of it, and what the user does with it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.agent import Agent, NewSession, Opening, ResumeSession
from claude_ide.agents.answer import Answer
from claude_ide.agents.events import Event, Ready
from claude_ide.agents.prompt import Words
from claude_ide.agents.session_state import SessionState, State
from claude_ide.chat import abilities, bar, context, context_usage
from claude_ide.chat.bars import Bars
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.page.view import OpenOutput, Review
from claude_ide.chat.relaunching import Relaunching
from claude_ide.chat.requests.requests import Requests
from claude_ide.chat.requests.sight import Sight
from claude_ide.chat.rewinding import rewind
from claude_ide.chat.settings import Settings
from claude_ide.chat.transcript import todos
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.chat.trusting import Trusting
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError, ClaudeIdeError, UnknownSessionError, UserError

logger = logging.getLogger(__name__)

KEYS = (("<C-s>", "sends"), ("<C-c>", "stops"), ("g?", "keys"))
ENDED = "the agent has ended; R in the transcript starts it again"

Run = Callable[[Awaitable[Any]], "asyncio.Task[None]"]
"""Starts a task whose errors become one line for the user."""


class Chat:
    """A chat with one agent; `id` is what the panel knows it by, `root` the project's folder."""

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
        self.transcript = Transcript(agent.name, root=root)
        self._editor = editor
        self._config = config
        self._run = run
        self._trusting = trusting
        self._opening: Opening = NewSession()
        self._state = SessionState()
        self._bar = bar.Bar()
        self._ready: Ready | None = None
        self._offers = abilities.Offer(agent, self._tell_offer)
        self._started = asyncio.Event()
        self._sending = asyncio.Lock()
        self._relaunching = Relaunching(agent, self._sending, self._started, self._start_again)
        self._living: asyncio.Task[None] | None = None
        self._told: context.Where | None = None
        self._dropped: context.Where | None = None
        self.settings = Settings(agent, editor, self._offer)
        self._painter = Painter(self._draw, self.transcript)
        sight = Sight(id_, root, self.transcript, self._painter, editor)
        self._requests = Requests(
            *(editor, config, sight, self._send_answer, run, self._tell_of_requests),
            name=agent.name,
        )
        self._bars = Painter(self._draw_bars, Bars(self._look))
        run(self._painter.run())
        run(self._bars.run())
        self._ticking: asyncio.TimerHandle | None = None

    # Its life.

    def start(self, opening: Opening) -> None:
        """Start the agent, and show what it tells until it ends."""
        self._opening = opening
        self._relaunching.settle()
        self._started.clear()
        self._ready = None
        self._state = self._state.spawned()
        self.refresh()
        self._living = self._run(self._live(opening))

    async def close(self) -> None:
        """End the agent, and all that belongs to the chat."""
        self._relaunching.settle()
        self._requests.clear()
        self._painter.close()
        self._bars.close()
        for running in (self._ticking, self._living):
            if running is not None:
                running.cancel()
        await self.agent.stop()

    async def _live(self, opening: Opening) -> None:
        try:
            await self._show_history(opening)
            self.transcript.ask_trust(await self._trusting.asked())
            self._ready = await self.agent.start(opening)
            await self.settings.repeat(self._bar.mode)
        except UnknownSessionError as error:
            self._opening = NewSession()
            return self._fail(f"{error} (R begins a new one)")
        except AgentError as error:
            return self._fail(f"{error} (R tries again)")
        except Exception:
            logger.exception("an agent could not be started")
            self.agent.kill()
            return self._fail(
                f"{self.agent.name} could not be started; see :ClaudeLog (R tries again)"
            )
        finally:
            self._started.set()
        async for event in self.agent.events():
            try:
                self._take(event)
            except Exception:
                # What comes after it may be shown.
                logger.exception("an event could not be taken: %s", type(event).__name__)

    def _fail(self, reason: str) -> None:
        """Show why there is no agent."""
        self._state = SessionState(State.DEAD)
        self.transcript.take(events.Notice(reason, "error"))
        self.refresh()

    async def _show_history(self, opening: Opening) -> None:
        if isinstance(opening, ResumeSession) and opening.id and not self.transcript.lines:
            self.transcript.take_history(await self.agent.history(opening.id))
            self._painter.now()

    def _take(self, event: Event) -> None:
        if self._relaunching.hides(event):
            self._state = SessionState()
            return
        self._state = self._state.after(event)
        urgent = self.transcript.take(event)
        self._bar.take(event)
        self._offers.take(event)
        match event:
            case events.PermissionAsked() | events.QuestionAsked() | events.PlanProposed():
                self._requests.take(event)
                if not self.shown:
                    self._editor.notify(
                        f"{self.agent.name} waits for your answer (:ClaudeChat answer)"
                    )
            case events.RequestWithdrawn(request):
                self._requests.drop(request)
            case events.ToolInput(tool, path=path) if path and self.transcript.is_edit(tool):
                self._editor.names(path)
            case events.ToolEnded(tool, status):
                self._requests.ended(tool, status)
            case events.TodoList():
                self._run(self._editor.run("chat.panel.pin", self.id, todos.pinned(event)))
            case events.Session(session, title):
                self.title = title or self.title
                self._run(self._editor.run("chat.state.remember", self.id, session))
            case events.Dead():
                self._requests.clear()
                self._give_back()
        if self._relaunching.is_due_after(event):
            self._run(self._relaunching.if_at_rest(self._living))
        (self._painter.now if urgent else self._painter.soon)()
        self._bars.soon()

    def _give_back(self) -> None:
        """Put what the agent has not begun with back into the prompt: it died with the agent."""
        queued = [*self.transcript.queued.items()]
        for prompt, _ in queued:
            self.transcript.take(events.PromptChanged(prompt, events.PromptStage.CANCELLED))
        text = "\n".join(text for _, text in queued)
        if text:
            self._run(self._editor.run("chat.prompt.put", self.id, text))

    def _tell_offer(self, offer: dict[str, Any]) -> None:
        self._run(self._editor.run("chat.offer.set", self.id, offer))

    # What is shown.

    def resize(self, width: int, columns: int) -> None:
        """Fit what waits for the user into the transcript's window."""
        self.transcript.resize(width, columns)
        self._painter.soon()

    def refresh(self) -> None:
        """Draw what has changed."""
        self._painter.soon()
        self._bars.soon()

    async def _draw(self, frame: dict[str, Any]) -> None:
        await self._editor.run("chat.transcript.draw", self.id, frame)

    async def _draw_bars(self, look: dict[str, Any]) -> None:
        await self._editor.run("chat.panel.bar", self.id, look["bars"], look["work"])

    def _look(self) -> dict[str, Any]:
        """What `chat/panel.lua` shows in its bars; while they change by themselves, look again."""
        self._offers.update()
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None
        seconds = self._bar.seconds_to_change(self._state)
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._ticking = loop.call_later(seconds, self._bars.soon)
        about = self._about()
        chips = [context.chip(about, self.root)] if about else []
        prompt = bar.prompt(chips, KEYS)
        bars = {"transcript": self._bar.transcript(self._state), "prompt": prompt}
        return {"bars": bars, "work": self._bar.work(self._state)}

    def _tell_of_requests(self, count: int) -> None:
        self._run(self._editor.run("chat.waiting.set", self.id, count))

    # What the user does.

    async def send(self, sent: Mapping[str, Any]) -> None:
        """Send what was typed; what cannot be sent comes back into the prompt."""
        text = str(sent["text"])
        # One after the other: what takes longer to put together was typed first all the same.
        async with self._sending:
            try:
                await self._offer()
                await self._say(text, sent)
            except ClaudeIdeError:
                await self._editor.run("chat.prompt.put", self.id, text)
                raise

    async def _say(self, text: str, sent: Mapping[str, Any]) -> None:
        about, images, how = self._about(), sent.get("images") or (), str(sent.get("how"))
        ways = {"steer": self.agent.steer, "redirect": self.agent.redirect}
        abilities.require(self.agent, how, "paste-image" if images else "")
        prompt = await context.prompt(self._editor, text, self.root, about, images)
        say = ways.get(how, self.agent.prompt)
        id_ = await say(prompt)
        if about is not None:
            self._told = about
        self.transcript.said(id_, text, [context.chip(about, self.root)] if about else [])
        self._painter.now()
        self._bars.soon()

    async def stop(self) -> None:
        """End the present turn; what was queued stays."""
        if self._state.busy:
            await self.agent.interrupt()

    async def restart(self) -> None:
        """Start an agent that has ended, with the session it had."""
        if self._state.state is not State.DEAD:
            return
        self._start_again()

    def _start_again(self) -> None:
        session = self.agent.session
        if session and self.transcript.prompts and abilities.has(self.agent, "resume"):
            self.start(ResumeSession(session))
        else:
            # A fork has no session of its own before its first turn.
            is_fork = isinstance(self._opening, ResumeSession) and not session
            self.start(self._opening if is_fork else NewSession(session))

    async def trust_changed(self) -> None:
        """Follow what the user has decided about the folder: now, or when the turn ends."""
        self.transcript.ask_trust(await self._trusting.asked())
        if self._trusting.is_outdated and self._relaunching.is_possible:
            later = self.agent.state.busy
            self.transcript.note_trust(self._trusting.news(later=later))
            await self._relaunching.now_or_later(self._living)
        self._painter.now()

    async def press(self, part: int, offset: int) -> None:
        """Open or close a part of the transcript, or show all of it."""
        match self.transcript.press(part, offset):
            case OpenOutput(title, text):
                await self._editor.run("window.scratch.open", title, text)
            case Review(request):
                self._requests.review(request)
        self._painter.now()

    async def go_to(self, part: int, offset: int, column: int) -> None:
        """Open the file that is named under the cursor."""
        place = self.transcript.place(part, offset, column)
        if place is None:
            raise UserError("there is no file under the cursor")
        path, line = place
        request = {"path": path if path.startswith("/") else f"{self.root}/{path}"}
        await self._editor.open_file(request | ({"line": line} if line else {}))
        await self._editor.run("chat.placement.uncover", self.id)

    async def answer(self, part: int, kind: str, key: str) -> None:
        """Answer the request in a part of the transcript, which was of this kind."""
        asked = self.transcript.request(part)
        asks_trust = self.transcript.asks_trust(part)
        if asks_trust and key != "d":
            await self._trusting.key(key)
        elif (asked is not None or asks_trust) and key == "d":
            await self.press(part, 0)
        elif asked is not None:
            await self._requests.key(asked.request, key, kind)

    @property
    def waits(self) -> bool:
        """Whether it waits for the user's answer."""
        return bool(self.transcript.waiting)

    async def choose_answer(self) -> None:
        """Answer the request that waits longest, else the question about the folder."""
        await (self._requests.choose() if self.waits else self._trusting.choose())

    async def withdraw(self, part: int) -> None:
        """Take back a prompt that has not begun, into the prompt window."""
        prompt = self.transcript.withdraw(part)
        if prompt is None:
            return
        abilities.require(self.agent, "withdraw")
        text = self.transcript.queued.get(prompt, "")
        if not await self.agent.withdraw(prompt):
            raise UserError("too late: the agent has begun with it")
        await self._editor.run("chat.prompt.put", self.id, text)

    async def redraw(self) -> None:
        """Draw everything again: the editor has lost it."""
        self.transcript.redraw()
        self._painter.now()

    async def cycle_mode(self) -> None:
        """Go on to the next permission mode."""
        await self.settings.cycle_mode(self._bar.mode)

    async def drop_context(self) -> None:
        """Leave out of the next prompt where the user is."""
        self._dropped = self._about()
        self._bars.soon()

    async def rewind(self) -> None:
        """Put the files back as they were before one of the prompts."""
        await self._offer("rewind")
        await rewind(self.agent, self._editor, self.transcript, self.root)

    async def ask_aside(self, question: str) -> None:
        """Ask something that does not become part of the conversation."""
        await self._offer("aside")
        asked = question or await self._editor.input("Aside: ")
        if not asked:
            return
        answer = await self.agent.ask_aside(asked)
        self.transcript.take(events.Notice(f"aside: {asked}\n{answer}"))
        self._painter.now()

    async def show_context(self) -> None:
        """Show how full the context is, and with what."""
        await self._offer("context")
        usage = context_usage.lines(await self.agent.context_usage())
        await self._editor.run("window.float.show", usage, {"title": "Context"})

    async def show_log(self) -> None:
        """Show what was said to the agent and by it of late, as it went over the wire."""
        log = self.agent.log()
        if not log:
            raise UserError("nothing has been said yet")
        await self._editor.run("window.scratch.open", "traffic.jsonl", log, "jsonl")

    # How it is done.

    async def _offer(self, feature: str = "") -> Ready:
        """Return what there is to choose from, once the agent answers; it must have the feature."""
        await self._started.wait()
        if self._ready is None or self._state.state is State.DEAD:
            raise UserError(ENDED)
        if feature:
            abilities.require(self.agent, feature)
        return self._ready

    def _about(self) -> context.Where | None:
        """Where the user is, unless the agent has been told so, or they want it left out."""
        about = context.where(self._editor.state.selection)
        return None if about in (self._told, self._dropped) else about

    async def _send_answer(self, request: str, answer: Answer, said: str) -> None:
        reason = await abilities.answer(self.agent, request, answer)
        self._state = self._state.answered(request)
        self.transcript.answered(request, said)
        if reason:
            self.transcript.said(await self.agent.prompt([Words(reason)]), reason)
        self._painter.now()
        self._bars.soon()
