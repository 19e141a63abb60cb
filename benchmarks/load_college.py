"""How fast the college loads: batches against a query per row, and generated colleges of any size.

python benchmarks/load_college.py                        both ways, three runs, the ratio of each
python benchmarks/load_college.py --students 100000      one large college: rows a second, memory
python benchmarks/load_college.py --batch-sizes          the same college in batches of different sizes

The engine is the one that the settings name. Scratch graphs are deleted at the end.

Measured on the embedded engine, two cores that other work kept busy, Python 3.11: 67,288 nodes and 351,524
relationships in 47 s (9,000 rows a second), this process at 35 MB throughout; batches 12 to 20 times faster
than a query per row on a college of 300 students, 3 to 4 times on the shipped 75 nodes, where the first query
with each new label outweighs the rows.
"""

from __future__ import annotations

import argparse
import platform
import resource
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from course_lib.college.dataset import BATCH_SIZE, load_tables, measure_loading
from course_lib.college.generator import generate_college
from course_lib.college.graph import Graph, open_graph
from course_lib.college.tables import read_tables

SEED = 3


@contextmanager
def scratch() -> Iterator[Graph]:
    """An empty graph that is gone afterwards."""
    graph = open_graph(name=f"benchmark_{secrets.token_hex(6)}")
    try:
        yield graph
    finally:
        graph.delete()
        graph.close()


def both_ways(runs: int) -> int:
    """Prints the ratio of each run; 1 when one of them is below 5."""
    print("The shipped college:      ", measure_loading(read_tables(), rounds=runs))
    worst = float("inf")
    for _ in range(runs):
        times = measure_loading(rounds=1)
        worst = min(worst, times.ratio)
        print("A college of 300 students:", times)
    print(f"At least 5 times faster in each run: {'yes' if worst >= 5 else 'NO'}")
    return 0 if worst >= 5 else 1


def large(students: int, batch_size: int) -> int:
    """Loads one generated college and prints rows a second and this process's peak memory."""
    tables = generate_college(students, SEED)
    began = time.perf_counter()
    wanted = (tables.node_count(), tables.relationship_count())
    walking = time.perf_counter() - began
    with scratch() as graph:
        began = time.perf_counter()
        counts = load_tables(graph, tables, batch_size)
        took = time.perf_counter() - began
    rows = counts.nodes + counts.relationships
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{counts.nodes:,} nodes and {counts.relationships:,} relationships in {took:.1f} s: "
        f"{counts.nodes / took:,.0f} nodes/s, {rows / took:,.0f} rows/s in batches of {batch_size:,}; "
        f"generating alone takes {walking:.1f} s; this process's peak memory {peak} MB"
    )
    return 0 if (counts.nodes, counts.relationships) == wanted else 1


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--students", type=int, help="load one college with this many students")
    parser.add_argument("--batch-size", type=int, default=BATCH_SIZE, help="rows in one query")
    parser.add_argument("--batch-sizes", action="store_true", help="compare sizes of batches")
    parser.add_argument("--runs", type=int, default=3, help="runs of the comparison")
    args = parser.parse_args()
    print(f"Python {platform.python_version()} on {sys.platform} {platform.machine()}, seed {SEED}")
    if args.batch_sizes:
        for size in (10, 100, 500, 1_000, 2_000, 5_000, 10_000):
            large(args.students or 5_000, size)
        return 0
    return large(args.students, args.batch_size) if args.students else both_ways(args.runs)


if __name__ == "__main__":
    raise SystemExit(main())
