"""The small chooser of models in lesson 00: pick one, try it with one question, keep it.

The plain way does the same without a widget: `course_lib.models.choosing` has `options_table()`,
`try_model("groq")` and `use_model("groq")`.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from course_lib.errors import CourseError
from course_lib.models import choosing
from course_lib.models.tables import Table
from course_lib.settings import Settings, load_settings

if TYPE_CHECKING:
    import ipywidgets


def model_chooser(settings: Settings | None = None) -> ipywidgets.VBox | Table:
    """A chooser of models as a widget; where notebooks are built, the plain table of models.

    Args:
        settings: the settings; read anew when None.
    """
    settings = settings or load_settings()
    if settings.building:
        return choosing.options_table(settings)
    return _widget(settings)


def _widget(settings: Settings) -> ipywidgets.VBox:
    import ipywidgets

    options = choosing.options(settings)
    ready = [(f"{option.name}: {option.model}", option.name) for option in options if option.ready]
    names = [name for _, name in ready]
    chosen = next((option.name for option in options if option.chosen and option.name in names), names[0])
    picker = ipywidgets.Dropdown(options=ready, value=chosen, description="Model")
    test = ipywidgets.Button(description="Try it", tooltip="Asks this model one short question")
    keep = ipywidgets.Button(description="Use it", tooltip="Uses this model from now on")
    said = ipywidgets.HTML(value=_missing_line(options))

    def tell(text: str) -> None:
        said.value = f"<p role='status'>{html.escape(text)}</p>"

    def on_test(_: object) -> None:
        tell("Asking …")
        try:
            tell(choosing.described(choosing.try_model(str(picker.value))))
        except CourseError as error:
            tell(str(error))

    def on_keep(_: object) -> None:
        try:
            tell(f"{choosing.use_model(str(picker.value))} A router made before this keeps its own model.")
        except CourseError as error:
            tell(str(error))

    test.on_click(on_test)
    keep.on_click(on_keep)
    return ipywidgets.VBox([ipywidgets.HBox([picker, test, keep]), said])


def _missing_line(options: tuple[choosing.Option, ...]) -> str:
    """What could be chosen if its key were set."""
    missing = [f"{option.name} ({option.state})" for option in options if not option.ready and option.title]
    if not missing:
        return ""
    return f"<p>Not to be had yet: {html.escape(', '.join(missing))}.</p>"
