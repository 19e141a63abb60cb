"""`course model`: which models there are, which one is chosen, and whether it answers."""

from __future__ import annotations

import argparse

HELP = "choose who answers: the practice model, or a provider that you have a key for"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("list", help="show the models, their prices and which keys are set (the default)")
    use = actions.add_parser("use", help="use this model from now on")
    use.add_argument(
        "name", metavar="NAME", help="practice, auto, a provider, provider:model, or replay:FILE"
    )
    test = actions.add_parser(
        "test", help="ask a model one short question (it may cost a fraction of a cent)"
    )
    test.add_argument("name", metavar="NAME", nargs="?", help="which one; the one in use when left out")


def run(args: argparse.Namespace) -> int:
    """Lists, chooses or tests."""
    from course_lib.models import choosing

    if args.action == "use":
        print(choosing.use_model(args.name))
        return 0
    if args.action == "test":
        print(choosing.described(choosing.try_model(args.name, tell=print)))
        return 0
    _show_list()
    return 0


def _show_list() -> None:
    from rich.console import Console
    from rich.table import Table

    from course_lib.invocation import typed
    from course_lib.models.choosing import options
    from course_lib.settings import load_settings

    settings = load_settings()
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1))
    for column in ("  model", "asks for", "key", "$ in / out", "checked"):
        table.add_column(column, no_wrap=column != "asks for", overflow="fold")
    shown = options(settings)
    for option in shown:
        table.add_row(
            f"{'→' if option.chosen else ' '} {option.name}",
            option.model,
            option.state,
            option.price,
            option.checked,
            style="bold" if option.chosen else ("" if option.ready else "dim"),
        )
    console = Console()
    console.print(table)
    lines = [
        "",
        "→ is in use. Prices are US dollars for a million tokens, as looked up on the day beside them.",
        *(f"Free at {option.name}: {option.free_tier}." for option in shown if option.free_tier),
        "The practice model is a simulator made for teaching: it needs no key and costs nothing.",
        "",
        f"{typed('model use NAME')} takes another one, {typed('model test NAME')} tries one out.",
    ]
    console.print("\n".join(lines), highlight=False, markup=False)
