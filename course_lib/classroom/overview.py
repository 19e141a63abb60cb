"""How far a learner has come, as bars and as data."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from course_lib.classroom.manifest import Exercise, Lesson, Manifest
from course_lib.classroom.progress import Entry
from course_lib.classroom.show import SYMBOLS, Card, bar

_CELL = '<td style="text-align: left">'
"""JupyterLab sets the cells of tables to the right."""
_BAR_COLOUR = "#1f8a6b"
"""A green that has a contrast of 4 to 1 on white and on black; the count stands beside it in words."""


def overview_card(
    manifest: Manifest,
    entries: Mapping[str, Entry],
    current: Lesson | None = None,
    notes: Sequence[str] = (),
) -> Card:
    """A bar for each lesson, and the exercises of one lesson, or of all.

    Args:
        manifest: what there is.
        entries: what was done, by exercise id.
        current: the lesson whose exercises are listed; beside it only lessons that were begun have a bar.
            When None, all lessons with exercises are shown, and all exercises listed.
        notes: further lines, about the progress file.
    """
    lines: list[str] = []
    parts: list[str] = []
    begun = {exercise_id[:2] for exercise_id in entries}
    lessons = [
        lesson
        for lesson in manifest.lessons
        if manifest.of_lesson(lesson.id) and (current is None or lesson is current or lesson.id in begun)
    ]
    width = max((len(lesson.title) for lesson in lessons), default=0)
    for lesson in lessons:
        exercises = manifest.of_lesson(lesson.id)
        core = [exercise for exercise in exercises if exercise.core]
        done, extra = _right(core, entries), _right([e for e in exercises if not e.core], entries)
        counts = f"{done} of {len(core)}" + (f", and {extra} extra" if extra else "")
        lines.append(f"{lesson.id} {lesson.title.ljust(width)}  {bar(done, len(core))}  {counts}")
        parts.append(
            f"<tr>{_CELL}{lesson.id} {html.escape(lesson.title)}</td>"
            f'<td style="text-align: left; color: {_BAR_COLOUR}">{bar(done, len(core))}</td>'
            f"{_CELL}{counts}</td></tr>"
        )
        if current is None or lesson.id == current.id:
            for exercise in exercises:
                entry = entries.get(exercise.id, Entry())
                what = f"{SYMBOLS[entry.status]} {exercise.id} {exercise.title}"
                tail = _tail(exercise, entry)
                lines.append(f"   {what}{tail}")
                parts.append(
                    f'<tr><td colspan="3" style="text-align: left">&emsp;{html.escape(what + tail)}</td></tr>'
                )
    legend = " · ".join(f"{symbol} {status}" for status, symbol in SYMBOLS.items())
    if not lessons:
        lines, parts = ["There are no exercises yet."], ["<tr><td>There are no exercises yet.</td></tr>"]
    lines += [legend, *notes]
    tail_html = "".join(f"<div>{html.escape(line)}</div>" for line in (legend, *notes))
    return Card("\n".join(lines), f"<table><tbody>{''.join(parts)}</tbody></table>{tail_html}")


def overview_data(manifest: Manifest, entries: Mapping[str, Entry]) -> dict[str, Any]:
    """The same as plain data, for other programs: one entry a lesson, one an exercise.

    Args:
        manifest: what there is.
        entries: what was done, by exercise id.
    """
    lessons = []
    for lesson in manifest.lessons:
        exercises = manifest.of_lesson(lesson.id)
        core = [exercise for exercise in exercises if exercise.core]
        lessons.append(
            {
                "id": lesson.id,
                "title": lesson.title,
                "core": len(core),
                "core_right": _right(core, entries),
                "exercises": [
                    _exercise_data(exercise, entries.get(exercise.id, Entry())) for exercise in exercises
                ],
            }
        )
    return {"version": 1, "lessons": lessons}


def _exercise_data(exercise: Exercise, entry: Entry) -> dict[str, Any]:
    return {
        "id": exercise.id,
        "title": exercise.title,
        "core": exercise.core,
        "status": entry.status,
        "attempts": entry.attempts,
        "hints": entry.hints,
        "first_right": entry.first_right,
    }


def _right(exercises: Sequence[Exercise], entries: Mapping[str, Entry]) -> int:
    return sum(entries.get(exercise.id, Entry()).status == "right" for exercise in exercises)


def _tail(exercise: Exercise, entry: Entry) -> str:
    said = [] if exercise.core else ["extra"]
    if entry.attempts:
        said.append(f"{entry.attempts} {'try' if entry.attempts == 1 else 'tries'}")
    if entry.hints:
        said.append(f"{entry.hints} hint{'' if entry.hints == 1 else 's'}")
    return f" ({', '.join(said)})" if said else ""
