"""`course lab`: opens the lessons in JupyterLab."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from course_lib.invocation import typed
from course_lib.settings import Settings, load_settings

if TYPE_CHECKING:
    from course_lib.lab.copies import Copies

HELP = "open the lessons in JupyterLab, each in a copy of your own under work/"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    parser.add_argument(
        "--port", type=_port, metavar="N", help="the port to use (8888, or the next free one)"
    )
    parser.add_argument(
        "--ip", default="127.0.0.1", help="the address to listen on; leave it, unless you are in a container"
    )
    parser.add_argument(
        "--fresh", metavar="NN", help="put lesson NN as it is shipped now beside your copy, and open it"
    )


def run(args: argparse.Namespace) -> int:
    """Copies lessons, starts the graph server, runs JupyterLab until Ctrl-C."""
    from course_lib.lab import copies, jupyter

    settings = load_settings()
    lesson = copies.fresh_copy(settings, args.fresh).name if args.fresh else None
    _say_copies(settings, copies.copy_lessons(settings))
    if lesson:
        print(
            f"The lesson as it is shipped now is in {_shown(settings)}/{lesson}; your own copy is as it was."
        )
    wanted = args.port or jupyter.FIRST_PORT
    port = jupyter.free_port(wanted, args.ip)
    if port != wanted:
        print(f"Port {wanted} is in use (by another lab, perhaps), so this one is at {port}.")
    _start_engine(settings)
    print("Starting JupyterLab ...", flush=True)

    def announce(address: str) -> None:
        print(f"\nThe lessons are at\n\n    {address}\n", flush=True)
        print("Ctrl-C in this window ends the lab. What you write is saved as you go.", flush=True)

    jupyter.run_lab(
        settings,
        port=port,
        ip=args.ip,
        browser=not args.no_browser,
        lesson=lesson or copies.lesson_to_open(settings),
        announce=announce,
    )
    print("The lab has ended.")
    return 0


def _port(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; a port is a number from 1 to 65535")
    return int(text)


def _shown(settings: Settings) -> str:
    work = settings.work
    return work.relative_to(settings.root).as_posix() if work.is_relative_to(settings.root) else str(work)


def _say_copies(settings: Settings, done: Copies) -> None:
    if done.made:
        count = f"{len(done.made)} lessons" if len(done.made) > 1 else done.made[0]
        print(f"Copied {count} to {_shown(settings)}/: yours to write in.")
    for name in done.newer:
        print(
            f"{name} has changed since your copy was made. Yours stays; to get the new one beside it, "
            f"type: {typed(f'lab --fresh {name[:2]}')}"
        )


def _start_engine(settings: Settings) -> None:
    """Starts the graph server, or says in one line why not: the lessons open either way.

    This process stays one of the server's holders, so that it runs as long as the lab does.
    """
    from course_lib.college.errors import EngineError
    from course_lib.college.server import ensure_server

    try:
        endpoint = ensure_server(settings)
    except EngineError as error:
        print(f"No graph server: {error.what} Lessons 14 to 21 need none. More: {typed('doctor')}")
        return
    if not endpoint.embedded:
        print("Graph server: the one at FALKORDB_URL.")
