"""What a learner types to run a command of the course.

Whoever came in through `course.py` has no `course` on the path and must not be told to type it.
"""

from __future__ import annotations

import os


def typed(command: str = "") -> str:
    """The words to type for a command: `typed("lab")` is 'python3 course.py lab', or 'course lab'.

    Args:
        command: the command with its arguments; empty for the program alone.
    """
    # Set by course.py. No setting that a person makes, so it does not belong to course_lib.settings.
    program = os.environ.get("COURSE_TYPED", "course")
    return f"{program} {command}".strip()
