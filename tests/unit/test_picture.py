"""Pictures: what is drawn, that it is the same every time, and that it is safe and small to store."""

from __future__ import annotations

import base64
import itertools
import json
import random
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import pytest

from course_lib.classroom.outputs import complaints
from course_lib.college.rows import EdgeValue, NodeValue, PathValue, Rows
from course_lib.views import drawing as drawings
from course_lib.views import svg as svgs
from course_lib.views.drawing import Drawing, Edge, Node, drawing, drawing_of
from course_lib.views.picture import MAX_STORED, Picture, picture

NASTY = """<script>alert('x')</script> & "quotes" 'single' ]]> \\ ` href="x" </iframe>"""


def node(number: int, label: str, **properties: Any) -> NodeValue:
    return NodeValue((label,), properties, id=number)


PAYAL = node(7, "Student", name="Payal", id="S02", year=2)
DBMS = node(3, "Subject", name="DBMS", code="CS201")
CLUB = node(9, "Club", name="Coding Club", founded=2015)
STUDIES = EdgeValue("STUDIES", {"grade": "A+"}, id=1, source=7, target=3)
MEMBER = EdgeValue("MEMBER_OF", {"role": "President"}, id=2, source=7, target=9)


@pytest.fixture
def rows() -> Rows:
    return Rows(("s", "r", "x"), [(PAYAL, STUDIES, DBMS), (PAYAL, MEMBER, CLUB)])


def still(what: Any, title: str = "A title", **more: Any) -> Picture:
    return picture(what, title, live=False, **more)


def tree(found: Picture) -> ET.Element:
    return ET.fromstring(found.svg)


def texts(found: Picture) -> str:
    return " ".join(" ".join(element.itertext()) for element in tree(found).iterfind(".//{*}text"))


def test_nodes_and_relationships_of_a_result_are_drawn_once_each(rows: Rows) -> None:
    found = drawing_of(rows)
    assert [(n.label, n.caption) for n in found.nodes] == [
        ("Student", "Payal"),
        ("Subject", "DBMS"),
        ("Club", "Coding Club"),
    ]
    names = {n.key: n.caption for n in found.nodes}
    assert [(names[e.source], e.type, names[e.target]) for e in found.edges] == [
        ("Payal", "STUDIES", "DBMS"),
        ("Payal", "MEMBER_OF", "Coding Club"),
    ]


def test_paths_lists_and_maps_are_looked_into() -> None:
    path = PathValue((PAYAL, DBMS), (STUDIES,))
    for cell in (path, [PAYAL, [DBMS, STUDIES]], {"a": PAYAL, "b": {"c": [DBMS]}, "r": STUDIES}):
        found = drawing_of(Rows(("p",), [(cell,)]))
        assert (len(found.nodes), len(found.edges)) == (2, 1)


def test_the_picture_is_the_same_however_the_engine_numbers_and_orders(rows: Rows) -> None:
    expected = still(rows).svg
    rng = random.Random(5)
    for _ in range(5):
        numbers = dict(zip((7, 3, 9), rng.sample(range(100), 3), strict=True))

        def renumbered(value: Any, numbers: dict[int, int] = numbers) -> Any:
            if isinstance(value, NodeValue):
                items = list(value.properties.items())
                rng.shuffle(items)
                return NodeValue(value.labels, dict(items), id=numbers[value.id])
            return EdgeValue(
                value.type, value.properties, value.id, numbers[value.source], numbers[value.target]
            )

        shuffled = [tuple(renumbered(cell) for cell in row) for row in rows]
        rng.shuffle(shuffled)
        assert still(Rows(rows.columns, shuffled)).svg == expected


def test_a_relationship_whose_end_is_missing_is_counted_and_said() -> None:
    found = still(Rows(("s", "r"), [(PAYAL, STUDIES), (PAYAL, MEMBER)]))
    assert len(found.drawing.nodes) == 1
    assert found.drawing.left_out == 2
    assert "2 relationships not drawn" in found.html()


def test_rows_without_a_node_say_what_to_return() -> None:
    with pytest.raises(drawings.NothingToDrawError, match="RETURN s, r, x"):
        still(Rows(("name", "year"), [("Payal", 2)]))


def test_no_rows_make_a_sentence_and_no_error() -> None:
    found = still(Rows(("s",), []), title="Nobody & no one")
    assert "nothing to draw" in found.html()
    assert "Nobody &amp; no one" in found.html()
    assert repr(found) == "Picture: Nobody & no one: nothing to draw, there is no node here."


def test_too_many_nodes_are_refused_with_the_limit() -> None:
    many = [Node(str(i), "Student", f"s{i}") for i in range(drawings.MAX_NODES + 1)]
    with pytest.raises(drawings.TooManyNodesError, match=r"151 nodes .* 150 is the most"):
        still(drawing(many))
    assert len(still(drawing(many[:-1])).drawing.nodes) == 150


def test_plain_lists_must_fit_together() -> None:
    one = Node("a", "Person", "A")
    with pytest.raises(drawings.LooseEndError, match="'b'"):
        drawing([one], [Edge("a", "b", "KNOWS")])
    with pytest.raises(drawings.LooseEndError, match="Two nodes"):
        drawing([one, Node("a", "Person", "B")])


def test_two_nodes_of_one_name_can_be_told_apart() -> None:
    first = node(1, "Student", name="Aarav", id="S01")
    second = node(2, "Student", name="Aarav", id="S09")
    captions = {n.caption for n in drawing_of(Rows(("s",), [(first,), (second,)])).nodes}
    assert captions == {"Aarav (S01)", "Aarav (S09)"}


@pytest.mark.parametrize(
    ("value", "caption"),
    [
        (node(1, "Note", id="N01", text="A long text"), "N01"),
        (node(1, "Subject", code="CS201"), "CS201"),
        (node(1, "Thing", colour="red"), "red"),
        (node(1, "Thing"), "Thing"),
        (NodeValue((), {}, id=1), "(no label)"),
        (node(1, "Student", name="x" * 60), "x" * 39 + "…"),
        (node(1, "Student", name="two\nlines\tand more"), "two lines and more"),
    ],
)
def test_captions(value: NodeValue, caption: str) -> None:
    assert drawing_of(Rows(("n",), [(value,)])).nodes[0].caption == caption


def test_the_still_picture_says_what_it_is(rows: Rows) -> None:
    found = still(rows, title="Payal and what she touches")
    svg = tree(found)
    assert svg.findtext("{*}title") == "Payal and what she touches"
    assert svg.findtext("{*}desc") == found.alt
    assert svg.get("viewBox")
    for text in ("Payal and what she touches", "Payal", "DBMS", "Coding Club", "STUDIES", "Student · 1"):
        assert text in texts(found)
    assert found.alt == (
        "Payal and what she touches: 3 nodes (1 Student, 1 Subject, 1 Club). "
        "Payal STUDIES DBMS; Payal MEMBER_OF Coding Club."
    )


def test_ones_own_text_takes_the_place_of_the_made_one(rows: Rows) -> None:
    found = still(rows, text="Payal in the middle")
    assert found.alt == "Payal in the middle"
    assert 'alt="Payal in the middle"' in found.html()


@pytest.mark.parametrize("wanted", ["Payal", "S02", PAYAL])
def test_highlighted_nodes_get_a_ring_and_the_rest_steps_back(rows: Rows, wanted: Any) -> None:
    plain, lit = still(rows), still(rows, highlight=[wanted, "someone else"])
    assert len(list(tree(plain).iterfind(".//{*}circle[@class='h']"))) == 0
    assert len(list(tree(lit).iterfind(".//{*}circle[@class='h']"))) == 1
    assert [t.text for t in tree(lit).iterfind(".//{*}text[@class='n b']")] == ["Payal"]


def college(nodes: int, seed: int) -> Drawing:
    """A random drawing of a size, with names as long as real ones."""
    rng = random.Random(seed)
    kinds = ["Student", "Subject", "Club", "Skill", "Project", "Concept", "Note"]
    made = [
        Node(
            f"n{i}",
            rng.choice(kinds),
            " ".join(rng.choice(["Query", "Optimization", "DSA", "Ann"]) for _ in "ab"),
        )
        for i in range(nodes)
    ]
    edges = [Edge(f"n{rng.randrange(i)}", f"n{i}", "KNOWS") for i in range(1, nodes) if i % 7]
    edges += [
        Edge(f"n{rng.randrange(nodes)}", f"n{rng.randrange(nodes)}", "LIKES") for _ in range(nodes // 2)
    ]
    return drawing(made, edges)


@pytest.mark.parametrize(("nodes", "seed"), [(1, 1), (2, 1), (4, 1), (4, 2), (20, 1), (20, 2), (75, 1)])
def test_no_node_or_name_covers_another_and_all_is_inside(nodes: int, seed: int) -> None:
    found = college(nodes, seed)
    layout, measure = svgs.place(found)
    boxes = {}
    for each in found.nodes:
        x, y = layout.places[each.key]
        width = max(svgs.text_width(line, measure.font) for line in svgs.caption_lines(each)) / 2
        half = max(width, measure.radius)
        boxes[each.key] = (x - half, y - measure.radius, x + half, y + svgs._caption_depth(each, measure))
    for one, other in itertools.combinations(boxes.values(), 2):
        apart_x = one[2] <= other[0] or other[2] <= one[0]
        apart_y = one[3] <= other[1] or other[3] <= one[1]
        assert apart_x or apart_y
    for left, top, right, bottom in boxes.values():
        assert left >= 0
        assert top >= 0
        assert right <= layout.width
        assert bottom <= layout.height


def test_parallel_and_round_relationships_are_all_drawn() -> None:
    pair = [Node("a", "Student", "A"), Node("b", "Student", "B")]
    ways = [
        Edge("a", "b", "LIKES"),
        Edge("b", "a", "LIKES"),
        Edge("a", "b", "KNOWS"),
        Edge("a", "a", "ADMIRES"),
    ]
    found = still(drawing(pair, ways))
    paths = [p.get("d", "") for p in tree(found).iterfind(".//{*}path[@class='e']")]
    curves = re.findall(r"M[^M]+", "".join(paths))
    assert len(curves) == len(set(curves)) == 4
    assert "nan" not in found.svg


@pytest.mark.parametrize("nodes", [4, 20, 75])
def test_what_is_stored_is_small_and_fit_for_an_untrusted_notebook(nodes: int) -> None:
    found = still(college(nodes, 3))
    bundle = found._repr_mimebundle_()
    assert len(json.dumps(bundle)) < 60_000
    output = {"output_type": "display_data", "data": bundle, "metadata": {}}
    assert complaints([output]) == []
    assert '<img src="data:image/svg+xml;base64,' in bundle["text/html"]
    assert "<details>" in bundle["text/html"]


def test_long_tables_are_cut_until_all_fits() -> None:
    long = [Node(f"n{i}", "Note", f"N{i}", {"text": "x" * 500}) for i in range(150)]
    found = still(drawing(long, [Edge("n0", f"n{i}", "EXPLAINS", {"why": "y" * 500}) for i in range(1, 150)]))
    assert len(found.html()) <= MAX_STORED
    assert re.search(r"150 nodes, the first \d+ of them", found.html())


class Collected(HTMLParser):
    """What a browser would make of a piece of HTML: its tags, attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, str] = {}
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {f"{tag}.{name}": value or "" for name, value in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def nasty() -> Rows:
    one = node(1, NASTY[:20], name=NASTY, note=NASTY)
    two = node(2, "Student", name="B")
    return Rows(("a", "r", "b"), [(one, EdgeValue("R<b>", {NASTY: NASTY}, 1, 1, 2), two)])


def test_values_stay_text_in_the_still_picture() -> None:
    found = still(nasty(), title=NASTY)
    page = Collected(found.html())
    assert {"script", "iframe", "b"}.isdisjoint(page.tags)
    assert page.attributes["img.alt"] == found.alt
    assert NASTY.split()[0] in "".join(page.texts)
    code = base64.b64decode(page.attributes["img.src"].split(",")[1]).decode()
    assert {e.tag.rsplit("}")[1] for e in ET.fromstring(code).iter()}.isdisjoint({"script", "iframe", "b"})


def test_values_stay_text_in_the_live_picture() -> None:
    found = picture(nasty(), NASTY, live=True)
    outer = Collected(found.html())
    assert outer.tags.count("iframe") == 1
    assert "script" not in outer.tags
    assert outer.attributes["iframe.title"].startswith("<script>alert('x')</script> &")
    inner = Collected(outer.attributes["iframe.srcdoc"])
    assert inner.tags.count("script") == 3
    assert "alert" not in " ".join(t for t in inner.texts if "drawGraph" not in t and "alert('x')</" not in t)


def test_the_live_picture_needs_no_network_and_can_reach_nothing(rows: Rows) -> None:
    frame = Collected(picture(rows, "Payal", live=True).html())
    page = frame.attributes["iframe.srcdoc"]
    assert frame.attributes["iframe.sandbox"] == "allow-scripts"
    loads = re.findall(r"""(?:src|href)\s*=\s*["']?([^"'\s>]+)""", page)
    assert loads == []
    assert "http" not in re.sub(r"<script type=.text/plain. id=.library.>[^<]*", "", page)
    assert Collected(page).tags.count("h1") == 1
    assert '"physics": {"enabled": false}' in page


def test_live_when_run_and_still_while_built(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    assert "<iframe" in picture(rows, "x")._repr_mimebundle_()["text/html"]
    monkeypatch.setenv("COURSE_BUILD", "1")
    bundle = picture(rows, "x")._repr_mimebundle_()
    assert "<iframe" not in bundle["text/html"]
    assert bundle["text/plain"] == picture(rows, "x", live=True)._repr_mimebundle_()["text/plain"]


def test_the_live_picture_can_show_the_still_one_and_the_tables(rows: Rows) -> None:
    html = picture(rows, "x", live=True).html()
    after = html.split("</iframe>")[1]
    assert after.startswith("<details><summary>The still picture, and nodes and relationships as tables")
    assert "<img " in after
    assert "<table>" in after
