"""A real browser before a real `course lab`, in folders of their own, with no way out to a network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from course_lib.chromium import chromium_flags, find_chromium, how_to_get_chromium
from course_lib.settings import project_root

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCREENSHOTS = project_root() / ".course" / "screenshots"
"""Where the tests leave what the browser showed, for a person to look at."""
PATIENCE_MS = 60_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a browser and the graph engine."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.engine)
            item.add_marker(pytest.mark.timeout(240))


def wait_for(condition: Callable[[], Any], what: str, seconds: float = PATIENCE_MS / 1000) -> Any:
    """Waits until a condition holds and gives what it gave."""
    end = time.monotonic() + seconds
    while True:
        if found := condition():
            return found
        assert time.monotonic() < end, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.1)


@dataclass
class Lab:
    """A running `course lab`."""

    folder: Path
    process: subprocess.Popen[bytes]
    address: str = ""
    token: str = ""
    asked_elsewhere: list[str] = field(default_factory=list)
    """Addresses outside this machine that a page asked for. They were refused."""

    def said(self) -> str:
        return (self.folder / "said.txt").read_text(encoding="utf-8", errors="replace")

    def api(self, path: str) -> Any:
        """What Jupyter's REST interface says."""
        request = urllib.request.Request(
            f"{self.address}/api/{path}", headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)

    def notebook(self, name: str) -> dict[str, Any]:
        """A notebook as it lies in the learner's folder now."""
        found: dict[str, Any] = json.loads((self.folder / "work" / name).read_text(encoding="utf-8"))
        return found

    def url(self, name: str) -> str:
        return f"{self.address}/lab/tree/{name}?token={self.token}&reset"


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The lab as a learner starts it; it ends with the tests."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "person").mkdir()
    environment = {
        **os.environ,
        "HOME": str(folder / "person"),
        "COURSE_DIR": str(folder / "c"),
        "COURSE_WORK": str(folder / "work"),
    }
    environment.pop("COURSE_BUILD", None)
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "course_lib.cli", "lab", "--no-browser", "--port", "9300"],
            cwd=project_root(),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    running = Lab(folder, process)
    try:

        def address() -> re.Match[str] | None:
            assert process.poll() is None, running.said()
            return re.search(r"(http://[^/\s]+)/\S*token=(\w+)", running.said())

        found = wait_for(address, "the lab says where it is")
        running.address, running.token = found.groups()
        yield running
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, without a window, and with a home of its own: it writes settings and crash reports there."""
    executable = find_chromium()
    if executable is None:
        pytest.skip(f"no Chromium on this machine; to get one: {how_to_get_chromium()}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # No name but this machine's own has an address: a page that asks for another gets none.
        no_network = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
        home = str(tmp_path_factory.mktemp("browser-home"))
        chromium = playwright.chromium.launch(
            executable_path=str(executable),
            args=[*chromium_flags(), no_network],
            env={
                **os.environ,
                "HOME": home,
                "XDG_CONFIG_HOME": f"{home}/.config",
                "XDG_CACHE_HOME": f"{home}/.cache",
            },
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, lab: Lab, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh browser profile with one page. What it shows at the end of the test is kept as a picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(PATIENCE_MS)

    def note(asked: Any) -> None:
        if asked.url.startswith("http") and not asked.url.startswith(lab.address):
            lab.asked_elsewhere.append(asked.url)

    context.on("request", note)
    opened = context.new_page()
    yield opened
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    opened.screenshot(path=SCREENSHOTS / f"{request.node.name}.png")
    context.close()
