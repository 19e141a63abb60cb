"""The small views of lessons 05 to 10: as text, as HTML without anybody's tags, and as widgets."""

from __future__ import annotations

from typing import Any

import pytest

from course_lib.college.schema import NodeType, Property, Schema
from course_lib.views.marked_query import guard_playground, mark
from course_lib.views.memory_window import MemoryWindow
from course_lib.views.prompt_playground import prompt_playground
from course_lib.views.reply_view import look_at, reply_playground


@pytest.fixture(autouse=True)
def _not_building(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_BUILD", raising=False)


def _texts(widget: Any) -> str:
    children = getattr(widget, "children", ())
    return " ".join([str(getattr(widget, "value", "")), *map(_texts, children)])


def test_the_guards_mark_stands_under_its_word() -> None:
    lines = repr(mark("MATCH (n)\nSET n.x = 1")).splitlines()
    assert lines[1:3] == ["SET n.x = 1", "^^^"]
    assert lines[3].startswith("write_clause: ")
    assert "<mark" in mark("MATCH (n) SET n.x = '<b>'")._repr_html_()
    assert "<b>'" not in mark("MATCH (n) SET n.x = '<b>'")._repr_html_()
    assert repr(mark("MATCH (n) RETURN n.name")).endswith("ok")


def test_the_guards_box_follows_the_typing() -> None:
    widget = guard_playground("MATCH (n) RETURN n.name")
    assert "✓ ok" in _texts(widget)
    widget.children[0].value = "MATCH (n) DELETE n"
    assert "✗ write_clause" in _texts(widget)


def test_a_reply_shows_what_is_taken() -> None:
    view = look_at("<think>hm</think>\nMATCH (n) RETURN n.name")
    assert repr(view).splitlines()[-1] == "> MATCH (n) RETURN n.name"
    assert "&lt;think&gt;" in view._repr_html_()
    assert "There is no query" in repr(look_at("I can't do that."))
    widget = reply_playground("hello")
    assert "✗" in _texts(widget)
    widget.children[0].value = "RETURN 1"
    assert "✓ taken: RETURN 1" in _texts(widget)


def test_the_memory_tells_what_has_left_the_window() -> None:
    window = MemoryWindow(((2, "<i>q</i>", "r"),), (("Student", "Payal", 1, True), ("Club", "C", 2, False)))
    assert "left the window: Student = Payal (turn 1)" in repr(window)
    assert "<i>" not in window._repr_html_()
    assert repr(MemoryWindow((), ())) == "nothing yet"


def test_the_playground_for_prompts_asks_with_what_is_ticked() -> None:
    asked: list[str] = []

    def flipped(system: str) -> list[str]:
        asked.append(system)
        return ["c"] if "alphabet" not in system and "rank" not in system else []

    schema = Schema((NodeType("Student", (Property("name", "string"),), "name", "name", 1),), (), ())
    widget = prompt_playground(schema, flipped)
    grid, bar, result = widget.children
    button = bar.children[0]
    button.click()
    assert "nothing flips" in result.value
    next(box for box in grid.children if box.description == "ranks").value = False
    button.click()
    assert "flipped: <b>c</b>" in result.value
    assert "so rank them" in asked[0]
    assert "so rank them" not in asked[1]
