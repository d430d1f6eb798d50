"""One conversation: an agent, its panel, and the user's actions."""

from collections.abc import Sequence
from dataclasses import dataclass

from claude_ide.agents import events
from claude_ide.agents.agent import ContextUsage
from claude_ide.agents.events import Event
from claude_ide.agents.session_state import AgentState, SessionState
from claude_ide.base.errors import UserError
from claude_ide.chat.answers import Answers
from claude_ide.chat.background import TaskList
from claude_ide.chat.bar import Bars, Suggesting, Todos
from claude_ide.chat.branching import Branching
from claude_ide.chat.chat_context import ChatContext, ChatPart, Phase, subcommand, subcommands
from claude_ide.chat.consent import Consent
from claude_ide.chat.conversation import Conversation
from claude_ide.chat.following import Following
from claude_ide.chat.life import Life, Logins, Stage
from claude_ide.chat.mcp_servers import McpServers
from claude_ide.chat.opening import OpenedAgent
from claude_ide.chat.recording import Reporting, Reviewing
from claude_ide.chat.sending import Sending, is_command
from claude_ide.chat.settings import Settings
from claude_ide.chat.welcome import Welcome
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.windows import FloatLook
from claude_ide.ui.page import REQUEST, Chunk
from claude_ide.ui.sheet import OpenOutput, Resume, ReviewWanted, ShowEarlier

OFF = "off"
"""The word that ends remote control."""


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
            return "waits", REQUEST
        if self.state.state is AgentState.DEAD:
            return "ended", "ClaudeChatError"
        return ("works", "ClaudeChatToolRunning") if self.state.busy else ("open", "ClaudeChatMode")


class Chat(ChatPart):
    """A chat with one agent."""

    def __init__(self, chat: ChatContext, opened: OpenedAgent) -> None:
        super().__init__(chat)
        self.context, self._endpoint = chat, opened.endpoint
        self.id, self.root, self.kind, self.agent = chat.id, chat.root, chat.kind, chat.agent
        self.panel, self.transcript = chat.panel, chat.transcript
        self.life = Life(chat)
        self.logins = Logins(chat, self.life)
        self.settings = Settings(chat, self.life)
        self.consent = Consent(chat, self.life, opened.trust)
        self.answers = Answers(chat, opened.edits.recorder)
        self.requests = self.answers.requests
        self.sending = Sending(chat, self.life, opened.trust)
        self.background = TaskList(chat, self.life)
        self.servers = McpServers(chat, self.life, self.logins)
        self.branching = Branching(chat, self.life, self.sending, self.answers, self.settings)
        self._bars = Bars(chat, self.life, self.sending.attachment)
        self._bar = self._bars.bar
        self.welcome = Welcome(chat, self._bar, self.settings)
        self.reviewing = Reviewing(chat, opened.edits, opened.review)
        self._conversation = Conversation(chat)
        reporting = Reporting(chat, opened.edits, opened.has_read)
        chat.phases = {
            Phase.SHOW: [self._conversation],
            Phase.RECORD: [
                self.reviewing,
                reporting,
                self._bars,
                self.settings,
                self.welcome,
                self.background,
                Following(chat),
                Todos(chat),
                Suggesting(chat),
            ],
            Phase.FOLLOW: [
                self.answers,
                self.branching,
                self,
                self.sending,
                self.consent,
                self.life,
                self.logins,
                self.servers,
            ],
        }
        self.subcommands = subcommands(*chat.parts)
        chat.run(chat.painter.run())
        chat.run(chat.bars.run())

    async def end(self) -> None:
        """End the agent and everything else of the chat."""
        self.context.close()
        try:
            await self.life.end()
        finally:
            await self._endpoint.close()

    def apply(self, event: Event) -> None:
        """Apply an event's effects on the editor outside the panel."""
        match event:
            case events.ToolInput(tool, path=path) if path and self.transcript.is_edit(tool):
                self._editor.port.disk.announce_write(path, self.transcript.name)
            case events.SessionChanged(session, title):
                self.context.title = title or self.title
                self._chat.run(self.panel.update({"session": session}))
            case events.TurnEnded():
                self._endpoint.withdraw()

    @property
    def title(self) -> str:
        """The title of the session; empty if it has none."""
        return self.context.title

    @property
    def status(self) -> Status:
        """The state of this chat, for the list of sessions."""
        waiting = len(self.requests) + self.consent.is_asked
        bar = self._bar
        return Status(self.title, self.life.state, waiting, bar.cost, bar.percent)

    @handles(panel.Placed)
    async def place(self, placed: panel.Placed) -> None:
        """Follow the panel, which is now visible or hidden, and fit the transcript into it."""
        self.context.shown = placed.shown
        self._bars.wake()
        if placed.width:
            self.transcript.sheet.resize(placed.width)
            self.requests.resize(placed.width, placed.columns)
            self.context.painter.soon()

    @handles(panel.RedrawAsked)
    async def redraw(self, _: panel.RedrawAsked) -> None:
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
        if self.sending.shell.stop():
            return
        state = self.life.state
        if state.state is AgentState.QUEUED and await self.sending.withdraw_all():
            return
        if state.busy:
            await self.agent.interrupt()
        elif self.life.stage is Stage.LATE and not taken:
            await self.life.give_up()
        self.background.report()

    async def press(self, part: int, offset: int) -> str:
        """Open or close a part of the transcript, show its whole text, or start a review.

        Returns the session that the user wants to resume in this empty chat, or "".
        """
        match self.transcript.press(part, offset):
            case OpenOutput(title, text):
                await self._editor.port.windows.show_text(self.agent.name, title, text)
            case ReviewWanted(request):
                self.answers.review(request)
            case ShowEarlier():
                await self._conversation.show_earlier()
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

    @handles(panel.AnswerWanted)
    async def _answer_wanted(self, _: panel.AnswerWanted) -> None:
        await self.choose_answer()

    async def choose_answer(self) -> None:
        """Have the user answer the oldest request, or the question of trust if there is none."""
        await (self.answers.choose() if self.requests else self.consent.choose())

    @handles(panel.ContextDropped)
    async def drop_context(self, _: panel.ContextDropped) -> None:
        """Leave the prompt that is being edited, or exclude the current file from the next one."""
        if self.context.edited:
            return await self.branching.leave()
        self.sending.attachment.drop()
        self.context.bars.soon()

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
        await self._editor.port.windows.show_lines(usage_lines(usage), FloatLook("Context"))

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
