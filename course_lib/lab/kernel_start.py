"""What every kernel of the lab runs first: two errors of every day are told in a way that helps.

A NameError mostly means that the notebook was restarted and not run from its top: it gets a line that says
so. An interrupted cell was stopped by the learner, who knows why: thirty frames of libraries add nothing.
"""

from __future__ import annotations

import linecache
import traceback
from types import TracebackType
from typing import Any

STARTUP = "from course_lib.lab.kernel_start import explain_errors\n\nexplain_errors()\n"
"""The content of the start-up file. It must not print: it runs before the first cell."""
ADVICE = (
    "Nothing is called {name} here yet. Has the notebook been opened or restarted since? Then run it from"
    " its first cell:\nclick on this cell, and choose Run > Run All Above Selected Cell."
)
STOPPED = "Interrupted: the cell was stopped{where}. What ran before that counts; the rest was not done."
WRITING = "It was about to change a graph, and may have done so: look before you run it again."
_WRITES = "Graph.write"


def explain_errors() -> None:
    """Adds the advice to each NameError of this kernel, and tells an interrupt in a line or two."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError, KeyboardInterrupt), _explained)


def _explained(
    shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: int | None = None
) -> list[str]:
    if isinstance(error, KeyboardInterrupt):
        lines = interrupted(trace)
    else:
        lines = _with_advice(shell, kind, error, trace, tb_offset)
    shell._showtraceback(kind, error, lines)
    return lines


def _with_advice(
    shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: int | None
) -> list[str]:
    try:
        lines = list(shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset))
    except Exception:  # IPython's own formatting has changed: Python's is always there
        lines = traceback.format_exception(kind, error, trace)
    name = getattr(error, "name", None)
    lines.append("\n" + ADVICE.format(name=repr(name) if name else "that"))
    return lines


def interrupted(trace: TracebackType | None) -> list[str]:
    """What is said of a cell that was interrupted: the learner's own line, and no frame of ours.

    Args:
        trace: where it was.
    """
    where, writes = "", False
    for frame, number in traceback.walk_tb(trace):
        code = frame.f_code
        writes = writes or code.co_qualname.endswith(_WRITES)
        # A cell's code lives in no file, only in the cache of lines.
        source = linecache.getline(code.co_filename, number).strip()
        if source and frame.f_globals.get("__name__") == "__main__":
            where = f" in line {number}, `{source if len(source) <= 80 else source[:79] + '…'}`"
    said = STOPPED.format(where=where)
    return [f"{said} {WRITING}" if writes else said]
