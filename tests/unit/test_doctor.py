"""The doctor's report, and its stages on machines that lack something."""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from course_lib.doctor import Finding, Report, examine, stages
from course_lib.lab.jupyter import LAB_PORT
from course_lib.settings import Secret, Settings, load_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A course folder with nothing in it but a lock of one package that is installed."""
    (tmp_path / "requirements.lock").write_text("pydantic==999.0 \\\n    --hash=sha256:00\n")
    plain = load_settings(environ={})
    return replace(plain, root=tmp_path, home=tmp_path / ".course", work=tmp_path / "work")


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1
    return findings[0]


FINE = Finding("Python", "ok", "Python 3.12.")
NO_ENGINE = Finding("Graph engine", "fault", "There is none for <this> machine.", "Use WSL2 & more.", (1,))
NO_PACKAGES = Finding("Packages", "fault", "Many are missing.", "Install them.", (1, 2))


class TestReport:
    def test_all_is_well(self) -> None:
        report = Report((FINE,))

        assert report.can_run
        assert report.verdict == "The whole course runs on this machine."

    def test_a_note_stops_nothing(self) -> None:
        assert Report((FINE, Finding("Ports", "note", "8888 is in use."))).can_run

    def test_without_an_engine_the_second_half_runs(self) -> None:
        report = Report((FINE, NO_ENGINE))

        assert (report.runs(1), report.runs(2), report.can_run) == (False, True, False)
        assert "lessons 14 to 21" in report.verdict

    def test_without_packages_nothing_runs(self) -> None:
        report = Report((NO_PACKAGES, NO_ENGINE))

        assert not report.runs(1)
        assert not report.runs(2)
        assert "does not run here yet" in report.verdict

    def test_text_has_every_remedy_and_stays_within_its_width(self) -> None:
        long = Finding("Disk", "fault", "word " * 60, "another " * 40, (1, 2))
        text = Report((FINE, NO_ENGINE, long)).to_text(width=60)

        assert "What to do: Use WSL2 & more." in text
        assert max(map(len, text.splitlines())) <= 60

    def test_html_is_escaped_and_says_the_state_in_words(self) -> None:
        page = Report((NO_ENGINE,))._repr_html_()

        assert "&lt;this&gt;" in page
        assert "<this>" not in page
        assert "at fault" in page
        assert '<th scope="row"' in page

    def test_commands_are_set_as_code_in_html_and_stay_as_they_are_in_text(self) -> None:
        report = Report((Finding("Browser", "note", "None.", "Type `course lab --no-browser`."),))

        assert "<code>course lab --no-browser</code>" in report._repr_html_()
        assert "`course lab --no-browser`" in report.to_text()

    def test_json_can_be_read_by_a_program(self) -> None:
        found = json.loads(json.dumps(Report((FINE, NO_ENGINE)).to_dict()))

        assert found["can_run"] is False
        assert found["halves"] == {"1": False, "2": True}
        assert found["findings"][1]["remedy"] == "Use WSL2 & more."


class TestPackages:
    def test_a_version_that_was_not_tested_is_a_note(self, settings: Settings) -> None:
        found = only(stages.packages(settings))

        assert (found.status, found.stops) == ("note", ())
        assert "pydantic" in found.what
        assert "999.0" in found.what

    def test_a_missing_package_is_named_and_stops_everything(self, settings: Settings) -> None:
        (settings.root / "requirements.lock").write_text("no-such-package==1.0\nnor-this==2.0\n")

        found = only(stages.packages(settings))

        assert (found.status, found.stops) == ("fault", (1, 2))
        assert "2 of 2 packages are missing: no-such-package, nor-this" in found.what
        assert "course.py lab" in found.remedy

    def test_a_missing_lock_is_a_fault(self, settings: Settings) -> None:
        (settings.root / "requirements.lock").unlink()

        assert only(stages.packages(settings)).status == "fault"

    def test_only_what_this_machine_needs_is_asked_for(self) -> None:
        lock = (
            f"# a comment==1\nhere==1.0 ; sys_platform == '{sys.platform}' \\\n    --hash=sha256:00\n"
            "elsewhere==2.0 ; sys_platform == 'riscos'\n"
        )

        assert list(stages.pinned(lock)) == [("here", "1.0")]

    def test_the_real_lock_is_read(self) -> None:
        lock = (load_settings().root / "requirements.lock").read_text(encoding="utf-8")

        names = [name for name, _ in stages.pinned(lock)]

        assert {"jupyterlab", "falkordb", "kuzu", "anthropic"} <= set(names)
        assert len(names) == len(set(names))


class TestModel:
    def test_the_practice_model_needs_no_key(self, settings: Settings) -> None:
        found = only(stages.model(settings))

        assert found.status == "ok"
        assert "no key needed" in found.what

    def test_keys_are_named_and_never_shown(self, settings: Settings) -> None:
        found = only(stages.model(replace(settings, keys={"groq": Secret("gsk_very_secret")})))

        assert "GROQ_API_KEY" in found.what
        assert "very_secret" not in repr(found)

    @pytest.mark.parametrize("choice", ["groq", "auto", "no-such-provider"])
    def test_a_choice_that_cannot_be_used_says_what_to_set(self, settings: Settings, choice: str) -> None:
        found = only(stages.model(replace(settings, model=choice)))

        assert found.status == "fault"
        assert found.remedy


class TestServer:
    def test_an_address_where_nobody_answers(self, settings: Settings) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        url = Secret(f"falkor://:very_secret@127.0.0.1:{port}")

        found = only(stages.graph_engine(replace(settings, falkordb_url=url)))

        assert (found.status, found.stops) == ("fault", (1,))
        assert "very_secret" not in repr(found)
        assert "FALKORDB_URL" in found.remedy


class TestMachine:
    def test_a_python_that_is_too_new(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stages, "NEWEST", (3, 10))

        found = only(stages.python(settings))

        assert (found.status, found.stops) == ("fault", (1, 2))

    def test_no_screen(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", LAB_PORT):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(sys, "platform", "linux")

        found = only(stages.browser(settings))

        assert found.status == "note"
        assert "--no-browser" in found.remedy

    def test_in_a_lab_there_is_a_browser_and_its_own_port_is_no_surprise(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            monkeypatch.setenv(LAB_PORT, str(port))
            monkeypatch.setattr(stages, "PORTS", {port: "JupyterLab"})
            for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
                monkeypatch.delenv(name, raising=False)
            browser, ports = only(stages.browser(settings)), only(stages.ports(settings))

        assert (browser.status, ports.status) == ("ok", "ok")
        assert f"This lab is at {port}." in ports.what

    def test_a_port_in_use_is_no_fault(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(LAB_PORT, raising=False)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            monkeypatch.setattr(stages, "PORTS", {port: "a test"})
            found = only(stages.ports(settings))

        assert found.status == "note"
        assert f"{port} (a test)" in found.what

    def test_a_full_disk(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stages, "NEEDED_MB", 10**9)

        found = only(stages.disk(settings))

        assert (found.status, found.stops) == ("fault", (1, 2))

    @pytest.mark.skipif(
        not Path("/proc/self").exists(), reason="needs a folder that even root cannot write to"
    )
    def test_a_folder_that_cannot_be_written_to(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith("/proc"))

        found = only(stages.disk(replace(settings, work=Path("/proc/self/work"))))

        assert found.status == "fault"
        assert "COURSE_WORK" in found.remedy


def test_a_stage_that_breaks_is_a_finding_and_the_others_are_heard(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_thing(settings: Settings) -> list[Finding]:
        raise ImportError("libsomething is missing")

    monkeypatch.setattr("course_lib.doctor.STAGES", (broken_thing, stages.python))

    report = examine(settings)

    assert [finding.status for finding in report.findings] == ["fault", "ok"]
    assert report.findings[0].stage == "Broken thing"
    assert "libsomething" in report.findings[0].what
