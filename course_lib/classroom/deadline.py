"""Calls a learner's function so that nothing it does can hurt the lesson: it may raise, print or never end.

The function runs in a thread of its own, because that is what works in a kernel on every platform: signals
reach only the main thread, and Windows has no alarm. A call that is over its time gets an exception thrown
in.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import linecache
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from course_lib.errors import CourseError

SECONDS = 5.0
"""How long a learner's function may take in a check, in seconds. Right answers take a fraction of one."""
_GRACE_S = 1.0
"""How long we wait for a function to end once it was told to, in seconds."""


class _TimeIsUp(SystemExit):
    """Thrown into a call that takes too long.

    Not an `Exception`, so that `except Exception` in the learner's code lets it pass; a `SystemExit`, because
    that is the one exception that a thread may end with in silence.
    """


@dataclass(frozen=True)
class Call:
    """What came of calling a learner's function."""

    value: Any = None
    error: BaseException | None = None
    """What the function raised, or None."""
    late: bool = False
    """Whether it had to be stopped."""
    still_running: bool = False
    """Whether it could not even be stopped: only a restart of the kernel ends it."""
    printed: str = ""
    """What it printed, standard error included."""

    @property
    def ok(self) -> bool:
        """Whether it returned at all."""
        return self.error is None and not self.late


def call(function: Callable[..., Any], *args: Any, seconds: float = SECONDS, **kwargs: Any) -> Call:
    """Calls a function and gives back what came of it; only an interrupt by the learner gets out.

    Args:
        function: the learner's function.
        args: its arguments.
        seconds: how long it may take.
        kwargs: its named arguments.
    """
    result: dict[str, Any] = {}
    # Not Thread.join: on Python 3.11 and 3.12 an interrupt in it marks a running thread as ended.
    done = threading.Event()

    def run() -> None:
        try:
            result["value"] = function(*args, **kwargs)
        except _TimeIsUp:
            result["late"] = True
        except BaseException as error:
            # Also SystemExit and KeyboardInterrupt: a learner's `exit()` must not end the kernel.
            result["error"] = error
        finally:
            done.set()

    printed = io.StringIO()
    worker = threading.Thread(target=run, name="a learner's function", daemon=True)
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            worker.start()
            late = not done.wait(seconds)
        except KeyboardInterrupt:
            _stop(worker, done)
            raise
        if late:
            _stop(worker, done)
    return Call(
        value=result.get("value"),
        error=result.get("error"),
        late=late,
        still_running=_is_running(worker, done),
        printed=printed.getvalue(),
    )


def _is_running(worker: threading.Thread, done: threading.Event) -> bool:
    return worker.is_alive() and not done.is_set()


def _stop(worker: threading.Thread, done: threading.Event) -> None:
    """Throws into the thread until it ends or the grace is over; code in a C call cannot be reached."""
    end = time.monotonic() + _GRACE_S
    while _is_running(worker, done) and worker.ident is not None and time.monotonic() < end:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(_TimeIsUp))
        done.wait(0.05)


def explain_error(function: Callable[..., Any], error: BaseException) -> str:
    """A learner's exception in one line: their own line of code and the message, and no frames of ours.

    Args:
        function: the function that was called.
        error: what it raised.
    """
    # Of our own errors what happened is enough; what to do next is for the check to say.
    said = error.what if isinstance(error, CourseError) else str(error)
    what = type(error).__name__ + (f": {said}" if said else "")
    code = getattr(function, "__code__", None)
    frame = _own_frame(error.__traceback__, code.co_filename) if code is not None else None
    if frame is None:
        return f"Your function raised {_short(what)}"
    line_number, name, source = frame
    where = f"Line {line_number} of your `{name}`" if name != "<lambda>" else "Your lambda"
    return f"{where} raised {_short(what)}" + (f" — the line is `{_short(source, 80)}`" if source else "")


def _own_frame(traceback: TracebackType | None, filename: str) -> tuple[int, str, str] | None:
    """Line in the function, function name and text of the last frame in the learner's own file or cell."""
    found = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename:
            text = linecache.getline(filename, traceback.tb_lineno).strip()
            found = (traceback.tb_lineno - code.co_firstlineno + 1, code.co_name, text)
        traceback = traceback.tb_next
    return found


def _short(text: str, most: int = 200) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
