"""`course progress`: how far the learner has come, from the progress file."""

from __future__ import annotations

import argparse
import json
import sys

HELP = "how far you have come"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")
    parser.add_argument("--lesson", metavar="NN", help="list the exercises of this lesson only")


def run(args: argparse.Namespace) -> int:
    """Prints the progress; the file is only read, unless it must be kept aside because it is torn."""
    from course_lib.classroom.manifest import load_manifest
    from course_lib.classroom.overview import overview_card, overview_data
    from course_lib.classroom.progress import FILE_NAME, ProgressFile
    from course_lib.settings import load_settings

    manifest = load_manifest()
    lesson = manifest.lesson(args.lesson) if args.lesson else None
    book = ProgressFile(load_settings().home / FILE_NAME)
    entries = book.entries()
    if args.json:
        print(json.dumps(overview_data(manifest, entries), indent=1, ensure_ascii=True))
        return 0
    text = overview_card(manifest, entries, lesson, book.take_notes()).text
    # A Windows console may not know the symbols: better another character than an error.
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, errors="replace").decode(encoding))
    return 0
