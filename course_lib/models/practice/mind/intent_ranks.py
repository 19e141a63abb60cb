"""Best and worst, most and fewest, more than a number."""

from __future__ import annotations

from dataclasses import replace

from course_lib.models.practice.mind.drawing import finished, name_column, top_number
from course_lib.models.practice.mind.intent_counts import _count_by_property, _group_property, counted_plan
from course_lib.models.practice.mind.linking import LabelWord
from course_lib.models.practice.mind.patterns import Pattern, Target, asked_target, draw, targets
from course_lib.models.practice.mind.plan import Column, Order, Plan
from course_lib.models.practice.mind.question import Asked, Question
from course_lib.models.practice.mind.ranks import is_ranked
from course_lib.models.practice.mind.reading_rules import RuleBook
from course_lib.models.practice.mind.reading_schema import Rel


def best(question: Question, rules: RuleBook) -> Plan | None:
    """Who is best at something, by a rank on a relationship: 'the best person to teach me', 'topper'."""
    links, world = question.links, question.world
    wanted = asked_target(question)
    people = links.has("who", "best") or (wanted is not None and wanted.label == world.agent)
    teaching = (links.has("teach", "good") or (links.has("should") and links.has("who"))) and people
    teaching = teaching and bool(question.things)
    learning = _learning_from(question)
    if not (links.has("best", "worst") or teaching or learning):
        return None
    if links.has("count"):
        return None
    descending = not links.has("worst")
    numeric = [
        a
        for owners in question.asked
        for a in owners
        if world.is_label(a.owner) and any(p.name == a.prop and p.is_number for p in world.props_of(a.owner))
    ]
    if numeric:
        return by_property(question, numeric[0], descending)
    ranked = _ranked_rels(question, rules)
    if not ranked:
        return None
    skip = frozenset(
        place
        for hit in (*links.ops.get("teach", ()), *links.ops.get("best", ()), *links.ops.get("from", ()))
        for place in range(hit.start, hit.end)
    )
    # 'I need a mentor': a verb that has nothing to do with a rank only gets in the way.
    kinds = {rel.type for rel, _ in ranked}
    skip |= {
        cue.start
        for cue in question.cues
        if all(s < 1.0 and world.rels[p].type not in kinds for p, s in cue.rels)
    }
    options = [t for t in targets(question) if t.label in {e for r, _ in ranked for e in (r.start, r.end)}]
    thing_labels = {label for m in question.things for label, _ in question.label_choices(m)[:1] if m.owners}
    if world.agent not in thing_labels:
        agents = [t for t in options if t.label == world.agent] or [Target(world.agent, 0.0)]
        explicit = [
            t for t in options if t.word is not None and t.word.label != world.agent and t.prior < 0.1
        ]
        if not explicit or teaching or learning:
            options = agents
    else:
        options = [t for t in options if t.label not in thing_labels] or [
            Target(r.end if r.start in thing_labels else r.start, 0.3) for r, _ in ranked
        ]
    guessed = any(not m.owners for m in question.things)
    best: tuple[float, Pattern, str, str] | None = None
    for rel, prop in ranked:
        fitting = [t for t in options if t.label in (rel.start, rel.end)]
        if not fitting:
            continue
        fitting = [replace(t, prior=min(t.prior, 0.05)) for t in fitting]
        pattern = draw(question, fitting, needed=frozenset({rel.type}), skip_words=skip)
        if pattern is None or pattern.edge_of(rel.type) is None:
            continue
        cost = pattern.cost
        if guessed:
            reached = {pattern.sketch.label_of(var) for var in pattern.ends.values()}
            cost += 0.0 if reached <= {rel.start, rel.end} else 1.5
            cost -= 0.1 * (world.rels.index(rel) in world.group_rels.get("study", ()))
        if any(a.prop == prop and a.owner == rel.type for owners in question.asked for a in owners):
            cost -= 1.0
        if best is None or cost < best[0]:
            best = (cost, pattern, rel.type, prop)
    if best is None:
        return None
    _, pattern, type_name, prop = best
    edge = pattern.sketch.name_edge(pattern.edge_of(type_name) or 0)
    columns = (name_column(pattern, pattern.var), Column(edge, prop, prop))
    # 'Who is good at it' asks for everybody, the best first; 'who is best' for the best and the next.
    everybody = links.has("good") and not links.has("best", "worst", "teach", "should")
    limit = top_number(question) or (None if everybody else 2)
    return finished(
        pattern.sketch, columns, order=Order(edge, prop, descending=descending, ranked=True), limit=limit
    )


def _learning_from(question: Question) -> bool:
    """'Who should I learn ML from?', 'DSA kisse seekhun?'"""
    links = question.links
    words = {token.lower for token in links.tokens}
    if words & {"kisse", "kis"} and any(t.lower.startswith(("seekh", "sikh", "padh")) for t in links.tokens):
        return "kisse" in words or links.text.lower().find("kis se") >= 0
    learning = any(t.stem in ("learn", "study", "teach") for t in links.tokens)
    return (
        learning
        and links.has("who")
        and (links.word(len(links.tokens) - 1) == "from" or "from" in words)
        and ("i" in words or "we" in words or "you" in words)
    )


def _ranked_rels(question: Question, rules: RuleBook) -> list[tuple[Rel, str]]:
    world = question.world
    found = []
    for rel in world.rels:
        for prop in rel.props:
            if not prop.is_number and is_ranked(world, rel.type, prop.name, rules):
                found.append((rel, prop.name))
    return found


def by_property(question: Question, asked: Asked, descending: bool) -> Plan | None:
    """The first of a kind by a number of their own: most credits."""
    pattern = draw(question, [Target(asked.owner, 0.0)], skip_words=frozenset({asked.at}))
    if pattern is None:
        return None
    columns = (name_column(pattern, pattern.var), Column(pattern.var, asked.prop, asked.prop))
    return finished(
        pattern.sketch,
        columns,
        order=Order(pattern.var, asked.prop, descending=descending),
        limit=top_number(question) or 1,
    )


def most(question: Question, rules: RuleBook) -> Plan | None:
    """Who has the most or the fewest of something, and the oldest or newest."""
    links, world = question.links, question.world
    timed = links.has("oldest", "newest")
    if not links.has("most", "least") and not timed:
        return None
    if timed:
        return _timed_extreme(question)
    name = "most" if links.has("most") else "least"
    hit = links.ops[name][0]
    descending = name == "most"
    numeric = [
        a
        for owners in question.asked
        for a in owners
        if any(p.name == a.prop and p.is_number for p in world.props_of(a.owner)) and world.is_label(a.owner)
    ]
    if numeric:
        return by_property(question, numeric[0], descending)
    grouped = _group_property(question)
    if grouped is not None:
        return _count_by_property(question, grouped, descending)
    options = [t for t in targets(question) if t.word is not None or t.label == world.agent]
    after = [w for w in question.labels if w.start >= hit.end]
    counted: LabelWord | None = None
    wanted = asked_target(question)
    for word in after or [
        w for w in question.labels if wanted is None or w.start != (wanted.word.start if wanted.word else -1)
    ]:
        if wanted is None or wanted.word is None or word.start != wanted.word.start:
            counted = word
            break
    if wanted is None:
        wanted = next(
            (t for t in options if counted is None or t.word is None or t.word.start != counted.start), None
        )
    if wanted is None:
        return None
    return counted_plan(question, wanted, counted, descending=descending, limit=top_number(question) or 1)


def _timed_extreme(question: Question) -> Plan | None:
    links, world = question.links, question.world
    wanted = asked_target(question) or next(iter(targets(question)), None)
    if wanted is None:
        return None
    descending = links.has("newest")
    prop = world.time_property(wanted.label)
    if prop is not None:
        pattern = draw(question, [wanted])
        if pattern is None:
            return None
        seniority = wanted.label == world.agent  # the senior one is in the highest year
        order = Order(pattern.var, prop, descending=descending != seniority)
        columns = (name_column(pattern, pattern.var), Column(pattern.var, prop, prop))
        return finished(pattern.sketch, columns, order=order, limit=top_number(question) or 1)
    for rel in world.rels:
        prop = world.time_property(rel.type)
        if prop is not None and wanted.label in (rel.start, rel.end):
            pattern = draw(question, [wanted], needed=frozenset({rel.type}))
            if pattern is None or pattern.edge_of(rel.type) is None:
                continue
            edge = pattern.sketch.name_edge(pattern.edge_of(rel.type) or 0)
            columns = (name_column(pattern, pattern.var), Column(edge, prop, prop))
            return finished(
                pattern.sketch,
                columns,
                order=Order(edge, prop, descending=descending),
                limit=top_number(question) or 1,
            )
    return None


def several(question: Question, rules: RuleBook) -> Plan | None:
    """'in more than one club', 'at least two skills', 'clubs with more than 2 members'."""
    links = question.links
    if links.has("count") and not links.has("several"):
        return None
    op, number, at = ">", 1, -1
    if links.has("several"):
        hit = links.ops["several"][0]
        at = hit.end
    else:
        for spare in question.spare_numbers:
            if any(hit.end == spare.start for name in ("best", "worst") for hit in links.ops.get(name, ())):
                continue  # 'top 3 students' sets how many rows, not how many each has
            before = [
                h
                for h in (*links.ops.get("more", ()), *links.ops.get("less", ()))
                if spare.start - 3 <= h.start <= spare.start + 2
            ]
            opened = any(h.end == spare.start for h in links.ops.get("list", ()))
            exact = not opened and any(w.start == spare.end for w in question.labels)
            if before or exact:
                at, number = spare.end, spare.value
                less = any(h in links.ops.get("less", ()) for h in before)
                equal = any(
                    spare.start - 3 <= h.start <= spare.start + 2
                    for h in (*links.ops.get("more_equal", ()), *links.ops.get("less_equal", ()))
                )
                op = ("<=" if equal else "<") if less else (">=" if equal else ">")
                if not before:
                    op = "="
                break
    if at < 0:
        return None
    near = [w for w in question.labels if w.start >= at - 1 and w.start - at <= 2]
    if not near:
        return None
    counted = near[0]
    options = [t for t in targets(question) if t.word is None or t.word.start != counted.start]
    wanted = next((t for t in options if t.label != counted.label or counted.noun_of), None)
    if wanted is None:
        return None
    if number <= 0:
        return None
    return counted_plan(question, wanted, counted, having=(op, number))
