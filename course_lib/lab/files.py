"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from course_lib.errors import CourseError


class FolderUnusableError(CourseError):
    """A file could not be written where the lab needs it."""


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that others see the old one or the new one, never half of it.

    Args:
        path: the file; its folder is made if it is not there.
        content: what goes into it.

    Raises:
        FolderUnusableError: it could not be written; what was there before is untouched.
    """
    half = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(content)
        half.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise FolderUnusableError(
            f"{path.name} could not be put into {path.parent} ({error.strerror}).",
            "Make room, or let yourself write there, or name other folders in COURSE_WORK and COURSE_DIR.",
        ) from error
