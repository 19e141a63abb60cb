"""What this machine can do for the course, in stages, each fault with its remedy.

`course doctor` prints it, and lesson 00 shows it. It looks and never changes anything: no server is left
running, no model provider is called.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from course_lib.doctor.report import Finding, Report, Status
from course_lib.doctor.stages import EVERYTHING, STAGES, reinstall
from course_lib.settings import Settings, load_settings

__all__ = ["Finding", "Report", "Status", "examine"]


def examine(settings: Settings | None = None) -> Report:
    """Looks at this machine, at all stages at once (about a second; the slowest starts a trial server).

    Args:
        settings: the course's settings; read afresh when None.

    Returns:
        The report. Its last expression in a notebook cell shows it as a table.

    Raises:
        SettingError: a setting cannot be read at all; nothing can be said about the rest then.
    """
    settings = settings or load_settings()
    with ThreadPoolExecutor(len(STAGES)) as pool:
        found = list(pool.map(lambda stage: _look(stage, settings), STAGES))
    return Report(tuple(finding for findings in found for finding in findings))


def _look(stage: Callable[[Settings], list[Finding]], settings: Settings) -> list[Finding]:
    try:
        return stage(settings)
    except (
        Exception
    ) as error:  # a broken installation fails in any way it likes, and the others must be heard
        name = stage.__name__.replace("_", " ").capitalize()
        what = f"This could not be looked at ({type(error).__name__}: {error})."
        return [Finding(name, "fault", what, reinstall(), EVERYTHING)]
