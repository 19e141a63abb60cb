"""How long it takes to read the schema of a small college and of a large one, and how long the prompts are.

    python benchmarks/schema_reading.py [students]

Makes a graph of its own and removes it.
"""

from __future__ import annotations

import sys
import time

from course_lib.college.dataset import load_tables
from course_lib.college.estimate import count_tokens
from course_lib.college.generator import generate_college
from course_lib.college.graph import open_graph
from course_lib.college.schema import read_schema
from course_lib.college.values import find_values


def main(students: int) -> None:
    """Loads, reads and prints."""
    for count in (100, students):
        with open_graph(name="benchmark_schema") as graph:
            try:
                size = load_tables(graph, generate_college(count, seed=1))
                began = time.perf_counter()
                schema = read_schema(graph)
                read = time.perf_counter() - began
                question = "Which clubs is Nandini Saxena in?"
                began = time.perf_counter()
                found = find_values(graph, schema, question)
                searched = time.perf_counter() - began
                tokens = count_tokens(schema.to_prompt(found=found))
                print(
                    f"{count:>8,} students, {size.nodes:,} nodes: read in {read:.2f} s, names found in"
                    f" {searched:.2f} s, prompt {tokens:,} tokens"
                )
            finally:
                graph.delete()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
