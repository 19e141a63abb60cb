"""Which product a mention means: by closeness to the catalogue, at a threshold that was measured.

`closeness` is difflib's ratio on lower case. `match_product` reads it product by product, as one would write
it down. `match_products` decides the same for a large catalogue: rapidfuzz looks at every product first,
difflib only at the few that can still matter. An Indel ratio is never below difflib's, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from course_lib.crumb.allergens import AllergenList, load_allergens
from course_lib.crumb.outcome import Resolution
from course_lib.crumb.words import fold, tidy

THRESHOLD = 0.6
"""Below this a mention is no product. Chosen from labelled pairs: the nearest wrong one lies at 0.5926."""
GREY_UNTIL = 0.7
"""From the threshold up to here a person looks, unless the mention's words are the product's own."""
RIVAL_MARGIN = 0.05
"""Two products as close as this to each other: a person looks."""
WORD_THRESHOLD = 0.75
"""How close a word of the mention has to be to one of the product's. 'walnut' and 'almond' are at 0.5,
'walnut' and 'nut' at 0.67."""
LONGEST_MENTION = 120
_FILLERS = frozenset(
    ("a", "an", "the", "my", "our", "your", "some", "those", "these", "this", "that", "of", "please")
)


@dataclass(frozen=True)
class Catalogue(Sequence[str]):
    """Product names, with what is needed to look many mentions up."""

    names: tuple[str, ...]
    lowered: tuple[str, ...] = field(init=False, repr=False)
    by_word: dict[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)

    def __init__(self, names: Iterable[str]) -> None:
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "lowered", tuple(_plain(name) for name in self.names))
        places: dict[str, list[int]] = {}
        for place, name in enumerate(self.lowered):
            for word in dict.fromkeys(map(_singular, name.split())):
                places.setdefault(word, []).append(place)
        object.__setattr__(self, "by_word", {word: tuple(found) for word, found in places.items()})

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.names[index]


def closeness(one: str, other: str) -> float:
    """How alike two texts are in lower case, from 0 to 1: difflib's ratio."""
    return SequenceMatcher(None, one.lower(), other.lower(), autojunk=False).ratio()


def plain_mention(mention: str) -> str:
    """The mention without 'the', 'your' and the like before it."""
    words = tidy(mention).split()
    while len(words) > 1 and fold(words[0]) in _FILLERS:
        words.pop(0)
    return " ".join(words)


def match_product(
    mention: str,
    catalogue: Sequence[str],
    *,
    threshold: float = THRESHOLD,
    allergens: AllergenList | None = None,
) -> Resolution:
    """Decides which product a mention means, by looking at each one.

    Args:
        mention: the words of the message.
        catalogue: the products' names.
        threshold: below it nothing matches.
        allergens: the list whose words never name a product by themselves; the course's own when None.

    Returns:
        The product; or a reason for review with candidates; or neither, when it is no product of ours. The
        score is the best candidate's; `match_products` leaves it out below the threshold.
    """
    said = _lowered(mention)
    scores = {place: _ratio(said, _plain(name)) for place, name in enumerate(catalogue)} if said else {}
    return _decide(said, catalogue, scores, threshold, allergens or load_allergens())


def match_products(
    mentions: Iterable[str],
    catalogue: Sequence[str],
    *,
    threshold: float = THRESHOLD,
    allergens: AllergenList | None = None,
) -> list[Resolution]:
    """`match_product` for many mentions: the same decisions, and rapidfuzz does most of the work."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import extract_iter

    known = catalogue if isinstance(catalogue, Catalogue) else Catalogue(catalogue)
    listed = allergens or load_allergens()
    decided: dict[str, Resolution] = {}
    found = []
    for mention in mentions:
        said = _lowered(mention)
        if said not in decided:
            # A little below the threshold: the two libraries round their last digit differently.
            sieved = extract_iter(
                said,
                known.lowered,
                scorer=Indel.normalized_similarity,
                score_cutoff=max(0.0, threshold - 1e-6),
            )
            order = sorted(((bound, place) for _, bound, place in sieved), reverse=True) if said else []
            scores: dict[int, float] = {}
            best = 0.0
            for bound, place in order:
                if bound < best - RIVAL_MARGIN - 1e-6:
                    break  # no ratio can lie above its bound, so no rival is left
                scores[place] = _ratio(said, known.lowered[place])
                best = max(best, scores[place])
            for place in _whole_words(said, known):
                scores.setdefault(place, _ratio(said, known.lowered[place]))
            decided[said] = _decide(said, known, scores, threshold, listed)
        found.append(decided[said])
    return found


def _lowered(mention: str) -> str:
    said = _plain(plain_mention(mention))
    return said if len(said) <= LONGEST_MENTION else ""


def _plain(text: str) -> str:
    return fold(text).replace("-", " ")


def _ratio(said: str, name: str) -> float:
    return SequenceMatcher(None, said, name, autojunk=False).ratio()


def _whole_words(said: str, catalogue: Catalogue) -> Collection[int]:
    """The products whose names hold all of the mention's words."""
    places: set[int] | None = None
    for word in said.split():
        here = set(catalogue.by_word.get(_singular(word), ()))
        places = here if places is None else places & here
    return places or ()


def _decide(
    said: str, catalogue: Sequence[str], scores: dict[int, float], threshold: float, listed: AllergenList
) -> Resolution:
    ranked = sorted(scores, key=lambda place: (-scores[place], catalogue[place]))
    best = scores[ranked[0]] if ranked else None
    if best is None or best < threshold:
        return Resolution(None, "unknown product", None, best)
    words = said.split()
    if all(_names_allergen(word, listed) for word in words):
        close = tuple(catalogue[p] for p in ranked if scores[p] >= max(threshold, best - RIVAL_MARGIN))
        return Resolution(None, "allergen word", f"'{said}' is an allergen, not a product", best, close)
    # The mention inside a product's name, word for word: 'chikki' in Peanut Chikki.
    inside = [p for p in ranked if scores[p] >= threshold and _inside(said, _plain(catalogue[p]))]
    if len(inside) == 1 or (inside and _plain(catalogue[inside[0]]) == said):
        place = inside[0]
        return Resolution(catalogue[place], "whole words", None, scores[place], (catalogue[place],))
    if inside:
        names = tuple(catalogue[place] for place in inside)
        return Resolution(
            None, "several products", f"'{said}' can be any of {len(names)} products", best, names
        )
    near = tuple(catalogue[p] for p in ranked if scores[p] >= max(threshold, best - RIVAL_MARGIN))
    name = near[0]
    if strange := [w for w in words if w not in _FILLERS and not _near_word(w, _plain(name).split())]:
        return Resolution(None, "strange word", f"'{strange[0]}' is no word of {name}", best, near)
    if len(near) > 1:
        return Resolution(
            None, "several products", f"'{said}' is as close to {near[1]} as to {name}", best, near
        )
    if best < min(GREY_UNTIL, 1.0) and not set(words) <= set(_plain(name).split()):
        return Resolution(None, "grey zone", f"'{said}' is only somewhat like {name}", best, near)
    return Resolution(name, "closeness", None, best, near)


def _inside(said: str, name: str) -> bool:
    """Whether the mention stands in the name word for word, one or many: 'ladoos' in Millet Ladoo Box."""
    one, whole = (" ".join(map(_singular, text.split())) for text in (said, name))
    return f" {one} " in f" {whole} "


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _names_allergen(word: str, listed: AllergenList) -> bool:
    return word in listed.approved or word in listed.proposed or word in listed.ambiguous


def _near_word(word: str, others: Sequence[str]) -> bool:
    return any(_ratio(word, other) >= WORD_THRESHOLD for other in others)
