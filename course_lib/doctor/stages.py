"""The doctor's stages: each looks at one thing that the course stands on, and changes nothing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from course_lib.doctor.report import Finding
from course_lib.errors import CourseError
from course_lib.invocation import typed
from course_lib.settings import KEY_NAMES, Settings

OLDEST, NEWEST = (3, 11), (3, 13)
NEEDED_MB, WANTED_MB = 100, 1_000
"""Free disk space below which the course cannot keep its data, and below which it is worth a word."""
PORTS = {8888: "JupyterLab", 8010: "the study assistant"}
BROWSERS = (
    "xdg-open",
    "firefox",
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "microsoft-edge",
    "brave-browser",
    "opera",
    "epiphany",
    "konqueror",
    "wslview",
    "sensible-browser",
)
EVERYTHING = (1, 2)


def python(settings: Settings) -> list[Finding]:
    """The Python that runs this."""
    version = sys.version_info[:2]
    where = "in the course's own environment" if sys.prefix != sys.base_prefix else "outside any environment"
    what = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {where}."
    if OLDEST <= version <= NEWEST:
        return [Finding("Python", "ok", what)]
    remedy = "Install Python 3.12, and run course.py with it."
    return [Finding("Python", "fault", f"{what} The course is made for 3.11 to 3.13.", remedy, EVERYTHING)]


def packages(settings: Settings) -> list[Finding]:
    """The installed packages, against requirements.lock."""
    try:
        lock = (settings.root / "requirements.lock").read_text(encoding="utf-8")
        pins = list(pinned(lock))
    except (OSError, ImportError, ValueError) as error:
        what = f"The packages cannot be compared with requirements.lock ({type(error).__name__})."
        return [Finding("Packages", "fault", what, reinstall(), EVERYTHING)]
    missing, other = [], []
    for name, version in pins:
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
        else:
            if found != version:
                other.append(f"{name} {found} (tested: {version})")
    if missing:
        what = f"{len(missing)} of {len(pins)} packages are missing: {_some(missing)}."
        return [Finding("Packages", "fault", what, reinstall(), EVERYTHING)]
    if other:
        what = f"All {len(pins)} packages are there, {len(other)} not as tested: {_some(other)}."
        return [
            Finding(
                "Packages",
                "note",
                what,
                f"Nothing, unless something misbehaves. Then: {reinstall()[:1].lower()}{reinstall()[1:]}",
            )
        ]
    return [Finding("Packages", "ok", f"All {len(pins)} packages are as tested.")]


def pinned(lock: str) -> Iterator[tuple[str, str]]:
    """The packages of a lock that this machine needs.

    Args:
        lock: the text of the lock file.

    Yields:
        Name and version.
    """
    from packaging.requirements import Requirement

    for line in re.findall(r"^[\w.-]+==.*$", lock, re.MULTILINE):
        requirement = Requirement(line.rstrip("\\ "))
        if requirement.marker is None or requirement.marker.evaluate():
            yield requirement.name, next(iter(requirement.specifier)).version


def graph_engine(settings: Settings) -> list[Finding]:
    """FalkorDB, which the first half of the course stands on."""
    from course_lib.college.engine_check import can_run_embedded

    if settings.falkordb_url is not None:
        return [_server(settings)]
    found = can_run_embedded()
    if found.ok:
        return [Finding("Graph engine", "ok", found.what)]
    return [Finding("Graph engine", "fault", found.what, found.remedy, (1,))]


def _server(settings: Settings) -> Finding:
    from course_lib.college.connection import Connection

    try:
        Connection(settings).owner("GRAPH.LIST", timeout_ms=2_000)
    except CourseError as error:
        return Finding("Graph engine", "fault", error.what, error.next_step, (1,))
    return Finding("Graph engine", "ok", "The server at FALKORDB_URL answers.")


def graph_memory(settings: Settings) -> list[Finding]:
    """Kuzu, which the second half stands on: loaded for real, in a process of its own.

    Not in this one: a notebook may want to load Kuzu's successor later, and the two crash together.
    """
    code = (
        "import kuzu; kuzu.Connection(kuzu.Database(':memory:')).execute('RETURN 1'); print(kuzu.__version__)"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code],
            capture_output=True,
            text=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return [Finding("Graph memory", "fault", f"Kuzu does not start ({error}).", reinstall(), (2,))]
    if done.returncode == 0:
        return [Finding("Graph memory", "ok", f"Kuzu {done.stdout.strip()} opens a store and answers.")]
    said = [line for line in done.stderr.splitlines() if line.strip()][-1:] or [
        f"exit code {done.returncode}"
    ]
    remedy = "Install the Microsoft Visual C++ runtime." if os.name == "nt" else reinstall()
    return [Finding("Graph memory", "fault", f"Kuzu cannot be loaded: {said[0]}", remedy, (2,))]


def model(settings: Settings) -> list[Finding]:
    """Who answers: which keys are set is said, what is in them is not."""
    from course_lib.models.connect import PRACTICE, provider_for
    from course_lib.models.providers import ready_providers

    choice = settings.model.strip()
    keys = [KEY_NAMES[name] for name in settings.keys]
    having = f" Keys that are set: {', '.join(keys)}." if keys else ""
    try:
        if choice.lower() == "auto":
            ready = [provider.name for provider in ready_providers(settings)]
            if not ready:
                raise CourseError(
                    "COURSE_MODEL is auto, and no provider has a key.", "Set one, or unset COURSE_MODEL."
                )
            return [Finding("Model", "ok", f"Asked in this order: {', '.join(ready)}.{having}")]
        provider = provider_for(choice, settings)
    except CourseError as error:
        return [Finding("Model", "fault", error.what, error.next_step, EVERYTHING)]
    if choice.partition(":")[0].lower() == PRACTICE:
        tip = f" To ask a real one: {typed('model')}." if keys else ""
        return [Finding("Model", "ok", f"The practice model, on this machine: no key needed.{having}{tip}")]
    return [Finding("Model", "ok", f"{provider.name}, model {provider.model}.{having}")]


def browser(settings: Settings) -> list[Finding]:
    """Whether JupyterLab finds a browser to open."""
    if _lab_port() is not None:
        return [Finding("Browser", "ok", "The lab is open in one.")]
    chosen = os.environ.get("BROWSER")
    graphical = os.name == "nt" or sys.platform == "darwin" or _in_wsl()
    graphical = graphical or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if chosen or (
        graphical and (os.name == "nt" or sys.platform == "darwin" or any(map(shutil.which, BROWSERS)))
    ):
        return [Finding("Browser", "ok", "A browser opens by itself.")]
    what = (
        "No browser opens by itself here."
        if graphical
        else "This machine has no screen to open a browser on."
    )
    remedy = f"Type {typed('lab --no-browser')} and open the address that it prints"
    remedy += (
        " in a Windows browser." if _in_wsl() else ", through `ssh -L 8888:localhost:8888` from elsewhere."
    )
    return [Finding("Browser", "note", what, remedy)]


def disk(settings: Settings) -> list[Finding]:
    """Room and permission to write, where the course keeps its data and the learner's copies."""
    for folder, name in (
        (settings.home, "The course's data folder"),
        (settings.work, "The folder for your copies"),
    ):
        there = _nearest(folder)
        if not os.access(there, os.W_OK):
            remedy = "Move the course to a folder of your own, or set COURSE_DIR and COURSE_WORK."
            return [Finding("Disk", "fault", f"{name} cannot be written to.", remedy, EVERYTHING)]
    free = shutil.disk_usage(_nearest(settings.home)).free // 1_000_000
    if free < NEEDED_MB:
        what = f"{free} MB are free; the course needs {NEEDED_MB}."
        return [Finding("Disk", "fault", what, "Make room on this disk.", EVERYTHING)]
    if free < WANTED_MB:
        return [Finding("Disk", "note", f"{free} MB are free: enough, but not for long.", "Make room.")]
    return [Finding("Disk", "ok", f"{free / 1000:.0f} GB are free.")]


def ports(settings: Settings) -> list[Finding]:
    """The ports that the course would like. Taken ones are no fault: the next is used."""
    from course_lib.lab.jupyter import FIRST_PORT, is_free

    own = _lab_port()
    here = "" if own is None else f"This lab is at {own}. "
    # In a lab the port of JupyterLab has served its purpose, whoever has it.
    wanted = {port: use for port, use in PORTS.items() if own is None or port not in (own, FIRST_PORT)}
    taken = [f"{port} ({use})" for port, use in wanted.items() if not is_free(port)]
    if not taken:
        free = (
            f"{' and '.join(map(str, wanted))} {'is' if len(wanted) == 1 else 'are'} free." if wanted else ""
        )
        return [Finding("Ports", "ok", (here + free).strip())]
    what = f"{here}In use, by this course or another program: {', '.join(taken)}."
    return [Finding("Ports", "note", what, "Nothing: the course takes the next one and says so.")]


STAGES: tuple[Callable[[Settings], list[Finding]], ...] = (
    python,
    packages,
    graph_engine,
    graph_memory,
    model,
    browser,
    disk,
    ports,
)
"""In the order in which they are reported."""


def reinstall() -> str:
    """The remedy for an installation that is broken."""
    program = "py course.py" if os.name == "nt" else "python3 course.py"
    return f"Delete the folder .venv and type `{program} lab`: that installs everything anew."


def _some(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _lab_port() -> int | None:
    """The port of the lab that this runs in, in a kernel or a terminal of its; None elsewhere."""
    from course_lib.lab.jupyter import LAB_PORT

    found = os.environ.get(LAB_PORT, "")
    return int(found) if found.isdecimal() else None


def _in_wsl() -> bool:
    return "microsoft" in platform.release().lower()


def _nearest(folder: Path) -> Path:
    """The folder itself, or the closest one above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.exists())
