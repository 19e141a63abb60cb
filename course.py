#!/usr/bin/env python3
"""Sets the course up where it is needed, then hands over to the `course` command.

    python3 course.py lab       opens the lessons in JupyterLab
    python3 course.py test      runs every test
    python3 course.py           says what else there is

The first run makes an environment in `.venv` and fills it with exactly the packages that `requirements.lock`
names. Later runs see from a stamp that nothing has changed, and start at once. Nothing outside this folder is
written, but the caches of pip and uv. To start over, delete `.venv`.

Only the standard library, and only what Python 3.6 can read (`List`, not `list`): somebody whose Python is
too old deserves a sentence, not a SyntaxError.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, NoReturn, Optional, Tuple

ROOT = Path(__file__).resolve().parent
WINDOWS = os.name == "nt"

OLDEST, NEWEST = (3, 11), (3, 13)
"""The Python versions that the locks were made for and tried with."""
DISK_BYTES = 1_200_000_000
"""Free space to ask for before a first set-up. Measured on Linux: 440 MB for lessons, 120 MB more for tests,
110 MB of byte code that Python adds by and by, and room for the learner's data."""

STAMP = "course-stamp.json"
"""In the environment: what it was made from. Written last."""
UNFINISHED = "course-unfinished"
"""In the environment while it is being made or changed: a run that finds it starts over."""


class Stop(Exception):
    """Set-up cannot go on. The message says what is wrong and what to do, to the person at the keyboard."""


class Environment(NamedTuple):
    """A virtual environment that some commands run in."""

    folder: str
    lock: str


LESSONS = Environment(".venv", "requirements.lock")
ENVIRONMENTS = {
    # The tests' lock holds all that the lessons' lock holds, in the same versions: one environment for both.
    "test": Environment(".venv", "locks/test.lock"),
    "app": Environment(".venv-app", "locks/app.lock"),
}
"""Command -> where it runs. Every other command runs in LESSONS."""
BOOTSTRAP_LOCK = "locks/bootstrap.lock"


def main(arguments: List[str]) -> int:
    """Sets up what is missing and runs the command.

    Returns:
        The exit code, on Windows and when set-up stops. Elsewhere the command takes this process over.
    """
    try:
        wheels, command = split_arguments(arguments)
        environment = ENVIRONMENTS.get(command[0] if command else "", LESSONS)
        if not is_ready(environment):
            if command in ([], ["-h"], ["--help"], ["help"]):
                print(__doc__.strip().split("\n\nOnly the")[0])
                return 0
            set_up(environment, wheels)
        return hand_over(environment, command)
    except Stop as stop:
        print(f"\n{stop}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Type the same command again: it starts set-up over.", file=sys.stderr)
        return 130


def split_arguments(arguments: List[str]) -> Tuple[Optional[str], List[str]]:
    """Takes `--wheels FOLDER` off the front; the rest belongs to the `course` command."""
    if arguments and arguments[0].startswith("--wheels="):
        return wheels_folder(arguments[0].partition("=")[2]), arguments[1:]
    if arguments and arguments[0] == "--wheels":
        if len(arguments) < 2:
            raise Stop("--wheels wants the folder that `course wheels` filled: --wheels FOLDER lab")
        return wheels_folder(arguments[1]), arguments[2:]
    return None, arguments


def wheels_folder(text: str) -> str:
    """A folder of packages, or the address of one that somebody on the same network serves."""
    if re.match(r"https?://", text):
        return text.rstrip("/") + "/"
    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise Stop(f"There is no folder {text}. Give the one that `course wheels` filled.")
    if not any(folder.glob("uv-*.whl")):
        raise Stop(f"The folder {text} does not hold uv. Give the one that `course wheels` filled.")
    return str(folder.resolve())


# What is there already -------------------------------------------------------------------------------


def environment_python(folder: Path) -> Path:
    """The Python of an environment."""
    return folder / "Scripts" / "python.exe" if WINDOWS else folder / "bin" / "python"


def uv_program(folder: Path) -> Path:
    """The uv of an environment."""
    return folder / "Scripts" / "uv.exe" if WINDOWS else folder / "bin" / "uv"


def digest(*names: str) -> str:
    """One checksum over files of the course, the same whatever line ends a checkout gave them."""
    total = hashlib.sha256()
    for name in names:
        try:
            total.update((ROOT / name).read_bytes().replace(b"\r\n", b"\n") + b"\0")
        except OSError:
            raise Stop(
                f"The file {name} is not beside course.py. If the course came as a ZIP, unpack all of it, "
                "then run course.py in the unpacked folder."
            ) from None
    return total.hexdigest()


def wanted_stamp(environment: Environment) -> Dict[str, str]:
    """What a finished environment's stamp says. The folder is in it: a moved environment does not work."""
    return {"folder": str(ROOT), "base": digest(BOOTSTRAP_LOCK, LESSONS.lock, "pyproject.toml")}


def read_stamp(folder: Path) -> Dict[str, str]:
    """The stamp of an environment; empty where there is none to be read."""
    try:
        found = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_ready(environment: Environment) -> bool:
    """Whether the environment is finished and holds what the files of the course ask for now."""
    folder = ROOT / environment.folder
    stamp = read_stamp(folder)
    return (
        environment_python(folder).is_file()
        and not (folder / UNFINISHED).exists()
        and all(stamp.get(key) == value for key, value in wanted_stamp(environment).items())
        and (environment == LESSONS or stamp.get(environment.lock) == digest(environment.lock))
    )


def python_of(folder: Path) -> Optional[Tuple[int, int]]:
    """The version of an environment's Python; None where it does not run (the one beneath it is gone)."""
    try:
        done = subprocess.run(
            [str(environment_python(folder)), "-c", "import sys; print(*sys.version_info[:2])"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60,
        )
        major, minor = done.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


# Checks before anything is written -------------------------------------------------------------------


def check_python() -> None:
    """Stops where this Python cannot run the course, and names one on this computer that can."""
    version = sys.version_info[:2]
    if not OLDEST <= version <= NEWEST:
        word = "old" if version < OLDEST else "new"
        raise Stop(
            f"Python {version[0]}.{version[1]} is too {word}: the course runs on 3.11, 3.12 and 3.13. "
            + other_python()
        )
    if sys.implementation.name != "cpython":
        raise Stop(f"This is {sys.implementation.name}; the course needs the usual Python. " + other_python())
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise Stop("This is a free-threaded Python, which the packages are not made for. " + other_python())
    if sys.maxsize < 2**32:
        raise Stop("This is a 32-bit Python; install the 64-bit one from the Python site, then try again.")


def other_python() -> str:
    """What to type where a fitting Python is installed too, else where to get one."""
    candidates = [["py", f"-3.{minor}"] for minor in (12, 13, 11)] if WINDOWS else []
    candidates += [[f"python3.{minor}"] for minor in (12, 13, 11)]
    for candidate in candidates:
        if shutil.which(candidate[0]) and runs(candidate):
            return f"You have a fitting one, so type: {' '.join(candidate)} course.py lab"
    return "Install Python 3.12 (from the Python site, or your package manager), then run course.py with it."


def runs(command: List[str]) -> bool:
    """Whether a Python can be started (a launcher may be there without the version that it is asked for)."""
    check = "import sys; sys.exit(sys.implementation.name != 'cpython')"
    try:
        return (
            subprocess.run(
                [*command, "-c", check], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20
            ).returncode
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def move_advice() -> str:
    """Where to put a course folder that cannot be written to."""
    place = Path.home() / "graph-course"
    advice = f"Move the course to a folder of your own, such as {place}, and run it there."
    return "OneDrive guards this folder. " + advice if "onedrive" in str(ROOT).lower() else advice


def check_folder(environment: Environment) -> None:
    """Stops where the course folder cannot be written to or the disk is nearly full."""
    try:
        (ROOT / ".course").mkdir(exist_ok=True)
        probe = ROOT / ".course" / f"probe-{os.getpid()}"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        raise Stop(f"The folder {ROOT} cannot be written to ({error.strerror}). {move_advice()}") from None
    free = shutil.disk_usage(str(ROOT)).free
    needed = DISK_BYTES if not (ROOT / environment.folder / STAMP).exists() else DISK_BYTES // 4
    if free < needed:
        raise Stop(
            f"The disk has {free // 1_000_000} MB left and set-up wants {needed // 1_000_000} MB. "
            "Make room, or move the course to another disk, and type the same command again."
        )


@contextmanager
def one_at_a_time() -> Iterator[Optional[int]]:
    """Lets one set-up run in this folder; a second one waits and says so.

    Yields:
        The lock's file descriptor, for programs that set-up starts: they hold it too, so that a set-up that
        was killed keeps the next one waiting until its last program has ended. None on Windows.
    """
    handle = os.open(str(ROOT / ".course" / "set-up.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        told = False
        while not try_lock(handle):
            if not told:
                print("Another set-up of this folder is under way. Waiting for it to end ...", flush=True)
                told = True
            time.sleep(0.2)
        yield None if WINDOWS else handle
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Takes the lock of an open file if nobody has it. The system lets go of it when its holders are gone."""
    try:
        if WINDOWS:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except PermissionError:  # how Windows says that somebody has it
        return False
    except OSError:  # a network drive without locks: go on without
        return True
    return True


# Set-up ----------------------------------------------------------------------------------------------


def set_up(environment: Environment, wheels: Optional[str]) -> None:
    """Makes the environment what the files of the course say, from whatever state it is in."""
    digest(BOOTSTRAP_LOCK, LESSONS.lock, environment.lock, "pyproject.toml")  # stops where a file is missing
    check_folder(environment)
    with one_at_a_time() as lock:
        if is_ready(environment):
            return
        started = time.monotonic()
        folder = ROOT / environment.folder
        try:
            made = prepare(environment, folder)
            Installer(environment, folder, wheels, lock, made).run()
        except OSError as error:
            raise Stop(explain(f"{error} [Errno {error.errno}]", "set-up", wheels)) from error
        print(f"Ready after {time.monotonic() - started:.0f} seconds.\n", flush=True)


def prepare(environment: Environment, folder: Path) -> bool:
    """Leaves an environment that packages can be put into: a new one unless the one there will do.

    Returns:
        Whether it is a new one.
    """
    stamp = read_stamp(folder)
    version = None
    if folder.is_dir():
        ours = bool(stamp) or (folder / UNFINISHED).exists() or not (folder / "pyvenv.cfg").exists()
        version = python_of(folder)
        fits = version is not None and OLDEST <= version <= NEWEST
        if (folder / UNFINISHED).exists():
            print(f"An earlier set-up did not end. Starting {folder.name} over.")
            version = None
        elif stamp and stamp.get("folder") != str(ROOT):
            print(f"The course folder was moved. Making {folder.name} anew.")
            version = None
        elif not fits:
            if not ours:
                raise Stop(
                    f"The folder {folder.name} was made by something else, and the course cannot use it. "
                    "Rename or delete that folder, and type the same command again."
                )
            print(f"The Python that {folder.name} was made from is gone. Making it anew.")
            version = None
    if version is None:
        check_python()
        empty(folder)
        size = "about 130 MB" if environment == LESSONS else "about 220 MB"
        print(
            f"Setting up in {folder.name}, this once: half a minute if downloads are fast, minutes on\n"
            f"slow Wi-Fi ({size} to fetch). Nothing outside this folder changes but package caches.",
            flush=True,
        )
        folder.mkdir(exist_ok=True)
        (folder / UNFINISHED).touch()
        say(1, "an environment for Python {}.{}".format(*sys.version_info[:2]))
        make_environment(folder)
        return True
    (folder / UNFINISHED).touch()
    print(f"The packages in {folder.name} are not what the course asks for now. Changing that.", flush=True)
    return False


def empty(folder: Path) -> None:
    """Deletes what is in a useless environment. The folder itself stays: it may be a container's volume."""
    if folder.is_symlink():
        raise Stop(f"{folder.name} is a link. Delete it, and type the same command again.")
    try:
        for entry in folder.iterdir() if folder.exists() else ():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(str(entry))
            else:
                entry.unlink()
    except OSError as error:
        raise Stop(
            f"The old files in {folder.name} could not be deleted ({error.strerror}). Close JupyterLab and "
            "whatever else uses it, delete it by hand, and type the same command again."
        ) from None


def make_environment(folder: Path) -> None:
    """An empty environment, without pip: that comes with the other packages, and takes seconds to put in."""
    try:
        import venv
    except ImportError:
        raise Stop(no_venv()) from None
    venv.EnvBuilder(symlinks=not WINDOWS, with_pip=False).create(str(folder))


def no_venv() -> str:
    """What to install where a Linux distribution has taken Python apart."""
    name = "python{}.{}-venv".format(*sys.version_info[:2])
    return (
        "This Python came without the parts that make environments (venv, ensurepip). On Debian and Ubuntu, "
        f"type `sudo apt install {name}`; elsewhere install the full Python 3.12. Then type the same again."
    )


def say(number: int, what: str) -> None:
    """One line of progress."""
    print(f"  {number} of 4  {what}", flush=True)


class Installer:
    """Puts uv, the locked packages and the course itself into an environment."""

    def __init__(
        self,
        environment: Environment,
        folder: Path,
        wheels: Optional[str],
        lock: Optional[int],
        made: bool,
    ) -> None:
        self.environment = environment
        self.folder = folder
        self.made = made
        self.python = str(environment_python(folder))
        self.uv = str(uv_program(folder))
        self.wheels = wheels
        self.lock = lock
        self.variables = set_up_variables()
        self.log = ROOT / ".course" / "set-up.log"
        self.log.write_text("", encoding="utf-8")

    def run(self) -> None:
        """All steps. The stamp is written last, then the mark that says 'unfinished' goes."""
        pinned = pin(BOOTSTRAP_LOCK, "uv")
        say(2, f"uv {pinned}, the program that installs")
        if self.uv_version() != pinned:
            self.install_uv()
        locked = self.environment.lock
        say(3, f"{locked_packages(locked)} packages, each checked against its checksum in {locked}")
        self.variables.update(uv_variables(self.pip_settings()))
        uv_install = [self.uv, "pip", "install", "--python", self.python]
        self.do(
            [*uv_install, *self.source(), "--require-hashes", "--no-build", "--no-deps", "-r", locked],
            "fetching and installing the packages",
        )
        say(4, "the course itself")
        # uv builds the course with its own built-in backend: nothing is downloaded for it.
        self.do([*uv_install, "--offline", "--no-deps", "--editable", "."], "installing the course itself")
        stamp = wanted_stamp(self.environment)
        if self.environment != LESSONS:
            stamp[locked] = digest(locked)
        (self.folder / STAMP).write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
        (self.folder / UNFINISHED).unlink()

    def uv_version(self) -> Optional[str]:
        """The version of the environment's uv; None where there is none that runs."""
        try:
            words = subprocess.run([self.uv, "--version"], stdout=subprocess.PIPE, timeout=60).stdout.split()
        except (OSError, subprocess.TimeoutExpired):
            return None
        return words[1].decode("ascii", "replace") if len(words) > 1 else None

    def source(self) -> List[str]:
        """Where packages come from: the person's own settings, or only the folder they named."""
        return ["--no-index", "--find-links", self.wheels] if self.wheels else []

    def install_uv(self) -> None:
        """Installs uv with pip: with the pip of this Python, or with one put into the environment for it."""
        import importlib.util

        host = re.match(r"http://([^/:]+)", self.wheels or "")
        install = ["install", "--disable-pip-version-check", "--no-input", *self.source()]
        install += ["--trusted-host", host.group(1)] if host else []
        install += ["--only-binary", ":all:", "--require-hashes", "-r", BOOTSTRAP_LOCK]
        step = "fetching and installing uv"
        if importlib.util.find_spec("pip"):
            code, output = self.attempt([sys.executable, "-m", "pip", "--python", self.python, *install])
            if code == 0:
                return
            if kind_of(output):  # a full disk, say. Else perhaps an old pip: try the one that Python brings
                self.fail(output, step)
        if not importlib.util.find_spec("ensurepip"):
            raise Stop(no_venv())
        self.do([self.python, "-m", "ensurepip"], "putting pip into the environment")
        self.do([self.python, "-m", "pip", *install], step)

    def pip_settings(self) -> Dict[str, str]:
        """What the person set for pip: whoever has to use a mirror or a proxy has told pip, and seldom uv."""
        if self.wheels:
            return {}
        for pip in ([sys.executable, "-m", "pip"], [self.python, "-m", "pip"]):
            try:
                done = subprocess.run(
                    [*pip, "config", "list"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self.variables,
                    timeout=60,
                )
            except (OSError, subprocess.TimeoutExpired):
                continue
            if done.returncode == 0:
                return parse_pip_settings(done.stdout.decode("utf-8", "replace"))
        return {}

    def attempt(self, command: List[str]) -> Tuple[int, str]:
        """Runs a program with its output kept for the log.

        Returns:
            The exit code, and what it wrote.
        """
        inherited = [] if self.lock is None else [self.lock]
        with self.log.open("ab") as log:
            log.write(("\n$ " + " ".join(command) + "\n").encode("utf-8"))
            log.flush()
            start = log.tell()
            child = subprocess.Popen(
                command,
                cwd=str(ROOT),
                env=self.variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=inherited,
            )
            try:
                code = wait_and_tick(child)
            except BaseException:
                child.terminate()
                child.wait()
                raise
        with self.log.open("rb") as log:
            log.seek(start)
            return code, log.read().decode("utf-8", "replace")

    def do(self, command: List[str], step: str) -> None:
        """Runs a program that has to succeed.

        Args:
            command: the program and its arguments.
            step: what it is for, for the message when it fails.
        """
        code, output = self.attempt(command)
        if code != 0:
            self.fail(output, step)

    def fail(self, output: str, step: str) -> NoReturn:
        """Stops with the reason that a program gave."""
        # pip and uv fetch and check everything before they change anything. If that went wrong, an
        # environment that was there before is as good as it was.
        before = ("network", "certificate", "hash", "missing", "no build")
        if not self.made and kind_of(output) in before:
            (self.folder / UNFINISHED).unlink()
        raise Stop(explain(output, step, self.wheels))


def wait_and_tick(child: "subprocess.Popen[bytes]") -> int:
    """Waits for a program; on a terminal a count of seconds shows that something is going on."""
    started = time.monotonic()
    shown = False
    while True:
        try:
            code = child.wait(timeout=1)
            break
        except subprocess.TimeoutExpired:
            if sys.stdout.isatty():
                shown = True
                sys.stdout.write(f"\r          {time.monotonic() - started:.0f} s")
                sys.stdout.flush()
    if shown:
        sys.stdout.write("\r                    \r")
        sys.stdout.flush()
    return code


def pin(lock: str, name: str) -> str:
    """The version that a lock names for a package."""
    found = re.search(rf"^{name}==([^\s;\\]+)", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise Stop(f"{lock} does not name {name}. Fetch the course again: that file is damaged.")
    return found.group(1)


def locked_packages(lock: str) -> int:
    """How many packages a lock names, those for other systems included."""
    return len(re.findall(r"^[^\s#]+==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))


def clean_variables() -> Dict[str, str]:
    """The process environment, less what would lead an environment's Python astray.

    `PYTHONPATH` and `PYTHONHOME` put other packages before those of the environment.
    `PYTHONDONTWRITEBYTECODE` would make every start of JupyterLab compile its thousands of files (8 seconds
    instead of 1); the byte code stays inside `.venv`, so it may be kept.
    """
    unwanted = {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def set_up_variables() -> Dict[str, str]:
    """The environment for pip and uv: the person's own, less settings that a locked set-up cannot follow."""
    unwanted = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_CONSTRAINT", "PIP_NO_BINARY"}
    unwanted |= {"UV_CONSTRAINT", "UV_OVERRIDE", "UV_EXCLUDE_NEWER", "UV_REQUIRE_HASHES", "UV_NO_BUILD"}
    unwanted |= {"UV_NO_BINARY", "UV_SYSTEM_PYTHON", "UV_PYTHON", "UV_BUILD_CONSTRAINT", "CONDA_PREFIX"}
    variables = {name: value for name, value in clean_variables().items() if name not in unwanted}
    variables["PIP_USER"] = "0"
    variables.setdefault("PIP_RETRIES", "2")
    variables["UV_PYTHON_DOWNLOADS"] = "never"
    variables["UV_NO_PROGRESS"] = "1"
    variables.setdefault("UV_SYSTEM_CERTS", "true")  # as pip does: schools and companies install their own
    return variables


def parse_pip_settings(text: str) -> Dict[str, str]:
    """`pip config list` as a dictionary; of one setting in several places, the one that pip would use."""
    found: Dict[str, Tuple[int, str]] = {}
    order = {"global": 0, "install": 1, ":env:": 2}
    for section, key, value in re.findall(r"^(global|install|:env:)\.([\w-]+)='(.*)'$", text, re.MULTILINE):
        if key not in found or order[section] >= found[key][0]:
            found[key] = (order[section], value.replace("\\n", " "))
    return {key: value for key, (_, value) in found.items()}


def uv_variables(pip: Dict[str, str]) -> Dict[str, str]:
    """pip's settings in uv's words. What the person has told uv itself is left as it is."""
    if any(name in os.environ for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_OFFLINE", "UV_NO_INDEX")):
        return {}
    variables = {}
    if "index-url" in pip:
        variables["UV_DEFAULT_INDEX"] = pip["index-url"]
        hosts = pip.get("trusted-host", "")
        if hosts and "UV_INSECURE_HOST" not in os.environ:
            variables["UV_INSECURE_HOST"] = hosts
    if pip.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        variables["UV_NO_INDEX"] = "1"
        variables["UV_FIND_LINKS"] = ",".join(pip.get("find-links", "").split())
    if "proxy" in pip and not any(n.upper() in ("HTTPS_PROXY", "ALL_PROXY") for n in os.environ):
        variables["ALL_PROXY"] = pip["proxy"]
    if "cert" in pip and "SSL_CERT_FILE" not in os.environ:
        variables["SSL_CERT_FILE"] = pip["cert"]
    return variables


# What went wrong -------------------------------------------------------------------------------------

SIGNS = (
    ("disk", r"No space left on device|os error (28|112)\b|Errno 28\b|WinError 112|not enough space"),
    ("quota", r"Disk quota exceeded|Errno 122\b|os error 122\b"),
    ("hash", r"DO NOT MATCH THE HASHES|Hash mismatch"),
    ("certificate", r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate|UnknownIssuer|SSLError|SSL: "),
    (
        "network",
        r"Temporary failure in name resolution|getaddrinfo failed|nodename nor servname|dns error"
        r"|NewConnectionError|ConnectTimeout|ReadTimeout|timed out|Network is unreachable|Connection refused"
        r"|ProxyError|error sending request|Connection reset|Failed to fetch|No route to host"
        r"|\(from versions: none\)",  # all that pip says of it when it is told not to try again
    ),
    ("no build", r"no usable wheels|no wheels with a matching|only has wheels|Wheels are available for"),
    ("missing", r"No matching distribution|not found in the provided package locations|No solution found"),
    ("path", r"File name too long|Errno 36\b|os error (36|206)\b|WinError 206"),
    ("busy", r"os error 32\b|WinError 32|being used by another process|Text file busy"),
    (
        "denied",
        r"Permission denied|Errno 13\b|os error (5|13)\b|Access is denied|WinError 5\b|Read-only file",
    ),
)
"""Kind of failure -> how pip, uv and the system put it. The first that is found counts: pip, for one, ends
every failed download with 'No matching distribution'."""


def kind_of(output: str) -> Optional[str]:
    """Which of the known failures a program's output speaks of."""
    return next((kind for kind, signs in SIGNS if re.search(signs, output, re.IGNORECASE)), None)


def explain(output: str, step: str, wheels: Optional[str]) -> str:
    """One sentence about what went wrong, and one about what to do."""
    kind = kind_of(output)
    again = "and type the same command again."
    this = "Python {}.{} on {}".format(*sys.version_info[:2], sys.platform)
    if kind is None:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        said = f"Set-up failed while {step}: {lines[-1] if lines else 'no reason was given'}"
    elif wheels and (kind == "missing" or (kind == "network" and "://" not in wheels)):
        said = (
            f"The folder {wheels} does not hold everything for {this}. Fill it again with `course wheels`, "
            "with --for and --python for this computer."
        )
    else:
        said = {
            "disk": f"The disk is full. Make room ({DISK_BYTES // 1_000_000} MB is plenty), {again}",
            "quota": f"Your share of the disk is used up. Make room, or ask for more, {again}",
            "hash": "A package arrived that is not the one the course was tested with: its checksum differs. "
            f"Something on the way changes files. Try another network, {again}",
            "certificate": "This network puts its own certificate before the package index, as schools and "
            f"companies do. Set SSL_CERT_FILE to its certificate file, or use another network, {again}",
            "network": "The packages could not be fetched. Is this computer online? Connect it (by proxy, "
            f"set HTTPS_PROXY), {again} With no network, use --wheels FOLDER, filled by `course wheels`.",
            "no build": f"A package is not made for this computer ({this}). Use the usual 64-bit Python on "
            "Windows, macOS or Linux; on any other system, the container in docker-compose.yml.",
            "missing": f"The package index has not got all that the course needs for {this}. If pip or uv is "
            f"set to a mirror here, it may be behind: take that setting away, {again}",
            "path": "The path of this folder is too long. Move the course to a shorter one, such as "
            f"{Path.home() / 'gc'}, {again}",
            "busy": f"Another program holds a file of the environment. Close JupyterLab, {again}",
            "denied": f"Set-up may not write here. {move_advice()}",
        }[kind]
    return f"{said}\n(All that pip and uv said is in {Path('.course') / 'set-up.log'}.)"


# Handing over ----------------------------------------------------------------------------------------


def typed() -> str:
    """How this program was called, for messages that say what to type next."""
    return "py course.py" if WINDOWS else "python3 course.py"


def hand_over(environment: Environment, command: List[str]) -> int:
    """Runs the `course` command in the environment: in this process where the system can, else as a child."""
    folder = ROOT / environment.folder
    variables = clean_variables()
    scripts = str(environment_python(folder).parent)
    variables["VIRTUAL_ENV"] = str(folder)
    variables["PATH"] = scripts + os.pathsep + variables.get("PATH", os.defpath)
    variables["COURSE_TYPED"] = typed()
    # -P: a file in the current folder that is called like a module must not take its place.
    arguments = [str(environment_python(folder)), "-P", "-m", "course_lib.cli", *command]
    sys.stdout.flush()
    if not WINDOWS:
        run_instead(arguments, variables)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command: it ends, then this does
    return subprocess.run(arguments, env=variables).returncode


def run_instead(arguments: List[str], variables: Dict[str, str]) -> NoReturn:
    """Gives this process to another program."""
    os.execve(arguments[0], arguments, variables)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
