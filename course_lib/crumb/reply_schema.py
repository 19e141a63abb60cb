"""The shape that a model's reply must have: a pydantic model, and the JSON schema that goes over the wire."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from course_lib.crumb.triples import RELATIONS, STANCES

if TYPE_CHECKING:
    from pydantic import BaseModel


def _choice(values: tuple[str, ...]) -> Any:
    return Literal[values]


@lru_cache(maxsize=16)
def triple_model(relations: tuple[str, ...] = RELATIONS) -> type[BaseModel]:
    """The pydantic model of one triple.

    Args:
        relations: the relations that it may use; a further one goes in here.
    """
    from pydantic import ConfigDict, Field, create_model

    return create_model(
        "ReplyTriple",
        __config__=ConfigDict(extra="forbid", str_strip_whitespace=True),
        subject=(str, Field(min_length=1, max_length=200, description="who: me, or a name")),
        relation=(_choice(relations), ...),
        object=(str, Field(min_length=1, max_length=200, description="whom or what")),
        # No defaults: the strict mode of some providers wants every property to be required.
        role=(str | None, Field(max_length=60, description="for FAMILY_OF: son, sister, …")),
        evidence=(str, Field(max_length=2000, description="words of the message")),
        stance=(_choice(STANCES), ...),
    )


@lru_cache(maxsize=16)
def reply_model(relations: tuple[str, ...] = RELATIONS) -> type[BaseModel]:
    """The pydantic model of a whole reply: a list of triples, and nothing else.

    Args:
        relations: the relations that a triple may use.
    """
    from pydantic import ConfigDict, create_model

    one = triple_model(relations)
    return create_model("ReplyTriples", __config__=ConfigDict(extra="forbid"), triples=(list[one], ...))  # type: ignore[valid-type]


def reply_schema(relations: tuple[str, ...] = RELATIONS) -> dict[str, Any]:
    """The JSON schema of a reply, as the SDKs send it.

    Lengths are left out: not every provider's structured output takes them. What comes back is checked.

    Args:
        relations: the relations that a triple may use.
    """
    schema: dict[str, Any] = _without_lengths(reply_model(relations).model_json_schema())
    return schema


def _without_lengths(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            k: _without_lengths(v) for k, v in part.items() if k not in ("minLength", "maxLength", "title")
        }
    return [_without_lengths(item) for item in part] if isinstance(part, list) else part
