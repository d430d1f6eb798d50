"""What an agent is told of the user's review: which changes, and the words for them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from claude_ide.base.quotation import fenced, no_command
from claude_ide.base.text_diff import hunks
from claude_ide.review.entry import Remark, State, Told
from claude_ide.review.texts import Texts, lines_of, readable, signed

Change = tuple[str, str]
"""Old lines, and the new ones in their place."""

REVERTED, RESTORED, KEPT = "reverted", "restored", "kept"

MOST_TOLD = 200

LONGEST_NOTE = 6000
LONGEST_CHANGES = {REVERTED: 40, RESTORED: 40, KEPT: 8}
"""Lines of one change in a prompt; the agent has written it itself."""

NOTES = {
    REVERTED: "The user has reverted these of your changes in the editor. The files no longer "
    "contain them; do not make them again unless the user asks:",
    RESTORED: "The user has restored these of your changes, which had been reverted:",
}
HEADINGS = {
    REVERTED: "I have reverted these of your changes. The files no longer contain them; do not "
    "make them again unless I ask:",
    RESTORED: "I have restored these of your changes, which I had reverted:",
    KEPT: "I have reviewed and kept these of your changes:",
}


def reviewable(texts: Texts) -> list[Change]:
    """Return the changes of an agent that wait for review."""
    if texts.base is None or texts.agent is None:
        whole = readable(texts.base or ""), readable(texts.agent or "")
        return [] if texts.base == texts.agent else [whole]
    return _changes(texts.base, texts.agent)


def kept(before: Texts | None, after: Texts | None) -> list[Change]:
    """Return what the user has kept; a whole file, without texts, is `("", "")`."""
    if before is None or after is None or before.base is None or after.base is None:
        return [("", "")]
    return _changes(before.base, after.base)


def bounded(told: Sequence[Told]) -> list[Told]:
    """Return the latest of what is to be told; what was kept takes no room from the rest."""
    kept = [each for each in told if each.kind == KEPT]
    rest = [each for each in told if each.kind != KEPT]
    return [*rest[-MOST_TOLD:], *kept[-MOST_TOLD:]]


def differences(
    before: Sequence[Change], after: Sequence[Change]
) -> tuple[list[Change], list[Change]]:
    """Return which changes of an agent are gone, and which are back.

    Of a change that is left in part, only the other part is gone.
    """
    gone, back = _less(before, after), _less(after, before)
    # The same order both ways: there and back again is told as the opposite.
    pairs = sorted(((gone, back), (back, gone)), key=lambda pair: (-_size(pair[0]), pair[0]))
    for wholes, others in pairs:
        for whole in [*wholes]:
            parts = _parts(whole, others)
            if parts:
                at = wholes.index(whole)
                wholes[at : at + 1] = _changes(_with(whole[0], parts), whole[1])
                for part in parts:
                    others.remove(part)
    return gone, back


def record(
    state: State, session: str, path: str, before: Sequence[Change], after: Sequence[Change]
) -> None:
    """Record for a session which of its changes to a file are gone, and which are back."""
    gone, back = differences(before, after)
    for kind, opposite, changes in ((REVERTED, RESTORED, gone), (RESTORED, REVERTED, back)):
        for old, new in changes:
            # What was kept may be reverted since.
            kept_before = Told.of(session, path, KEPT, old, new)
            state.told = [each for each in state.told if each != kept_before]
            undone = Told.of(session, path, opposite, old, new)
            if undone in state.told:
                state.told.remove(undone)
            else:
                state.told.append(Told.of(session, path, kind, old, new))
    state.told = bounded(state.told)


def _less(changes: Sequence[Change], others: Sequence[Change]) -> list[Change]:
    left, found = Counter(others), []
    for each in changes:
        if left[each] > 0:
            left[each] -= 1
        else:
            found.append(each)
    return found


def _size(changes: Iterable[Change]) -> int:
    return sum(len(old) + len(new) for old, new in changes)


def _parts(whole: Change, changes: Sequence[Change]) -> list[Change]:
    """Return the changes of which each is a part of this one."""
    old, new = (lines_of(text) for text in whole)
    found = list[Change]()
    for each in changes:
        some_old, some_new = (lines_of(text) for text in each)
        is_less = len(some_old) + len(some_new) < len(old) + len(new)
        if is_less and _is_within(some_old, old) and _is_within(some_new, new):
            found.append(each)
    return found


def _is_within(some: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether some lines are among others, in their order."""
    rest = iter(lines)
    return all(line in rest for line in some)


def _with(text: str, parts: Iterable[Change]) -> str:
    """Return the old lines of a change with the parts of it that are left."""
    lines, row = lines_of(text), 0
    for old, new in parts:
        gone = lines_of(old)
        if gone:
            row = lines.index(gone[0], row) if gone[0] in lines[row:] else row
        lines[row : row + len(gone)] = lines_of(new)
        row += len(lines_of(new))
    return "".join(lines)


def _changes(before: str, after: str) -> list[Change]:
    old, new = lines_of(before), lines_of(after)
    return [
        (readable("".join(old[first:last])), readable("".join(new[start:stop])))
        for first, last, start, stop in hunks(old, new)
    ]


def note(told: Sequence[Told]) -> str:
    """Return a note for the model on what the user has reverted and restored, or ""."""
    parts = []
    for kind, heading in NOTES.items():
        found = [each for each in told if each.kind == kind]
        lines = [line for each in found for line in (f"\n{each.path}:", *_diff(each))]
        if lines:
            parts.append("\n".join([heading, *lines]))
    whole = "\n\n".join(parts)
    return whole if len(whole) <= LONGEST_NOTE else f"{whole[:LONGEST_NOTE]}\n[…]"


def summary(told: Sequence[Told]) -> str:
    """Return in a few words what the model is told, such as `reverted 2 changes in a.py`."""
    parts = []
    for kind in (REVERTED, RESTORED):
        paths = [each.path for each in told if each.kind == kind]
        if paths:
            changes = "1 change" if len(paths) == 1 else f"{len(paths)} changes"
            files_ = dict.fromkeys(paths)
            parts.append(
                f"{kind} {changes} in {paths[0] if len(files_) == 1 else f'{len(files_)} files'}"
            )
    return ", ".join(parts)


def place(path: str, remark: Remark) -> str:
    """Return the line above a remark in a prompt. `path` is that of its file for the agent."""
    if not remark.quoted:
        return no_command(path)
    last = f"-{remark.last}" if remark.last > remark.first + 1 else ""
    return f"{no_command(path)}:{remark.first + 1}{last}"


def remarks(given: Iterable[tuple[str, Remark]]) -> list[str]:
    """Return a part of a prompt for each remark with its place: the lines, and the words."""
    parts = []
    for where, each in given:
        quoted = fenced("", each.quoted.replace("\r", "").removesuffix("\n"))
        parts.append("\n".join([where, *([quoted] if each.quoted else []), each.words]))
    return parts


def decisions(given: Iterable[tuple[str, Told]]) -> list[str]:
    """Return parts of a prompt: what was reverted, restored and kept in files with these paths."""
    parts = list[str]()
    known = [*given]
    for kind, heading in HEADINGS.items():
        found = dict[str, list[str]]()
        for path, each in known:
            if each.kind == kind:
                lines, most = _diff(each), LONGEST_CHANGES[kind]
                more = ["…"] if len(lines) > most else []
                found.setdefault(path, []).extend([*lines[:most], *more])
        texts = [
            "\n".join([f"{no_command(path)}:", fenced("diff", "\n".join(lines))])
            if lines
            else no_command(path)
            for path, lines in found.items()
        ]
        if texts:
            parts.append("\n\n".join([heading, *texts]))
    return parts


def _diff(told: Told) -> list[str]:
    """Return how the file was changed by what is told; for what was kept, by the agent."""
    old, new = (told.new, told.old) if told.kind == REVERTED else (told.old, told.new)
    return [*signed("-", lines_of(old)), *signed("+", lines_of(new))]
