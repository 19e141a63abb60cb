"""The doctor's report: findings, and how they look as text, as a table and as JSON."""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["ok", "note", "fault"]

SIGNS: dict[Status, tuple[str, str]] = {
    "ok": ("✔", "all right"),
    "note": ("–", "worth knowing"),
    "fault": ("✘", "at fault"),
}
"""Status -> a sign and a word: colour is never the only difference."""
HALVES = {1: "asking a graph (lessons 00 to 13)", 2: "graph memory for agents (lessons 14 to 21)"}


@dataclass(frozen=True)
class Finding:
    """What one stage found."""

    stage: str
    status: Status
    what: str
    """One sentence on what was found. No path and no user name: people paste reports."""
    remedy: str = ""
    """What to do; empty when nothing is to be done."""
    stops: tuple[int, ...] = ()
    """The halves of the course that do not run because of it."""


@dataclass(frozen=True)
class Report:
    """All findings on this machine."""

    findings: tuple[Finding, ...]

    def runs(self, half: int) -> bool:
        """Whether a half of the course runs here: 1 (lessons 00 to 13) or 2 (lessons 14 to 21)."""
        return not any(half in finding.stops for finding in self.findings)

    @property
    def can_run(self) -> bool:
        """Whether the whole course runs here."""
        return all(self.runs(half) for half in HALVES)

    @property
    def verdict(self) -> str:
        """One sentence on what runs here."""
        if self.can_run:
            return "The whole course runs on this machine."
        for half, name in HALVES.items():
            if self.runs(half):
                return f"Half of the course runs here: {name}. The other half needs what is said above."
        return "The course does not run here yet. What is needed is said above."

    def to_dict(self) -> dict[str, Any]:
        """The report for other programs; `course doctor --json` prints it."""
        return {
            "can_run": self.can_run,
            "halves": {str(half): self.runs(half) for half in HALVES},
            "verdict": self.verdict,
            "findings": [
                {
                    "stage": f.stage,
                    "status": f.status,
                    "what": f.what,
                    "remedy": f.remedy,
                    "stops": list(f.stops),
                }
                for f in self.findings
            ],
        }

    def to_text(self, width: int = 100) -> str:
        """The report for a terminal.

        Args:
            width: columns to stay within.
        """
        margin = max((len(f.stage) for f in self.findings), default=0) + 4
        lines = []
        for finding in self.findings:
            head = f"{SIGNS[finding.status][0]} {finding.stage}".ljust(margin)
            lines += textwrap.wrap(
                finding.what,
                width,
                initial_indent=head,
                subsequent_indent=" " * margin,
                break_long_words=False,
            )
            if finding.remedy:
                lines += textwrap.wrap(
                    f"What to do: {finding.remedy}",
                    width,
                    initial_indent=" " * margin,
                    subsequent_indent=" " * margin,
                    break_long_words=False,
                )
        return "\n".join([*lines, "", *textwrap.wrap(self.verdict, width)])

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="text-align:left;white-space:nowrap">{" ".join(SIGNS[f.status])}</td>'
            f'<th scope="row" style="text-align:left">{html.escape(f.stage)}</th>'
            f'<td style="text-align:left">{_with_code(f.what)}'
            + (f"<br><strong>What to do:</strong> {_with_code(f.remedy)}" if f.remedy else "")
            + "</td></tr>"
            for f in self.findings
        )
        return (
            "<table><caption>This machine and the course</caption><thead><tr>"
            '<th scope="col">State</th><th scope="col">Stage</th><th scope="col">Finding</th></tr></thead>'
            f"<tbody>{rows}</tbody></table><p><strong>{html.escape(self.verdict)}</strong></p>"
        )


def _with_code(text: str) -> str:
    """Escaped text in which what stands between backticks is set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
