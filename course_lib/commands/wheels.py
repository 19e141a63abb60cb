"""`course wheels`: collects every package that a set-up needs, for machines without a (good) network."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.settings import project_root

HELP = "collect all packages in a folder, for a room of people on one Wi-Fi or machines without a network"

LOCKS = ("requirements.lock", "locks/bootstrap.lock")
TEST_LOCK = "locks/test.lock"
README = "how-to-use.txt"


class WheelsError(CourseError):
    """The packages could not be collected."""


@dataclass(frozen=True)
class System:
    """A kind of computer, as lock files and package names describe it."""

    title: str
    tags: tuple[str, ...]
    """Platform tags of packages that run on it, best first."""
    markers: Mapping[str, str]
    """What a lock's conditions see on it."""


def _linux(machine: str) -> System:
    # 2.28 (2018) is what the oldest supported systems have; a package for an older one runs as well.
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(28, 4, -1)]
    tags += [
        f"manylinux2014_{machine}",
        f"manylinux2010_{machine}",
        f"manylinux1_{machine}",
        f"linux_{machine}",
    ]
    return System(
        f"Linux {machine}",
        tuple(tags),
        {
            "sys_platform": "linux",
            "platform_system": "Linux",
            "os_name": "posix",
            "platform_machine": machine,
        },
    )


def _mac(machine: str) -> System:
    return System(
        f"macOS {machine}",
        (f"macosx_14_0_{machine}",),
        {
            "sys_platform": "darwin",
            "platform_system": "Darwin",
            "os_name": "posix",
            "platform_machine": machine,
        },
    )


SYSTEMS: Mapping[str, System] = {
    "windows": System(
        "Windows",
        ("win_amd64",),
        {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
    ),
    "macos": _mac("arm64"),
    "macos-intel": _mac("x86_64"),
    "linux": _linux("x86_64"),
    "linux-arm64": _linux("aarch64"),
}
PYTHONS = ("3.11", "3.12", "3.13")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument("folder", type=Path, help="where to put the packages; it is made if it is not there")
    parser.add_argument(
        "--for",
        dest="systems",
        action="append",
        choices=[*SYSTEMS, "all"],
        help="a kind of computer to collect for; may be given several times (this kind when not given)",
    )
    parser.add_argument(
        "--python",
        dest="pythons",
        action="append",
        choices=PYTHONS,
        help="a Python to collect for; may be given several times (this one when not given)",
    )
    parser.add_argument("--test", action="store_true", help="also what `course test` needs")


def run(args: argparse.Namespace) -> int:
    """Collects the packages; gives the exit code."""
    names = args.systems or [this_system()]
    names = list(SYSTEMS) if "all" in names else list(dict.fromkeys(names))
    pythons = list(dict.fromkeys(args.pythons or ["{}.{}".format(*sys.version_info[:2])]))
    folder: Path = args.folder.expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WheelsError(f"{folder} cannot be made ({error.strerror}).", "Name another folder.") from error
    for name in names:
        for python in pythons:
            print(f"Collecting for {SYSTEMS[name].title}, Python {python} ...", flush=True)
            for lock in (*LOCKS, *([TEST_LOCK] if args.test else [])):
                collect(folder, lock, SYSTEMS[name], python)
    (folder / README).write_text(readme(names, pythons), encoding="utf-8")
    files = list(folder.glob("*.whl"))
    size = sum(file.stat().st_size for file in files) / 1e6
    print(f"\n{len(files)} packages, {size:.0f} MB, in {folder}. On the other machines, with no network:")
    print("\n    python3 course.py --wheels FOLDER lab\n")
    return 0


def this_system() -> str:
    """The kind of computer that this is.

    Raises:
        WheelsError: it is none of those that packages are collected for.
    """
    for name, system in SYSTEMS.items():
        same = system.markers["sys_platform"] == sys.platform
        if same and system.markers["platform_machine"].lower() == platform.machine().lower():
            return name
    raise WheelsError(
        "This kind of computer is none that packages are collected for.", "Name one with --for."
    )


def collect(folder: Path, lock: str, system: System, python: str) -> None:
    """Downloads what a lock asks for on a kind of computer. What the folder holds already stays.

    Args:
        folder: where the packages go.
        lock: the lock's path in the course folder.
        system: the kind of computer.
        python: its Python, such as '3.12'.

    Raises:
        WheelsError: pip could not get them; its last words are in the message.
    """
    text = (project_root() / lock).read_text(encoding="utf-8")
    abi = f"cp{python.replace('.', '')}"
    with tempfile.TemporaryDirectory() as scratch:
        chosen = Path(scratch) / "chosen.txt"
        chosen.write_text("".join(requirements_for(text, system, python)), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
        ]
        command += ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
        command += ["--python-version", python, "--implementation", "cp"]
        for kind in (abi, "abi3", "none"):
            command += ["--abi", kind]
        for tag in system.tags:
            command += ["--platform", tag]
        done = subprocess.run([*command, "--requirement", str(chosen)], capture_output=True, text=True)
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:] or ["no reason given"]
        raise WheelsError(
            f"The packages of {lock} for {system.title} could not be collected: {last[0]}",
            "Is this machine online? Then the same command goes on where it stopped.",
        )


def requirements_for(lock: str, system: System, python: str) -> Iterator[str]:
    """The requirements of a lock that count on a kind of computer, with hashes, conditions taken off.

    pip looks at the conditions with the eyes of the machine that it runs on, whichever it downloads for.

    Args:
        lock: the text of the lock.
        system: the kind of computer.
        python: its Python, such as '3.12'.
    """
    from packaging.requirements import Requirement

    seen = {
        **system.markers,
        "python_version": python,
        "python_full_version": f"{python}.9",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    lines = [line for line in lock.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    for line in text.splitlines():
        head, *hashes = line.split("--hash=")
        requirement = Requirement(head.strip())
        if requirement.marker is None or requirement.marker.evaluate(seen):
            hashed = " ".join(f"--hash={checksum.strip()}" for checksum in hashes)
            yield f"{requirement.name}{requirement.specifier} {hashed}\n"


def readme(names: list[str], pythons: list[str]) -> str:
    """The note that goes into the folder."""
    systems = ", ".join(SYSTEMS[name].title for name in names)
    return (
        f"Packages of the graph course for {systems}, Python {', '.join(pythons)}.\n\n"
        "Copy this folder to the other machine (a USB stick will do). There, in the course folder, type\n\n"
        "    python3 course.py --wheels FOLDER lab          (Windows: py course.py --wheels FOLDER lab)\n\n"
        "with this folder's path for FOLDER. Nothing is fetched from the network.\n\n"
        "Or serve it to the room: `python3 -m http.server 8000` in this folder, and on the other machines\n\n"
        "    python3 course.py --wheels http://ADDRESS-OF-THIS-MACHINE:8000 lab\n"
    )
