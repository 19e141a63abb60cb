"""Buttons for an exercise, beside the plain calls: Check, Hint, Start over."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from course_lib.classroom import session
from course_lib.classroom.manifest import load_manifest
from course_lib.classroom.show import Card, plain_card
from course_lib.errors import CourseError
from course_lib.settings import load_settings


def exercise_panel(exercise_id: str, answer: Callable[[], Any] | None = None) -> Any:
    """A small panel with three buttons and a place where they answer.

    Args:
        exercise_id: such as "02.1".
        answer: gives what is to be checked at the moment of the click; without it, what was handed in last.

    Returns:
        A widget; while notebooks are built a card in its place, since a stored widget shows nothing.
    """
    exercise = load_manifest().exercise(exercise_id)
    name = f"{exercise.id} {exercise.title}"
    if load_settings().building:
        return plain_card(f"Buttons for {name}", "Run this cell, and Check, Hint and Start over appear here.")
    import ipywidgets as widgets

    place = widgets.HTML()
    buttons = {
        "check": widgets.Button(description="Check", icon="check", tooltip=f"Check exercise {name}"),
        "hint": widgets.Button(
            description="Hint", icon="lightbulb-o", tooltip=f"Next hint for exercise {name}"
        ),
        "over": widgets.Button(
            description="Start over", icon="undo", tooltip=f"Forget attempts and hints of exercise {name}"
        ),
    }

    def answering(action: Callable[[], Card]) -> Callable[[Any], None]:
        def on_click(_button: Any) -> None:
            try:
                shown = action().html
            except CourseError as error:
                shown = f"<div>{html.escape(str(error))}</div>"
            # A live region: a screen reader says what has changed.
            place.value = f'<div role="status" aria-live="polite">{shown}</div>'

        return on_click

    def check() -> Card:
        handed_in = answer() if answer is not None else session.last_answer(exercise.id)
        return session.judge(exercise.id, handed_in)[1]

    asked_once = False

    def start_over() -> Card:
        # A tick is easily lost by a click too many: the second one counts.
        nonlocal asked_once
        if not asked_once:
            asked_once = True
            return plain_card(
                "Really start over?",
                f"Attempts, hints and the tick of {exercise.id} go. Click *Start over* once more to do it.",
            )
        asked_once = False
        return session.start_over(exercise.id)

    buttons["check"].on_click(answering(check))
    buttons["hint"].on_click(answering(lambda: session.next_hint(exercise.id)))
    buttons["over"].on_click(answering(start_over))
    heading = widgets.HTML(f"<b>{html.escape(name)}</b>")
    return widgets.VBox([heading, widgets.HBox(list(buttons.values())), place])
