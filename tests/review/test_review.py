"""`review/review.py`: what waits for review, whoever writes the files, and in whichever order."""

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claude_ide.review.entry import Turn
from claude_ide.review.review import Review
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.store import Store
from claude_ide.review.texts import OverlapError

BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\n"
TURN = Turn("s1", "1")


def undone(review: Review) -> str:
    """Take the last keep back; return the path of its file."""
    kept = review.undo()
    assert kept is not None
    return kept.path


class Project:
    """A folder with a file that an agent and the user write."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir(parents=True)
        self.home = folder / "state"
        self.review = self.opened()

    def opened(self) -> Review:
        """Return the review as another editor, or a later one, sees it."""
        return Review(str(self.root), Store(str(self.root), self.home), lambda path: ".env" in path)

    def read(self, name: str = "a.py") -> str | None:
        path = self.root / name
        return path.read_text() if path.exists() else None

    def put(self, text: str | None, name: str = "a.py") -> None:
        path = self.root / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text)

    def agent(self, text: str | None, name: str = "a.py", turn: Turn = TURN) -> None:
        """Let the agent write a file."""
        path = self.root / name
        before = path.read_bytes() if path.exists() else None
        self.put(text, name)
        after = None if text is None else text.encode()
        self.review.wrote(turn, [ChangedFile(str(path), before, after)])

    def user(self, text: str | None, name: str = "a.py") -> None:
        """Let the user write a file, and the editor notice it."""
        self.put(text, name)
        self.review.look(str(self.root / name))

    def revert(self, rows: tuple[int, int] | None = None, **how: bool) -> None:
        """Revert hunks, as an editor does: it writes what the review says."""
        found = self.review.file(str(self.root / "a.py"))
        assert found is not None
        texts = self.review.revert(found, rows, **how)
        assert texts is not None
        self.user(texts.now)

    def hunks(self, name: str = "a.py") -> list[str]:
        found = self.review.file(str(self.root / name))
        lines = (self.read(name) or "").split("\n")
        return [] if found is None else [" ".join(lines[h.start : h.stop]) for h in found.hunks]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.put(BEFORE)
    return project


def statuses(project: Project) -> list[tuple[str, str]]:
    return [(file.path, file.status) for file in project.review.files()]


def told(project: Project, session: str = "s1") -> list[tuple[str, str, str]]:
    return [(each.kind, each.old, each.new) for each in project.review.told(session)]


def test_what_an_agent_writes_waits_across_turns_and_sessions(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))
    project.agent(BEFORE.replace("two", "TWO").replace("five", "FIVE"), turn=Turn("s2", "7"))

    assert project.hunks() == ["TWO", "FIVE"]
    assert statuses(project) == [("a.py", "modified")]


def test_the_state_is_the_same_for_another_editor_and_after_a_restart(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))

    other = project.opened().file(str(project.root / "a.py"))

    assert other is not None and len(other.hunks) == 1


def test_what_is_kept_is_done_and_comes_back_by_an_undo(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO").replace("five", "FIVE"))

    project.review.keep(str(project.root / "a.py"), (1, 2))
    assert project.hunks() == ["FIVE"]
    project.review.keep(str(project.root / "a.py"))
    assert statuses(project) == []

    assert undone(project.review) == "a.py"
    assert project.hunks() == ["FIVE"]
    assert undone(project.review) == "a.py"
    assert project.hunks() == ["TWO", "FIVE"]
    assert project.review.undo() is None


def test_a_keep_is_undone_although_the_user_has_written_more(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))
    project.review.keep(str(project.root / "a.py"))
    project.user("mine\n" + BEFORE.replace("two", "TWO"))

    project.review.undo()

    assert project.hunks() == ["TWO"]


def test_a_reverted_hunk_is_told_once_and_its_undo_takes_that_back(project: Project) -> None:
    new = BEFORE.replace("two", "TWO").replace("five", "FIVE")
    project.agent(new)

    project.revert((1, 2))
    assert (project.read(), project.hunks()) == (BEFORE.replace("five", "FIVE"), ["FIVE"])
    project.user(new)
    assert project.hunks() == ["TWO", "FIVE"]
    assert told(project) == []

    project.revert((1, 2))
    assert told(project) == [("reverted", "two\n", "TWO\n")]
    assert told(project) == []
    project.user(new)
    assert told(project) == [("restored", "two\n", "TWO\n")]


def test_the_lines_of_a_hunk_are_reverted_one_by_one(project: Project) -> None:
    project.agent(BEFORE.replace("two\n", "two\nA\nB\nC\n"))

    project.revert((3, 4), is_exact=True)
    assert project.hunks() == ["A C"]
    project.revert((2, 4))

    assert project.read() == BEFORE
    assert told(project) == [("reverted", "", "B\n"), ("reverted", "", "A\nC\n")]


def test_an_undo_of_what_the_agent_wrote_is_a_revert(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))

    project.user(BEFORE)

    assert statuses(project) == []
    assert told(project) == [("reverted", "two\n", "TWO\n")]
    project.user(BEFORE.replace("two", "TWO"))


def test_a_revert_of_what_was_kept_is_told_and_its_undo_has_it_wait_again(
    project: Project,
) -> None:
    path, new = str(project.root / "a.py"), BEFORE.replace("two", "TWO").replace("five", "FIVE")
    project.agent(new)
    project.review.keep(path)
    project.user("mine\n" + new)
    name, now = "a.py", "mine\n" + new
    found = project.review.compared(name, "mine\n" + BEFORE, now)

    texts = project.review.revert(found, (2, 3))
    assert texts is not None
    project.user(texts.now)
    assert project.read() == now.replace("TWO", "two")
    assert project.hunks() == []
    assert [each.kind for each in project.review.untold()] == ["reverted", "kept"]
    assert told(project) == [("reverted", "two\n", "TWO\n")]

    project.user(now)
    assert project.hunks() == ["TWO"]
    assert told(project) == [("restored", "two\n", "TWO\n")]


def test_the_users_own_lines_are_not_told_when_another_base_reverts_them(project: Project) -> None:
    new = BEFORE.replace("two", "TWO")
    project.agent(new)
    project.review.keep(str(project.root / "a.py"))
    project.user(new.replace("five", "mine"))
    found = project.review.compared("a.py", BEFORE, new.replace("five", "mine"))

    texts = project.review.revert(found, (4, 5))
    assert texts is not None
    project.user(texts.now)

    assert (project.read(), project.hunks()) == (new, [])
    assert told(project) == []


def test_a_kept_hunk_stays_kept_when_an_earlier_text_is_back(project: Project) -> None:
    new = BEFORE.replace("two", "TWO").replace("five", "FIVE")
    project.agent(new)
    project.revert((4, 5))
    project.review.keep(str(project.root / "a.py"), (1, 2))
    assert project.hunks() == []

    project.agent(BEFORE.replace("two", "TWO").replace("six", "SIX"))
    assert project.hunks() == ["SIX"]


@pytest.mark.parametrize("before", [BEFORE, None])
def test_what_was_kept_stays_kept_without_what_a_formatter_has_made_of_it(
    project: Project, before: str | None
) -> None:
    project.put(before, "b.py")
    new = BEFORE.replace("two", "TWO")
    project.agent(new, "b.py")
    project.user(new.replace("TWO", "  TWO"), "b.py")
    project.review.keep(str(project.root / "b.py"))

    project.user(new, "b.py")
    assert statuses(project) == []


def test_what_the_user_types_is_theirs(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))
    project.user("mine\n" + BEFORE.replace("two", "TWO"))
    project.agent("mine\n" + BEFORE.replace("two", "TWO").replace("six", "SIX"))

    assert project.hunks() == ["TWO", "SIX"]
    project.revert()
    assert project.read() == "mine\n" + BEFORE


def test_unsaved_text_of_a_buffer_is_theirs_too(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))

    found = project.review.file(str(project.root / "a.py"), "mine\n" + BEFORE.replace("two", "TWO"))

    assert found is not None
    assert [(hunk.start, hunk.stop) for hunk in found.hunks] == [(2, 3)]


def test_what_only_a_buffer_has_is_kept(project: Project) -> None:
    path, text = str(project.root / "a.py"), BEFORE.replace("two", "TWO")
    project.agent(text)
    project.revert()
    assert project.review.file(path, text) is not None

    project.review.keep(path, (1, 2), text)
    assert project.review.file(path, text) is None
    assert project.review.undo() is not None
    assert project.review.file(path, text) is not None
    project.review.keep(path, None, text)
    project.user(text)
    assert statuses(project) == []


def test_an_edit_that_was_accepted_is_not_listed(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))
    before, after = project.read() or "", BEFORE.replace("two", "TWO").replace("six", "SIX")
    project.put(after)

    project.review.accepted(str(project.root / "a.py"), before.encode(), after.encode(), TURN)

    assert project.hunks() == ["TWO"]


def test_new_deleted_moved_and_binary_files(project: Project) -> None:
    project.put("b\n", "b.py")
    project.put("c\n", "c.py")
    (project.root / "d.gz").write_bytes(b"\x1f\x8b\0")
    paths = {name: str(project.root / name) for name in ("b.py", "c.py", "d.gz", "z.py", "new")}
    project.review.wrote(
        TURN,
        [
            ChangedFile(paths["b.py"], b"b\n", None),
            ChangedFile(paths["c.py"], b"c\n", None),
            ChangedFile(paths["z.py"], None, b"c\n"),
            ChangedFile(paths["d.gz"], b"\x1f\x8b\0", b"\x1f\x8b\1"),
            ChangedFile(paths["new"], None, b"new\n"),
        ],
    )

    assert sorted(statuses(project)) == [
        ("b.py", "deleted"),
        ("d.gz", "binary"),
        ("new", "created"),
        ("z.py", "renamed"),
    ]


def test_a_file_that_comes_and_goes_leaves_nothing(project: Project) -> None:
    project.agent("x\n", "tmp")
    project.agent(None, "tmp")

    assert statuses(project) == []


def test_a_private_file_is_listed_without_a_text(project: Project) -> None:
    path = str(project.root / ".env")
    project.review.wrote(TURN, [ChangedFile(path, None, None, obstacle="private")])

    [file] = project.review.files()
    assert (file.path, file.texts, file.entry.obstacle) == (".env", None, "private")
    project.review.keep(path)
    assert statuses(project) == []


def test_a_file_whose_text_before_is_unknown_is_listed(project: Project) -> None:
    path = str(project.root / "a.py")
    project.review.wrote(
        TURN, [ChangedFile(path, None, BEFORE.encode(), obstacle="the text before was not seen")]
    )

    [file] = project.review.files()
    assert (file.status, file.texts) == ("modified", None)


def test_the_lines_of_a_file_that_has_become_too_large_are_not_counted_as_removed(
    project: Project,
) -> None:
    path = str(project.root / "a.py")
    changed = ChangedFile(path, BEFORE.encode(), None, obstacle="too large")
    project.review.wrote(TURN, [changed])

    assert project.review.count(TURN) == (1, 0, 0)


def test_a_commit_keeps_what_it_contains(project: Project) -> None:
    project.agent(BEFORE.replace("two", "TWO"))
    project.agent("b\n", "b.py")
    committed = {"a.py": BEFORE.replace("two", "TWO").encode(), "b.py": None}

    assert project.review.committed("abc", committed) == ["a.py"]
    assert (statuses(project), project.review.head) == ([("b.py", "created")], "abc")
    assert undone(project.review) == "a.py"
    assert project.hunks() == ["TWO"]


def placed(project: Project) -> list[tuple[tuple[int, int], str, str]]:
    path = str(project.root / "a.py")
    found = project.review.placed(path, project.read() or "")
    return [(rows, each.words, each.state) for rows, each in found]


def test_a_remark_stays_at_its_lines_and_is_changed_and_removed(project: Project) -> None:
    path = str(project.root / "a.py")
    project.review.remark(path, (2, 3), BEFORE, "why?")
    project.user("mine\n" + BEFORE)
    assert placed(project) == [((3, 4), "why?", "open")]

    project.review.remark(path, (3, 4), project.read() or "", "why not?")
    assert placed(project) == [((3, 4), "why not?", "open")]

    assert project.review.remove_remarks(path, (0, 1), project.read() or "") == 0
    assert project.review.remove_remarks(path, (3, 4), project.read() or "") == 1
    assert placed(project) == []


def test_a_sent_remark_is_answered_once_its_lines_are_written(project: Project) -> None:
    path = str(project.root / "a.py")
    project.review.remark(path, (2, 3), BEFORE, "why?")
    project.review.sent(project.review.remarks())
    project.agent(BEFORE.replace("six", "SIX"))
    assert placed(project) == [((2, 3), "why?", "sent")]

    project.agent(BEFORE.replace("three", "THREE").replace("six", "SIX"))
    assert placed(project) == [((2, 3), "why?", "answered")]


def test_a_remark_on_a_line_that_is_there_often_follows_its_own(project: Project) -> None:
    path, lines = str(project.root / "a.py"), ["a\n", "}\n"] * 20
    project.review.remark(path, (21, 22), "".join(lines), "this one?")
    project.user("".join(["b\n", "}\n", "c\n", "}\n", *lines]))
    assert placed(project) == [((25, 26), "this one?", "open")]


def test_a_remark_on_lines_that_were_written_again_is_on_the_new_ones(project: Project) -> None:
    path = str(project.root / "a.py")
    project.review.remark(path, (2, 3), BEFORE, "why?")
    project.review.sent(project.review.remarks())
    after = BEFORE.replace("three", "THREE")
    project.agent(after)

    project.review.remark(path, (2, 3), after, "and now?")

    (remark,) = project.review.remarks()
    assert (remark.quoted, remark.words, remark.state) == ("THREE\n", "and now?", "open")


def test_a_remark_goes_with_its_file(project: Project) -> None:
    project.review.remark(str(project.root / "a.py"), (2, 3), BEFORE, "why?")
    content = BEFORE.encode()
    moved = [
        ChangedFile(str(project.root / "a.py"), content, None),
        ChangedFile(str(project.root / "b.py"), None, content),
    ]
    project.review.wrote(Turn("s1"), moved)
    assert [each.path for each in project.review.remarks()] == ["b.py"]


def test_a_remark_on_a_very_long_text_is_found_at_once(project: Project) -> None:
    path, text = str(project.root / "a.py"), "x\n" * 1_000_000
    project.review.remark(path, (1, 900_000), text, "all of this?")

    began = time.process_time()
    ((rows, remark),) = project.review.placed(path, text)
    assert time.process_time() - began < 5
    assert (rows, remark.words) == ((1, 900_000), "all of this?")


def test_the_state_stays_small_whatever_is_remarked_and_reverted(project: Project) -> None:
    large = "x" * 3_000_000 + "\n"
    for number in range(8):
        path = project.root / f"{number}"
        project.review.remark(str(path), (0, 1), large, "why?")
        path.write_text("y" * 1_000_000)
        project.review.wrote(Turn("s1"), [ChangedFile(str(path), None, path.read_bytes())])
        project.review.reverted_whole(str(path))
    assert project.review.path.stat().st_size < 500_000
    assert len(project.review.remarks()) == 8


lines = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("agent"), st.lists(st.sampled_from(["a", "b", "c", "X"]), max_size=6)),
        st.tuples(st.just("user"), st.lists(st.sampled_from(["a", "b", "m"]), max_size=6)),
        st.tuples(st.sampled_from(["keep", "revert"]), st.integers(0, 5)),
        st.tuples(st.sampled_from(["undo", "restart", "back"]), st.none()),
    ),
    max_size=10,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lines, steps)
def test_in_any_order_base_and_hunks_explain_the_text(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], steps: list[tuple[str, object]]
) -> None:
    project = Project(tmp_path_factory.mktemp("walk"))
    path = str(project.root / "a.py")
    project.put("".join(f"{line}\n" for line in before))
    texts = [project.read()]
    for kind, what in steps:
        match kind, what:
            case "agent", list(new):
                project.agent("".join(f"{line}\n" for line in new))
            case "user", list(new):
                project.user("".join(f"{line}\n" for line in new))
            case "keep", int(row):
                project.review.keep(path, (row, row + 1))
            case "revert", int(row):
                if project.review.file(path) is not None:
                    try:
                        project.revert((row, row + 1), is_exact=row % 2 == 0)
                    except OverlapError:
                        continue
            case "undo", _:
                project.review.undo()
            case "restart", _:
                project.review = project.opened()
            case "back", _:
                project.user(texts[-1])
        texts.append(project.read())
        found = project.review.file(path)
        if found is None:
            continue
        assert found.texts is not None
        assert found.texts.now == project.read()
        assert (found.texts.base != found.texts.now) or found.entry.origin
