"""The OpenAI-compatible provider against a real llama.cpp server. Opt-in: it needs a server of yours.

    llama-server -m some-model.gguf --port 8080
    COURSE_LLAMA_URL=http://127.0.0.1:8080/v1 pytest tests/integration/test_router_llama_cpp.py

What the model says is its own affair; what is tested is that its words, counts and limits come through.
"""

from __future__ import annotations

import os

import pytest

from course_lib.models import connect
from course_lib.models.router import ModelRouter
from course_lib.settings import load_settings

URL = os.environ.get("COURSE_LLAMA_URL", "")
MODEL = os.environ.get("COURSE_LLAMA_MODEL", "default")

pytestmark = [
    pytest.mark.skipif(not URL, reason="opt-in: set COURSE_LLAMA_URL to a running llama.cpp server"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def router() -> ModelRouter:
    settings = load_settings({"COURSE_MODEL": "local", "COURSE_LOCAL_URL": URL, "COURSE_LOCAL_MODEL": MODEL})
    return connect(settings, deadline_s=300, tell=None)


def test_text_with_counts(router: ModelRouter) -> None:
    reply = router.generate("Say something.", "Be brief.", max_tokens=24)
    assert reply.text.strip()
    assert reply.provider == "local"
    assert reply.usage.tokens_in > 0
    assert 0 < reply.usage.tokens_out <= 24
    assert not reply.usage.estimated


def test_a_stream_in_pieces_with_counts(router: ModelRouter) -> None:
    stream = router.stream("Count from one to ten.", max_tokens=24)
    pieces = list(stream)
    assert len(pieces) > 1
    assert stream.reply.text == "".join(pieces)
    assert not stream.reply.usage.estimated


def test_a_schema_holds(router: ModelRouter) -> None:
    schema = {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    reply = router.generate("Name a colour.", output_schema=schema, max_tokens=64)
    assert reply.data["colour"] in ("red", "blue")


def test_the_token_limit_is_told(router: ModelRouter) -> None:
    assert router.generate("Tell a long story about a river.", max_tokens=8).cut_off
