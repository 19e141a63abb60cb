"""The questions of the bake-off, each with its answer and a hand-written query."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from course_lib.college.search.errors import QuestionFileError
from course_lib.college.search.facts import facts_in
from course_lib.college.tables import default_folder

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

FILE = "text_or_graph.toml"


@dataclass(frozen=True)
class Question:
    """One question of the bake-off."""

    id: str
    hops: int
    """Relationships that one has to walk from what the question names to the answer; 0: it is in one node."""
    kind: str
    """`note` (an explanation is asked for), `property` (of one node) or `connection`."""
    text: str
    answer: tuple[str, ...]
    """The names that a right answer gives; for a note, its id."""
    cypher: str
    """Written by hand. Its first column is the answer, the others are the nodes or paths that it rests on."""
    paraphrase_of: str | None = None

    def proof(self, graph: Graph) -> frozenset[str]:
        """The ids of the facts that one must have seen to give the answer.

        For a note it is the note. For all else, what the query's rows rest on.

        Raises:
            QueryError: the query does not run.
        """
        return frozenset(self.answer) if self.kind == "note" else self.shown_by(graph)

    def shown_by(self, graph: Graph) -> frozenset[str]:
        """The ids of the facts in the rows of the hand-written query."""
        return frozenset().union(*(facts_in(cell) for row in graph.read(self.cypher) for cell in row))


def read_questions(path: Path | None = None) -> list[Question]:
    """Reads the questions.

    Args:
        path: the file; the college's own when None.

    Raises:
        QuestionFileError: it is missing, damaged, or a paraphrase belongs to no question.
    """
    path = path or default_folder() / FILE
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
        questions: dict[str, Question] = {}
        for entry in found:
            # A paraphrase asks for the same thing: what it does not say for itself it has from its original.
            original = questions[entry["paraphrase_of"]] if "paraphrase_of" in entry else None
            if entry["id"] in questions:
                raise ValueError(f"{entry['id']} stands there twice")
            questions[entry["id"]] = Question(
                id=entry["id"],
                hops=original.hops if original else entry["hops"],
                kind=original.kind if original else entry["kind"],
                text=entry["text"],
                answer=original.answer if original else tuple(entry["answer"]),
                cypher=entry.get("cypher") or (original.cypher if original else ""),
                paraphrase_of=entry.get("paraphrase_of"),
            )
    except (OSError, tomllib.TOMLDecodeError, KeyError, ValueError, TypeError) as error:
        raise QuestionFileError(
            f"{path.name} cannot be read: {error}.", "Fetch the file from the course again."
        ) from error
    return list(questions.values())
