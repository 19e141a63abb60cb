"""No key in anything that a full run shows or writes, though the servers send it back wherever they can."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from course_lib.settings import KEY_NAMES

pytestmark = pytest.mark.timeout(600)

KEYS = {name: f"sk-MADEUP{provider}0123456789/+=abcdef" for provider, name in KEY_NAMES.items()}
PASSWORD = "PASSWORDOFAMY0123456789"  # made up, as the name says
BROKEN = "gsk_BROKENKEY0123456789"


def forms(secret: str) -> Iterator[bytes]:
    """A secret as it may turn up: whole, in part, quoted, in base64 at any of its three offsets."""
    yield secret.encode()
    # Half of a key is as good as the whole to whoever has the other half.
    core = secret.removeprefix("sk-").removeprefix("gsk_")
    yield core[:16].encode()
    yield core[-12:].encode()
    yield quote(secret, safe="").encode()
    yield secret.encode().hex().encode()
    for offset in range(3):
        # Without the first and last group, which also depend on what stands before and after.
        yield base64.b64encode(b"x" * offset + secret.encode())[4:-4]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Everything that the run writes, by where it was found."""
    home = tmp_path_factory.mktemp("keys")
    done = subprocess.run(
        [sys.executable, "-m", "tests.integration.keys_run"],
        env={**os.environ, **KEYS, "COURSE_DIR": str(home), "COURSE_MODEL": "", "COLUMNS": "300"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:].decode(errors="replace")
    found = {"stdout": done.stdout, "stderr": done.stderr}
    for path in home.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(home))] = path.read_bytes()
        found[f"name of {path.name}"] = path.name.encode()
    return found


def test_the_run_met_what_it_was_meant_to_meet(written: dict[str, bytes]) -> None:
    out = written["stdout"].decode()
    assert "the run is complete" in out
    for word in ("BadKeyError", "RateLimitedError", "OutOfCreditError", "BadReplyError", "DroppedError"):
        assert word in out
    # The servers' messages came through, with stars where the key had stood.
    assert "Incorrect API key provided: ***" in out
    assert any(name.endswith(".jsonl") for name in written)
    assert any(name.startswith("eval/") for name in written)
    # The loudest logs of the HTTP libraries were on.
    log = written["debug.log"].decode()
    for logger in ("httpx", "openai", "groq", "anthropic"):
        assert f":{logger}" in log
    assert len(log) > 100_000


@pytest.mark.parametrize("secret", [*KEYS.values(), PASSWORD, f"amy:{PASSWORD}", BROKEN])
def test_no_secret_is_found_in_anything_written(secret: str, written: dict[str, bytes]) -> None:
    for form in forms(secret):
        for where, content in written.items():
            position = content.find(form)
            around = content[max(0, position - 300) : position + 100]
            assert position < 0, f"{form!r} in {where}: {around!r}"
