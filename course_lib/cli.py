"""The `course` command: one table of commands, each in a module that is imported when it is called.

A command is `course_lib/commands/<name>.py` with `HELP: str`, `configure(parser) -> None` and
`run(args) -> int`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence

from course_lib import __version__
from course_lib.errors import CourseError
from course_lib.invocation import typed

COMMANDS: Mapping[str, str] = {
    "lab": "open the lessons in JupyterLab",
    "test": "run every test of the course",
    "doctor": "look at this machine and say what runs on it",
    "progress": "show which exercises are done",
    "model": "choose who answers: the practice model, or a provider that you have a key for",
    "app": "open the study assistant on its own",
    "eval": "put questions to the assistant and count the right answers",
    "build": "make and run the notebooks from their sources",
    "wheels": "collect all packages in a folder, for machines without a network",
    "lock": "renew the lock files",
    "embed": "compute the vectors of lesson 04 anew",
}
"""Command -> what it does. Kept here, not in the modules, so that help needs none of them."""

FOR_LEARNERS = ("lab", "progress", "doctor", "model", "app")


class NoSuchCommandError(CourseError):
    """A command that the course knows is not part of this copy."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: what came after `course` on the command line; that of this process when None.

    Returns:
        0 when all went well, 1 when it did not, 2 for a command line that cannot be read.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _answer(words)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "course_lib").partition(".")[0] == "course_lib":
            raise
        print(_missing(error.name or "", words[0]), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `course progress | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush at exit
        return 0


def _answer(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    name = words[0]
    if name in ("-V", "--version"):
        print(f"graph-course {__version__}")
        return 0
    if name not in COMMANDS:
        print(f"There is no command {name!r}.{_nearest(name)} All of them: {typed('help')}", file=sys.stderr)
        return 2
    return _run(name, words[1:])


def overview() -> str:
    """The short help: what to type first, then the rest."""
    width = max(map(len, COMMANDS))
    others = [name for name in COMMANDS if name not in FOR_LEARNERS]
    return "\n".join(
        [
            "The graph course. To begin, type",
            "",
            f"    {typed('lab')}",
            "",
            "and the first lesson opens in your browser. What else there is:",
            "",
            *(f"    {name:<{width}}  {COMMANDS[name]}" for name in FOR_LEARNERS),
            "",
            "For those who teach it or work on it:",
            "",
            *(f"    {name:<{width}}  {COMMANDS[name]}" for name in others),
            "",
            f"{typed('COMMAND --help')} says more about one.",
        ]
    )


def _run(name: str, words: list[str]) -> int:
    module_name = f"course_lib.commands.{name}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name:
            raise
        raise NoSuchCommandError(
            f"This copy of the course has no `{name}` yet.", "Fetch a newer one (`git pull`)."
        ) from error
    parser = argparse.ArgumentParser(prog=typed(name), description=_sentence(module.HELP))
    module.configure(parser)
    code: int = module.run(parser.parse_args(words))
    return code


def _missing(package: str, name: str) -> str:
    return (
        f"`{name}` needs the package {package}, which is not installed here. "
        f"Type `python3 course.py {name}`: that installs what is missing."
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f" Did you mean {typed(near[0])}?" if near else ""


if __name__ == "__main__":
    sys.exit(main())
