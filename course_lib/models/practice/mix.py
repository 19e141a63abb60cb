"""An everyday mix of faults: how often each happens, drawn from seed, question and attempt alone."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.errors import SettingError
from course_lib.models.practice.faults import KINDS

EVERYDAY: Mapping[str, float] = {
    "fences": 0.10,
    "preamble": 0.06,
    "think_closed": 0.05,
    "think_unclosed": 0.02,
    "think_decoy": 0.02,
    "neo4j_syntax": 0.10,
    "made_up_fact": 0.04,
    "cut_off": 0.02,
    "invalid_json": 0.03,
    "write": 0.01,
    "empty": 0.01,
    "slow_first_byte": 0.01,
    "rate_minute": 0.02,
    "error_500": 0.01,
    "overloaded": 0.01,
    "dropped": 0.01,
}
"""Chance of each fault at one attempt. Chosen for teaching: more than a good week, less than a bad one."""


def draw(*parts: object) -> random.Random:
    """A generator that depends on its arguments alone, the same in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return random.Random(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest())  # noqa: S311


@dataclass(frozen=True)
class Mix:
    """Rates by fault, and the seed that the draws start from."""

    rates: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = sorted(set(self.rates) - set(KINDS))
        if unknown:
            raise SettingError(
                f"The practice model knows no fault called {', '.join(unknown)}.",
                f"Choose from {', '.join(KINDS)}.",
            )
        if any(not 0 <= rate <= 1 for rate in self.rates.values()) or sum(self.rates.values()) > 1 + 1e-9:
            raise SettingError(
                "The rates of a mix of faults are chances: each from 0 to 1, together at most 1.",
                "Lower them, for example fences=0.1, rate_minute=0.02.",
            )

    def choose(self, provider: str, form: str, question: str, attempt: int) -> str | None:
        """The fault for one call, or None.

        Args:
            provider: who is asked; the same question at another provider is another draw.
            form: what kind of reply it is about (query, json, text, tools): the two calls that one question
                causes, for a query and for its wording, are two draws.
            question: the question.
            attempt: the attempt, from 1.
        """
        if not self.rates:
            return None
        ticket = draw(self.seed, provider, form, question, attempt).random()
        for kind in sorted(self.rates):
            ticket -= self.rates[kind]
            if ticket < 0:
                return kind
        return None


def parse_mix(text: str) -> Mix:
    """Reads a mix from a setting: `everyday`, or `fences=0.2, rate_minute=0.05, seed=7`.

    Args:
        text: names and rates, commas between them; a name alone means always.

    Raises:
        SettingError: a name or rate cannot be used.
    """
    rates: dict[str, float] = {}
    seed = 0
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        try:
            if name == "seed":
                seed = int(value)
            elif name == "everyday" and not equals:
                rates |= EVERYDAY
            else:
                rates[name] = float(value) if equals else 1.0
        except ValueError as error:
            raise SettingError(
                f"{part!r} is not a fault and its rate.",
                "Write it like fences=0.2, with seed=7 if you want one.",
            ) from error
    return Mix(rates, seed)
