"""The schema and the values, read out of the prompt's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s*")
_PATTERN = re.compile(
    r"^\(\s*(?:\w*\s*:\s*)?`?(?P<start>\w+)`?\s*\)\s*(?P<left><)?-+\s*\[\s*\w*\s*:\s*`?(?P<type>\w+)`?\s*"
    r"(?:\{(?P<props>[^{}]*)\})?\s*\]\s*-+(?P<right>>)?\s*\(\s*(?:\w*\s*:\s*)?`?(?P<end>\w+)`?\s*\)"
)
_NODE = re.compile(r"^\(?\s*(?:\w*\s*:\s*)?`?(?P<label>[A-Za-z_]\w*)`?\s*[{(:]\s*(?P<props>[^{}()]*)[})]?\)?")
_VALUES = re.compile(r"^`?(?P<owner>\w+)`?\.`?(?P<prop>\w+)`?\s*(?:\([^)]*\))?\s*[:=]\s*(?P<list>.*)$")
_LISTED = re.compile(r"\s*(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^,;]+))")
_NOT_VALUES = re.compile(r"^\(|^…|^\.\.\.|^and [\d,]+ (?:more|others)|^\d+ (?:more|others)")


@dataclass(frozen=True)
class Prop:
    """A property of a node or a relationship."""

    name: str
    type: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the schema says that it holds numbers."""
        return self.type.lower() in ("integer", "int", "float", "number", "long", "double")


@dataclass(frozen=True)
class Rel:
    """A relationship pattern: which type goes from which label to which."""

    start: str
    type: str
    end: str
    props: tuple[Prop, ...] = ()

    @property
    def is_loop(self) -> bool:
        """Whether it joins two nodes of the same label."""
        return self.start == self.end


@dataclass(frozen=True)
class SchemaText:
    """What the schema part of a prompt says."""

    labels: tuple[tuple[str, tuple[Prop, ...]], ...] = ()
    rels: tuple[Rel, ...] = ()

    def props_of(self, owner: str) -> tuple[Prop, ...]:
        """The properties of a label or of a relationship type."""
        for label, props in self.labels:
            if label == owner:
                return props
        found: dict[str, Prop] = {}
        for rel in self.rels:
            if rel.type == owner:
                found.update({prop.name: prop for prop in rel.props})
        return tuple(found.values())


@dataclass(frozen=True)
class ListedValue:
    """A value that the prompt lists for a property: `Student.name: Payal`."""

    owner: str
    """A label or a relationship type."""
    prop: str
    text: str


def is_schema_line(line: str) -> bool:
    """Whether a line is a relationship pattern or a label with its properties, and nothing else."""
    plain = _BULLET.sub("", line).strip()
    match = _PATTERN.match(plain)
    if match:
        return match.end() >= len(plain) - 1
    match = _NODE.match(plain)
    return bool(match) and "{" in plain and "->" not in plain and match.end() >= len(plain) - 1  # type: ignore[union-attr]


def is_value_line(line: str) -> bool:
    """Whether a line lists values: `Student.name: Payal, Rahul`."""
    return _VALUES.match(_BULLET.sub("", line).strip()) is not None


def _props(text: str | None) -> tuple[Prop, ...]:
    found = []
    for piece in (text or "").split(","):
        name, _, kind = piece.partition(":")
        name = name.strip().strip("`")
        if re.fullmatch(r"[A-Za-z_]\w*", name):
            found.append(Prop(name, kind.strip().split(" ")[0]))
    return tuple(found)


@lru_cache(maxsize=128)
def read_schema(text: str) -> SchemaText:
    """Reads labels, relationships and their properties; lines of another form are passed over."""
    labels: dict[str, tuple[Prop, ...]] = {}
    rels: list[Rel] = []
    for raw in text.splitlines():
        line = _BULLET.sub("", raw).strip()
        match = _PATTERN.match(line)
        if match:
            start, end = match.group("start"), match.group("end")
            if match.group("left") and not match.group("right"):
                start, end = end, start
            rels.append(Rel(start, match.group("type"), end, _props(match.group("props"))))
            continue
        match = _NODE.match(line)
        if match and "->" not in line and _props(match.group("props")):
            labels[match.group("label")] = _props(match.group("props"))
        elif re.fullmatch(r"\(?:?[A-Za-z_]\w*\)?", line) and _BULLET.match(raw):
            labels.setdefault(line.strip("():"), ())
    for rel in rels:
        labels.setdefault(rel.start, ())
        labels.setdefault(rel.end, ())
    return SchemaText(tuple(labels.items()), tuple(dict.fromkeys(rels)))


@lru_cache(maxsize=128)
def read_values(text: str) -> tuple[ListedValue, ...]:
    """Reads `Owner.property: value, value, …` lines. Values with commas stand in quotes."""
    found: list[ListedValue] = []
    for raw in text.splitlines():
        match = _VALUES.match(_BULLET.sub("", raw).strip())
        if not match:
            continue
        if match.group("list").startswith("("):
            continue  # a note such as `(not listed)`, not values
        for single, double, bare in _LISTED.findall(match.group("list")):
            value = (single or double).replace("\\'", "'").replace('\\"', '"') or bare.strip().rstrip(".")
            if value and not _NOT_VALUES.match(value):
                found.append(ListedValue(match.group("owner"), match.group("prop"), value))
    return tuple(dict.fromkeys(found))
