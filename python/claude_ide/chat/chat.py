"""One conversation: an agent, its panel, and the user's actions."""

import contextlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from claude_ide.agents import events
from claude_ide.agents.agent import NewSession, Opening
from claude_ide.agents.events import Asked, Event
from claude_ide.agents.session_state import State
from claude_ide.chat import abilities, background, context_usage
from claude_ide.chat.attachment import Attachment
from claude_ide.chat.background import Background
from claude_ide.chat.bar import Bar
from claude_ide.chat.bars import Bars
from claude_ide.chat.branching import Branching
from claude_ide.chat.consent import Consent
from claude_ide.chat.following import Following
from claude_ide.chat.offering import Offer
from claude_ide.chat.opening import OpenedAgent
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.view import OpenOutput, Resume, Review, ShowEarlier
from claude_ide.chat.reading_back import ReadingBack
from claude_ide.chat.reporting import Reporting
from claude_ide.chat.requests.answers import Answers
from claude_ide.chat.requests.requests import Requests
from claude_ide.chat.requests.trust_question import KIND
from claude_ide.chat.reviewing import Reviewing
from claude_ide.chat.rewinding import Rewinding
from claude_ide.chat.running import Run, Running
from claude_ide.chat.sending import Sending
from claude_ide.chat.sessions.entry import Status
from claude_ide.chat.settings import Settings
from claude_ide.chat.shell.shell import Shell
from claude_ide.chat.transcript import earlier
from claude_ide.chat.transcript.todos import Todos
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.chat.welcome import Welcome
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.windows import Look
from claude_ide.errors import AgentError, UserError

logger = logging.getLogger(__name__)

FORKED = "a fork: what follows is in a session of its own (:ClaudeChat resume lists the other one)"
UNSHOWN = "a request could not be shown, see :ClaudeLog · <C-c> stops the turn"


LONGEST_NAME = 30
"""Characters."""


class Chat:
    """A chat with one agent; `id` identifies it in Lua, `root` is the project's folder.

    `label` returns what tells a chat from the others, or nothing.
    """

    def __init__(
        self,
        id_: int,
        opened: OpenedAgent,
        editor: Editor,
        config: Config,
        run: Run,
        label: Callable[["Chat"], str],
    ) -> None:
        self.id = id_
        self.root = root = str(opened.folder)
        self.kind = opened.kind
        self.agent = agent = opened.agent
        trusting = opened.trusting
        self.title = ""
        self.shown = True
        self._port = editor.port
        self.panel = self._port.panel(id_)
        self._editor = editor
        self._run, self._withdraw = run, opened.withdraw
        self._label = partial(label, self)
        self.transcript = Transcript(agent.name, root=root)
        self.transcript.sheet.page.renders = config.chat.render
        self._painter = Painter(self.panel.draw, self.transcript.sheet)
        self._reading_back = ReadingBack(agent, self.transcript, self._painter)
        self.transcript.resumes = partial(abilities.has, agent, "resume")
        self.welcome = Welcome(
            self.transcript.sheet, agent.name, partial(abilities.has, agent, "modes")
        )
        self.requests = Requests(self.transcript.sheet, agent.name, root, self._count_requests)
        self.consent = Consent(
            *(trusting, self.transcript.sheet, self.requests),
            *(opened.kind.missing, self._consent_changed),
        )
        self.answers = Answers(
            *(self.requests, agent, self.transcript, self._painter),
            *(self.panel, editor, config, run),
            label=self._label,
        )
        self.running = Running(
            *(agent, self.transcript, self._painter, self.requests, run),
            admit=self.consent.admit,
            prepare=self._prepare,
            begin=self._begin,
            handle=self._handle,
            changed=self.refresh,
        )
        self.attachment = Attachment(editor, root, lambda: agent.capabilities.open_file)
        self._offers = Offer(agent, lambda offer: run(self.panel.update({"offer": offer})))
        self.settings = Settings(agent, editor, self.running.offer)
        self._shell = Shell(root, self.transcript.sheet, lambda: trusting.is_trusted, self.refresh)
        self.sending = Sending(
            *(root, agent, editor, self.panel, self.transcript, self._painter),
            *(self.attachment, self._shell, self.running, run),
        )
        self.background = Background(
            *(agent, self.transcript, self.panel, editor, run), f"{background.NAME} {id_}"
        )
        self._todos = Todos()
        self.branching = Branching(
            *(agent, editor, self.panel, self.transcript, self.sending, self.attachment),
            Rewinding(agent, editor, self.transcript, root),
            *(self._reopen, self._draw),
        )
        self.reviewing = Reviewing(
            *(
                opened.witness,
                self.transcript,
                self._painter,
                self.panel,
                f"chat {id_}",
                editor,
                run,
            )
        )
        self._reporting = Reporting(
            *(editor, id_, self.transcript, opened.witness.take_found, opened.has_read)
        )
        self.following = Following(
            *(root, lambda place: self.panel.show_file(*place), lambda: self.shown, run),
            is_on=config.chat.follow,
        )
        self._bar = Bar(is_following=lambda: self.following.is_on)
        self._bars = Bars(
            *(self._bar, self.consent, self.attachment),
            *(lambda: self.running.state, self._tick, lambda: self.shown),
            *(lambda: self.background.running, lambda: self.branching.edited),
        )
        self._bars_painter = Painter(self.panel.update, self._bars)
        run(self._painter.run())
        run(self._bars_painter.run())

    # Start and end.

    async def close(self) -> None:
        """End the agent and everything else of the chat."""
        self._shell.stop()
        self.answers.clear()
        self.sending.close()
        self.background.end()
        self.following.close()
        self._painter.close()
        self._bars_painter.close()
        self._bars.close()
        await self.running.close()
        self._reporting.close()

    async def _prepare(self, opening: Opening) -> None:
        if isinstance(opening, NewSession):
            self.welcome.show()
        elif opening.id and self.transcript.sheet.is_empty:
            history = await self.agent.history(opening.id)
            earlier.load(self.transcript, history)
            self.reviewing.load_history(history)
            if opening.fork:
                self.transcript.note("branch", FORKED)
            self._painter.now()
        await self.consent.show()

    async def _begin(self) -> None:
        await self.settings.repeat(self._bar.mode)

    # Events of the agent.

    def _handle(self, event: Event) -> None:
        match event:
            case (
                events.PermissionAsked()
                | events.QuestionAsked()
                | events.UrlAsked()
                | events.PlanProposed()
            ):
                self._ask(event)
            case _ if not self.running.hides(event):
                self._show(event)

    def _ask(self, event: Asked) -> None:
        try:
            self.answers.ask(event)
        except Exception:
            # The agent waits, and the user has to know.
            logger.exception("%s could not be shown", type(event).__name__)
            self._show(events.Notice(UNSHOWN, "error"))

    def _show(self, event: Event) -> None:
        for apply in self._sinks:
            try:
                apply(event)
            except Exception:
                # One that fails must not keep a request open, or a prompt waiting.
                logger.exception("%s failed in %r", type(event).__name__, apply)
        self.refresh_bars()

    @property
    def _sinks(self) -> tuple[Callable[[Event], object], ...]:
        """What an event is applied to, in this order: first what shows it, then what follows."""
        return (
            self._apply_to_transcript,
            self.reviewing.apply,
            self._reporting.apply,
            self._bar.apply,
            self.settings.apply,
            self.background.apply,
            self.following.apply,
            self._apply_to_offer,
            self.answers.settle,
            self.branching.apply,
            self._follow,
            self.sending.follow,
            self.running.follow,
        )

    def _apply_to_transcript(self, event: Event) -> None:
        is_urgent = True
        try:
            is_urgent = self.transcript.apply(event)
        finally:
            (self._painter.now if is_urgent else self._painter.soon)()

    def _apply_to_offer(self, event: Event) -> None:
        self._offers.apply(event)
        self._offers.update()
        self.welcome.update(self._bar.model or self._offered_model(), self._bar.mode_name)

    def _offered_model(self) -> str:
        """Return the model that a new session will have, as far as the agent has named it."""
        models = self.running.ready.models if self.running.ready else ()
        return models[0].name if models else ""

    def _follow(self, event: Event) -> None:
        """Apply an event's effects on Neovim outside the transcript."""
        if self._todos.apply(event):
            self._run(self.panel.update({"pinned": self._todos.pinned()}))
        match event:
            case events.ToolInput(tool, path=path) if path and self.transcript.is_edit(tool):
                self._editor.port.disk.announce_write(path, self.transcript.name)
            case events.Session(session, title):
                self.title = title or self.title
                self._run(self.panel.update({"session": session}))
            case events.PromptBlocked(text):
                self._run(self.sending.return_blocked(text))
            case events.TurnEnded():
                self._withdraw()
            case events.Dead():
                if numbers := self.sending.cancel_queued():
                    self._run(self.panel.give_back(numbers))

    def _count_requests(self, _count: int) -> None:
        facts = {"requests": len(self.consent), "label": self._label()}
        self._run(self.panel.update(facts))
        self.refresh_bars()

    def _consent_changed(self) -> None:
        self._count_requests(len(self.requests))
        self._painter.now()

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
        return Status(self.title, self.running.state, waiting, self._bar.cost)

    # Drawing.

    def resize(self, width: int, columns: int) -> None:
        """Fit the transcript into its window."""
        self.transcript.sheet.resize(width)
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
            self.background.tick()
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """Draw the bars, if they have changed."""
        self._bars_painter.soon()

    def _draw(self) -> None:
        """Draw the transcript and the bars at once."""
        self._painter.now()
        self.refresh_bars()

    # The user's actions.

    async def stop(self, taken: Sequence[int] | None = None) -> None:
        """End the user's command, or else the current turn; prompts that wait behind it remain.

        `taken` are the prompts that the user has taken back, because the agent did not have them.
        """
        taken = await self.panel.take_back() if taken is None else taken
        self.sending.taken_back(taken)
        if self._shell.stop():
            return
        state = self.running.state
        if state.state is State.QUEUED and await self.sending.withdraw_all():
            return
        if state.busy:
            await self.agent.interrupt()
        elif self.running.is_late and not taken:
            await self.running.give_up()
        self.background.report()

    async def _reopen(self, opening: Opening) -> None:
        """End the agent and open another session with its settings.

        Raises `UserError` if that fails; the agent then returns to its session.
        """
        mode = self._bar.mode
        await self.running.reopen(opening, self.answers.clear)
        if mode and abilities.has(self.agent, "modes"):
            # A mode that the user has allowed in the meantime is not one of the repeated settings.
            with contextlib.suppress(AgentError):
                await self.agent.set_mode(mode)

    async def trust_changed(self) -> None:
        """Follow the user's decision about the folder: now, or when the turn ends."""
        if self.consent.may_start:
            return await self.running.restart()
        await self.consent.follow(
            busy=self.agent.state.busy,
            note=lambda news: self.transcript.note(KIND, news),
            relaunch=self.running.relaunch,
            is_running=self.running.is_relaunchable,
        )
        self._painter.now()

    async def press(self, part: int, offset: int) -> str:
        """Open or close a part of the transcript, show its whole text, or start a review.

        Returns the session that the user wants to resume in this empty chat, or "".
        """
        match self.transcript.press(part, offset):
            case OpenOutput(title, text):
                await self._port.windows.show_text(self.agent.name, title, text)
            case Review(request):
                self.answers.review(request)
            case ShowEarlier():
                await self._reading_back.show_earlier()
            case Resume(session):
                return session
        self._painter.now()
        return ""

    async def go_to(self, part: int, offset: int, column: int) -> None:
        """Open the file whose path is under the cursor."""
        location = self.transcript.location(part, offset, column)
        if location is None:
            raise UserError("there is no file under the cursor")
        path, line = location
        request = {"path": path if path.startswith("/") else f"{self.root}/{path}"}
        await self._editor.port.buffers.open_file(request | ({"line": line} if line else {}))
        await self.panel.uncover()

    async def choose_answer(self) -> None:
        """Have the user answer the oldest request, or the question of trust if there is none."""
        await (self.answers.choose() if self.requests else self.consent.choose())

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
        """Leave the prompt that is being edited, or exclude the current file from the next one."""
        if self.branching.edited:
            return await self.branching.leave()
        self.attachment.drop()
        self.refresh_bars()

    async def rewind(self) -> None:
        """Go back to before a prompt: the conversation, the files, or both."""
        await self.running.offer("rewind")
        await self.branching.rewind()

    async def ask_aside(self, question: str) -> None:
        """Show the answer to a question that does not become part of the conversation."""
        await self.running.offer("aside")
        asked = question or await self._editor.input("Aside: ")
        if not asked:
            return
        answer = await self.agent.ask_aside(asked)
        self.transcript.apply(events.Notice(f"aside: {asked}\n{answer}"))
        self._painter.now()

    async def show_context(self) -> None:
        """Show how full the context is, by category."""
        await self.running.offer("context")
        usage = context_usage.lines(await self.agent.context_usage())
        await self._port.windows.show_lines(usage, Look("Context"))

    async def toggle_todos(self) -> None:
        """Hide the pinned todo list, or show it again."""
        if self._todos.is_empty:
            raise UserError("there is no todo list")
        self._todos.toggle()
        await self.panel.update({"pinned": self._todos.pinned()})

    async def show_tasks(self) -> None:
        """Show what runs in the background."""
        await self.running.offer("tasks")
        await self.background.show()

    async def toggle_following(self) -> None:
        """Show the files that the agent reads and edits, or stop showing them."""
        words = "following" if self.following.toggle() else "no longer following"
        self._editor.notify(f"{words} {self.agent.name}'s files")

    async def show_log(self) -> None:
        """Show the recent traffic with the agent."""
        log = self.agent.log()
        if not log:
            raise UserError("the conversation is empty")
        await self._port.windows.show_text(self.agent.name, "traffic.jsonl", log, "jsonl")

    async def export(self) -> str:
        """Return the conversation as Markdown."""
        return await self._reading_back.markdown(self.title)
