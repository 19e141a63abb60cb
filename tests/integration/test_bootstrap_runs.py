"""course.py from end to end: real venv, pip and uv, on a course so small that a set-up takes two seconds.

The small course has course.py itself, a package called course_lib with a command line that prints what it
was given, and locks that name tiny packages made here. They come from a folder, as after `course wheels`, so
no test needs a network; those about the network take it away.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
import venv
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from course_lib.settings import project_root

PATIENCE_SECONDS = 100.0
"""For a busy machine: a set-up of the small course takes two seconds on an idle one."""
CLI = """
import os, sys
import tiny
words = sys.argv[1:]
print("RAN", tiny.VERSION, *words, "typed:", os.environ["COURSE_TYPED"], flush=True)
if words[:1] == ["test"]:
    import extra
sys.exit(int(words[1]) if words[:1] == ["exit"] else 0)
def main(): ...
"""
PYPROJECT = """
[build-system]
requires = ["uv_build>=0.9,<1.0"]
build-backend = "uv_build"
[project]
name = "small-course"
version = "1"
[project.scripts]
course = "course_lib.cli:main"
[tool.uv.build-backend]
module-name = "course_lib"
module-root = ""
"""


def uv_of_this_environment() -> Path | None:
    """A uv program to make a package of."""
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    return Path(found) if found else None


UV = uv_of_this_environment()
pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="scripts and signals of POSIX systems"),
    pytest.mark.skipif(UV is None, reason="there is no uv here (course.py installs one)"),
    pytest.mark.timeout(300),
]


def make_wheel(folder: Path, name: str, version: str, files: dict[str, bytes], program: bool = False) -> Path:
    """A package of a few files, as pip and uv expect one."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for file, content in {**files, f"{info}/RECORD": record.encode()}.items():
            entry = zipfile.ZipInfo(file, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = (stat.S_IFREG | (0o755 if program else 0o644)) << 16
            archive.writestr(entry, content)
    return path


def locked(*wheels: Path) -> str:
    """A lock that asks for these packages."""
    lines = []
    for wheel in wheels:
        name, version = wheel.name.split("-")[:2]
        lines.append(
            f"{name}=={version} \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
        )
    return "".join(lines)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `course wheels` would have collected."""
    folder = tmp_path_factory.mktemp("wheels")
    assert UV is not None
    version = subprocess.run([UV, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    make_wheel(folder, "uv", version, {f"uv-{version}.data/scripts/uv": UV.read_bytes()}, program=True)
    for number in ("1", "2"):
        make_wheel(folder, "tiny", number, {"tiny.py": f"VERSION = {number}\n".encode()})
    make_wheel(folder, "extra", "1", {"extra.py": b""})
    return folder


class SmallCourse:
    """A course folder, and the ways to run course.py in it."""

    def __init__(self, root: Path, wheels: Path) -> None:
        self.root = root
        self.wheels = wheels
        self.person = root.parent / "person"
        self.person.mkdir()
        (root / "course_lib").mkdir(parents=True)
        (root / "locks").mkdir()
        shutil.copyfile(project_root() / "course.py", root / "course.py")
        (root / "course_lib" / "__init__.py").touch()
        (root / "course_lib" / "cli.py").write_text(CLI)
        (root / "pyproject.toml").write_text(PYPROJECT)
        (root / "locks" / "bootstrap.lock").write_text(locked(*wheels.glob("uv-*.whl")))
        (root / "locks" / "test.lock").write_text(locked(self.wheel("tiny-1"), self.wheel("extra-1")))
        self.lock(self.wheel("tiny-1"))

    def wheel(self, start: str) -> Path:
        return next(self.wheels.glob(f"{start}-*.whl"))

    def lock(self, *wheels: Path) -> None:
        (self.root / "requirements.lock").write_text(locked(*wheels))

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    def variables(self, **more: str) -> dict[str, str]:
        kept = {n: v for n, v in os.environ.items() if not n.startswith(("PIP_", "UV_", "COURSE_"))}
        return {**kept, "HOME": str(self.person), **more}

    def command(self, *words: str, offline: bool = True) -> list[str]:
        source = ["--wheels", str(self.wheels)] if offline else []
        return [sys.executable, str(self.root / "course.py"), *source, *words]

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words),
            env=self.variables(**variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str, offline: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words, offline=offline),
            env=self.variables(**variables),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )

    def run_after(self, preparation: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs course.py in a Python that was changed before."""
        code = f"{preparation}\nimport runpy, sys\nsys.argv[:] = sys.argv[1:]\n"
        code += "runpy.run_path(sys.argv[0], run_name='__main__')"
        _, *rest = self.command(*words)
        return subprocess.run(
            [sys.executable, "-c", code, *rest],
            env=self.variables(),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )


@pytest.fixture
def small(tmp_path: Path, wheels: Path) -> SmallCourse:
    return SmallCourse(tmp_path / "a course", wheels)


@pytest.fixture
def ready(small: SmallCourse) -> SmallCourse:
    """A small course that is set up."""
    done = small.run("lab")
    assert done.returncode == 0, done.stdout + done.stderr
    return small


def wait_until(met: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not met():
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.01)


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """What a failed run said, once it is sure that it failed in good order."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "RAN" not in done.stdout
    return done.stderr.strip()


def test_first_run_sets_up_and_hands_over_and_the_second_starts_at_once(small: SmallCourse) -> None:
    first = small.run("lab", "--port", "9000")
    started = time.monotonic()
    second = small.run("lab", offline=False)
    took = time.monotonic() - started

    assert first.stdout.splitlines()[-1] == "RAN 1 lab --port 9000 typed: python3 course.py"
    assert re.findall(r"^  (\d of 4)", first.stdout, re.MULTILINE) == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    assert len(first.stdout.splitlines()) < 12
    assert second.stdout == "RAN 1 lab typed: python3 course.py\n"
    assert took < 5, "no set-up, only two Pythons that start"
    assert (small.venv / "bin" / "course").is_file()
    assert not (small.venv / "course-unfinished").exists()
    assert small.run("exit", "7").returncode == 7, "exit codes are the command's"
    assert {path.name for path in small.person.iterdir()} <= {".cache", ".rustup"}, "only caches outside"
    assert {path.name for path in small.root.iterdir()} == {
        *("course.py", "course_lib", "pyproject.toml", "requirements.lock", "locks", ".venv", ".course"),
    }


def test_changes_are_installed_into_the_environment_that_is_there(ready: SmallCourse) -> None:
    (ready.venv / "kept").touch()

    tests = ready.run("test")
    assert tests.stdout.splitlines()[-1].startswith("RAN 1 test"), "tests get more packages"
    lessons = ready.run("lab", offline=False)
    assert lessons.stdout.splitlines()[0].startswith("RAN 1 lab"), "the lessons stay ready"

    ready.lock(ready.wheel("tiny-2"))
    nowhere = "http://127.0.0.1:9"  # nobody listens there
    one_sentence(
        ready.run("lab", offline=False, HTTPS_PROXY=nowhere, HTTP_PROXY=nowhere, UV_HTTP_RETRIES="0")
    )
    assert not (ready.venv / "course-unfinished").exists(), "what was there is still whole"

    changed = ready.run("lab")
    assert changed.stdout.splitlines()[-1].startswith("RAN 2 lab")
    assert "not what the course asks for now" in changed.stdout
    assert (ready.venv / "kept").exists()


def test_a_set_up_that_was_killed_is_started_over(small: SmallCourse) -> None:
    half = small.start("lab")
    wait_until((small.venv / "pyvenv.cfg").exists, "the environment is begun")
    os.kill(half.pid, signal.SIGKILL)  # the pip or uv that it started lives on for a moment, as it would
    half.communicate()
    assert (small.venv / "course-unfinished").exists()

    done = small.run("lab")

    assert "did not end. Starting .venv over." in done.stdout
    assert done.stdout.splitlines()[-1].startswith("RAN 1 lab")


def test_ctrl_c_in_the_middle_says_how_to_go_on(small: SmallCourse) -> None:
    half = small.start("lab")
    wait_until((small.venv / "pyvenv.cfg").exists, "the environment is begun")
    os.killpg(half.pid, signal.SIGINT)
    said, _ = half.communicate(timeout=PATIENCE_SECONDS)

    assert half.returncode == 130
    assert said.splitlines()[-1].startswith("Stopped. Type the same command again")
    assert "Traceback" not in said


def test_two_at_once_set_up_once(small: SmallCourse) -> None:
    both = [small.start("lab"), small.start("lab")]
    said = [process.communicate(timeout=PATIENCE_SECONDS)[0] for process in both]

    assert [process.returncode for process in both] == [0, 0], said
    assert all(text.splitlines()[-1].startswith("RAN 1 lab") for text in said)
    assert sum("1 of 4" in text for text in said) == 1
    assert sum("Another set-up" in text for text in said) <= 1


def test_an_environment_that_works_no_more_is_made_anew(ready: SmallCourse) -> None:
    ready.root = ready.root.rename(ready.root.with_name("moved"))
    moved = ready.run("lab")
    assert "was moved" in moved.stdout
    assert moved.stdout.splitlines()[-1].startswith("RAN 1 lab")

    python = ready.venv / "bin" / "python"
    python.unlink()
    python.symlink_to("/no/such/python3.11")
    gone = ready.run("lab")
    assert "is gone" in gone.stdout
    assert gone.stdout.splitlines()[-1].startswith("RAN 1 lab")


def test_an_environment_that_somebody_else_made_is_used_if_it_can_be(small: SmallCourse) -> None:
    venv.EnvBuilder(symlinks=True).create(small.venv)
    (small.venv / "theirs").touch()

    done = small.run("lab")

    assert done.stdout.splitlines()[-1].startswith("RAN 1 lab")
    assert (small.venv / "theirs").exists()


def test_an_environment_that_somebody_else_made_is_never_deleted(small: SmallCourse) -> None:
    small.venv.mkdir()
    (small.venv / "pyvenv.cfg").write_text("home = /elsewhere\n")

    said = one_sentence(small.run("lab"))

    assert "Rename or delete that folder" in said
    assert (small.venv / "pyvenv.cfg").read_text() == "home = /elsewhere\n"


def test_without_a_network_one_sentence(small: SmallCourse) -> None:
    nowhere = "http://127.0.0.1:9"  # nobody listens there

    said = one_sentence(
        small.run("lab", offline=False, HTTPS_PROXY=nowhere, HTTP_PROXY=nowhere, PIP_RETRIES="0", NO_PROXY="")
    )

    assert said.startswith("The packages could not be fetched. Is this computer online?")
    assert "--wheels FOLDER" in said


def test_a_folder_of_packages_that_lacks_one(small: SmallCourse, tmp_path: Path) -> None:
    few = tmp_path / "few"
    few.mkdir()
    shutil.copy(small.wheel("uv"), few)
    small.wheels = few

    said = one_sentence(small.run("lab"))

    assert "does not hold everything" in said
    assert "course wheels" in said


def test_a_package_that_was_tampered_with(small: SmallCourse, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(small.wheels, changed)
    make_wheel(changed, "tiny", "1", {"tiny.py": b"VERSION = 'evil'\n"})
    small.wheels = changed

    assert "checksum" in one_sentence(small.run("lab"))


@pytest.fixture
def served(wheels: Path) -> Iterator[str]:
    """The address of a folder of packages that somebody in the room serves."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(wheels))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_packages_may_come_from_a_neighbour(small: SmallCourse, served: str) -> None:
    done = small.run("--wheels", served, "lab", offline=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("RAN 1 lab")


def test_odd_settings_of_the_person_do_not_lead_set_up_astray(small: SmallCourse, tmp_path: Path) -> None:
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "tiny.py").write_text("VERSION = 'from PYTHONPATH'\n")

    done = small.run(
        "lab",
        PYTHONPATH=str(tmp_path / "junk"),
        PIP_USER="1",
        PIP_TARGET=str(tmp_path / "elsewhere"),
        UV_REQUIRE_HASHES="1",
        UV_NO_BUILD="1",
        UV_PYTHON="3.99",
        VIRTUAL_ENV="/no/such/environment",
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("RAN 1 lab")
    assert not (tmp_path / "elsewhere").exists()


def test_without_pip_the_one_that_python_brings_is_used(small: SmallCourse) -> None:
    done = small.run_after("import sys; sys.modules['pip'] = None", "lab")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("RAN 1 lab")


@pytest.mark.parametrize("modules", [["venv"], ["pip", "ensurepip"]])
def test_a_python_that_was_taken_apart_says_what_to_install(small: SmallCourse, modules: list[str]) -> None:
    gone = "; ".join(f"sys.modules[{name!r}] = None" for name in modules)

    said = one_sentence(small.run_after(f"import sys; {gone}", "lab"))

    assert "sudo apt install python3." in said
    assert "-venv" in said


def test_help_before_set_up_installs_nothing(small: SmallCourse) -> None:
    done = small.run("--help")

    assert "python3 course.py lab" in done.stdout
    assert done.returncode == 0
    assert not small.venv.exists()
