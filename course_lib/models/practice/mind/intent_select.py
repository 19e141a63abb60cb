"""Everything else: who, which, what, look-ups and lists."""

from __future__ import annotations

from dataclasses import replace

from course_lib.models.practice.mind.drawing import finished, name_column, positive_pattern, top_number
from course_lib.models.practice.mind.linking import LabelWord
from course_lib.models.practice.mind.negation import negated_branches
from course_lib.models.practice.mind.patterns import Pattern, Target, targets
from course_lib.models.practice.mind.plan import Column, Edge, Plan
from course_lib.models.practice.mind.question import Asked, Question, beside_and, content_words
from course_lib.models.practice.mind.reading_rules import RuleBook


def select(question: Question, rules: RuleBook) -> Plan | None:
    """Who, which and what; a property of a thing; all of a kind; whether something is so."""
    links = question.links
    if not (question.things or question.labels or question.tests or question.asked or question.cues):
        return None
    if (
        not question.things
        and not question.labels
        and not question.tests
        and not links.has("who", "which", "list")
    ):
        return None
    if len(links.unknown) >= 2 and len(links.unknown) * 2 >= content_words(question):
        return None
    options = targets(question)
    yes_no = _is_yes_no(question)
    if yes_no and question.things:
        first = question.things[0]
        choices = question.label_choices(first)
        options = [Target(label, penalty, itself=True) for label, penalty in choices]
    options = _for_asked(question, options)
    _filler_verbs(question)
    pattern = positive_pattern(question, options)
    if pattern is None:
        return None
    without = negated_branches(question, pattern)
    columns = _columns(question, pattern, yes_no)
    plan = finished(pattern.sketch, columns)
    plan = replace(plan, without=without, edges=_deep(question, plan.edges))
    top = top_number(question)
    if top is not None and links.has("list"):
        plan = replace(plan, limit=top)
    return plan


def _filler_verbs(question: Question) -> None:
    """'What branch is Rahul studying in': the branch is Rahul's own, whatever he does in it."""
    if len(question.things) != 1 or question.labels or question.tests or not question.asked:
        return
    label = question.label_choices(question.things[0])[0][0]
    if all(any(asked.owner == label for asked in owners) for owners in question.asked):
        question.cues = [replace(cue, optional=True) for cue in question.cues]


def _deep(question: Question, edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """'everything before BCNF' goes all the way back along an order, not one step."""
    if not question.has("all_deep") or len(edges) != 1:
        return edges
    world = question.world
    orders = {world.rels[place].type for place in world.order_loops()}
    return tuple(replace(edge, hops=(1, 6)) if edge.type in orders else edge for edge in edges)


def _for_asked(question: Question, options: list[Target]) -> list[Target]:
    """When a property is asked for, its owner (or an end of the relationship that has it) is the target."""
    world = question.world
    owners = [asked for group in question.asked for asked in group]
    if not owners:
        return options
    explicit = [t for t in options if t.word is not None and t.prior < 0.2]
    found: list[Target] = []
    for place, asked in enumerate(owners):
        if world.is_label(asked.owner):
            if any(t.label == asked.owner for t in explicit):
                found += [t for t in explicit if t.label == asked.owner]
            else:
                found.append(Target(asked.owner, 0.1 + 0.05 * place))
        else:
            for rel in world.rels:
                if rel.type == asked.owner:
                    named = {label for m in question.things for label, _ in question.label_choices(m)[:1]}
                    for label in (rel.end, rel.start):
                        penalty = (
                            0.1 + 0.05 * place + (0.0 if rel.start in named or rel.end in named else 0.8)
                        )
                        if label == world.agent and question.links.has("who"):
                            penalty -= 0.2
                        own = next((t for t in explicit if t.label == label), None)
                        found.append(own or Target(label, penalty + (0.2 if label in named else 0.0)))
    return found or options


def _columns(question: Question, pattern: Pattern, yes_no: bool) -> tuple[Column, ...]:
    world = question.world
    asked: list[Column] = []
    for owners in question.asked:
        column = _asked_column(pattern, owners)
        if column is not None:
            asked.append(column)
    identity = not pattern.sketch.edges
    lone = identity and len(pattern.ends) >= 1 and not asked and not question.labels and not question.tests
    if lone and not yes_no:
        props = [p.name for p in world.props_of(pattern.target.label)]
        shown = [p for p in props if not p.lower().endswith("id")] or [world.name_of[pattern.target.label]]
        name = world.name_of[pattern.target.label]
        ordered = [name, *(p for p in shown if p != name)]
        alias = {name: pattern.target.label.lower()}
        return tuple(Column(pattern.var, p, alias.get(p, p), whole=True) for p in ordered)
    columns = [name_column(pattern, pattern.var, whole=not asked)]
    if yes_no:
        for var in [node.var for node in pattern.sketch.nodes]:
            if var != pattern.var:
                columns.append(name_column(pattern, var))
    if asked:
        edges = {column.var for column in asked}
        for edge in pattern.sketch.edges:
            if edge.var and edge.var in edges:
                for var in (edge.left, edge.right):
                    if var != pattern.var and not any(c.var == var for c in columns):
                        columns.append(name_column(pattern, var, whole=False))
    for word in _extra_labels(question, pattern):
        beside = pattern.by_label.get(word.label)
        if beside is not None and not any(c.var == beside for c in columns):
            columns.append(name_column(pattern, beside))
    return tuple(columns + asked)


def _extra_labels(question: Question, pattern: Pattern) -> list[LabelWord]:
    """Labels that are asked for beside the target: 'students and their clubs', 'who is in which club'."""
    links = question.links
    own = pattern.target.word.start if pattern.target.word is not None else -1
    found = []
    for word in question.labels:
        if word.start == own or word.label == pattern.target.label:
            continue
        before = links.word(word.start - 1)
        named = pattern.by_label.get(word.label) in pattern.ends.values()
        if named:
            continue
        each = before in ("each", "every", "har")
        if (
            each
            or beside_and(links, word.start)
            or before in ("which", "what", "kaunse", "kaunsi", "kaunsa", "kis")
        ):
            found.append(word)
    return found


def _asked_column(pattern: Pattern, owners: list[Asked]) -> Column | None:
    world = pattern.question.world
    # The owner that is already part of the pattern comes first.
    for asked in owners:
        if world.is_label(asked.owner):
            var = pattern.by_label.get(asked.owner)
            if var is not None:
                return Column(var, asked.prop, asked.prop)
        else:
            place = pattern.edge_of(asked.owner)
            if place is not None:
                return Column(pattern.sketch.name_edge(place), asked.prop, asked.prop)
    return None


def _is_yes_no(question: Question) -> bool:
    links = question.links
    first = links.word(0)
    if first in ("is", "are", "does", "do", "did", "has", "have", "was", "can") and not links.has("count"):
        return not any(h.start > 0 for h in links.ops.get("which", ())) and not any(
            h.start > 0 for h in links.ops.get("who", ()) if links.word(h.start) in ("who", "whom", "kaun")
        )
    if first == "kya" and len(question.things) >= 2 and not links.has("who", "explain", "count"):
        return not any(h.start > 0 for h in links.ops.get("which", ()))
    return False
