"""A limit of the user's plan: how much of it is used, and when it starts anew."""

import time

import msgspec

FIRST = ("five_hour", "seven_day")
"""The limits that every plan has, which are named first."""
SHORT = (("five_hour", "5h"), ("seven_day", "7d"), ("_", " "))
DAY_SECONDS = 86_400


class Limit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A limit by the name that the agent gives it.

    `used` is a percentage, `resets` the Unix time; None is unknown.
    """

    name: str
    used: int | None = None
    resets: int | None = None

    @property
    def label(self) -> str:
        """A short name for users, such as "5h"."""
        label = self.name
        for long, short in SHORT:
            label = label.replace(long, short)
        return label

    @property
    def order(self) -> tuple[int, str]:
        """The place of this limit in a list."""
        return (FIRST.index(self.name) if self.name in FIRST else len(FIRST)), self.name

    def is_over(self, percentage: float) -> bool:
        """Return whether more than a percentage is known to be used."""
        return self.used is not None and self.used > percentage

    def reset_time(self) -> str:
        """Return when it resets, as users read it; empty if that is unknown."""
        if self.resets is None:
            return ""
        is_soon = self.resets - time.time() < DAY_SECONDS
        return time.strftime("%H:%M" if is_soon else "%a %H:%M", time.localtime(self.resets))

    def __str__(self) -> str:
        """Return it as status lines show it."""
        return f"{self.label} {self.used}%"
