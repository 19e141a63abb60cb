"""The start-up file of the lab's kernels, in a real kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_lib.lab.kernel_start import STARTUP


def test_a_name_that_nothing_is_called_by_gets_a_line_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyter_client.manager import start_new_kernel

    startup = tmp_path / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-course.py").write_text(STARTUP, encoding="utf-8")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=60)
    heard: list[dict[str, object]] = []
    try:
        reply = client.execute_interactive("college.size()", timeout=60, output_hook=heard.append)
        fine = client.execute_interactive("1 + 1", timeout=60, output_hook=heard.append)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "error"
    assert fine["content"]["status"] == "ok"
    (error,) = [one["content"] for one in heard if one["msg_type"] == "error"]
    assert isinstance(error, dict)
    assert error["ename"] == "NameError"
    said = "\n".join(error["traceback"])
    assert "Nothing is called 'college' here yet." in said
    assert "Run All Above Selected Cell" in said
