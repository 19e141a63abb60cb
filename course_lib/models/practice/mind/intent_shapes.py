"""Questions with a shape of their own: common to all, paths, what is next, explanations, same as."""

from __future__ import annotations

from course_lib.models.practice.mind.drawing import finished, named
from course_lib.models.practice.mind.linking import LabelWord
from course_lib.models.practice.mind.patterns import targets
from course_lib.models.practice.mind.plan import (
    Column,
    CommonTo,
    Differs,
    Edge,
    FindPath,
    Holds,
    NextUp,
    Plan,
    SameValue,
    Sketch,
)
from course_lib.models.practice.mind.question import Question
from course_lib.models.practice.mind.reading_rules import RuleBook
from course_lib.models.practice.mind.reading_schema import Rel
from course_lib.models.practice.mind.world import World


def common(question: Question, rules: RuleBook) -> Plan | None:
    """'What is common in all the clubs?'"""
    links, world = question.links, question.world
    if not links.has("common_all") or question.things or links.has("most"):
        return None
    words = [w for w in question.labels if w.label != world.agent] or question.labels
    for word in words:
        who = world.agent if word.label != world.agent else None
        for rel in world.rels:
            ends = (rel.start, rel.end)
            if word.label in ends and not rel.is_loop and (who is None or who in ends):
                forward = rel.end == word.label
                return CommonTo(rel.start if forward else rel.end, rel.type, forward, word.label)
    return None


def path(question: Question, rules: RuleBook) -> Plan | None:
    """The way from one thing to another."""
    links, world = question.links, question.world
    if len(question.things) < 2:
        return None
    first, second = question.things[0], question.things[1]
    ranged = (links.word(first.start - 1) in ("from", "between") or links.word(first.end) == "se") and (
        links.word(second.start - 1) in ("to", "till", "until", "and", "upto")
        or links.word(second.end) == "tak"
    )
    if not (links.has("path") or ranged):
        return None
    if links.word(second.start - 1) == "from" and links.word(first.start - 1) in ("to", "reach", "towards"):
        first, second = second, first
    if links.word(second.end) == "se" and links.word(first.end) == "tak":
        first, second = second, first
    shared = [
        label
        for label, _ in question.label_choices(first)
        if any(label == other for other, _ in question.label_choices(second))
    ]
    loops: dict[str, list[str]] = {}
    for place, rel in enumerate(world.rels):
        if rel.is_loop and rel.start in shared:
            loops.setdefault(rel.start, []).append(rel.type)
            if world.is_symmetric(place):
                loops[rel.start].insert(0, "")
    label = next((label for label in shared if loops.get(label)), shared[0] if shared else None)
    if label is not None and loops.get(label):
        types = tuple(t for t in loops[label] if t)
        directed = "" not in loops[label]
        return FindPath(
            named("a", label, first, world), label, named("b", label, second, world), label, types, directed
        )
    one = question.label_choices(first)[0][0]
    two = question.label_choices(second)[0][0]
    return FindPath(named("a", one, first, world), one, named("b", two, second, world), two, (), False)


def next_up(question: Question, rules: RuleBook) -> Plan | None:
    """'Aarav ke next topics': what comes next for somebody."""
    links, world = question.links, question.world
    if not links.has("next", "after") or len(question.things) != 1 or links.has("before"):
        return None
    thing = question.things[0]
    if question.label_choices(thing)[0][0] != world.agent:
        return None
    chain = _chain(world)
    if chain is None:
        return None
    has, covers, before = chain
    if question.labels and not any(w.label in (covers.end, before.start) for w in question.labels):
        return None
    return NextUp(
        named("x", world.agent, thing, world),
        world.agent,
        has.type,
        has.end,
        covers.type,
        covers.end,
        before.type,
    )


def _chain(world: World) -> tuple[Rel, Rel, Rel] | None:
    """Someone has a thing, the thing covers items, items come before one another."""

    def liked(group: str) -> set[int]:
        return set(world.group_rels.get(group, ()))

    best: tuple[int, tuple[Rel, Rel, Rel]] | None = None
    for i, has in enumerate(world.rels):
        for j, covers in enumerate(world.rels):
            for k, before in enumerate(world.rels):
                fits = (
                    has.start == world.agent
                    and not has.is_loop
                    and covers.start == has.end
                    and not covers.is_loop
                    and before.is_loop
                    and before.start == covers.end
                )
                if not fits or world.is_symmetric(k):
                    continue
                score = 2 * (i in liked("study")) + 2 * (j in liked("cover"))
                score += 2 * (k in world.order_loops())
                if best is None or score > best[0]:
                    best = (score, (has, covers, before))
    return best[1] if best else None


def explanation(question: Question, rules: RuleBook) -> Plan | None:
    """The text that explains a thing."""
    links, world = question.links, question.world
    if len(question.things) != 1 or question.asked or question.tests:
        return None
    telling = {
        place
        for cue in question.cues
        for place, strength in cue.rels
        if strength >= 0.9 and world.text_property(world.rels[place].start) is not None
    }
    if not links.has("explain") and not telling:
        return None
    thing = question.things[0]
    explaining = set(world.group_rels.get("explain", ())) | telling
    said = {place for hit in links.ops.get("explain", ()) for place in range(hit.start, hit.end)}
    other_cues = [
        c for c in question.cues if c.start not in said and not {place for place, _ in c.rels} & explaining
    ]
    for label, _ in question.label_choices(thing):
        for rel in world.rels:
            prop = world.text_property(rel.start)
            if rel.end != label or prop is None or rel.is_loop:
                continue
            words = [w for w in question.labels if w.label not in (label, rel.start)]
            if words or other_cues or links.has("before", "after", "count"):
                return None
            sketch = Sketch()
            note = sketch.add(rel.start)
            item = sketch.add(label)
            sketch.edges.append(Edge(note, item, rel.type))
            sketch.tests.append(named(item, label, thing, world))
            return finished(
                sketch,
                (
                    Column(item, world.name_of[label], label.lower()),
                    Column(note, prop, prop, whole=True),
                ),
            )
    return None


def same(question: Question, rules: RuleBook) -> Plan | None:
    """Those who share something with somebody who is named."""
    links, world = question.links, question.world
    beside = any(w.label != world.agent for w in question.labels) or bool(question.asked)
    others = links.has("else") and beside
    if not (links.has("same") or others) or len(question.things) != 1:
        return None
    thing = question.things[0]
    label = question.label_choices(thing)[0][0]
    wanted = [
        t for t in targets(question) if t.label == label and (t.word is not None or t.label == world.agent)
    ]
    if not wanted:
        return None
    sketch = Sketch()
    me, other = sketch.add(label), sketch.add(label)
    sketch.tests.append(named(me, label, thing, world))
    sketch.tests.append(Differs(me, other))
    asked = [a for owners in question.asked for a in owners if a.owner == label]
    words = [w for w in question.labels if w.label != label]
    if asked and not words:
        sketch.tests.append(SameValue(other, me, asked[0].prop))
        columns = (
            Column(other, world.name_of[label], label.lower(), whole=True),
            Column(other, asked[0].prop, asked[0].prop),
        )
        return finished(sketch, columns)
    rel = _shared_rel(question, label, words)
    if rel is None:
        return None
    forward = rel.start == label
    middle = sketch.add(rel.end if forward else rel.start)
    sketch.edges.append(Edge(me, middle, rel.type, forward))
    sketch.edges.append(Edge(middle, other, rel.type, not forward))
    middle_label = rel.end if forward else rel.start
    for test in question.tests:
        if test.owner == label:
            sketch.tests.append(Holds(other, test.prop, test.op, test.value, test.mention, test.others))
    columns = (
        Column(other, world.name_of[label], label.lower(), whole=True),
        Column(middle, world.name_of[middle_label], f"shared_{middle_label.lower()}s", "collect"),
    )
    return finished(sketch, columns)


def _shared_rel(question: Question, label: str, words: list[LabelWord]) -> Rel | None:
    world = question.world
    strengths: dict[int, float] = {}
    for cue in question.cues:
        for place, strength in cue.rels:
            strengths[place] = max(strengths.get(place, 0.0), strength)
    wanted = {w.label for w in words}
    best: tuple[float, Rel] | None = None
    for place, rel in enumerate(world.rels):
        if rel.is_loop or label not in (rel.start, rel.end):
            continue
        other = rel.end if rel.start == label else rel.start
        score = strengths.get(place, 0.0) + (1.0 if other in wanted else 0.0) + 0.01 * (rel.start == label)
        if best is None or score > best[0]:
            best = (score, rel)
    return best[1] if best and best[0] >= 0.5 else None
