"""Whatever a note says, it comes out of the files and out of the graph as it went in."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from course_lib.college.tables import CollegeTables, read_tables, write_tables

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

pytestmark = pytest.mark.engine

# Everything that is no control character and no half of a pair; also tabs and line breaks, and often the
# characters that mean something to CSV or to a query.
ANY = st.characters(exclude_categories=("Cc", "Cs"), include_characters="\t\n")
AWKWARD = st.sampled_from(
    [*"'\"\\`$%{}[]();,/*#\n\t =", "\\'", '\\"', "//", "/*", "*/", "\\u0041", "🦉", "ज्ञ"]
)
TEXTS = st.lists(ANY | AWKWARD | st.sampled_from(string.ascii_letters), min_size=1, max_size=60).map("".join)
# A note of blanks alone, and a note that is a spreadsheet's error word, are faults of a file.
GOOD = TEXTS.filter(lambda text: text.strip() and not text.strip().startswith("#N"))
NOTES = st.lists(GOOD, min_size=1, max_size=8)

QUICK = settings(
    max_examples=30,
    deadline=None,  # the engine may be busy with another test
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def notes_graph() -> Iterator[Graph]:
    from course_lib.college.graph import open_graph

    graph = open_graph(name="any_text_at_all")
    yield graph
    graph.delete()
    graph.close()


def tables_with(texts: list[str]) -> CollegeTables:
    """The knowledge layer's notes alone, with these texts."""
    shipped = read_tables()
    rows = {t.name: () for t in shipped.spec.tables}
    notes = [{"id": f"N{number:02d}", "text": text} for number, text in enumerate(texts)]
    return CollegeTables(shipped.spec, rows | {"Note": notes})  # type: ignore[arg-type]


@QUICK
@given(NOTES)
@example(["'; MATCH (n) DETACH DELETE n //", 'He said "yes"', "C:\\new\\table", "100%", "\\", '"', 'a\\"b'])
@example(["### #N/A is what a spreadsheet writes", "=SUM(A1)", " leading and trailing ", "sep=;"])
def test_any_text_comes_back_from_the_graph(notes_graph: Graph, texts: list[str]) -> None:
    from course_lib.college.dataset import load_row_by_row, load_tables

    tables = tables_with(texts)
    for load in (load_tables, load_row_by_row):
        notes_graph.write("MATCH (n) DETACH DELETE n")
        load(notes_graph, tables)
        assert [row[0] for row in notes_graph.read("MATCH (n:Note) RETURN n.text ORDER BY n.id")] == texts


@QUICK
@given(NOTES)
@example(["a;b", "x,y", "\tz", 'q"q', "two\nlines", '"', "sep=,", "ends with \\"])
def test_any_text_comes_back_from_the_files(tmp_path: Path, texts: list[str]) -> None:
    tables = tables_with(texts)
    back = read_tables(write_tables(tables, tmp_path))
    assert [note["text"] for note in back["Note"]] == texts
