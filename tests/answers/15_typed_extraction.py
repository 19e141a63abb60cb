"""Answers for lesson 15."""

import re
from typing import Any

from tests.answers import Answers, Wrong


def _holds_join(message: str, evidence: str) -> bool:
    hay = " ".join(message.lower().split())
    needle = " ".join(evidence.lower().split())
    return needle != "" and re.search(r"(?<!\w)" + re.escape(needle) + r"(?!\w)", hay) is not None


def _holds_places(message: str, evidence: str) -> bool:
    hay = f" {' '.join(message.casefold().split())} "
    needle = " ".join(evidence.casefold().split())
    at = hay.find(needle) if needle else -1
    while at >= 0:
        before, after = hay[at - 1], hay[at + len(needle)]
        if not (before.isalnum() and needle[0].isalnum()) and not (after.isalnum() and needle[-1].isalnum()):
            return True
        at = hay.find(needle, at + 1)
    return False


def _holds_folded(message: str, evidence: str) -> bool:
    words = [re.escape(word) for word in evidence.split()]
    if not words:
        return False
    return bool(re.search(r"(?:^|\W)" + r"\s+".join(words) + r"(?:\W|$)", message, re.IGNORECASE))


def _holds_lower(message: str, evidence: str) -> bool:
    return evidence.lower() in message.lower()


def _holds_parts(message: str, evidence: str) -> bool:
    return " ".join(evidence.lower().split()) in " ".join(message.lower().split())


def _holds_pattern(message: str, evidence: str) -> bool:
    words = evidence.split()
    return bool(words) and bool(
        re.search(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", message, re.IGNORECASE)
    )


def _librarys(message: str, evidence: str) -> bool:
    from course_lib.crumb.evidence import is_in

    return is_in(evidence, message)


def _figures_long(wanted: set[Any], found: set[Any]) -> tuple[float, float]:
    right = sum(1 for triple in found if triple in wanted)
    precision = recall = 1.0
    if found:
        precision = right / len(found)
    if wanted:
        recall = right / len(wanted)
    return precision, recall


def _figures_list(wanted: set[Any], found: set[Any]) -> list[float]:
    both = wanted.intersection(found)
    return [len(both) / len(group) if group else 1 for group in (found, wanted)]


def _figures_misses(wanted: set[Any], found: set[Any]) -> tuple[float, float]:
    return 1 - len(found - wanted) / max(1, len(found)), 1 - len(wanted - found) / max(1, len(wanted))


def _swapped(wanted: set[Any], found: set[Any]) -> tuple[float, float]:
    precision, recall = _figures_long(wanted, found)
    return recall, precision


def _percent(wanted: set[Any], found: set[Any]) -> tuple[float, float]:
    precision, recall = _figures_long(wanted, found)
    return 100 * precision, 100 * recall


def _zero(wanted: set[Any], found: set[Any]) -> tuple[float, float]:
    both = len(wanted & found)
    return both / len(found) if found else 0, both / len(wanted) if wanted else 1


def _jaccard(wanted: set[Any], found: set[Any]) -> tuple[float, float]:
    share = len(wanted & found) / max(1, len(wanted | found))
    return share, share


def _one(wanted: set[Any], found: set[Any]) -> float:
    return _figures_long(wanted, found)[0]


ANSWERS = {
    "15.1": Answers(
        right=[
            "FAMILY_OF always runs from me to the relative, never the other way.",
            "For FAMILY_OF the subject is me (the speaker) and the object is the relative.",
            "In a FAMILY_OF triple start with me: (me, FAMILY_OF -> the relative's first name).",
            "FAMILY_OF: me -> relative.",
        ],
        wrong=[
            Wrong("FAMILY_OF goes from the relative to me.", says="Say both ends"),
            Wrong("Get the direction right.", says="Name it"),
            Wrong("FAMILY_OF ends at the relative's first name.", says="has to say where it starts"),
            Wrong(["me", "relative"], says="as a text"),
            Wrong("FAMILY_OF goes from me to the relative. " * 12, says="One sentence", status="nearly"),
        ],
    ),
    "15.2": Answers(
        right=[_holds_join, _holds_places, _holds_folded],
        wrong=[
            Wrong(_holds_lower, says="second blank"),
            Wrong(_holds_parts, says="Whole words", status="nearly"),
            Wrong(_holds_pattern, says="re.escape", status="nearly"),
            Wrong(lambda message, evidence: True, says="Nothing like it"),
            Wrong(lambda message, evidence: set(evidence.split()) <= set(message.split()), says="just so"),
        ],
    ),
    "15.3": Answers(
        right=[_figures_long, _figures_list, _figures_misses],
        wrong=[
            Wrong(_swapped, says="precision first", status="nearly"),
            Wrong(_percent, says="from 0 to 1", status="nearly"),
            Wrong(_zero, says="nothing of it is wrong", status="nearly"),
            Wrong(_jaccard, says="What divides by what"),
            Wrong(_one, says="two numbers"),
            Wrong(
                lambda wanted, found: (len(wanted & found) / len(found), len(wanted & found) / len(wanted)),
                says="division",
            ),
        ],
    ),
    "15.4": Answers(
        right=[
            {
                "message": "Aman milk, Bela egg: that is what the doctor wrote down for the two.",
                "who": "Bela",
                "what": "egg",
            },
            {
                "message": "My daughter Ishani is allergic to peanuts. Same goes for her brother Ivaan with sesame.",
                "who": "Ivaan",
                "what": "sesame",
            },
            {
                "message": "One bite of sesame and my uncle Pesi goes to the doctor with a swollen face.",
                "who": "uncle",
                "what": "sesame",
            },
        ],
        wrong=[
            Wrong(
                {"message": "My uncle Pesi is badly allergic to sesame.", "who": "Pesi", "what": "sesame"},
                says="It was found",
            ),
            Wrong(
                {"message": "Could it be that Pesi reacts to sesame?", "who": "Pesi", "what": "sesame"},
                says="on purpose",
                status="nearly",
            ),
            Wrong(
                {"message": "Pesi and the seeds do not get along at all.", "who": "Pesi", "what": "sesame"},
                says="does not stand in your message",
            ),
            Wrong("sesame", says="three texts"),
            Wrong({"message": "sesame, Pesi, no!", "who": "Pesi", "what": "sesame"}, says="Too short"),
        ],
    ),
}
