"""`course embed`: computes the vectors that the course brings, with the embedding model of the extra."""

from __future__ import annotations

import argparse
from datetime import date

HELP = "compute the shipped vectors anew (needs the extra in locks/embeddings.lock)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument("--check", action="store_true", help="write nothing: say which texts have no vector")


def run(args: argparse.Namespace) -> int:
    """Writes or checks data/college/embeddings.json; gives the exit code."""
    from course_lib.college.search.embedder import MODEL, embed
    from course_lib.college.search.vectors import FILE, read_vectors, write_vectors
    from course_lib.college.tables import default_folder

    texts = shipped_texts()
    path = default_folder() / FILE
    if args.check:
        stored = read_vectors(path)
        missing = [text for text in texts if stored.get(text) is None]
        for text in missing:
            print(f"no vector: {text}")
        surplus = len(stored.vectors) - (len(texts) - len(missing))
        print(f"{stored!r}; {len(missing)} texts without one, {surplus} vectors of other texts.")
        return 1 if missing or surplus else 0
    write_vectors(path, MODEL, date.today().isoformat(), dict(zip(texts, embed(texts), strict=True)))
    print(f"{path.name}: {len(texts)} vectors, {path.stat().st_size // 1000} kB")
    return 0


def shipped_texts() -> list[str]:
    """Every text that needs a vector: the facts of the college, and the questions of the bake-off."""
    import secrets

    from course_lib.college.dataset import load_college
    from course_lib.college.graph import open_graph
    from course_lib.college.search.facts import written_facts
    from course_lib.college.search.questions import read_questions

    with open_graph(name=f"scratch_{secrets.token_hex(4)}") as graph:
        try:
            load_college(graph)
            facts = written_facts(graph)
        finally:
            graph.delete()
    return list(dict.fromkeys([*(fact.text for fact in facts), *(q.text for q in read_questions())]))
