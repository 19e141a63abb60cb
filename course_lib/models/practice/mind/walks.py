"""Ways through the schema: from what is asked for to what is named, along the relationships that the words
suggest.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from itertools import product

from course_lib.models.practice.mind.linking import LabelWord, Links, Mention, RelCue
from course_lib.models.practice.mind.question import POSSESSIVE_PRONOUNS, is_owner, is_temporal
from course_lib.models.practice.mind.world import World

MAX_HOPS = 4
MAX_FRONTIER = 3_000
"""How many unfinished ways are followed at most: a schema of hundreds of patterns must not stall it."""


@dataclass(frozen=True)
class Walk:
    """Steps from one label to another: (place of the pattern in `world.rels`, whether along its
    direction).
    """

    steps: tuple[tuple[int, bool], ...]
    mask: int = 0
    """The patterns on the way, one bit each."""
    passed: frozenset[str] = frozenset()
    """The labels on the way, start and end included."""

    def labels(self, world: World, start: str) -> tuple[str, ...]:
        """The labels along the way, start and end included."""
        found = [start]
        for place, forward in self.steps:
            rel = world.rels[place]
            found.append(rel.end if forward else rel.start)
        return tuple(found)


def walks_between(world: World, start: str, end: str) -> tuple[Walk, ...]:
    """All ways from one label to another in at most four hops, shortest first; never back along the same
    arrow.
    """
    cached = world.walk_cache.get((start, end))
    if cached is not None:
        return tuple(cached)
    found: list[Walk] = []
    frontier: list[tuple[str, tuple[tuple[int, bool], ...]]] = [(start, ())]
    for _ in range(MAX_HOPS + 1):
        following: list[tuple[str, tuple[tuple[int, bool], ...]]] = []
        for label, steps in frontier:
            if label == end:
                found.append(Walk(steps))
            if len(steps) == MAX_HOPS:
                continue
            for place, rel in enumerate(world.rels):
                for forward in (True, False):
                    near, far = (rel.start, rel.end) if forward else (rel.end, rel.start)
                    if near != label or (rel.is_loop and world.is_symmetric(place) and not forward):
                        continue
                    if steps and steps[-1][0] == place and steps[-1][1] != forward:
                        continue
                    if sum(1 for p, _ in steps if p == place) >= 2:
                        continue
                    following.append((far, (*steps, (place, forward))))
        frontier = following[:MAX_FRONTIER]
    if start == end:
        # There and back: those who share something with the one who is named.
        for place, rel in enumerate(world.rels):
            if not rel.is_loop and start in (rel.start, rel.end):
                forward = rel.start == start
                found.append(Walk(((place, forward), (place, not forward))))
    result = tuple(_measured(walk, world, start) for walk in sorted(found, key=lambda walk: len(walk.steps)))
    world.walk_cache[(start, end)] = result
    return result


def _measured(walk: Walk, world: World, start: str) -> Walk:
    mask = 0
    for place, _ in walk.steps:
        mask |= 1 << place
    return Walk(walk.steps, mask, frozenset(walk.labels(world, start)))


@dataclass(frozen=True)
class Anchor:
    """Something that the pattern has to reach: a named thing, a thing with a property, or just one of a
    label.
    """

    label: str
    mention: Mention | None = None
    penalty: float = 0.0
    """How unlikely it is that the mention is of this label."""
    apart: bool = False
    """It has to be another thing than what is asked for, though of the same label."""
    here: bool = False
    """It is what is asked about itself."""


@dataclass(frozen=True)
class Route:
    """The walks chosen for all anchors, and what the choice costs: less is likelier."""

    walks: tuple[tuple[Anchor, Walk], ...]
    cost: float


def step_cost(place: int, cues: dict[int, float]) -> float:
    """What one step costs: little where a word of the question suggests it."""
    strength = cues.get(place, 0.0)
    return 1.0 - 0.75 * strength if strength else 1.05


def find_route(
    world: World,
    target: str,
    anchors: list[list[Anchor]],
    cues: list[RelCue],
    waypoints: list[LabelWord],
    direction: LoopSense,
    needed: frozenset[str] = frozenset(),
    itself: float = 0.0,
) -> Route | None:
    """The likeliest walks from the target to each anchor.

    Args:
        world: the schema.
        target: the label asked for.
        anchors: for each thing to reach, its possible labels.
        cues: words that suggest relationships.
        waypoints: words that name labels other than the target.
        direction: which way a relationship between two of the same label runs.
        needed: relationship types that must be on the way.
        itself: how unlikely it is that what is asked for is itself named: 'which of her friends' asks for
        others.
    """
    strengths: dict[int, float] = {}
    for cue in cues:
        for place, strength in cue.rels:
            strengths[place] = max(strength, strengths.get(place, 0.0))
    options: list[list[tuple[float, int, Anchor, Walk]]] = []
    tables: dict[int, list[tuple[float, float]]] = {}
    for choices in anchors:
        scored: list[tuple[float, int, Anchor, Walk]] = []
        for anchor in choices:
            mention = anchor.mention
            table = tables.get(id(mention))
            if table is None:
                table = tables[id(mention)] = _step_costs(world, strengths, direction, mention)
            for walk in walks_between(world, target, anchor.label):
                if (anchor.apart and not walk.steps) or (anchor.here and walk.steps):
                    continue
                cost = anchor.penalty + _walk_cost(walk, table)
                if not walk.steps and mention is not None:
                    cost += itself
                scored.append((cost, len(scored), anchor, walk))
        if not scored:
            return None
        options.append(nsmallest(24 if len(anchors) == 1 else (12 if len(anchors) == 2 else 7), scored))
    unused = [
        (sum(1 << place for place, _ in cue.rels), 0.9 * max((s for _, s in cue.rels), default=0.0))
        for cue in cues
        if not cue.optional
    ]
    wanted = [sum(1 << i for i, rel in enumerate(world.rels) if rel.type == kind) for kind in needed]
    # A noun said twice is two steps: 'friends of friends'.
    repeated = [(place, count) for place, count in direction.repeats().items() if count > 1]
    best: Route | None = None
    for combination in product(*options) if options else [()]:
        cost = sum(item[0] for item in combination)
        if best is not None and cost >= best.cost:
            continue
        mask = 0
        for item in combination:
            mask |= item[3].mask
        cost += sum(penalty for bits, penalty in unused if not bits & mask)
        cost += sum(3.0 for bits in wanted if not bits & mask)
        for place, count in repeated:
            taken = (
                max(sum(1 for p, _ in item[3].steps if p == place) for item in combination)
                if combination
                else 0
            )
            cost += 0.9 * max(0, count - taken)
        for word in waypoints:
            passed = any(word.label in item[3].passed for item in combination)
            if not passed and (combination or word.label != target):
                cost += 0.7 * word.strength
        if best is None or cost < best.cost:
            best = Route(tuple((item[2], item[3]) for item in combination), cost)
    return best


def _step_costs(
    world: World, strengths: dict[int, float], direction: LoopSense, mention: Mention | None
) -> list[tuple[float, float]]:
    """For each pattern, what a step along it costs and what one against it."""
    table: list[tuple[float, float]] = []
    for place, rel in enumerate(world.rels):
        along = against = step_cost(place, strengths)
        if rel.is_loop and not world.is_symmetric(place):
            wanted = direction.forward(place, mention)
            along += 0.6 if wanted is False else 0.0
            against += 0.6 if wanted is True else 0.05 if wanted is None else 0.0
            if place not in strengths:
                along, against = along + 0.3, against + 0.3
        table.append((along, against))
    return table


def _walk_cost(walk: Walk, table: list[tuple[float, float]]) -> float:
    steps = walk.steps
    cost = 0.0
    for place, forward in steps:
        cost += table[place][0] if forward else table[place][1]
    if len(steps) == 2 and steps[0][0] == steps[1][0]:
        cost += 0.35  # there and back
    return cost


class LoopSense:
    """Which way a relationship between two things of one label runs, told by the order of the words.

    'prerequisites of BCNF' end in BCNF, 'what is 2NF a prerequisite for' starts at 2NF, 'what does it
    include' starts at it, 'what comes before X' ends at X.
    """

    def __init__(self, links: Links, world: World, cues: list[RelCue], asked: int = -1) -> None:
        self._links = links
        self._world = world
        self._cues = cues
        self._asked = asked
        """Where the word stands that names what is asked for; -1 when none does."""

    def forward(self, place: int, mention: Mention | None) -> bool | None:
        """Whether the step from the target towards the mention goes along the arrow; None when nothing
        tells.
        """
        links, world = self._links, self._world
        cue = self._cue(place)
        before = [h for h in links.ops.get("before", ()) if not is_temporal(links, h)]
        after = [h for h in links.ops.get("after", ()) if not is_temporal(links, h)]
        if cue is None or cue.start in {h.start for h in (*before, *after)}:
            if before and not after:
                return True
            return False if after else None
        word = links.tokens[cue.end - 1]
        if bool(before) != bool(after) and place in world.order_loops():
            return bool(before)
        senses = [world.noun_sense(place, token.stem) for token in links.tokens[cue.start : cue.end]]
        sense = next(filter(None, senses), "")
        at = mention.start if mention is not None else len(links.tokens)
        if mention is not None and mention.how == "memory":
            at = mention.start
        if sense:  # a noun: member, prerequisite (who comes first), or part (what comes second)
            noun_is_start = sense == "start"
            if mention is None and not cue.start <= self._asked < cue.end:
                return not noun_is_start  # 'concepts without prerequisites': the noun is the other end
            if mention is not None and at < cue.start and not self._owns(mention):
                # 'what is 2NF a prerequisite for': the named thing is the noun, the target the other end
                return not noun_is_start
            return noun_is_start
        reverse = world.is_reversed(place, word.stem) != cue.passive
        # 'Omar ko kaun report karta hai': what is marked with 'ko' is what it is done to.
        named_is_start = at < cue.start and not (mention is not None and links.word(mention.end) == "ko")
        if reverse:
            # 'what do I need for Paging': what it is for comes last, whoever needs it.
            purpose = mention is not None and (
                links.word(mention.start - 1) == "for" or links.word(mention.end + 1) == "liye"
            )
            named_is_start = not named_is_start and not purpose
        return not named_is_start

    def repeats(self) -> dict[int, int]:
        """How often the question names a relationship between things of one label by its noun."""
        found: dict[int, int] = {}
        for cue in self._cues:
            for place, _ in cue.rels:
                senses = (
                    self._world.noun_sense(place, t.stem) for t in self._links.tokens[cue.start : cue.end]
                )
                if self._world.rels[place].is_loop and any(senses):
                    found[place] = found.get(place, 0) + 1
        return found

    def _cue(self, place: int) -> RelCue | None:
        found = [cue for cue in self._cues if any(p == place for p, _ in cue.rels)]
        return max(found, key=lambda cue: max(s for p, s in cue.rels if p == place)) if found else None

    def _owns(self, mention: Mention) -> bool:
        """Whether the mention owns what follows it: "Payal's", 'BCNF ke', 'uske'."""
        links = self._links
        if mention.how == "memory" and links.word(mention.start) in POSSESSIVE_PRONOUNS:
            return True
        after = links.word(mention.end)
        return after == "ko" or is_owner(links, mention.end)
