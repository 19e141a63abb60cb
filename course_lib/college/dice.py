"""Chance that comes out the same on every machine and in every version of Python.

`random.Random.random` promises the same numbers for the same seed for good; `choice`, `shuffle`, `sample` and
`randrange` do not. So everything here is built on that one method.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Dice:
    """Seeded chance.

    Args:
        seed: any whole number.
        what: what the dice are for. The same seed gives unrelated numbers for another purpose, so that one
            table can be walked without the others.
    """

    def __init__(self, seed: int, what: str = "") -> None:
        digest = hashlib.sha256(f"{seed}/{what}".encode()).digest()
        self._next = random.Random(int.from_bytes(digest[:8], "big")).random  # noqa: S311 (data, not secrets)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self._next() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        """True in this share of the calls, 0 to 1."""
        return self._next() < share

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def weighted(self, weights: Sequence[float]) -> int:
        """The place of one of the weights, each as likely as it is heavy."""
        left = self._next() * sum(weights)
        for place, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return place
        return len(weights) - 1

    def some(self, n: int, k: int) -> list[int]:
        """k different whole numbers below n, in the order in which they fell; all n when k is larger."""
        if 2 * k >= n:
            return self.mixed(range(n))[:k]
        found: dict[int, None] = {}
        while len(found) < k:
            found[self.below(n)] = None
        return list(found)

    def mixed(self, items: Sequence[Item]) -> list[Item]:
        """The items in another order."""
        left = list(items)
        for last in range(len(left) - 1, 0, -1):
            other = self.below(last + 1)
            left[last], left[other] = left[other], left[last]
        return left
