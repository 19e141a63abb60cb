"""What a stored output may hold: the rules that keep notebooks small, safe to show and the same everywhere.

A stored output travels: it is in the repository, on built pages and in front of a learner who has not run
anything yet. So it must come out the same on every machine, say nothing about the machine that built it, and
show in a notebook that nobody has trusted (where scripts, frames and inline SVG stay blank).
"""

from __future__ import annotations

import base64
import getpass
import math
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_LINES = 45
"""Lines that one cell may print: what fits on a screen without scrolling."""
LINE_WIDTH = 120
"""Characters after which a line counts as two."""
MAX_CHARACTERS = 60_000
"""Characters that all outputs of one cell may have together. A picture with its table is the largest."""

_SHOWN = {"text/plain", "text/html", "text/markdown"}
_WIDGET = ("application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json")
_DATA_URI = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
_KNOWN_PORTS = "11434|8010|6379|8888"
# Names of accounts that are plain words: finding one in an output says nothing about a machine.
_ORDINARY = {
    "admin",
    "course",
    "guest",
    "learner",
    "node",
    "root",
    "runner",
    "student",
    "teacher",
    "user",
    "work",
}

_EVERYWHERE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile("\x1b"), "terminal colour codes"),
    (re.compile(r"\b0x[0-9a-fA-F]{6,}\b"), "a memory address"),
    (
        re.compile(r"(?<![\w/:.<-])/(?:home|Users|root|tmp|var/folders|private/var|opt|mnt)/[\w.-]+"),
        "a path of one machine",
    ),
    (re.compile(r"\b[A-Za-z]:\\[\w\\. -]+"), "a path of one machine"),
    (re.compile(r"site-packages|dist-packages"), "a path of one installation"),
    (re.compile(rf"(?:127\.0\.0\.1|localhost):(?!(?:{_KNOWN_PORTS})\b)\d{{4,5}}"), "a port chosen by chance"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "a random id"),
)
_UNMEASURED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b\d+\.\d+ ?(?:ms|µs|us|ns|s|sec|seconds)\b"), "a measured time"),
    (re.compile(r"\b(?:20\d\d-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\b"), "a time of day"),
)
_BLANK_IF_UNTRUSTED = (
    (re.compile(r"<\s*(?:iframe|object|embed)\b", re.IGNORECASE), "a frame"),
    (re.compile(r"<\s*script\b", re.IGNORECASE), "a script"),
    (re.compile(r"<\s*svg\b", re.IGNORECASE), "inline SVG"),
)


@dataclass(frozen=True)
class Machine:
    """What tells one machine from another, to look for in outputs while they are made."""

    facts: tuple[tuple[str, str], ...] = ()
    """Pairs of a text that must not appear, and what it is."""


def this_machine(root: Path, *more: Path) -> Machine:
    """What must not leak from the machine that the build runs on.

    Args:
        root: the course folder.
        more: other folders, such as the temporary one that a build works in.
    """
    facts = [(str(root), "the course folder"), (str(Path.home()), "the home folder")]
    facts += [(str(folder), "a temporary folder") for folder in more]
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # no account of that number, as in some containers
        user = ""
    facts += [(user, "the user name"), (socket.gethostname(), "the host name")]
    return Machine(tuple((text, what) for text, what in facts if len(text) > 3 and text not in _ORDINARY))


def clean_outputs(outputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The outputs without what must not be stored.

    A widget's stored view shows as 'Model not found' when its state is gone, so the view is taken out; its
    text stays. An output that was nothing but a view is dropped.
    """
    cleaned = []
    for output in outputs:
        kept = dict(output)
        if "data" in kept:
            data = {mime: value for mime, value in kept["data"].items() if mime not in _WIDGET}
            if not data:
                continue
            kept["data"] = data
            kept["metadata"] = {}
        kept.pop("transient", None)
        cleaned.append(kept)
    return cleaned


def complaints(
    outputs: Sequence[Mapping[str, Any]], measured: bool = False, machine: Machine | None = None
) -> list[str]:
    """What is wrong with the outputs of one cell.

    Args:
        outputs: the cell's outputs as stored in the notebook (texts may be lists of lines).
        measured: the cell is tagged so: times are allowed, nothing else is.
        machine: what must not leak, besides what no output may hold anywhere.

    Returns:
        One sentence for each fault, in the order in which the rules stand; empty when all is well.
    """
    found: list[str] = []
    size = 0
    lines = 0
    for output in outputs:
        kind = output.get("output_type")
        if kind == "error":
            found.append(f"ends in an error ({output.get('ename')}: {output.get('evalue')})")
            continue
        if kind == "stream" and output.get("name") == "stderr":
            found.append(f"writes to stderr ({_text(output.get('text')).strip()[:80]!r})")
            continue
        for mime, text in _texts(output):
            size += len(text)
            if mime not in _SHOWN:
                found.append(f"holds {mime}, which does not show everywhere")
                continue
            if mime == "text/plain":
                lines += sum(max(1, math.ceil(len(line) / LINE_WIDTH)) for line in text.splitlines())
            found.extend(_content(mime, text, measured, machine))
    if lines > MAX_LINES:
        found.append(f"prints {lines} lines, more than a screen ({MAX_LINES})")
    if size > MAX_CHARACTERS:
        found.append(f"stores {size:,} characters, more than {MAX_CHARACTERS:,}")
    return list(dict.fromkeys(found))


def _content(mime: str, text: str, measured: bool, machine: Machine | None) -> Iterator[str]:
    if mime == "text/html":
        for pattern, what in _BLANK_IF_UNTRUSTED:
            if pattern.search(text):
                yield f"holds {what}, which stays blank in a notebook that nobody has trusted"
        for image in re.findall(r"<img\b[^>]*>", text):
            if not re.search(r"""\balt=("[^"]+"|'[^']+')""", image):
                yield "holds a picture without a text alternative (alt)"
    for part in (_DATA_URI.sub("", text), *_pictures(text)):
        rules = _EVERYWHERE if measured else _EVERYWHERE + _UNMEASURED
        for pattern, what in rules:
            if hit := pattern.search(part):
                hint = "; tag the cell measured" if (pattern, what) in _UNMEASURED else ""
                yield f"holds {what} ({hit[0]!r}){hint}"
        for secret, what in machine.facts if machine else ():
            if re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", part):
                yield f"holds {what} of this machine"


def _pictures(text: str) -> Iterator[str]:
    for found in _DATA_URI.finditer(text):
        yield base64.b64decode(found[1]).decode("utf-8", errors="replace")


def _texts(output: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if output.get("output_type") == "stream":
        yield "text/plain", _text(output.get("text"))
    for mime, value in output.get("data", {}).items():
        yield mime, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(str(part) for part in value)
    return value if isinstance(value, str) else repr(value)
