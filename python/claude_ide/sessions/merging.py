"""`:ClaudeMerge`: what becomes of the work in a worktree, by one choice of the user's.

Nothing is removed but what is merged, or what the user was shown by name and gave up.
"""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from claude_ide.agents.stream_json.running import Records, RunningSession
from claude_ide.base.errors import ClaudeIdeError, UserError
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.review import ListItem
from claude_ide.sessions.worktree import LONGEST_NAMED, MOST_NAMED, UnmergedWork, Worktree
from claude_ide.ui.text import one_line

if TYPE_CHECKING:
    from claude_ide.sessions.background import Background
    from claude_ide.sessions.here import AppServices

REVIEW, MERGE, SQUASH = "Review its changes first", "Merge", "Squash into one commit"
REBASE, LATER, DISCARD = "Rebase", "Keep it for later", "Discard it"
WRITTEN, OWN = "With a message by :ClaudeCommit", "With a message of your own"
NOT_NOW = "Not now"
KEEP, LOSE = "Keep it", "Lose it for good"
GO_ON, ABORT = "Go on: the conflicts are resolved", "Abort"
TAKE = "Take as it is"


class WorktreeMerging:
    """Asks, and has git do it."""

    def __init__(self, app: "AppServices", background: "Background") -> None:
        self._app = app
        self._editor = app.editor
        self._background = background
        self._messages: dict[Path, str] = {}
        """The user's messages for commits that have not been made, by the worktree."""

    async def begin(self, name: str, here: Path) -> None:
        """Merge the worktree with a name, or without one that of a folder. Raises `UserError`."""
        is_trusted = self._app.trust.is_trusted(here)
        tree = Worktree.named(name, here.resolve(), runs_hooks=is_trusted)
        if (unfinished := await tree.unfinished()) is not None:
            return await self._finish(tree, *unfinished)
        await tree.check()
        await self._check_saved(tree.root)
        if not await self._is_stopped(tree):
            return
        work = await tree.work()
        if not (work.commits or work.uncommitted):
            return await self._offer_removal(tree, work, "has nothing to merge")
        into = f"{tree.name} → {tree.into}: {work.words}"
        ways = [REVIEW, MERGE, SQUASH, REBASE, LATER, DISCARD]
        match await self._editor.choose(into, ways):
            case way if way == REVIEW:
                await self._review(tree)
            case way if way == DISCARD:
                await self._discard(tree, work)
            case way if way in (MERGE, SQUASH, REBASE):
                await self._merge(tree, way)

    async def _review(self, tree: Worktree) -> None:
        await self._app.review.show(str(tree.root), since="base", session=await tree.base())

    async def _merge(self, tree: Worktree, way: str) -> None:
        if not await self._commit(tree):
            return
        work = await tree.work()
        try:
            if way == MERGE:
                await tree.merge()
            elif way == REBASE:
                await tree.rebase()
            else:
                await tree.squash(await self._message_of_squash(tree, work))
        except UserError:
            await self._editor.port.disk.reload()
            if not await self._show_conflicts(tree):
                raise
            return
        await self._editor.port.disk.reload()
        if way == SQUASH:
            self._messages.pop(tree.root)
            return await self._offer_removal(tree, work, "is squashed", is_squashed=True)
        await self._offer_removal(tree, await tree.work(), "is merged")

    async def _commit(self, tree: Worktree) -> bool:
        """Commit what is in no commit, if the user wants that; otherwise return False."""
        work = await tree.work()
        if not work.uncommitted:
            return True
        asked = f"{tree.name} has {UnmergedWork('', (), work.uncommitted).words}. Commit it:"
        way = await self._editor.choose(asked, [WRITTEN, OWN, NOT_NOW])
        if way not in (WRITTEN, OWN):
            return False
        await tree.stage()
        subject, _, body = (await self._written(tree) if way == WRITTEN else "").partition("\n")
        message = await self._message(tree, subject)
        if message:
            await tree.commit(f"{message}\n{body}")
            self._messages.pop(tree.root)
        return bool(message)

    async def _written(self, tree: Worktree) -> str:
        """Return the message of `:ClaudeCommit` for what is staged; after a message none."""
        self._editor.notify("the commit message is being written")
        try:
            return await self._app.questions.commit_message(str(tree.root))
        except ClaudeIdeError as error:
            self._editor.notify(f"no commit message: {error}", "warn")
            return ""

    async def _message(self, tree: Worktree, subject: str) -> str:
        """Return the user's message for a commit, for which this is proposed; empty if none."""
        given = self._messages.get(tree.root) or subject or f"Add the work of {tree.name}"
        message = await self._editor.input("Message of the commit: ", given) or ""
        if not message.strip():
            return ""
        self._messages[tree.root] = message
        return message

    async def _message_of_squash(self, tree: Worktree, work: UnmergedWork) -> str:
        subject = work.commits[-1].partition(" ")[2] if len(work.commits) == 1 else ""
        message = await self._message(tree, subject)
        if not message:
            raise UserError("nothing is merged")
        return message

    async def _discard(self, tree: Worktree, work: UnmergedWork) -> None:
        lost = " and ".join(filter(None, (work.words, await tree.ignored())))
        # A question is cut to one line of the screen, and an answer is shown whole.
        lose = f"{LOSE}: {lost}"
        if await self._editor.decide(f"Lose what {tree.name} has?", [KEEP, lose]) == lose:
            done = f"{tree.name} is discarded; its last commit was {work.tip[:10]}"
            await self._remove(tree, work, done, discards=True)

    async def _offer_removal(
        self, tree: Worktree, work: UnmergedWork, how: str, *, is_squashed: bool = False
    ) -> None:
        ignored = await tree.ignored()
        remove = f"Remove them, also {ignored}" if ignored else "Remove them"
        asked = f"{tree.name} {how}. Remove the worktree and its branch {tree.branch}?"
        if await self._editor.decide(asked, [remove, "Keep them"]) == remove:
            done = f"{tree.name} is removed with its branch {tree.branch}"
            await self._remove(tree, work, done, is_squashed=is_squashed)

    async def _remove(self, tree: Worktree, work: UnmergedWork, done: str, **how: bool) -> None:
        """Remove a worktree as `Worktree.remove` does, and say that it is done."""
        await self._check_saved(tree.root)
        if not await self._is_stopped(tree):
            return
        left = await open_below(self._editor, tree.root)
        with self._app.sessions.worktrees.removing(tree.root):
            await tree.remove(work, **how)
        await self._forget(tree)
        self._editor.notify(f"{done}{left}")

    async def _forget(self, tree: Worktree) -> None:
        """Remove the sessions that worked in it from the CLI's list."""
        for each in await _running():
            if each.id and Path(each.folder) == tree.root:
                try:
                    await self._background.remove(each.id, str(tree.main))
                except UserError as error:
                    self._editor.notify(f"the session stays in the list: {error}", "warn")

    async def _is_stopped(self, tree: Worktree) -> bool:
        """Return whether no session runs in it, after the user has let those be stopped."""
        chats = [*self._app.chats.by_id.values()] if self._app.begun("chats") else []
        for chat in chats:
            if Path(chat.root).is_relative_to(tree.root):
                if not await self._may_stop(tree, chat.title or f"the {chat.kind.name} chat"):
                    return False
                await self._app.chats.close(chat)
        for each in await _running():
            if not each.pid or not Path(each.folder).is_relative_to(tree.root):
                continue
            if each.id:
                if not await self._may_stop(tree, each.name or each.id):
                    return False
                await self._background.stop(each)
            else:
                what = f"{each.name or 'a session'} runs in {tree.name}, in process {each.pid}"
                raise UserError(f"{what}: end it first")
        return True

    async def _may_stop(self, tree: Worktree, name: str) -> bool:
        # Remarks of a review go to a session that runs.
        asked = f"“{one_line(name, LONGEST_NAMED)}” runs in {tree.name}. Stop it?"
        way = await self._editor.choose(asked, ["Stop it", REVIEW, KEEP])
        if way == REVIEW:
            await self._review(tree)
        return way == "Stop it"

    async def _check_saved(self, root: Path) -> None:
        """Raise `UserError` if a file in it has changes that are not saved."""
        for each in await self._editor.port.buffers.below(str(root)):
            if each.modified:
                raise UserError(f"save {each.path} first, or give its changes up")

    async def _show_conflicts(self, tree: Worktree) -> bool:
        """List what git could not merge, if there is something; return whether there is."""
        for folder in (tree.main, tree.root):
            found = await tree.conflicts(folder)
            if found:
                title = f"Conflicts of {tree.name}"
                items = [ListItem(str(folder / each), 0, "conflict", []) for each in found]
                await self._editor.port.review.show_list(title, items, 0)
                how = f"resolve them, then :ClaudeMerge {tree.name} goes on"
                self._editor.notify(f"{len(found)} in conflict: {how}", "warn")
                return True
        return False

    async def _finish(self, tree: Worktree, folder: Path, what: str) -> None:
        """Go on with what is under way, or abort it."""
        lost = await tree.lost_by_abort(folder, what)
        abort = f"{ABORT}, and lose {lost}" if lost else ABORT
        match await self._editor.choose(f"A {what} is under way in {folder}:", [GO_ON, abort]):
            case way if way == GO_ON:
                message, work = "", None
                if not await self._takes_untouched(tree, folder):
                    return
                if what == "squash":
                    work = await tree.work()
                    message = await self._message_of_squash(tree, work)
                    work = work if await tree.has_squashed(work.tip) else None
                try:
                    await tree.go_on(folder, what, message)
                except UserError:
                    if what != "rebase" or not await self._show_conflicts(tree):
                        raise
                    return
                await self._editor.port.disk.reload()
                if message:
                    self._messages.pop(tree.root)
                if work is not None:
                    return await self._offer_removal(tree, work, "is squashed", is_squashed=True)
                self._editor.notify(f"the {what} is done; :ClaudeMerge {tree.name} can remove it")
            case way if way == abort:
                await tree.abort(folder, what)
                await self._editor.port.disk.reload()
                self._editor.notify(f"the {what} is aborted")

    async def _takes_untouched(self, tree: Worktree, folder: Path) -> bool:
        """Return whether conflicts that leave no marks, as in a picture, are taken as they are."""
        if not (untouched := await tree.untouched(folder)):
            return True
        take = f"{TAKE}: {untouched}"
        asked = "Git could not merge this, and it has not changed since:"
        return await self._editor.decide(asked, [take, NOT_NOW]) == take


async def open_below(editor: Editor, root: Path) -> str:
    """Say in the end of a line which files of a worktree that goes stay open; or nothing."""
    found = await editor.port.buffers.below(str(root))
    names = [
        f"{os.path.relpath(each.path, root)}{' (not saved)' * each.modified}"
        for each in sorted(found, key=lambda each: not each.modified)
    ]
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return f"; still open: {', '.join(names[:MOST_NAMED] + more)}" if names else ""


async def _running() -> list[RunningSession]:
    """Return what runs at this moment."""
    return await asyncio.to_thread(Records(os.environ).read)
