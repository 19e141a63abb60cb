"""Vectors that were computed beforehand, so that the lesson's questions can be asked without the model.

A vector stands under the hash of its text: change a text, and it has none. Numbers are kept in eight bits,
which turns a vector by less than a degree; only directions are compared, so no scale is kept.
"""

from __future__ import annotations

import base64
import hashlib
import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course_lib.college.search.errors import VectorFileError
from course_lib.college.tables import default_folder

FILE = "embeddings.json"


@dataclass(frozen=True)
class StoredVectors:
    """Vectors by text, and what made them."""

    model: str
    made: str
    """The day on which they were computed."""
    dimension: int
    vectors: Mapping[str, tuple[float, ...]]

    def get(self, text: str) -> tuple[float, ...] | None:
        """The vector of a text, or None when it was not computed beforehand."""
        return self.vectors.get(text_hash(text))

    def __repr__(self) -> str:
        return f"{len(self.vectors)} vectors of {self.dimension} numbers, by {self.model}, made {self.made}"


def text_hash(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read_vectors(path: Path | None = None) -> StoredVectors:
    """Reads the vectors that the course brings.

    Args:
        path: the file; the college's own when None.

    Raises:
        VectorFileError: it is missing or damaged.
    """
    path = path or default_folder() / FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        dimension = int(found["dimension"])
        vectors = {}
        for name, text in found["vectors"].items():
            numbers = array("b", base64.b64decode(text, validate=True))
            if len(numbers) != dimension or not any(numbers):
                raise ValueError(f"the vector {name} has {len(numbers)} numbers, or all are zero")
            vectors[name] = tuple(float(number) for number in numbers)
        return StoredVectors(str(found["model"]), str(found["made"]), dimension, vectors)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise VectorFileError(
            f"{path.name} cannot be read: {error}.",
            "Fetch the file from the course again, or run `course embed`.",
        ) from error


def write_vectors(path: Path, model: str, made: str, vectors: Mapping[str, Sequence[float]]) -> None:
    """Writes vectors by text into a file, in one piece or not at all.

    Args:
        path: the file.
        model: what made the vectors.
        made: the day, as in 2026-11-30.
        vectors: text -> its vector.
    """
    lines = {text_hash(text): _eight_bits(vector) for text, vector in vectors.items()}
    dimension = len(next(iter(vectors.values())))
    body = {"model": model, "made": made, "dimension": dimension, "vectors": dict(sorted(lines.items()))}
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(body, indent=0) + "\n", encoding="utf-8")
    fresh.replace(path)


def _eight_bits(vector: Sequence[float]) -> str:
    largest = max(abs(number) for number in vector)
    return base64.b64encode(
        array("b", [round(127 * number / largest) for number in vector]).tobytes()
    ).decode()
