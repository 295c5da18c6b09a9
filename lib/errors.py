"""Errors for people: what is wrong, where, what to do. The command line prints them bare."""

from __future__ import annotations

from dataclasses import dataclass

SHOWN = 20  # offenders listed per problem; the count is always exact


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file, and the places where it shows.

    Attributes:
        what: the problem in one sentence, without the offenders.
        offenders: the first places, each a short text such as ``line 7, 001-1234: 'abc'``.
        count: how many offenders there are in all (0 where a count makes no sense).
    """

    what: str
    offenders: tuple[str, ...] = ()
    count: int = 0

    def __str__(self) -> str:
        lines = [self.what + (f" ({self.count:,})" if self.count > 1 else "")]
        lines += [f"    {offender}" for offender in self.offenders[:SHOWN]]
        if self.count > min(SHOWN, len(self.offenders)) and self.offenders:
            lines.append(f"    … and {self.count - min(SHOWN, len(self.offenders)):,} more")
        return "\n".join(lines)


class UserError(Exception):
    """Something the user can mend. ``problems`` holds everything found, not only the first."""

    def __init__(self, summary: str, problems: list[Problem] | None = None, hint: str = ""):
        self.summary, self.problems, self.hint = summary, problems or [], hint
        super().__init__(str(self))

    def __str__(self) -> str:
        parts = [self.summary, *(f"  - {problem}" for problem in self.problems)]
        return "\n".join(parts + ([self.hint] if self.hint else []))
