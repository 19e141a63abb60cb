"""How many: in all, for each, on average."""

from __future__ import annotations

from dataclasses import replace

from course_lib.models.practice.mind.drawing import finished, name_column, plural, positive_pattern
from course_lib.models.practice.mind.linking import LabelWord
from course_lib.models.practice.mind.negation import negated_branches
from course_lib.models.practice.mind.patterns import Pattern, Target, draw, targets
from course_lib.models.practice.mind.plan import Branch, Column, Order, Plan
from course_lib.models.practice.mind.question import Asked, Question
from course_lib.models.practice.mind.reading_rules import RuleBook


def counted_plan(
    question: Question,
    wanted: Target,
    counted: LabelWord | None,
    *,
    descending: bool = True,
    limit: int | None = None,
    having: tuple[str, int] | None = None,
    ordered: bool = True,
) -> Plan | None:
    """Things of a label with how many others they have: most, fewest, more than two, each."""
    world = question.world
    labels: tuple[str, ...]
    if counted is not None:
        same_word = [w.label for w in question.labels if w.start == counted.start]
        labels = tuple(dict.fromkeys([counted.label, *same_word]))
        loops = [
            world.rels[p]
            for w in question.labels
            if w.start == counted.start
            for p in w.noun_of
            if world.rels[p].is_loop and wanted.label == world.rels[p].start
        ]
        if loops and wanted.label in labels:
            labels = (wanted.label,)
    else:
        labels = _other_end(question, wanted)
    best: tuple[Pattern, str] | None = None
    for label in labels:
        pattern = draw(question, [wanted], reach=(label,))
        if pattern is None:
            continue
        ends = [n.var for n in pattern.sketch.nodes if n.label == label and n.var != pattern.var]
        free = [v for v in ends if v not in pattern.ends.values()]
        if not free:
            continue
        if best is None or pattern.cost < best[0].cost:
            best = (pattern, free[0])
    if best is None:
        return None
    pattern, var = best
    alias = plural(pattern.sketch.label_of(var))
    columns = (name_column(pattern, pattern.var), Column(var, "", alias, "count"))
    order = Order(alias=alias, descending=descending) if ordered else None
    plan = finished(pattern.sketch, columns, order=order, limit=limit)
    if having is not None:
        return replace(
            plan, having=(var, having[0], having[1]), keep=(pattern.var,), order=None, distinct=False
        )
    alone = not pattern.ends and not pattern.sketch.tests and len(pattern.sketch.edges) == 1
    if alone and (not descending or not ordered):
        # Those who have none count too: the pattern is matched if it is there.
        edge = plan.edges[0]
        node = next(n for n in plan.nodes if n.var == var)
        main = tuple(n for n in plan.nodes if n.var != var)
        return replace(plan, nodes=main, edges=(), optional=Branch((node,), (edge,)), distinct=False)
    return replace(plan, distinct=False)


def _other_end(question: Question, wanted: Target) -> tuple[str, ...]:
    world = question.world
    cued = [
        (strength, world.rels[place])
        for cue in question.cues
        for place, strength in cue.rels
        if wanted.label in (world.rels[place].start, world.rels[place].end)
    ]
    if cued:
        rel = max(cued, key=lambda item: item[0])[1]
        return (rel.end if rel.start == wanted.label else rel.start,)
    if wanted.label != world.agent:
        return (world.agent,)
    return tuple(
        dict.fromkeys(rel.end for rel in world.rels if rel.start == wanted.label and not rel.is_loop)
    )[:1]


def _group_property(question: Question) -> Asked | None:
    """The property in 'students in each branch', 'which year has the most students'."""
    links, world = question.links, question.world
    for owners in question.asked:
        for asked in owners:
            if not world.is_label(asked.owner):
                continue
            before = links.word(asked.at - 1)
            if before in (
                "each",
                "every",
                "per",
                "har",
                "by",
                "which",
                "what",
                "kis",
                "kaunse",
                "kaunsi",
                "kaunsa",
                "ek",
            ):
                return asked
    return None


def _count_by_property(question: Question, asked: Asked, descending: bool | None) -> Plan | None:
    pattern = draw(
        question,
        [Target(asked.owner, 0.0)],
        skip_words=frozenset(w.start for w in question.labels if w.label == asked.owner),
    )
    if pattern is None:
        return None
    alias = plural(asked.owner)
    columns = (Column(pattern.var, asked.prop, asked.prop), Column(pattern.var, "", alias, "count"))
    order = Order(alias=alias, descending=descending) if descending is not None else None
    limit = 1 if descending is not None else None
    return replace(finished(pattern.sketch, columns, order=order, limit=limit), distinct=False)


def aggregate(question: Question, rules: RuleBook) -> Plan | None:
    """'total credits', 'average year': a sum or a mean of a property."""
    links, world = question.links, question.world
    name = "avg" if links.has("average") else "sum" if links.has("total") else ""
    if not name:
        return None
    for owners in question.asked:
        for asked in owners:
            numeric = any(p.name == asked.prop and p.is_number for p in world.props_of(asked.owner))
            if numeric and world.is_label(asked.owner):
                pattern = draw(question, [Target(asked.owner, 0.0)], skip_words=frozenset({asked.at}))
                if pattern is None:
                    continue
                alias = f"{'average' if name == 'avg' else 'total'}_{asked.prop}"
                column = Column(pattern.var, asked.prop, alias, name)  # type: ignore[arg-type]
                return replace(finished(pattern.sketch, (column,)), distinct=False)
    return None


def count(question: Question, rules: RuleBook) -> Plan | None:
    """'how many': a number of things, in all, of something, or for each."""
    links, world = question.links, question.world
    if not links.has("count"):
        return None
    hit = links.ops["count"][0]
    for owners in question.asked:
        numeric = any(p.name == a.prop and p.is_number for a in owners for p in world.props_of(a.owner))
        if numeric and (owners[0].at - hit.end in (0, 1) or owners[0].at == hit.start - 1):
            return None  # 'how many credits does it have' reads a property
    grouped = _group_property(question)
    if grouped is not None and links.has("each"):
        return _count_by_property(question, grouped, None)
    after = [w for w in question.labels if 0 <= w.start - hit.end <= 2]
    counted = after[0] if after else None
    if links.has("each"):
        groups = [
            w
            for w in question.labels
            for h in links.ops["each"]
            if 0 <= w.start - h.end <= 1 and w is not counted
        ]
        if groups:
            wanted = Target(groups[0].label, 0.0, groups[0])
            return counted_plan(question, wanted, counted, ordered=False)
    if counted is not None:
        same = [w for w in question.labels if w.start == counted.start]
        options = [Target(w.label, 0.02 * i, w) for i, w in enumerate(same)]
    else:
        options = [t for t in targets(question) if t.word is not None or t.label == world.agent]
        options = options or [Target(world.agent, 0.3)]
    pattern = positive_pattern(question, options)
    if pattern is None:
        return None
    without = negated_branches(question, pattern)
    var = pattern.var
    column = Column(var, "", plural(pattern.target.label), "count")
    plan = finished(pattern.sketch, (column,))
    return replace(plan, distinct=False, without=without)
