"""What every kernel of the lab runs first: a NameError gets a line that says what to do."""

from __future__ import annotations

import traceback
from typing import Any

STARTUP = "from course_lib.lab.kernel_start import explain_missing_names\n\nexplain_missing_names()\n"
"""The content of the start-up file. It must not print: it runs before the first cell."""
ADVICE = (
    "Nothing is called {name} here yet. Has the notebook been opened or restarted since? Then run it from"
    " its first cell:\nclick on this cell, and choose Run > Run All Above Selected Cell."
)


def explain_missing_names() -> None:
    """Adds the advice to each NameError of this kernel, below its traceback."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError,), _with_advice)


def _with_advice(
    shell: Any, kind: type, error: NameError, trace: Any, tb_offset: int | None = None
) -> list[str]:
    try:
        lines = list(shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset))
    except Exception:  # IPython's own formatting has changed: Python's is always there
        lines = traceback.format_exception(kind, error, trace)
    lines.append("\n" + ADVICE.format(name=repr(error.name) if error.name else "that"))
    shell._showtraceback(kind, error, lines)
    return lines
