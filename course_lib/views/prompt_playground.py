"""A playground for the schema prompt: tick parts and rules, and see what flips and what it costs."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from course_lib.classroom.show import plain_card
from course_lib.college.estimate import count_tokens
from course_lib.college.prompt_rules import RULES
from course_lib.settings import load_settings

if TYPE_CHECKING:
    from course_lib.college.schema import Schema


def prompt_playground(schema: Schema, flipped: Callable[[str], list[str]]) -> Any:
    """A box for each part and each rule of the prompt, and a button that asks with what is ticked.

    Args:
        schema: what the prompt is made from.
        flipped: gets a system prompt and gives the letters of the questions that come out differently.

    Returns:
        A widget; while notebooks are built a card in its place, since a stored widget shows nothing.
    """
    if load_settings().building:
        return plain_card("Playground for the prompt", "Run this cell, and boxes to tick appear here.")
    import ipywidgets as widgets

    def box(label: str, tip: str) -> Any:
        return widgets.Checkbox(value=True, description=label, tooltip=tip, indent=False)

    parts = {"schema": box("schema", "labels and relationships"), "values": box("values", "names as spelled")}
    rules = {rule.name: box(rule.name, rule.text) for rule in RULES}
    cost = widgets.HTML()
    result = widgets.HTML()
    button = widgets.Button(
        description="Ask the ten", icon="play", tooltip="Ask all questions with this prompt"
    )

    def prompt() -> str:
        return schema.to_prompt(
            schema=parts["schema"].value,
            values=parts["values"].value,
            rules=[name for name, one in rules.items() if one.value],
        )

    def show_cost(_change: Any = None) -> None:
        cost.value = f"about {count_tokens(prompt())} tokens"

    def ask(_button: Any) -> None:
        letters = flipped(prompt())
        said = f"flipped: <b>{html.escape(', '.join(letters))}</b>" if letters else "nothing flips"
        # A live region: a screen reader says what has changed.
        result.value = f'<div role="status" aria-live="polite">{said}</div>'

    for one in (*parts.values(), *rules.values()):
        one.observe(show_cost, names="value")
    button.on_click(ask)
    show_cost()
    grid = widgets.GridBox(
        [*parts.values(), *rules.values()],
        layout=widgets.Layout(grid_template_columns="repeat(4, 150px)"),
    )
    return widgets.VBox([grid, widgets.HBox([button, cost]), result])
