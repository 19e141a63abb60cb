"""course.py, function by function: what it reads, decides and says."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import signal
import sys
from pathlib import Path
from types import ModuleType

import pytest

from course_lib.settings import project_root

SOURCE = project_root() / "course.py"


@pytest.fixture
def course() -> ModuleType:
    """A fresh copy of course.py as a module."""
    spec = importlib.util.spec_from_file_location("course_bootstrap", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestOldPython:
    def test_its_syntax_is_that_of_python_3_6(self) -> None:
        ast.parse(SOURCE.read_text(encoding="utf-8"), feature_version=(3, 6))

    def test_it_imports_the_standard_library_only(self) -> None:
        tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
        names = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

        assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names

    def test_what_only_some_systems_have_is_imported_where_it_is_used(self) -> None:
        top = {
            alias.name
            for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Import)
            for alias in node.names
        }

        assert not top & {"fcntl", "msvcrt", "venv", "ensurepip"}

    @pytest.mark.parametrize(("version", "word"), [((3, 8), "old"), ((3, 10), "old"), ((3, 14), "new")])
    def test_a_python_out_of_range_is_told_so(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int], word: str
    ) -> None:
        monkeypatch.setattr(course.sys, "version_info", (*version, 0, "final", 0))

        with pytest.raises(course.Stop) as stop:
            course.check_python()

        assert f"Python {version[0]}.{version[1]} is too {word}" in str(stop.value)
        assert "3.12" in str(stop.value)
        assert "\n" not in str(stop.value)

    def test_a_fitting_python_beside_it_is_named(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        program = tmp_path / "python3.13"
        program.symlink_to(sys.executable)
        monkeypatch.setenv("PATH", str(tmp_path))

        assert course.other_python().endswith("type: python3.13 course.py lab")

    def test_a_launcher_without_that_version_is_not_named(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        program = tmp_path / "python3.12"
        program.write_text("#!/bin/sh\nexit 127\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

        assert course.other_python().startswith("Install Python 3.12")


class TestArguments:
    def test_all_words_belong_to_the_command(self, course: ModuleType) -> None:
        words = ["lab", "--port", "9000"]

        assert course.split_arguments(words) == (None, words)

    def test_wheels_come_off_the_front(self, course: ModuleType, tmp_path: Path) -> None:
        (tmp_path / "uv-1-py3-none-any.whl").touch()

        assert course.split_arguments(["--wheels", str(tmp_path), "lab"]) == (str(tmp_path), ["lab"])
        assert course.split_arguments([f"--wheels={tmp_path}", "lab"]) == (str(tmp_path), ["lab"])

    def test_wheels_may_be_served(self, course: ModuleType) -> None:
        assert (
            course.split_arguments(["--wheels", "http://10.0.0.7:8000", "lab"])[0] == "http://10.0.0.7:8000/"
        )

    def test_a_folder_without_packages_is_refused(self, course: ModuleType, tmp_path: Path) -> None:
        for words in (["--wheels", str(tmp_path)], ["--wheels", str(tmp_path / "none")], ["--wheels"]):
            with pytest.raises(course.Stop, match="course wheels"):
                course.split_arguments(words)


class TestFolder:
    def test_a_lonely_course_py_asks_for_the_rest_of_the_zip(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(course, "ROOT", tmp_path)

        with pytest.raises(course.Stop, match="unpack all of it"):
            course.set_up(course.LESSONS, None)

        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_cannot_be_written_to(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / ".course").write_text("a file where the folder should be")
        monkeypatch.setattr(course, "ROOT", tmp_path)

        with pytest.raises(course.Stop, match="cannot be written to"):
            course.check_folder(course.LESSONS)

    def test_onedrive_is_named(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(course, "ROOT", tmp_path / "OneDrive - School" / "course")

        assert course.move_advice().startswith("OneDrive guards this folder. Move")

    def test_a_full_disk_is_noticed_before_anything_is_written(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(course, "ROOT", tmp_path)
        monkeypatch.setattr(course, "DISK_BYTES", 10**18)

        with pytest.raises(course.Stop, match="Make room"):
            course.check_folder(course.LESSONS)

        assert not (tmp_path / ".venv").exists()

    def test_line_ends_do_not_count_as_a_change(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(course, "ROOT", tmp_path)
        (tmp_path / "a").write_bytes(b"one\ntwo\n")
        unix = course.digest("a")
        (tmp_path / "a").write_bytes(b"one\r\ntwo\r\n")

        assert course.digest("a") == unix


# What pip, uv and the system really wrote, taken from runs on Linux (and, for Windows, from public reports).
FAILURES = [
    (
        "disk",
        "error: Failed to install: pydantic_core-2.50.5-cp312-cp312-manylinux2014_x86_64.whl\n"
        "  cause: failed to copy file from cache/x.so to .venv/x.so: No space left on device (os error 28)",
        "disk is full",
    ),
    (
        "disk",
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
        "disk is full",
    ),
    ("disk", "error: There is not enough space on the disk. (os error 112)", "disk is full"),
    (
        "network",
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('Failed to "
        "establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/uv/\n"
        "ERROR: Could not find a version that satisfies the requirement uv==0.13.9 (from versions: none)\n"
        "ERROR: No matching distribution found for uv==0.13.9",
        "online",
    ),
    (
        "network",
        "error: Request failed after 3 retries in 3.6s\n  cause: Failed to fetch: `simple/referencing/`\n"
        "  cause: client error (Connect)\n  cause: dns error",
        "online",
    ),
    ("network", "ERROR: Could not find a version that satisfies uv==0.13.9 (from versions: none)", "online"),
    (
        "certificate",
        "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify "
        "failed: self-signed certificate'))\nERROR: No matching distribution found for uv==0.13.9",
        "SSL_CERT_FILE",
    ),
    (
        "hash",
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated ...",
        "checksum",
    ),
    (
        "no build",
        "error: No solution found when resolving dependencies\n  cause: Because kuzu==0.11.3 has no usable "
        "wheels and you require kuzu==0.11.3, we can conclude that your requirements are unsatisfiable.",
        "not made for this computer",
    ),
    (
        "missing",
        "error: No solution found when resolving dependencies\n  cause: Because tinycss2 was not found "
        "in the provided package locations and you require tinycss2==1.5.1, we can conclude that ...",
        "has not got all",
    ),
    ("busy", "error: failed to remove file `.venv\\Scripts\\uv.exe`: (os error 32)", "Close JupyterLab"),
    (
        "denied",
        "error: failed to create directory `.venv/lib`: Permission denied (os error 13)",
        "may not write",
    ),
    ("path", "error: failed to open file `...`: File name too long (os error 36)", "too long"),
]


class TestExplanations:
    @pytest.mark.parametrize(("kind", "output", "words"), FAILURES)
    def test_a_known_failure_becomes_a_sentence(
        self, course: ModuleType, kind: str, output: str, words: str
    ) -> None:
        assert course.kind_of(output) == kind
        assert words in course.explain(output, "installing", None)

    def test_an_unknown_failure_keeps_its_last_line_and_names_the_log(self, course: ModuleType) -> None:
        said = course.explain("one\nerror: the moon is full\n\n", "installing the packages", None)

        assert said.startswith("Set-up failed while installing the packages: error: the moon is full")
        assert "set-up.log" in said

    def test_every_kind_has_a_sentence_with_and_without_a_folder_of_packages(
        self, course: ModuleType
    ) -> None:
        outputs = {kind: output for kind, output, _ in FAILURES} | {
            "quota": "Disk quota exceeded (os error 122)"
        }
        assert set(outputs) == {kind for kind, _ in course.SIGNS}

        for output in outputs.values():
            for wheels in (None, "/media/stick/wheels"):
                assert len(course.explain(output, "installing", wheels)) > 40

    def test_a_folder_that_lacks_something_is_to_be_filled_again(self, course: ModuleType) -> None:
        output = next(output for kind, output, _ in FAILURES if kind == "missing")

        assert "course wheels" in course.explain(output, "installing", "/media/stick/wheels")

    def test_no_host_is_named(self, course: ModuleType) -> None:
        """What a mirror is called is nobody's business, and messages are pasted into forums."""
        for _, output, _ in FAILURES:
            assert "://" not in course.explain(output, "installing", None)


class TestPipSettings:
    SAID = (
        ":env:.disable-pip-version-check='1'\n"
        "global.index-url='https://user:pw@mirror.example/simple'\n"
        "global.trusted-host='mirror.example'\n"
        "install.index-url='https://second.example/simple'\n"
        "global.find-links='/opt/wheels\\n/opt/more'\n"
    )

    def test_they_are_read_as_pip_would(self, course: ModuleType) -> None:
        found = course.parse_pip_settings(self.SAID)

        assert found["index-url"] == "https://second.example/simple"
        assert found["find-links"] == "/opt/wheels /opt/more"

    def test_a_mirror_is_passed_on_to_uv(self, course: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_OFFLINE", "UV_NO_INDEX", "UV_INSECURE_HOST"):
            monkeypatch.delenv(name, raising=False)

        found = course.uv_variables(course.parse_pip_settings(self.SAID))

        assert found == {
            "UV_DEFAULT_INDEX": "https://second.example/simple",
            "UV_INSECURE_HOST": "mirror.example",
        }

    def test_what_uv_was_told_itself_goes_first(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("UV_DEFAULT_INDEX", "https://own.example/simple")

        assert course.uv_variables(course.parse_pip_settings(self.SAID)) == {}

    def test_nothing_set_is_nothing_passed_on(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_OFFLINE", "UV_NO_INDEX"):
            monkeypatch.delenv(name, raising=False)

        assert course.uv_variables({}) == {}


class TestHandingOver:
    def test_on_windows_the_command_is_a_child_and_its_exit_code_is_kept(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        scripts = tmp_path / ".venv" / "Scripts"
        scripts.mkdir(parents=True)
        (scripts / "python.exe").write_text('#!/bin/sh\necho "$COURSE_TYPED|$@" > said.txt\nexit 7\n')
        (scripts / "python.exe").chmod(0o755)
        monkeypatch.setattr(course, "ROOT", tmp_path)
        monkeypatch.setattr(course, "WINDOWS", True)
        monkeypatch.chdir(tmp_path)

        before = signal.getsignal(signal.SIGINT)
        try:
            code = course.hand_over(course.LESSONS, ["lab", "--port", "9000"])
        finally:
            signal.signal(signal.SIGINT, before)  # else every later test starts programs that no Ctrl-C ends

        assert code == 7
        said = (tmp_path / "said.txt").read_text()
        assert said == "py course.py|-P -m course_lib.cli lab --port 9000\n"

    def test_variables_that_lead_python_astray_are_taken_out(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE"):
            monkeypatch.setenv(name, "1")
        monkeypatch.setenv("GROQ_API_KEY", "kept")

        found = course.clean_variables()

        assert found["GROQ_API_KEY"] == "kept"
        assert not {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE"} & set(found)

    def test_set_up_cannot_be_led_to_another_place(
        self, course: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("PIP_TARGET", "PIP_PREFIX", "UV_CONSTRAINT", "UV_PYTHON", "UV_REQUIRE_HASHES"):
            monkeypatch.setenv(name, "elsewhere")
        monkeypatch.setenv("PIP_USER", "1")
        monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")

        found = course.set_up_variables()

        assert "elsewhere" not in found.values()
        assert found["PIP_USER"] == "0"
        assert found["PIP_INDEX_URL"] == "https://mirror.example/simple"


class TestLocks:
    """The lock files: complete, alike, and silent about where packages come from."""

    NAMES = (
        "requirements.lock",
        *sorted(f"locks/{path.name}" for path in (project_root() / "locks").glob("*.lock")),
    )

    @staticmethod
    def pins(name: str) -> dict[str, str]:
        text = (project_root() / name).read_text(encoding="utf-8")
        return dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE))

    @pytest.mark.parametrize("name", NAMES)
    def test_no_host_is_named(self, name: str) -> None:
        text = (project_root() / name).read_text(encoding="utf-8")

        assert "://" not in text
        assert "--index" not in text
        assert "--find-links" not in text

    @pytest.mark.parametrize("name", NAMES)
    def test_every_package_has_checksums(self, name: str) -> None:
        text = (project_root() / name).read_text(encoding="utf-8").replace("\\\n", " ")
        entries = [line for line in text.splitlines() if re.match(r"[\w.-]+==", line)]

        assert len(entries) == len(self.pins(name))
        assert all("--hash=sha256:" in entry for entry in entries)

    @pytest.mark.parametrize("name", [name for name in NAMES[1:] if "bootstrap" not in name])
    def test_larger_locks_hold_the_lessons_lock_in_the_same_versions(self, name: str) -> None:
        assert self.pins("requirements.lock").items() <= self.pins(name).items()

    def test_they_fit_what_pyproject_asks_for(self) -> None:
        import tomllib

        from packaging.requirements import Requirement

        project = tomllib.loads((project_root() / "pyproject.toml").read_text(encoding="utf-8"))
        asked = {
            "requirements.lock": project["project"]["dependencies"],
            **{f"locks/{group}.lock": texts for group, texts in project["dependency-groups"].items()},
        }
        for lock, texts in asked.items():
            pins = {name.lower(): version for name, version in self.pins(lock).items()}
            for requirement in map(Requirement, texts):
                version = pins.get(requirement.name.lower())
                assert version is not None, f"{requirement.name} is not in {lock}: run `course lock`"
                assert requirement.specifier.contains(version), f"{requirement} is {version} in {lock}"

    def test_the_editable_install_needs_no_download(self) -> None:
        """uv builds the course with its built-in backend, where its version fits what pyproject asks for."""
        import tomllib

        from packaging.requirements import Requirement

        project = tomllib.loads((project_root() / "pyproject.toml").read_text(encoding="utf-8"))
        (backend,) = map(Requirement, project["build-system"]["requires"])

        assert backend.name == "uv_build"
        assert backend.specifier.contains(self.pins("locks/bootstrap.lock")["uv"])


def test_a_finished_environment_is_seen_from_its_stamp(
    course: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("requirements.lock", "pyproject.toml", "locks/bootstrap.lock", "locks/test.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n")
    monkeypatch.setattr(course, "ROOT", tmp_path)
    folder = tmp_path / ".venv"
    python = course.environment_python(folder)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    test = course.ENVIRONMENTS["test"]
    stamp = folder / course.STAMP

    assert not course.is_ready(course.LESSONS)
    stamp.write_text(json.dumps(course.wanted_stamp(course.LESSONS)))
    assert course.is_ready(course.LESSONS)
    assert not course.is_ready(test), "the tests' packages are not in"
    (folder / course.UNFINISHED).touch()
    assert not course.is_ready(course.LESSONS)
    (folder / course.UNFINISHED).unlink()
    (tmp_path / "requirements.lock").write_text("changed\n")
    assert not course.is_ready(course.LESSONS)
    stamp.write_text("torn {")
    assert not course.is_ready(course.LESSONS)
    assert stamp.read_text() == "torn {", "looking changes nothing"
