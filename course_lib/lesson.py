"""The one face that a notebook needs: `from course_lib import lesson`.

college = lesson.start("02")      this lesson's own graph, as it should be at its start
lesson.check("02.1", query)       judges an answer
lesson.hint("02.1")               the next hint, from a nudge to almost the answer
lesson.reset("02.1")              starts an exercise over; without an id the whole lesson
lesson.progress()                 how far you have come
lesson.picture(college, "...")    draws a graph or a result
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_lib.classroom import session

if TYPE_CHECKING:
    from collections.abc import Callable

    from course_lib.classroom.outcome import Outcome
    from course_lib.college.graph import Graph

__all__ = ["check", "hint", "machine", "models", "panel", "picture", "progress", "rehearse", "reset", "start"]


def start(lesson_id: str) -> Graph | None:
    """Starts a lesson: its own graph, restored whatever was done to it before.

    It may run twice, out of order, or after everything was deleted.

    Args:
        lesson_id: the lesson's number, such as "02".

    Returns:
        The lesson's graph, or None for a lesson that needs none.

    Raises:
        NoSuchLessonError: there is no such lesson.
        EngineUnavailableError: no graph engine can run here; the message says which ways there are.
    """
    return session.start(lesson_id)


def check(exercise_id: str, *answers: Any) -> Outcome:
    """Judges an answer: not attempted, wrong, nearly or right. Shows the verdict and gives it back.

    Args:
        exercise_id: such as "02.1".
        answers: what you hand in: a query, a function, a value; some exercises ask for two things.

    Raises:
        NoSuchExerciseError: there is no such exercise.
        NotRightError: in solutions/ and under nbgrader: the answer is not right.
        CheckBrokenError: the check itself failed, which is our fault.
    """
    return session.check(exercise_id, *answers)


def rehearse(exercise_id: str, *answers: Any) -> Outcome:
    """Shows what `check` would say, and counts nothing. Lessons use it to show a wrong answer failing.

    Args:
        exercise_id: such as "02.1".
        answers: as for `check`.
    """
    return session.rehearse(exercise_id, *answers)


def hint(exercise_id: str | None = None) -> None:
    """Shows the next hint. After the third it repeats the last, and says where a worked answer is.

    Args:
        exercise_id: such as "02.1"; without it, the exercise that was checked last.
    """
    session.hint(exercise_id)


def reset(exercise_id: str | None = None) -> None:
    """Starts an exercise over, or without an id the whole lesson: its graph and its exercises.

    What you wrote in your cells stays.

    Args:
        exercise_id: such as "02.1"; None for the lesson that was started in this notebook.
    """
    session.reset(exercise_id)


def progress() -> None:
    """Shows how far you have come."""
    session.progress()


def machine() -> Any:
    """Looks at this machine: what the course needs, what is there, and the remedy for what is missing."""
    from course_lib.doctor import examine
    from course_lib.settings import load_settings

    report = examine()
    if not load_settings().building:
        return report
    # A stored output must not tell about the machine that built the notebook.
    from course_lib.classroom.show import plain_card

    return plain_card(
        "Your machine and the course", "Run this cell, and what your machine can do stands here."
    )


def models() -> Any:
    """The models there are, which one is in use, and buttons to try one and to use it. No key is needed."""
    from course_lib.settings import load_settings

    if not load_settings().building:
        from course_lib.views.chooser import model_chooser

        return model_chooser()
    from course_lib.classroom.show import plain_card

    return plain_card(
        "Models", "Run this cell to choose one. You need none of your own: the practice model is in use."
    )


def panel(exercise_id: str, answer: Callable[[], Any] | None = None) -> Any:
    """Buttons for an exercise, beside the plain calls: Check, Hint, Start over.

    Args:
        exercise_id: such as "02.1".
        answer: gives what is to be checked at the moment of the click, as in `lambda: query`; without it,
            what was handed in last is checked again.
    """
    from course_lib.views.panels import exercise_panel

    return exercise_panel(exercise_id, answer)


def picture(*args: Any, **kwargs: Any) -> Any:
    """Draws a graph or a result. See `course_lib.views.picture.picture`."""
    from course_lib.views.picture import picture as draw

    return draw(*args, **kwargs)
