"""The one exception root of the course, and the errors that more than one part raises.

Every error that a learner can meet is a `CourseError`: it has a name of its own, and its message says what
happened and then what to do next. Parts define their own subclasses beside the code that raises them.
"""

from __future__ import annotations


class CourseError(Exception):
    """Something the course knows about went wrong.

    Args:
        what: one sentence about what happened, in words a learner understands.
        next_step: one sentence that says what to do now.
    """

    def __init__(self, what: str, next_step: str = "") -> None:
        self.what = what
        self.next_step = next_step
        super().__init__(f"{what} {next_step}".strip())

    def _render_traceback_(self) -> list[str]:
        # IPython asks an exception for this before it prints forty lines of frames: a learner needs the
        # sentence, not the inside of the library. `raise ... from` and pytest still see everything.
        return [f"{type(self).__name__}: {self}"]


class SettingError(CourseError):
    """A setting (environment variable, `.env` line or saved choice) has a value that cannot be used."""
