"""`course doctor`: looks at this machine and says what runs on it."""

from __future__ import annotations

import argparse
import json
import shutil
import sys

HELP = "look at this machine and say what runs on it (exit code 0 when the whole course does)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(args: argparse.Namespace) -> int:
    """Prints the report; gives 0 when both halves of the course run here, else 1."""
    from course_lib.doctor import examine

    report = examine()
    if args.json:
        print(json.dumps(report.to_dict(), indent=1))
    else:
        text = report.to_text(min(100, shutil.get_terminal_size((100, 24)).columns))
        # A Windows console may not know the signs: better another character than an error.
        encoding = sys.stdout.encoding or "utf-8"
        print(text.encode(encoding, errors="replace").decode(encoding))
    return 0 if report.can_run else 1
