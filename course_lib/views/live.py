"""The picture that one can drag and zoom: pyvis, made to work without a network and without leaving traces.

pyvis writes a page that loads Bootstrap and vis-network from other people's servers, says its heading twice
and moves when it is opened. Here its page is taken apart: everything that points to a network goes, and
vis-network from pyvis's own files goes in (compressed: 0.2 MB rather than 0.6). The whole stands in a frame
that may run its own script and reach nothing else. Nodes begin where the still picture has them, and stay.
"""

from __future__ import annotations

import base64
import functools
import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from html import escape

from course_lib.views.drawing import Drawing, Edge, Node
from course_lib.views.layout import Layout
from course_lib.views.palette import LIGHT, Style, mix, styles_for
from course_lib.views.svg import FONT, MAX_EDGE_LABELS, Measure, attribute, caption_lines, place, symbol

_TOOLTIP_CHARACTERS = 400
_HEIGHT = (260, 620)
"""Smallest and largest height of the frame, in pixels."""


def live_frame(
    found: Drawing,
    title: str,
    highlight: Iterable[str] = (),
    placed: tuple[Layout, Measure] | None = None,
) -> str:
    """The live picture as an `<iframe>` that holds everything it needs.

    Args:
        found: what to draw.
        title: the frame's name, for screen readers too.
        highlight: keys of nodes that get a ring; the rest steps back.
        placed: what `place` gave for this drawing; found anew when None.
    """
    layout, measure = placed or place(found)
    height = round(min(_HEIGHT[1], max(_HEIGHT[0], layout.height + 110)))
    page = _page(found, title, set(highlight), layout, measure)
    name = attribute(f"{title} (live picture: drag, zoom, move with the arrow keys)")
    return (
        f'<iframe title={name} sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:1px solid {LIGHT.frame};border-radius:8px;'
        f'background:{LIGHT.panel}" srcdoc="{escape(page)}"></iframe>'
    )


def _page(found: Drawing, title: str, lit: set[str], layout: Layout, measure: Measure) -> str:
    page = _network(found, lit, layout, measure)
    page = re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    page = re.sub(r"<center>.*?</center>", "", page, flags=re.DOTALL)
    page = re.sub(r"<link\b[^>]*>", "", page)
    # pyvis's own first script prepares menus that we do not show; what comes by address goes as well.
    page = re.sub(r"<script\b[^>]*\bsrc=[^>]*>\s*</script>", "", page)
    drawing = re.search(r"<script[^>]*>((?:(?!</script>).)*\bdrawGraph\b.*?)</script>", page, flags=re.DOTALL)
    assert drawing is not None, "pyvis writes its page in another form"
    styles = styles_for(node.label for node in found.nodes)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_css()}</style></head><body>"
        f'<h1>{escape(title)}</h1><div id="mynetwork" aria-label={attribute(title)}></div>'
        '<div class="zoom"><button aria-label="zoom in">+</button><button aria-label="zoom out">−</button>'
        '<button aria-label="show everything">⤢</button></div>'
        f'<p class="keys">{_legend(found, styles)}</p>'
        f'<script type="text/plain" id="draw">{drawing[1]}</script>'
        f'<script type="text/plain" id="library">{_library()}</script>'
        f"<script>{_START}</script></body></html>"
    )


_START = """
(async () => {
  const box = document.getElementById("mynetwork");
  try {
    const text = atob(document.getElementById("library").textContent);
    const packed = Uint8Array.from(text, c => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const library = await new Response(stream).text();
    for (const code of [library, document.getElementById("draw").textContent]) {
      const script = document.createElement("script");
      script.textContent = code;
      document.body.append(script);
    }
    const fit = () => network.fit({animation: false});
    const zoom = by => network.moveTo({scale: Math.min(5, Math.max(0.1, network.getScale() * by))});
    fit();
    addEventListener("resize", fit);
    const [nearer, farther, whole] = document.querySelectorAll("button");
    nearer.onclick = () => zoom(1.25);
    farther.onclick = () => zoom(0.8);
    whole.onclick = fit;
    box.addEventListener("wheel", event => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(event.deltaY < 0 ? 1.1 : 0.9);
      }
    }, {passive: false});
    box.querySelector(".vis-network").setAttribute("aria-label", box.getAttribute("aria-label"));
    document.body.dataset.drawn = "yes";
  } catch (error) {
    box.textContent = "The live picture does not run in this browser. The still one is below.";
    document.body.dataset.drawn = "no";
  }
})();
"""


def _network(found: Drawing, lit: set[str], layout: Layout, measure: Measure) -> str:
    """pyvis's own page."""
    from pyvis.network import Network

    network = Network(height="100%", width="100%", directed=True, cdn_resources="remote", bgcolor=LIGHT.panel)
    styles = styles_for(node.label for node in found.nodes)
    for node in found.nodes:
        x, y = layout.places[node.key]
        network.add_node(node.key, x=round(x), y=round(y), **_node(node, styles[node.label], lit, measure))
    between: dict[frozenset[str], list[Edge]] = defaultdict(list)
    for edge in found.edges:
        between[frozenset((edge.source, edge.target))].append(edge)
    for group in between.values():
        for index, edge in enumerate(group):
            options = _edge(edge, index, len(group), lit, len(found.edges) <= MAX_EDGE_LABELS)
            network.add_edge(edge.source, edge.target, **options)
    network.options = _OPTIONS
    html: str = network.generate_html()
    return html


_OPTIONS = {
    "physics": {"enabled": False},
    "interaction": {
        "hover": True,
        "tooltipDelay": 120,
        "keyboard": {"enabled": True, "bindToWindow": False, "speed": {"x": 8, "y": 8, "zoom": 0.03}},
        "navigationButtons": False,
        # A wheel that zooms would hold up who scrolls down a notebook: with Ctrl it zooms, see _START.
        "zoomView": False,
    },
    "edges": {"arrows": {"to": {"enabled": True, "scaleFactor": 0.6}}},
}


def _node(node: Node, style: Style, lit: set[str], measure: Measure) -> dict[str, object]:
    pale = 0.6 if lit and node.key not in lit else 0.0
    ring = node.key in lit
    return {
        "label": "\n".join(caption_lines(node)),
        "title": tooltip(node.label, node.properties),
        "shape": style.shape,
        "size": measure.radius * (1.15 if style.shape in ("triangle", "triangleDown", "star") else 1.0),
        "borderWidth": 4 if ring else 1,
        "color": {
            "background": mix(style.colour, LIGHT.panel, pale),
            "border": LIGHT.accent if ring else mix(style.outline, LIGHT.panel, pale),
            "highlight": {"background": style.colour, "border": LIGHT.accent},
            "hover": {"background": style.colour, "border": LIGHT.ink},
        },
        "font": {
            "face": FONT,
            "size": measure.font,
            "color": LIGHT.ink,
            "strokeWidth": 3,
            "strokeColor": LIGHT.panel,
        },
    }


def _edge(edge: Edge, index: int, count: int, lit: set[str], labelled: bool) -> dict[str, object]:
    bright = not lit or (edge.source in lit and edge.target in lit)
    bend = (index - (count - 1) / 2) * 0.3 * (-1 if edge.source > edge.target else 1)
    options: dict[str, object] = {
        "title": tooltip(edge.type, edge.properties),
        "color": {
            "color": LIGHT.edge if bright else mix(LIGHT.edge, LIGHT.panel, 0.6),
            "highlight": LIGHT.accent,
        },
        "width": 1.3,
        "smooth": {"enabled": bool(bend), "type": "curvedCW", "roundness": bend} if bend else False,
    }
    if labelled:
        options["label"] = edge.type
        options["font"] = {
            "face": FONT,
            "size": 10.5,
            "color": LIGHT.muted,
            "strokeWidth": 4,
            "strokeColor": LIGHT.panel,
        }
    return options


def tooltip(heading: str, properties: Mapping[str, object]) -> str:
    """What shows when the pointer rests on a node or a relationship: plain text."""
    lines = [heading, *(f"{name}: {value}" for name, value in properties.items())]
    text = "\n".join(lines)
    text = text if len(text) <= _TOOLTIP_CHARACTERS else text[: _TOOLTIP_CHARACTERS - 1] + "…"
    # pyvis takes 'href' in a tooltip as a wish for a page of its own kind.
    return text.replace("href", "hre\u200bf")


def _legend(found: Drawing, styles: Mapping[str, Style]) -> str:
    parts = []
    for label, count in found.labels.items():
        style = styles[label]
        sign = (
            f'<svg viewBox="-9 -9 18 18" width="18" height="18" aria-hidden="true" fill="{style.colour}" '
            f'stroke="{style.outline}">{symbol(style.shape, 6)}</svg>'
        )
        parts.append(f"<span>{sign} {escape(label)} · {count}</span>")
    return " ".join(parts)


def _css() -> str:
    return (
        f"html,body{{height:100%;margin:0;background:{LIGHT.panel};color:{LIGHT.ink};font-family:{FONT}}}"
        "body{display:flex;flex-direction:column}"
        "h1{font-size:15px;font-weight:600;margin:12px 18px 0}"
        ".zoom{position:absolute;top:10px;right:12px;display:flex;gap:4px}"
        f".zoom button{{width:26px;height:26px;padding:0;font:16px {FONT};color:{LIGHT.ink};background:#fff;"
        f"border:1px solid {LIGHT.frame};border-radius:6px;cursor:pointer}}"
        "#mynetwork{flex:1;min-height:0;position:relative}"
        ".vis-network{height:100%;outline-offset:-3px}"
        f".keys{{font-size:12px;color:{LIGHT.muted};margin:0 16px 10px}}"
        ".keys{display:flex;flex-wrap:wrap;gap:2px 16px}"
        ".keys span{display:inline-flex;align-items:center;gap:4px}"
        ".vis-tooltip{position:absolute;visibility:hidden;white-space:pre-line;max-width:320px;"
        "padding:6px 9px;pointer-events:none;z-index:5;box-shadow:0 1px 4px rgba(0,0,0,.18)}"
        f".vis-tooltip{{font-size:12px;background:#fff;color:{LIGHT.ink};border:1px solid {LIGHT.frame};"
        "border-radius:6px}"
    )


@functools.cache
def _library() -> str:
    """vis-network from pyvis's own files, compressed, as base64."""
    from importlib.resources import files

    code = (files("pyvis") / "templates" / "lib" / "vis-9.1.2" / "vis-network.min.js").read_bytes()
    return base64.b64encode(gzip.compress(code, 9, mtime=0)).decode("ascii")
