"""Precision and recall of an extraction against triples that a person labelled, and what its misses are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from course_lib.crumb.dataset import Labelled
from course_lib.crumb.triples import RELATIONS, Extraction, Triple
from course_lib.rows import Rows

Kind = Literal[
    "right", "turned round", "other person", "other thing", "other relation", "not as a statement", "missed"
]
KINDS: tuple[Kind, ...] = (
    "right",
    "turned round",
    "other person",
    "other thing",
    "other relation",
    "not as a statement",
    "missed",
)
"""What can become of a labelled triple."""


@dataclass(frozen=True)
class Score:
    """How well one relation, or all of them, came out."""

    relation: str
    right: int
    """Triples that the labels and the extraction share."""
    extra: int
    """Triples that were extracted and are not in the labels."""
    missed: int
    """Triples of the labels that were not extracted."""

    @property
    def precision(self) -> float:
        """Which share of what was extracted is right; 1.0 when nothing was extracted."""
        found = self.right + self.extra
        return self.right / found if found else 1.0

    @property
    def recall(self) -> float:
        """Which share of what the labels hold was extracted; 1.0 when they hold nothing."""
        wanted = self.right + self.missed
        return self.right / wanted if wanted else 1.0


@dataclass(frozen=True)
class Outcome:
    """What became of one labelled triple, or an extracted one that no label has."""

    message: str
    kind: Kind | Literal["made up"]
    wanted: Triple | None
    found: Triple | None


@dataclass(frozen=True)
class LabelReport:
    """An extraction of labelled messages, judged."""

    outcomes: tuple[Outcome, ...]

    def score(self, relation: str | None = None) -> Score:
        """Precision and recall of one relation; of all together when None."""
        right = extra = missed = 0
        for outcome in self.outcomes:
            if outcome.wanted is not None and relation in (None, outcome.wanted.relation):
                right += outcome.kind == "right"
                missed += outcome.kind != "right"
            if outcome.kind != "right" and outcome.found is not None and outcome.found.stance == "stated":
                extra += relation in (None, outcome.found.relation)
        return Score(relation or "all", right, extra, missed)

    def table(self) -> Rows:
        """Precision and recall by relation, and of all together."""
        relations: list[str | None] = [*self._relations(), None]
        scores = [self.score(relation) for relation in relations]
        return Rows(
            ["relation", "right", "extra", "missed", "precision", "recall"],
            [
                [s.relation, s.right, s.extra, s.missed, round(s.precision, 2), round(s.recall, 2)]
                for s in scores
            ],
        )

    def confusion(self) -> Rows:
        """What became of the labelled triples, relation by relation, and how many more were made up."""
        rows: list[list[object]] = []
        for relation in self._relations():
            of = [o.kind for o in self.outcomes if o.wanted is not None and o.wanted.relation == relation]
            made_up = [o for o in self.outcomes if o.wanted is None and o.found is not None]
            more = sum(o.found is not None and o.found.relation == relation for o in made_up)
            rows.append([relation, *(of.count(kind) for kind in KINDS), more])
        return Rows(["labelled as", *KINDS, "made up"], rows)

    def misses(self) -> dict[str, int]:
        """How often each kind of miss occurs, the commonest first."""
        kinds = [o.kind for o in self.outcomes if o.kind not in ("right", "made up")]
        counts: dict[str, int] = {kind: kinds.count(kind) for kind in KINDS if kind in kinds}
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    def _relations(self) -> list[str]:
        used = {o.wanted.relation for o in self.outcomes if o.wanted is not None}
        return [*(r for r in RELATIONS if r in used), *sorted(used - set(RELATIONS))]


def judge(labelled: Iterable[Labelled], found: Mapping[str, Extraction]) -> LabelReport:
    """Holds an extraction against the labels. What the labels do not call stated must not be stated.

    Args:
        labelled: the messages with their triples.
        found: message id -> what was extracted from it; a message that is missing counts as nothing found.
    """
    outcomes: list[Outcome] = []
    for message in labelled:
        extraction = found.get(message.id, Extraction())
        wanted = [triple for triple in message.triples if triple.stance == "stated"]
        outcomes += _outcomes(message.id, wanted, extraction.triples)
    return LabelReport(tuple(outcomes))


def _outcomes(message: str, wanted: Sequence[Triple], found: Sequence[Triple]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    left = list(dict.fromkeys(found))
    waiting: list[Triple] = []
    for triple in wanted:
        same = next((t for t in left if t.stance == "stated" and _key(t) == _key(triple)), None)
        if same is None:
            waiting.append(triple)
            continue
        left.remove(same)
        outcomes.append(Outcome(message, "right", triple, same))
    for triple in waiting:
        kind, near = _nearest(triple, left)
        if near is not None:
            left.remove(near)
        outcomes.append(Outcome(message, kind, triple, near))
    outcomes += [Outcome(message, "made up", None, t) for t in left if t.stance == "stated"]
    return outcomes


def _nearest(wanted: Triple, left: Sequence[Triple]) -> tuple[Kind, Triple | None]:
    subject, relation, thing = _key(wanted)
    for found in left:
        if _key(found) == (subject, relation, thing):
            return "not as a statement", found
    stated = [triple for triple in left if triple.stance == "stated"]
    for kind, fits in (
        ("turned round", (thing, relation, subject)),
        ("other person", (None, relation, thing)),
        ("other thing", (subject, relation, None)),
        ("other relation", (subject, None, thing)),
    ):
        for found in stated:
            if all(part is None or part == own for part, own in zip(fits, _key(found), strict=True)):
                return _kind(kind), found
    return "missed", None


def _kind(name: str) -> Kind:
    return next(kind for kind in KINDS if kind == name)


def _key(triple: Triple) -> tuple[str, str, str]:
    return triple.subject.casefold().strip(), triple.relation, triple.object.casefold().strip()
