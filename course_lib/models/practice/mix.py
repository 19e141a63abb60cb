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

STUMBLING_HABITS: Mapping[str, float] = {
    "neo4j_syntax": 0.11,
    "literal_names": 0.09,
    "wrong_direction": 0.06,
    "invented_label": 0.04,
    "invented_property": 0.04,
    "whole_node": 0.03,
    "no_return": 0.02,
    "write": 0.02,
    "false_sentinel": 0.02,
}
STUMBLING: Mapping[str, float] = {
    "fences": 0.10,
    "preamble": 0.05,
    "think_closed": 0.05,
    "think_unclosed": 0.02,
    "think_decoy": 0.02,
    "cut_off": 0.02,
    "empty": 0.01,
}
"""A translator that stumbles: the mix on which the loop of attempts is measured.

It is chosen so that one attempt under the whole prompt gets about 60 in 100 questions right, which is what
people report of real models; no figure of a model was measured for it. What two attempts come to is not
chosen.
"""


def draw(*parts: object) -> random.Random:
    """A generator that depends on its arguments alone, the same in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return random.Random(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest())  # noqa: S311


@dataclass(frozen=True)
class Mix:
    """Rates by fault, and the seed that the draws start from.

    Attributes:
        rates: chance of each fault at one attempt: the next attempt is another draw.
        seed: where the draws start.
        habits: chance that this model has a habit with a question. A habit stays: it comes back at every
            attempt until a hint names it. Only a reply with a query has a place for one.
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    habits: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = sorted({*self.rates, *self.habits} - set(KINDS))
        if unknown:
            raise SettingError(
                f"The practice model knows no fault called {', '.join(unknown)}.",
                f"Choose from {', '.join(KINDS)}.",
            )
        if any(
            any(not 0 <= rate <= 1 for rate in rates.values()) or sum(rates.values()) > 1 + 1e-9
            for rates in (self.rates, self.habits)
        ):
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
        return _drawn(self.rates, draw(self.seed, provider, form, question, attempt).random())

    def habit(self, provider: str, question: str) -> str | None:
        """The habit that this provider's model has with a question, whatever the attempt; or None."""
        if not self.habits:
            return None
        return _drawn(self.habits, draw(self.seed, provider, "habit", question).random())


def _drawn(rates: Mapping[str, float], ticket: float) -> str | None:
    for kind in sorted(rates):
        ticket -= rates[kind]
        if ticket < 0:
            return kind
    return None


def parse_mix(text: str) -> Mix:
    """Reads a mix from a setting: `everyday`, `stumbling`, or `fences=0.2, rate_minute=0.05, seed=7`.

    Args:
        text: names and rates, commas between them; a name alone means always.

    Raises:
        SettingError: a name or rate cannot be used.
    """
    rates: dict[str, float] = {}
    habits: Mapping[str, float] = {}
    seed = 0
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        try:
            if name == "seed":
                seed = int(value)
            elif name == "everyday" and not equals:
                rates |= EVERYDAY
            elif name == "stumbling" and not equals:
                rates |= STUMBLING
                habits = STUMBLING_HABITS
            else:
                rates[name] = float(value) if equals else 1.0
        except ValueError as error:
            raise SettingError(
                f"{part!r} is not a fault and its rate.",
                "Write it like fences=0.2, with seed=7 if you want one.",
            ) from error
    return Mix(rates, seed, habits)
