"""The college in the graph: loading it, and making it whole again.

`load_college` adds what is missing and changes nothing that is there, so it can run twice, or again after a
crash. `restore_college` makes the graph exactly the tables, whatever was done to it. Both send values as
parameters, a batch of rows in one query; labels, relationship types and property names come from the spec.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from course_lib.college.errors import QueryError
from course_lib.college.generator import generate_college
from course_lib.college.graph import Counts, Graph, open_graph
from course_lib.college.spec import COLLEGE, GraphSpec, LayerError, NodeTable, RelationshipTable, Value
from course_lib.college.tables import CollegeTables, DataError, Fault, Row, read_tables, rows_in_batches
from course_lib.settings import load_settings

BATCH_SIZE = 1_000
"""Rows in one query. From a hundred on, the size hardly matters: benchmarks/load_college.py --batch-sizes."""

LOAD_TIMEOUT_MS = 60_000
"""Milliseconds that one batch may take: more than the setting for questions, since a batch is no question."""


def load_college(
    graph: Graph,
    layers: Iterable[str] = ("people", "knowledge"),
    folder: str | Path | None = None,
) -> Counts:
    """Adds the college to a graph: what is missing is added, what is there stays as it is.

    A property that somebody changed keeps its value, one that was removed comes back. Nothing is deleted. All
    files are checked before the first write. When a load was cut off, load again: it goes on where it must.

    Args:
        graph: where to.
        layers: `"people"`, `"knowledge"` or both. The knowledge layer hangs on the people layer's subjects:
            load them together, or people first.
        folder: a folder of CSV files; the college's own when None.

    Returns:
        How many nodes and relationships the whole graph holds afterwards.

    Raises:
        DataError: a file is at fault; nothing was written.
        LayerError: no such layer, or the nodes that it hangs on are not in the graph; nothing was written.
    """
    wanted = COLLEGE.known_layers(layers)
    tables = read_tables(folder, layers=COLLEGE.foundations(wanted))
    return load_tables(graph, tables, layers=wanted)


def restore_college(
    graph: Graph,
    layers: Iterable[str] = ("people", "knowledge"),
    folder: str | Path | None = None,
) -> Counts:
    """Makes a graph exactly the college: everything else in it goes, also labels, properties and indexes.

    A graph that is right already is only looked at.

    Args:
        graph: which graph. What it holds beside the college is lost.
        layers: `("people",)` or both.
        folder: a folder of CSV files; the college's own when None.

    Returns:
        How many nodes and relationships the graph holds afterwards.

    Raises:
        DataError: a file is at fault; nothing was changed.
        LayerError: no such layer, or one of them stands on a layer that is left out; nothing was changed.
    """
    return restore_tables(graph, read_tables(folder, layers=tuple(layers)))


def load_tables(
    graph: Graph,
    tables: CollegeTables,
    batch_size: int = BATCH_SIZE,
    layers: Iterable[str] | None = None,
) -> Counts:
    """Adds tables to a graph, as `load_college` does, in batches.

    Tables are walked and never held, so they may be larger than the memory.

    Args:
        graph: where to.
        tables: what to add.
        batch_size: how many rows go into one query.
        layers: add only these layers; all when None.

    Returns:
        How many nodes and relationships the whole graph holds afterwards.

    Raises:
        LayerError: a layer hangs on nodes that are not in the graph; nothing was written.
        DataError: a relationship's node is in no table. What came before it has been written.
    """
    if batch_size < 1:
        raise ValueError("batch_size must be 1 or more")
    spec = tables.spec
    wanted = spec.known_layers(spec.layers if layers is None else layers)
    _check_foundations(graph, tables, wanted)
    create_indexes(graph, spec, wanted)
    for node in spec.nodes:
        if node.layer in wanted:
            query = "UNWIND $rows AS row " + _merge_node(node)
            for batch in rows_in_batches(tables[node.name], batch_size):
                graph.write(query, {"rows": [_cells(row, node) for row in batch]}, LOAD_TIMEOUT_MS)
    for pattern in spec.relationships:
        if pattern.layer in wanted:
            query = "UNWIND $rows AS row " + _merge_relationship(spec, pattern)
            for batch in rows_in_batches(tables[pattern.name], batch_size):
                rows = graph.write(query, {"rows": [_cells(row, pattern) for row in batch]}, LOAD_TIMEOUT_MS)
                _check_written(pattern, int(rows.scalar()), len(batch))
    return graph.size()


def load_row_by_row(graph: Graph, tables: CollegeTables) -> Counts:
    """Adds tables to a graph with one query for each row: the slow way, to compare with.

    Args:
        graph: where to.
        tables: what to add.

    Returns:
        How many nodes and relationships the whole graph holds afterwards.
    """
    spec = tables.spec
    create_indexes(graph, spec, spec.layers)
    for node in spec.nodes:
        query = "WITH $row AS row " + _merge_node(node)
        for row in tables[node.name]:
            graph.write(query, {"row": _cells(row, node)})
    for pattern in spec.relationships:
        query = "WITH $row AS row " + _merge_relationship(spec, pattern)
        for row in tables[pattern.name]:
            _check_written(pattern, int(graph.write(query, {"row": _cells(row, pattern)}).scalar()), 1)
    return graph.size()


def restore_tables(graph: Graph, tables: CollegeTables) -> Counts:
    """Makes a graph exactly these tables. See `restore_college`."""
    if differs(graph, tables):
        with _alone(graph):
            if differs(graph, tables):  # the same lesson, started twice at once: the other one was first
                # Deleting the whole key also takes stray labels, property names and indexes, which deleting
                # nodes does not. After a crash before the end the graph differs: a rerun begins again.
                graph.delete()
                load_tables(graph, tables)
    return graph.size()


@dataclass(frozen=True)
class LoadingTimes:
    """How long the same tables took to load, in batches and row by row."""

    nodes: int
    relationships: int
    batches_s: float
    """Seconds in batches, the best of the rounds."""
    row_by_row_s: float
    """Seconds with a query for each row, the best of the rounds."""

    @property
    def ratio(self) -> float:
        """How many times faster the batches were."""
        return self.row_by_row_s / self.batches_s

    def __str__(self) -> str:
        return (
            f"{self.nodes:,} nodes and {self.relationships:,} relationships: "
            f"{self.batches_s * 1_000:,.0f} ms in batches, {self.row_by_row_s * 1_000:,.0f} ms row by row, "
            f"{self.ratio:.1f} times faster"
        )


def measure_loading(tables: CollegeTables | None = None, rounds: int = 2) -> LoadingTimes:
    """Loads tables both ways, in turns, into a scratch graph that is gone afterwards.

    The best of the rounds counts for each way: what else the machine does can only make a round slower.
    Making the indexes is the same for both and not counted.

    Args:
        tables: what to load; a generated college of 300 students when None, about 480 nodes and 2,200
            relationships. With a few dozen rows, the first query with each new label costs more than they do.
        rounds: how often each way runs.
    """
    what = generate_college(300, seed=3) if tables is None else tables
    graph = open_graph(name=f"loading_{secrets.token_hex(6)}")
    counts = Counts(0, 0)

    def seconds(load: Callable[[Graph, CollegeTables], Counts]) -> float:
        nonlocal counts
        graph.delete()
        create_indexes(graph, what.spec)
        began = time.perf_counter()
        counts = load(graph, what)
        return time.perf_counter() - began

    batches = row_by_row = float("inf")
    try:
        for _ in range(max(1, rounds)):
            batches = min(batches, seconds(load_tables))
            row_by_row = min(row_by_row, seconds(load_row_by_row))
    finally:
        graph.delete()
        graph.close()
    return LoadingTimes(counts.nodes, counts.relationships, batches, row_by_row)


def create_indexes(graph: Graph, spec: GraphSpec, layers: Iterable[str] | None = None) -> None:
    """Makes a range index on each label's key, where there is none: MERGE looks a key up for every row.

    Args:
        graph: where to.
        spec: the labels and their keys.
        layers: only the labels of these layers; all when None.
    """
    wanted = spec.layers if layers is None else tuple(layers)
    there = _range_indexes(graph)
    for node in spec.nodes:
        if node.layer in wanted and (node.label, node.key) not in there:
            try:
                graph.write(f"CREATE INDEX FOR (n:`{node.label}`) ON (n.`{node.key}`)")
            except QueryError:
                # Somebody else who loads the same graph may have been quicker.
                if (node.label, node.key) not in _range_indexes(graph):
                    raise


def differs(graph: Graph, tables: CollegeTables) -> bool:
    """Whether a graph is anything but exactly these tables.

    Compared are nodes with labels and properties, relationships with their ends and properties, how often
    each is there, the names of labels, types and properties that the engine knows, and the indexes.

    Args:
        graph: which graph.
        tables: what it should hold.
    """
    # The cheap looks first: a large stranger is not read as a whole.
    if graph.size() != Counts(tables.node_count(), tables.relationship_count()):
        return True
    spec = tables.spec
    if any(known - own for known, own in zip(_names_known(graph), _names_of(spec), strict=True)):
        return True
    if _all_indexes(graph) != {(node.label, node.key, "RANGE") for node in spec.nodes}:
        return True
    found_nodes: dict[int, Hashable] = {}
    for node_id, labels, properties in graph.read("MATCH (n) RETURN id(n), labels(n), properties(n)"):
        found_nodes[node_id] = (tuple(sorted(labels)), _content(properties))
    wanted_nodes: dict[tuple[str, Value], Hashable] = {}
    for node in spec.nodes:
        for row in tables[node.name]:
            wanted_nodes[node.label, row[node.key]] = (
                (node.label,),
                _content({p.name: row.get(p.name) for p in node.properties}),
            )
    if Counter(found_nodes.values()) != Counter(wanted_nodes.values()):
        return True
    found = Counter(
        (found_nodes.get(start), kind, found_nodes.get(end), _content(properties))
        for start, kind, end, properties in graph.read(
            "MATCH (a)-[r]->(b) RETURN id(a), type(r), id(b), properties(r)"
        )
    )
    wanted = Counter(
        (
            wanted_nodes[pattern.start, row[pattern.start_column]],
            pattern.type,
            wanted_nodes[pattern.end, row[pattern.end_column]],
            _content({p.name: row.get(p.name) for p in pattern.others}),
        )
        for pattern in spec.relationships
        for row in tables[pattern.name]
    )
    return found != wanted


# ---------------------------------------------------------------------------------------------------- inside


@contextmanager
def _alone(graph: Graph) -> Iterator[None]:
    """Keeps other processes and threads of this course folder from restoring the same graph meanwhile."""
    from filelock import FileLock

    folder = load_settings().home / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{graph.name}.lock"):
        yield


# A row travels as a list, `row[0]` and so on: as a map it took 45 µs, as a list 28 µs (relationships with two
# properties, 5,000 in a query, embedded engine on two cores).


def _merge_node(table: NodeTable) -> str:
    return f"MERGE (n:`{table.label}` {{`{table.key}`: row[0]}})" + _fill("n", table)


def _merge_relationship(spec: GraphSpec, table: RelationshipTable) -> str:
    start, end = spec.node(table.start), spec.node(table.end)
    # MERGE holds the bare relationship: with its properties in it, a changed grade would become a second one.
    return (
        f"MATCH (a:`{start.label}` {{`{start.key}`: row[0]}}) "
        f"MATCH (b:`{end.label}` {{`{end.key}`: row[1]}}) "
        f"MERGE (a)-[r:`{table.type}`]->(b)" + _fill("r", table) + " RETURN count(*)"
    )


def _fill(variable: str, table: NodeTable | RelationshipTable) -> str:
    # coalesce: what is there stays, what is missing is added.
    first = len(table.key_columns)
    items = [
        f"{variable}.`{p.name}` = coalesce({variable}.`{p.name}`, row[{place}])"
        for place, p in enumerate(table.others, start=first)
    ]
    return f" SET {', '.join(items)}" if items else ""


def _cells(row: Row, table: NodeTable | RelationshipTable) -> list[Value]:
    return [row.get(column) for column in table.columns]


def _check_foundations(graph: Graph, tables: CollegeTables, wanted: frozenset[str]) -> None:
    spec = tables.spec
    needed = {
        label: node
        for r in spec.relationships
        if r.layer in wanted
        for label in (r.start, r.end)
        if (node := spec.node(label)).layer not in wanted
    }
    for label, node in needed.items():
        for batch in rows_in_batches(tables[node.name], BATCH_SIZE):
            found = graph.read(
                f"UNWIND $keys AS key MATCH (n:`{label}` {{`{node.key}`: key}}) RETURN count(DISTINCT key)",
                {"keys": [row[node.key] for row in batch]},
            ).scalar()
            if found != len(batch):
                raise LayerError(
                    f"The graph lacks {label} nodes, which lie in the layer {node.layer!r}.",
                    f"Load {node.layer!r} first, or both together. Nothing was written.",
                )


def _check_written(table: RelationshipTable, found: int, wanted: int) -> None:
    # A MATCH that finds nobody drops its row without a word: count what came out at the end.
    if found < wanted:
        raise DataError(
            [
                Fault(
                    f"{table.name}.csv",
                    None,
                    f"{wanted - found} relationships have no {table.start} or no {table.end} in the graph.",
                    "Check the keys of the tables, or load again if somebody changed the graph meanwhile.",
                )
            ],
            ending="What came before it was written; loading again does no harm.",
        )


def _content(properties: Mapping[str, object]) -> Hashable:
    # 2, 2.0 and True are equal in Python and three different things in a graph, hence the type. A property
    # that is null is no property.
    return tuple(sorted((k, type(v).__name__, repr(v)) for k, v in properties.items() if v is not None))


def _names_known(graph: Graph) -> tuple[set[str], set[str], set[str]]:
    labels = graph.read("CALL db.labels() YIELD label RETURN label")
    kinds = graph.read("CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType")
    names = graph.read("CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey")
    return {r[0] for r in labels}, {r[0] for r in kinds}, {r[0] for r in names}


def _names_of(spec: GraphSpec) -> tuple[set[str], set[str], set[str]]:
    return (
        {node.label for node in spec.nodes},
        {pattern.type for pattern in spec.relationships},
        {p.name for table in spec.tables for p in table.properties},
    )


def _all_indexes(graph: Graph) -> set[tuple[str, str, str]]:
    rows = graph.read("CALL db.indexes() YIELD label, types RETURN label, types")
    return {(label, field, kind) for label, types in rows for field, kinds in types.items() for kind in kinds}


def _range_indexes(graph: Graph) -> set[tuple[str, str]]:
    return {(label, field) for label, field, kind in _all_indexes(graph) if kind == "RANGE"}
