"""Finds a Chromium for the browser tests."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
"""Flags that keep a browser from calling home while tests run."""


def find_chromium() -> Path | None:
    """The Chromium, Chrome or Edge of this machine; None when there is none."""
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    return next((Path(place) for place in _ELSEWHERE if Path(place).is_file()), None)


def chromium_flags() -> list[str]:
    """The flags to start it with: quiet, and without the sandbox where root asks, for whom it has none."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*QUIET, "--no-sandbox"] if root else list(QUIET)


def how_to_get_chromium() -> str:
    """What to type to get one."""
    if platform.system() == "Linux":
        return "`sudo apt install chromium` (Debian), or your distribution's Chromium or Chrome"
    return "install Chrome, Edge or Chromium"
