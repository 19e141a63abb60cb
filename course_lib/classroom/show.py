"""How verdicts, hints and progress look: each as plain text and as HTML in one output, the same every time.

A verdict is a word and a symbol first, and a colour only beside them. The HTML holds no script and no style
sheet, so that it shows in a notebook that nobody has trusted yet.
"""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.classroom.manifest import Exercise
from course_lib.classroom.outcome import Outcome, Status

SYMBOLS: Mapping[Status, str] = {"not attempted": "○", "wrong": "✗", "nearly": "≈", "right": "✓"}
COLOURS: Mapping[Status, str] = {
    "not attempted": "#595959",
    "wrong": "#9c3d00",
    "nearly": "#7a5200",
    "right": "#00664b",
}
"""Badge colours: white on each has a contrast of at least 5 to 1, and they differ in brightness too."""
_WIDTH = 92
_MOST_ROWS = 5
_MOST_COLUMNS = 6
_MOST_CELL = 40
_MOST_VALUE = 300


@dataclass(frozen=True)
class Card:
    """Something to show, with both its faces. `text` and `html` are complete in themselves."""

    text: str
    html: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}

    def __str__(self) -> str:
        return self.text


def verdict_card(outcome: Outcome, exercise: Exercise, offer: str, notes: Sequence[str] = ()) -> Card:
    """The card for one outcome.

    Args:
        outcome: what the check said.
        exercise: the exercise that it is about.
        offer: the last line: a hint to ask for, or what comes next.
        notes: further lines, about the progress file.
    """
    symbol, colour = SYMBOLS[outcome.status], COLOURS[outcome.status]
    head = f"{symbol} {outcome.status} · {exercise.id} {exercise.title}"
    lines = [head, *_wrap(outcome.message)]
    parts = [
        f'<div style="border-left: 5px solid {colour}; padding: 4px 12px; margin: 4px 0">',
        f'<div><span style="background-color: {colour}; color: #ffffff; padding: 1px 8px">'
        f"<b>{symbol} {outcome.status}</b></span> "
        f"<b>{exercise.id} {_inline(exercise.title)}</b></div>",
        f"<div>{_inline(outcome.message)}</div>",
    ]
    # A right answer shows its rows, and a right prediction needs nothing beside it.
    if outcome.yours is not None and (not outcome.right or hasattr(outcome.yours, "columns")):
        label, text, table = _yours(outcome.yours, outcome.heading)
        lines.append("")
        if not outcome.right:
            lines += _wrap(f"Asked: {exercise.asked}")
            parts.append(f'<div style="margin-top: 6px"><b>Asked:</b> {_inline(exercise.asked)}</div>')
        lines += [label, *text]
        parts += [f"<div><b>{html.escape(label)}</b></div>", table]
    for note in (offer, *notes):
        if note:
            lines += ["", *_wrap(note)]
            parts.append(f'<div style="margin-top: 6px">{_inline(note)}</div>')
    parts.append("</div>")
    return Card("\n".join(lines), "".join(parts))


def plain_card(head: str, text: str, *more: str) -> Card:
    """A card with a head line and some lines below it, for hints and for starting over."""
    lines = [head, *(line for part in (text, *more) if part for line in _wrap(part))]
    parts = ['<div style="border-left: 5px solid #4d6a9a; padding: 4px 12px; margin: 4px 0">']
    parts.append(f"<div><b>{_inline(head)}</b></div>")
    parts += [f"<div>{_inline(part)}</div>" for part in (text, *more) if part]
    return Card("\n".join(lines), "".join([*parts, "</div>"]))


def bar(done: int, of: int, width: int = 10) -> str:
    """A bar of blocks, full only when all is done."""
    full = width if of and done >= of else int(width * done / of) if of else 0
    return "█" * full + "░" * (width - full)


_shown: tuple[Outcome, int] | None = None


def show(card: Card, outcome: Outcome | None = None) -> None:
    """Shows a card: rich in a notebook, as text elsewhere. Never on standard error."""
    global _shown
    shell = _shell()
    if shell is None:
        print(card.text)
    else:
        from IPython.display import display

        display(card._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]
    if outcome is not None:
        _shown = (outcome, getattr(shell, "execution_count", 0))


def show_again(outcome: Outcome) -> None:
    """What IPython does with an outcome that is a cell's last value: nothing, if the cell has shown it."""
    shell = _shell()
    if _shown is not None and _shown[0] is outcome and _shown[1] == getattr(shell, "execution_count", 0):
        return
    from course_lib.classroom.manifest import load_manifest

    if outcome.exercise:
        show(verdict_card(outcome, load_manifest().exercise(outcome.exercise), ""))
    else:
        print(f"{SYMBOLS[outcome.status]} {outcome.status}: {outcome.message}")


def _shell() -> Any:
    # Not imported for this: when nobody has imported IPython, we are not in a notebook.
    import sys

    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _wrap(text: str) -> list[str]:
    return [line for part in text.splitlines() for line in textwrap.wrap(part, _WIDTH) or [""]]


def _inline(text: str) -> str:
    """Escaped text in which `code` between backticks is set as code, and so are lines indented by four."""
    out = []
    for indented, lines in itertools.groupby(text.split("\n"), lambda line: line.startswith("    ")):
        if indented:
            code = html.escape("\n".join(line[4:] for line in lines))
            out.append(f'<pre style="margin: 4px 0 4px 16px">{code}</pre>')
        else:
            out.append("<br>".join(map(_with_code, lines)))
    return "".join(out)


_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])")


def _with_code(line: str) -> str:
    return "".join(
        f"<code>{html.escape(part[1:-1])}</code>"
        if part.startswith("`") and len(part) > 2
        else _EMPHASIS.sub(r"<em>\1</em>", html.escape(part))
        for part in re.split(r"(`[^`\n]+`)", line)
    )


def _yours(value: Any, heading: str) -> tuple[str, list[str], str]:
    """What the learner handed in, as a label, as lines and as HTML. Small, whatever it was."""
    if not hasattr(value, "columns"):
        shown = value if isinstance(value, str) else safe_repr(value)
        text = _cut(shown, _MOST_VALUE)
        label = "Yours" if heading.startswith("Your rows") else heading
        return f"{label}:", [f"  {line}" for line in text.splitlines()], f"<pre>{html.escape(text)}</pre>"
    rows = list(value)
    columns = [str(name) for name in value.columns]
    label = f"{heading} ({len(rows)}):" if len(rows) != 1 else f"{heading.replace('rows', 'row')}:"
    if not rows:
        return label, ["  (0 rows)"], "<div>0 rows</div>"
    heads = [_cut(name, _MOST_CELL) for name in columns[:_MOST_COLUMNS]]
    body = [[_cell(cell) for cell in row[:_MOST_COLUMNS]] for row in rows[:_MOST_ROWS]]
    widths = [max(len(line[i]) for line in [heads, *body]) for i in range(len(heads))]
    lines = [
        "  " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [heads, *body]
    ]
    table = (
        "<table><thead><tr>"
        + "".join(f'<th scope="col" style="text-align: left">{html.escape(head)}</th>' for head in heads)
        + "</tr></thead><tbody>"
        + "".join(
            "<tr>" + "".join(f'<td style="text-align: left">{html.escape(c)}</td>' for c in line) + "</tr>"
            for line in body
        )
        + "</tbody></table>"
    )
    more = []
    if len(rows) > _MOST_ROWS:
        more.append(f"{len(rows) - _MOST_ROWS} more rows")
    if len(columns) > _MOST_COLUMNS:
        more.append(f"{len(columns) - _MOST_COLUMNS} more columns")
    if more:
        lines.append(f"  … and {' and '.join(more)}")
        table += f"<div>… and {' and '.join(more)}</div>"
    return label, lines, table


def safe_repr(value: Any) -> str:
    """`repr` of a learner's value: without memory addresses, and of anything, also of what cannot say it."""
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    try:
        text = repr(value)
    except Exception:
        return f"a value of type {type(value).__name__}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def _cell(value: Any) -> str:
    return _cut(
        "null" if value is None else value if isinstance(value, str) else safe_repr(value), _MOST_CELL
    )


def _cut(text: str, most: int) -> str:
    text = "".join(c if c.isprintable() or c == "\n" else "�" for c in text) if most > _MOST_CELL else text
    if most <= _MOST_CELL:
        text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= most else text[: most - 1] + "…"
