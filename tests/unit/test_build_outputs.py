"""What a stored output may hold."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from course_lib.classroom import outputs
from course_lib.classroom.outputs import Machine, clean_outputs, complaints, this_machine


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data: str) -> dict[str, Any]:
    bundle = {mime.replace("_", "/"): text for mime, text in data.items()}
    return {"output_type": "display_data", "data": bundle, "metadata": {}}


def svg(text: str) -> str:
    code = base64.b64encode(f"<svg>{text}</svg>".encode()).decode()
    return f'<img alt="a graph" src="data:image/svg+xml;base64,{code}">'


@pytest.mark.parametrize(
    "text",
    [
        "3 rows",
        "4 / 5 students, and/or home/work",
        "Right. The root of the tree is 1NF.",
        "See https://docs.falkordb.com/tmp/x and file:///etc/hostname",
        "MATCH (s:Student)-[:STUDIES]->(x) RETURN s",
        "faster: yes, at least 5 times",
        "listening on 127.0.0.1:8010",
        "0xFF is 255",
        "timeout_ms=200",
    ],
)
def test_ordinary_outputs_are_fine(text: str) -> None:
    assert complaints([stream(text), shown(text_plain=text, text_html=f"<td>{text}</td>")]) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<object object at 0x7f3b8c2d1e40>", "memory address"),
        ("saved in /home/payal/course", "path of one machine"),
        ("saved in /Users/payal/course", "path of one machine"),
        ("'/tmp/abc'", "path of one machine"),
        (r"C:\Users\payal", "path of one machine"),
        ("File .../site-packages/x.py", "path of one installation"),
        ("\x1b[31mred", "terminal colour codes"),
        ("it took 0.31 ms", "a measured time ('0.31 ms'); tag the cell measured"),
        ("at 12:01:59", "time of day"),
        ("http://127.0.0.1:39817/v1", "port chosen by chance"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "random id"),
    ],
)
def test_what_differs_between_machines_is_refused(text: str, says: str) -> None:
    for output in (stream(text), shown(text_plain=text), shown(text_html=svg(text), text_plain="A picture")):
        found = complaints([output])
        assert len(found) == 1, found
        assert says in found[0]


def test_a_measured_cell_may_show_times_and_nothing_else() -> None:
    assert complaints([stream("0.31 ms at 12:01:59")], measured=True) == []
    assert complaints([stream("0.31 ms in /tmp/x")], measured=True) == [
        "holds a path of one machine ('/tmp/x')"
    ]


def test_errors_and_stderr_are_refused() -> None:
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": []}
    assert complaints([error]) == ["ends in an error (KeyError: 'x')"]
    assert complaints([stream("careful", name="stderr")]) == ["writes to stderr ('careful')"]


@pytest.mark.parametrize("tag", ["iframe srcdoc=''", "script", "svg", "IFRAME"])
def test_what_an_untrusted_notebook_leaves_blank_is_refused(tag: str) -> None:
    (found,) = complaints([shown(text_html=f"<{tag}>", text_plain="x")])
    assert "stays blank" in found


def test_a_picture_needs_a_text_alternative() -> None:
    assert complaints([shown(text_html=svg("fine"), text_plain="A picture")]) == []
    (found,) = complaints([shown(text_html='<img src="x.png" alt="">', text_plain="A picture")])
    assert "text alternative" in found


@pytest.mark.parametrize("mime", ["application_javascript", "image_png", "application_pdf"])
def test_only_text_and_html_are_stored(mime: str) -> None:
    (found,) = complaints([shown(**{mime: "abc"})])
    assert "does not show everywhere" in found


def test_an_output_fits_on_a_screen() -> None:
    assert complaints([stream("line\n" * outputs.MAX_LINES)]) == []
    (found,) = complaints([stream("line\n" * 40), stream("line\n" * 6)])
    assert "46 lines" in found
    long_line = "x" * outputs.LINE_WIDTH * (outputs.MAX_LINES + 1)
    assert "more than a screen" in complaints([stream(long_line)])[0]
    (found,) = complaints([shown(text_html="x" * (outputs.MAX_CHARACTERS + 1))])
    assert "60,001 characters" in found


def test_texts_may_be_lists_of_lines() -> None:
    listed = {"output_type": "stream", "name": "stdout", "text": ["at 0x7f3b", "8c2d1e40\n"]}
    assert "memory address" in complaints([listed])[0]


def test_the_machine_itself_must_not_leak(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOGNAME", "meera_k")
    monkeypatch.setattr("socket.gethostname", lambda: "lab-pc-17")
    machine = this_machine(tmp_path / "course")
    for text in (f"{tmp_path}/course", "meera_k", "host lab-pc-17."):
        assert any("of this machine" in what for what in complaints([stream(text)], machine=machine)), text
    assert complaints([stream("meera_kumari, lab-pc-171")], machine=machine) == []


def test_an_account_with_a_common_name_forbids_no_word(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOGNAME", "student")
    monkeypatch.setattr("socket.gethostname", lambda: "")
    assert complaints([stream("a student")], machine=this_machine(tmp_path)) == []


def test_a_fact_hidden_in_a_picture_is_found() -> None:
    machine = Machine((("meera_k", "the user name"),))
    found = complaints([shown(text_html=svg("by meera_k"), text_plain="A picture")], machine=machine)
    assert found == ["holds the user name of this machine"]


def test_cleaning_takes_widget_views_out_and_leaves_the_rest() -> None:
    view = "application/vnd.jupyter.widget-view+json"
    both = {
        "output_type": "display_data",
        "data": {view: {"model_id": "1"}, "text/plain": "Slider"},
        "metadata": {},
    }
    only = {"output_type": "display_data", "data": {view: {"model_id": "1"}}, "metadata": {}}
    cleaned = clean_outputs([both, only, stream("x")])
    assert [output.get("data") for output in cleaned] == [{"text/plain": "Slider"}, None]
    assert cleaned[1] == stream("x")
