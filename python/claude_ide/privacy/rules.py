"""The rules of a moment: made from the options and the settings of the CLI, for paths to be judged.

What the option `privacy.deny` or a rule of the settings names is private. A file that holds secrets
by its name is private unless `privacy.allow` names it. If options or settings cannot be used,
everything that they could deny is private.
"""

import os
import os.path
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.base.names import check_command, editor_name
from claude_ide.base.paths import below_home, normalized, real
from claude_ide.privacy import settings
from claude_ide.privacy.globs import (
    EVERYTHING,
    Matcher,
    Pattern,
    Places,
    pattern,
    patterns,
    vim_regex,
)

SECRETS = [
    *(".env", ".env.*", ".envrc", ".netrc", "_netrc", ".authinfo", ".pgpass", ".my.cnf"),
    *(".npmrc", ".pypirc", ".htpasswd", ".git-credentials", ".vault-token", ".gnupg"),
    *("credentials.tfrc.json", "id_{rsa,dsa,ecdsa,ecdsa_sk,ed25519,ed25519_sk}"),
    "*.{agekey,env,jks,kdb,kdbx,key,keystore,p12,pem,pfx,ppk}",
    *("**/.aws/credentials", "**/.cargo/credentials", "**/.cargo/credentials.toml"),
    *("**/.claude/.credentials.json", "**/.docker/config.json", "**/.gem/credentials"),
    *("**/.kube/config", "**/gh/hosts.yml", "**/gcloud/application_default_credentials.json"),
]
"""Globs of files, and of folders with all that is in them, that hold secrets by their names."""

EXAMPLES = [".env.dist", ".env.example", ".env.sample", ".env.template"]
"""Files with such a name that are meant to be read."""

BY_NAME = "it holds secrets by its name (privacy.allow)"


MOST_LINKS = 40
"""On the way to a file."""


class Rule(msgspec.Struct, frozen=True):
    """What is private for a reason."""

    patterns: list[Pattern]
    reason: str


class Pushed(msgspec.Struct, frozen=True):
    """The rules in the form in which the editor judges.

    Each rule is a regular expression of Vim and the reason; the first that matches counts. The
    last is about secrets: what `allowed` matches is none.
    """

    rules: list[tuple[str, str]]
    allowed: str


class Rules:
    """The rules for these working folders; `options` is the value of the option `privacy`."""

    def __init__(
        self, options: Any, folders: list[str], files: list[settings.SettingsFile]
    ) -> None:
        # In the options, `/` begins an absolute path.
        self._places = Places(["/"], folders, True)
        self._rules: list[Rule] = []
        self.problems: list[str] = []
        self._allowed = self._patterns(EXAMPLES)
        self._add_options(options)
        for read in settings.read(files, folders):
            self._add_settings(read)
        self.count = len(self._rules) - len(self.problems)
        self._rules.append(Rule(self._patterns(SECRETS), BY_NAME))

    # The first path may come long after the start.

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(rule.patterns for rule in self._rules)

    @cached_property
    def _allowing(self) -> Matcher:
        return Matcher([self._allowed])

    def reason(self, path: str) -> str | None:
        """Return why a path is private as it is written; None if it is not."""
        number = self._matcher.first(path)
        if number is None:
            return None
        is_secret = number == len(self._rules) - 1
        is_allowed = is_secret and self._allowing.first(path) is not None
        return None if is_allowed else self._rules[number].reason

    def pushed(self) -> Pushed:
        """Return the rules for the editor."""
        rules = [(vim_regex(rule.patterns), rule.reason) for rule in self._rules]
        return Pushed(rules, vim_regex(self._allowed))

    def _patterns(self, globs: list[str]) -> list[Pattern]:
        return [each for glob in globs for each in patterns(glob, self._places)]

    def _add_options(self, options: Any) -> None:
        for glob in self._option(options, "deny"):
            self._add([glob], f'privacy.deny has "{glob}"')
        for glob in self._option(options, "allow"):
            try:
                self._allowed += self._patterns([glob])
            except ValueError:
                self.problems.append("g:claude_ide.privacy.allow has an item that is not a glob")

    def _option(self, options: Any, name: str) -> list[str]:
        """Return the globs of an option. Without them, everything is private."""
        given = (options.get(name) or []) if isinstance(options, dict) else options or []
        if isinstance(given, list) and all(isinstance(glob, str) and glob for glob in given):
            return given
        self._add_problem(f"g:claude_ide.privacy.{name} is not a list of globs", [EVERYTHING])
        return []

    def _add_settings(self, read: settings.Read) -> None:
        shown = below_home(str(read.file.path), os.environ)
        if read.problem:
            project = read.file.project
            folders = dict.fromkeys((project, real(project)) if project else ())
            within = [pattern("**", folder) for folder in folders]
            self._add_problem(f"{shown} {read.problem}", within or [EVERYTHING])
        for rule in read.rules:
            reason = f"{shown} denies {rule.text}"
            if rule.patterns is None:
                self._add_broken(reason)
            else:
                self._rules.append(Rule(rule.patterns, reason))

    def _add(self, globs: list[str], reason: str) -> None:
        try:
            self._rules.append(Rule(self._patterns(globs), reason))
        except ValueError:
            self._add_broken(reason)

    def _add_broken(self, reason: str) -> None:
        self.problems.append(f"{reason}: not a glob")
        self._rules.append(Rule([EVERYTHING], reason))

    def _add_problem(self, problem: str, denied: list[Pattern]) -> None:
        self.problems.append(problem)
        reason = f"{problem}, so nothing leaves {editor_name()} ({check_command()})"
        self._rules.append(Rule(denied, reason))


def spellings(path: str, folders: dict[str, str]) -> list[str]:
    """Return a normalized path, and every other that its links make of it.

    The file may be missing. `folders` keeps the real folders that have been looked up.
    """
    found = [path]
    link = path
    for _ in range(MOST_LINKS):
        there = _in_real_folder(link, folders)
        if there != link:
            found.append(there)
        try:
            target = Path(there).readlink()
        except (OSError, ValueError):
            # A `..` behind a link in a target leads elsewhere than it reads.
            return found if link == path else [*found, real(path)]
        link = normalized(str(Path(there).parent / target))
        found.append(link)
    return found


def _in_real_folder(path: str, folders: dict[str, str]) -> str:
    """Return a path without the links in its folders; the file itself may be a link."""
    folder, name = os.path.split(path)
    there = folders.get(folder)
    if there is None:
        there = folders[folder] = real(folder)
    return path if there == folder else f"{there.rstrip('/')}/{name}"
