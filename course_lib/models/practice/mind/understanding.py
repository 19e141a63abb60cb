"""What a question means: one plan for it, or the honest word that the practice model does not know the wording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from course_lib.models.practice.mind.lexicon import lexicon
from course_lib.models.practice.mind.linking import LabelWord, Mention, NumberWord
from course_lib.models.practice.mind.patterns import Pattern, Target, branch_to, draw, targets
from course_lib.models.practice.mind.plan import (
    Branch,
    Change,
    Column,
    CommonTo,
    FindPath,
    Holds,
    Miss,
    Named,
    NextUp,
    Order,
    Outside,
    Plan,
    SameValue,
    Select,
    Sketch,
)
from course_lib.models.practice.mind.question import (
    Asked,
    PropTest,
    Question,
    beside_and,
    content_words,
    sort_question,
)
from course_lib.models.practice.mind.ranks import is_ranked
from course_lib.models.practice.mind.reading_memory import Remembered
from course_lib.models.practice.mind.reading_rules import RuleBook
from course_lib.models.practice.mind.reading_schema import Rel
from course_lib.models.practice.mind.text import number_of
from course_lib.models.practice.mind.world import World

_Attempt = Callable[[Question, RuleBook], Plan | None]


def understand(text: str, world: World, memory: Remembered, rules: RuleBook, abbreviations: bool) -> Plan:
    """The plan for a question.

    Args:
        text: the question.
        world: what the prompt says about the graph.
        memory: who and what was mentioned before.
        rules: the rules in the prompt, for the orders of rank that they state.
        abbreviations: whether initials such as 'ML' may stand for a listed value.

    Returns:
        A plan, `Outside` for what the graph holds nothing about, or `Miss` for a wording that is not known.
    """
    question = sort_question(text, world, memory, abbreviations)
    _adopt_unknown(question)
    attempts: tuple[_Attempt, ...] = (
        _change,
        _outside,
        _common,
        _path,
        _next_up,
        _explanation,
        _same,
        _several,
        _best,
        _most,
        _aggregate,
        _count,
        _select,
    )
    for attempt in attempts:
        plan = attempt(question, rules)
        if plan is not None:
            return plan
    return Miss(text)


def _adopt_unknown(question: Question) -> None:
    """A word that nothing explains may be a name that the prompt does not list."""
    links, world = question.links, question.world
    if not links.unknown or question.things or not world.values:
        return
    if not (question.cues or question.labels or question.asked or links.has("who", "explain", "about")):
        return
    cued = {cue.end for cue in question.cues} | {word.end for word in question.labels}
    slots = [
        place
        for place in links.unknown
        if links.tokens[place].text[0].isupper()
        or place in cued
        or links.word(place - 1)
        in ("of", "in", "for", "to", "at", "with", "about", "on", "by", "explain", "is", "does")
        or links.word(place + 1) in ("ka", "ke", "ki", "ko", "mein", "pe", "se", "ne", "kaun", "kya")
    ]
    if not slots:
        return
    start = slots[0]
    end = start + 1
    while end in links.unknown:
        end += 1
    if len(links.tokens[start].lower) < 3 or end - start > 3:
        return
    typed = links.text[links.tokens[start].start : links.tokens[end - 1].end]
    question.things.append(Mention(start, end, typed, "unknown"))
    links.unknown = [place for place in links.unknown if not start <= place < end]


# ---- wishes and topics that are no questions to the graph ----------------------------------------


def _change(question: Question, rules: RuleBook) -> Plan | None:
    links, world = question.links, question.world
    polite = {
        "please",
        "can",
        "could",
        "you",
        "kindly",
        "pls",
        "i",
        "want",
        "to",
        "would",
        "like",
        "ok",
        "now",
        "just",
    }
    for hit in links.writes:
        opening = all(links.word(i) in polite for i in range(hit.start))
        closing = question.hinglish and hit.end >= len(links.tokens) - 2
        if not opening and not closing:
            continue
        thing = question.things[0] if question.things else None
        label = question.labels[0].label if question.labels else None
        named = None
        if thing is not None:
            label = question.label_choices(thing)[0][0]
            named = Named("n", world.name_of[label], (thing,))
        prop = next((a.prop for owners in question.asked for a in owners), None)
        value: int | str | None = question.spare_numbers[0].value if question.spare_numbers else None
        if question.tests:
            prop, value = question.tests[0].prop, question.tests[0].value
        rest = " ".join(t.text for t in links.tokens[hit.end :] if t.lower not in lexicon().function)
        action = hit.name
        return Change(action, label, named, prop, value, rest)  # type: ignore[arg-type]
    return None


def _outside(question: Question, rules: RuleBook) -> Plan | None:
    links, world = question.links, question.world
    spoken = {
        place
        for item in (
            *links.labels,
            *links.rels,
            *links.mentions,
            *(w for w in links.props if w.owners[0][2] >= 1.0),
        )
        for place in range(item.start, item.end)
    }
    for hit in links.outside:
        if any(place in spoken for place in range(hit.start, hit.end)):
            continue
        topic = lexicon().topics[hit.name]
        typed = " ".join(token.text for token in links.tokens[hit.start : hit.end])
        thing = question.things[0] if question.things else None
        if topic.property is not None:
            if thing is None and not links.has("who") and not question.labels:
                continue
            label = question.label_choices(thing)[0][0] if thing is not None else world.agent
            named = Named("n", world.name_of[label], (thing,)) if thing is not None else None
            return Outside(label, topic.property, named, label, typed)
        return Outside(topic.label or "Topic", None, None, None, typed)
    if (
        links.has("should")
        and not (question.things and links.has("who"))
        and not question.cues
        and not question.labels
        and not links.has("best", "teach")
    ):
        return Outside("Topic", typed=question.text)
    return None


# ---- special shapes ----------------------------------------


def _common(question: Question, rules: RuleBook) -> Plan | None:
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


def _path(question: Question, rules: RuleBook) -> Plan | None:
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
            _named("a", label, first, world), label, _named("b", label, second, world), label, types, directed
        )
    one = question.label_choices(first)[0][0]
    two = question.label_choices(second)[0][0]
    return FindPath(_named("a", one, first, world), one, _named("b", two, second, world), two, (), False)


def _named(var: str, label: str, mention: Mention, world: World) -> Named:
    return Named(var, world.name_of[label], (mention,))


def _next_up(question: Question, rules: RuleBook) -> Plan | None:
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
        _named("x", world.agent, thing, world),
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


def _explanation(question: Question, rules: RuleBook) -> Plan | None:
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
    other_cues = [c for c in question.cues if not {place for place, _ in c.rels} & explaining]
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
            from course_lib.models.practice.mind.plan import Edge

            sketch.edges.append(Edge(note, item, rel.type))
            sketch.tests.append(_named(item, label, thing, world))
            return _finished(
                sketch,
                (
                    Column(item, world.name_of[label], label.lower()),
                    Column(note, prop, prop, whole=True),
                ),
            )
    return None


def _same(question: Question, rules: RuleBook) -> Plan | None:
    links, world = question.links, question.world
    others = links.has("else") and any(w.label != world.agent for w in question.labels)
    if (
        not (links.has("same") or others)
        or len(question.things) != 1
        or (links.has("common_all") and not links.has("who"))
    ):
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
    sketch.tests.append(_named(me, label, thing, world))
    from course_lib.models.practice.mind.plan import Differs, Edge

    sketch.tests.append(Differs(me, other))
    asked = [a for owners in question.asked for a in owners if a.owner == label]
    words = [w for w in question.labels if w.label != label]
    if asked and not words:
        sketch.tests.append(SameValue(other, me, asked[0].prop))
        columns = (
            Column(other, world.name_of[label], label.lower(), whole=True),
            Column(other, asked[0].prop, asked[0].prop),
        )
        return _finished(sketch, columns)
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
            sketch.tests.append(Holds(other, test.prop, test.op, test.value, test.mention))
    columns = (
        Column(other, world.name_of[label], label.lower(), whole=True),
        Column(middle, world.name_of[middle_label], f"shared_{middle_label.lower()}s", "collect"),
    )
    return _finished(sketch, columns)


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


# ---- ranks and counts ----------------------------------------


def _best(question: Question, rules: RuleBook) -> Plan | None:
    links, world = question.links, question.world
    teaching = links.has("teach") and links.has("who", "best", "which")
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
        return _by_property(question, numeric[0], descending)
    ranked = _ranked_rels(question, rules)
    if not ranked:
        return None
    skip = frozenset(
        place
        for hit in (*links.ops.get("teach", ()), *links.ops.get("best", ()), *links.ops.get("from", ()))
        for place in range(hit.start, hit.end)
    )
    options = [t for t in targets(question) if t.label in {e for r, _ in ranked for e in (r.start, r.end)}]
    thing_labels = {label for m in question.things for label, _ in question.label_choices(m)[:1]}
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
    best: tuple[float, Pattern, str, str] | None = None
    for rel, prop in ranked:
        fitting = [t for t in options if t.label in (rel.start, rel.end)]
        if not fitting:
            continue
        pattern = draw(question, fitting, needed=frozenset({rel.type}), skip_words=skip)
        if pattern is None or pattern.edge_of(rel.type) is None:
            continue
        cost = pattern.cost
        if any(a.prop == prop and a.owner == rel.type for owners in question.asked for a in owners):
            cost -= 1.0
        if best is None or cost < best[0]:
            best = (cost, pattern, rel.type, prop)
    if best is None:
        return None
    _, pattern, type_name, prop = best
    edge = pattern.sketch.name_edge(pattern.edge_of(type_name) or 0)
    columns = (_name_column(pattern, pattern.var), Column(edge, prop, prop))
    limit = _top_number(question) or 2
    return _finished(
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


def _by_property(question: Question, asked: Asked, descending: bool) -> Plan | None:
    world = question.world
    pattern = draw(question, [Target(asked.owner, 0.0)], skip_words=frozenset({asked.at}))
    if pattern is None:
        return None
    columns = (_name_column(pattern, pattern.var), Column(pattern.var, asked.prop, asked.prop))
    del world
    return _finished(
        pattern.sketch,
        columns,
        order=Order(pattern.var, asked.prop, descending=descending),
        limit=_top_number(question) or 1,
    )


def _top_number(question: Question) -> int | None:
    """The number in 'top 3', 'best two', '5 oldest'."""
    links = question.links
    for name in ("best", "most", "worst", "least", "list", "oldest", "newest"):
        for hit in links.ops.get(name, ()):
            for place in (hit.end, hit.start - 1):
                number = next((n for n in question.spare_numbers if n.start == place and not n.ordinal), None)
                if number is not None or (number := _cardinal(question, place)) is not None:
                    return number.value
    return None


def _cardinal(question: Question, place: int) -> NumberWord | None:
    word = question.links.word(place)
    if word in ("two", "three", "four", "five", "six", "ten", "teen", "paanch", "das"):
        return NumberWord(place, place + 1, number_of(word) or 0, False)
    return None


def _most(question: Question, rules: RuleBook) -> Plan | None:
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
        return _by_property(question, numeric[0], descending)
    grouped = _group_property(question)
    if grouped is not None:
        return _count_by_property(question, grouped, descending)
    options = [t for t in targets(question) if t.word is not None or t.label == world.agent]
    after = [w for w in question.labels if w.start >= hit.end]
    counted: LabelWord | None = None
    wanted = _asked_target(question)
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
    return _counted(question, wanted, counted, descending=descending, limit=_top_number(question) or 1)


def _asked_target(question: Question) -> Target | None:
    """The label that 'which' or 'who' asks for, if it is plain."""
    found = [
        t
        for t in targets(question)
        if t.prior < 0.4 and (t.word is not None or t.label == question.world.agent)
    ]
    if not found:
        return None
    which = [t for t in found if t.word is not None and t.prior <= 0.2]
    return which[0] if which else found[0]


def _timed_extreme(question: Question) -> Plan | None:
    links, world = question.links, question.world
    wanted = _asked_target(question) or next(iter(targets(question)), None)
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
        columns = (_name_column(pattern, pattern.var), Column(pattern.var, prop, prop))
        return _finished(pattern.sketch, columns, order=order, limit=_top_number(question) or 1)
    for rel in world.rels:
        prop = world.time_property(rel.type)
        if prop is not None and wanted.label in (rel.start, rel.end):
            pattern = draw(question, [wanted], needed=frozenset({rel.type}))
            if pattern is None or pattern.edge_of(rel.type) is None:
                continue
            edge = pattern.sketch.name_edge(pattern.edge_of(rel.type) or 0)
            columns = (_name_column(pattern, pattern.var), Column(edge, prop, prop))
            return _finished(
                pattern.sketch,
                columns,
                order=Order(edge, prop, descending=descending),
                limit=_top_number(question) or 1,
            )
    return None


def _counted(
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
            for p in counted.noun_of
            if world.rels[p].is_loop and wanted.label == world.rels[p].start
        ]
        if loops and wanted.label in labels:
            labels = (wanted.label,)
    else:
        labels = _other_end(question, wanted)
    best: tuple[Pattern, str] | None = None
    for label in labels:
        skip = frozenset({counted.start}) if counted is not None else frozenset()
        cues = question.cues
        pattern = draw(question, [wanted], reach=(label,), waypoints=True, skip_words=frozenset())
        del skip, cues
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
    alias = _plural(pattern.sketch.label_of(var))
    columns = (_name_column(pattern, pattern.var), Column(var, "", alias, "count"))
    order = Order(alias=alias, descending=descending) if ordered else None
    plan = _finished(pattern.sketch, columns, order=order, limit=limit)
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


def _plural(label: str) -> str:
    lower = label.lower()
    return lower[:-1] + "ies" if lower.endswith("y") else lower + "s"


def _several(question: Question, rules: RuleBook) -> Plan | None:
    """'in more than one club', 'at least two skills', 'clubs with more than 2 members'."""
    links, world = question.links, question.world
    if links.has("count") and not links.has("several"):
        return None
    op, number, at = ">", 1, -1
    if links.has("several"):
        hit = links.ops["several"][0]
        at = hit.end
    else:
        for spare in question.spare_numbers:
            before = [
                h
                for h in (*links.ops.get("more", ()), *links.ops.get("less", ()))
                if spare.start - 3 <= h.start <= spare.start + 2
            ]
            exact = any(w.start == spare.end for w in question.labels)
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
    del world
    return _counted(question, wanted, counted, having=(op, number))


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
    alias = _plural(asked.owner)
    columns = (Column(pattern.var, asked.prop, asked.prop), Column(pattern.var, "", alias, "count"))
    order = Order(alias=alias, descending=descending) if descending is not None else None
    limit = 1 if descending is not None else None
    return replace(_finished(pattern.sketch, columns, order=order, limit=limit), distinct=False)


def _aggregate(question: Question, rules: RuleBook) -> Plan | None:
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
                return replace(_finished(pattern.sketch, (column,)), distinct=False)
    return None


def _count(question: Question, rules: RuleBook) -> Plan | None:
    links, world = question.links, question.world
    if not links.has("count"):
        return None
    hit = links.ops["count"][0]
    for owners in question.asked:
        numeric = any(p.name == a.prop and p.is_number for a in owners for p in world.props_of(a.owner))
        if numeric and owners[0].at - hit.end in (0, 1):
            return None  # 'how many credits does it have' reads a property
    grouped = _group_property(question)
    if grouped is not None and links.has("each"):
        return _count_by_property(question, grouped, None)
    after = [w for w in question.labels if 0 <= w.start - hit.end <= 2]
    counted = after[0] if after else None
    if links.has("each"):
        eaches = [h for h in links.ops["each"]]
        groups = [
            w for w in question.labels for h in eaches if 0 <= w.start - h.end <= 1 and w is not counted
        ]
        if groups:
            wanted = Target(groups[0].label, 0.0, groups[0])
            return _counted(question, wanted, counted, ordered=False)
    if counted is not None:
        same = [w for w in question.labels if w.start == counted.start]
        options = [Target(w.label, 0.02 * i, w) for i, w in enumerate(same)]
    else:
        options = [t for t in targets(question) if t.word is not None or t.label == world.agent]
    pattern = _positive_pattern(question, options)
    if pattern is None:
        return None
    without = _negated(question, pattern)
    var = pattern.var
    column = Column(var, "", _plural(pattern.target.label), "count")
    plan = _finished(pattern.sketch, (column,))
    return replace(plan, distinct=False, without=without)


# ---- everything else ----------------------------------------


def _select(question: Question, rules: RuleBook) -> Plan | None:
    links, world = question.links, question.world
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
        options = [Target(label, penalty) for label, penalty in question.label_choices(first)]
    options = _for_asked(question, options)
    pattern = _positive_pattern(question, options)
    if pattern is None:
        return None
    without = _negated(question, pattern)
    columns = _columns(question, pattern, yes_no)
    plan = _finished(pattern.sketch, columns)
    plan = replace(plan, without=without)
    top = _top_number(question)
    if top is not None and links.has("list"):
        plan = replace(plan, limit=top)
    return plan


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


def _positive_pattern(question: Question, options: list[Target]) -> Pattern | None:
    negative_things, _, negative_tests = _negative(question)
    tests = [
        replace(test, op="<>") if test.at in negative_tests and test.op == "=" else test
        for test in question.tests
    ]
    words = _negative_words(question)
    needed = frozenset(
        asked.owner
        for group in question.asked
        for asked in group[:1]
        if not question.world.is_label(asked.owner) and len(group) == 1
    )
    best: Pattern | None = None
    variants: list[frozenset[str]] = [needed]
    ambiguous = [group for group in question.asked if len(group) > 1]
    if ambiguous:
        variants = [
            needed | ({asked.owner} if not question.world.is_label(asked.owner) else set())
            for asked in ambiguous[0]
        ]
    spoken = frozenset(asked.at for group in question.asked for asked in group)
    for variant in variants:
        pattern = draw(
            question,
            options,
            leave_out=frozenset(negative_things),
            tests=tests,
            needed=variant,
            skip_words=words | frozenset(p for p in spoken if not _own_cue(question, p)),
        )
        if pattern is not None and (best is None or pattern.cost < best.cost):
            best = pattern
    return best


def _own_cue(question: Question, place: int) -> bool:
    return any(cue.start == place and max(s for _, s in cue.rels) >= 1.0 for cue in question.cues)


def _columns(question: Question, pattern: Pattern, yes_no: bool) -> tuple[Column, ...]:
    links, world = question.links, question.world
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
    columns = [_name_column(pattern, pattern.var, whole=not asked)]
    if yes_no:
        for var in dict.fromkeys(pattern.ends.values()):
            if var != pattern.var:
                columns.append(_name_column(pattern, var))
    if asked:
        edges = {column.var for column in asked}
        for edge in pattern.sketch.edges:
            if edge.var and edge.var in edges:
                for var in (edge.left, edge.right):
                    if var != pattern.var and not any(c.var == var for c in columns):
                        columns.append(_name_column(pattern, var, whole=False))
    for word in _extra_labels(question, pattern):
        var = pattern.by_label.get(word.label)
        if var is not None and not any(c.var == var for c in columns):
            columns.append(_name_column(pattern, var))
    del links
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
        if beside_and(links, word.start) or before in ("which", "what", "kaunse", "kaunsi", "kaunsa", "kis"):
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


def _name_column(pattern: Pattern, var: str, whole: bool = True) -> Column:
    label = pattern.sketch.label_of(var)
    count = sum(
        1 for node in pattern.sketch.nodes if node.label == label and node.var < var and node.var != var
    )
    alias = label.lower()
    if var != pattern.var and label == pattern.target.label:
        alias = f"{alias}_{count + 1}" if count else f"other_{alias}"
    return Column(var, pattern.question.world.name_of[label], alias, whole=whole)


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


# ---- what must not be ----------------------------------------


def _negative(question: Question) -> tuple[set[int], bool, set[int]]:
    """Starts of things that must not be reached, whether anything is negated, starts of tests that are negated."""
    links = question.links
    hits = links.ops.get("no", ())
    if not hits:
        return set(), False, set()
    hindi = {"nahi", "nahin", "nahee", "nhi", "bina"}
    things: set[int] = set()
    tests: set[int] = set()
    buts = [h.start for h in links.ops.get("but", ()) if links.word(h.start) not in ("yet", "while", "par")]
    if question.hinglish:
        buts += [h.start for h in links.ops.get("but", ()) if links.word(h.start) == "par"]
    items = [(m.start, m.end, "thing") for m in question.things]
    items += [(t.at, t.at + 1, "test") for t in question.tests]
    items.sort()
    for hit in hits:
        if links.word(hit.start) in hindi:
            before = [i for i in items if i[1] <= hit.start and not any(i[0] < b < hit.start for b in buts)]
            chosen = before if links.has("both") else before[-1:]
            labels = [
                w for w in question.labels if w.end <= hit.start and (not chosen or w.start > chosen[-1][0])
            ]
            if labels and links.has("any_of"):
                chosen = []
        else:
            end = min((b for b in buts if b > hit.start), default=len(links.tokens))
            chosen = [i for i in items if hit.end <= i[0] < end]
            anys = [h for h in links.ops.get("any_of", ()) if h.start >= hit.start]
            if (
                anys
                and chosen
                and any(w.start > anys[0].start and w.start < chosen[0][0] for w in question.labels)
            ):
                chosen = []
            if len(chosen) > 1 and not links.has("or") and links.word(chosen[0][0] - 1) != "neither":
                ands = [i for i in range(chosen[0][1], chosen[1][0]) if links.word(i) in ("and", "who")]
                verbs = [c for c in question.cues if chosen[0][1] <= c.start < chosen[1][0]]
                if ands and verbs:
                    chosen = chosen[:1]
        for start, _, kind in chosen:
            (things if kind == "thing" else tests).add(start)
    return things, True, tests


def _negative_words(question: Question) -> frozenset[int]:
    """Label words and cues that belong to what must not be: 'not in any club'."""
    things, negated, tests = _negative(question)
    if not negated or tests:
        return frozenset()
    links = question.links
    hit = links.ops["no"][0]
    if things:
        # The verb of the negated part suggests the way there, not the rest: it is used by both.
        positive = [m for m in question.things if m.start not in things]
        if positive:
            return frozenset()
        return frozenset(c.start for c in question.cues)
    wanted = _asked_target(question)
    own = wanted.word.start if wanted is not None and wanted.word is not None else -1
    del hit
    return frozenset({w.start for w in question.labels if w.start != own} | {c.start for c in question.cues})


def _negated(question: Question, pattern: Pattern) -> tuple[Branch, ...]:
    world = question.world
    things, negated, tests = _negative(question)
    if not negated or tests:
        return ()
    found: list[Branch] = []
    for mention in question.things:
        if mention.start in things:
            branch = branch_to(question, pattern, mention, [], question.cues)
            if branch is not None:
                found.append(branch)
    if things:
        return tuple(found)
    own = pattern.target.word.start if pattern.target.word is not None else -1
    words = [w for w in question.labels if w.start != own]
    labels = [w.label for w in words]
    if not labels:
        labels = [
            rel.end if rel.start == pattern.target.label else rel.start
            for cue in question.cues
            for rel in (world.rels[place] for place, _ in cue.rels)
            if pattern.target.label in (rel.start, rel.end)
        ]
    if labels:
        loops = [
            w
            for w in words
            if w.noun_of
            and any(world.rels[p].start == pattern.target.label == world.rels[p].end for p in w.noun_of)
        ]
        if loops:
            labels = [pattern.target.label]
        branch = branch_to(question, pattern, None, labels, question.cues)
        if branch is not None:
            found.append(branch)
    return tuple(found)


# ---- finishing ----------------------------------------


def _finished(
    sketch: Sketch, columns: tuple[Column, ...], *, order: Order | None = None, limit: int | None = None
) -> Select:
    """A plan from a finished drawing. Rows may repeat where a way is longer than one step."""
    plain = all(not column.function for column in columns)
    shown = {column.var for column in columns}
    hidden = [node for node in sketch.nodes if node.var not in shown]
    fixed = {test.var for test in sketch.tests if isinstance(test, Named)}
    repeats = any(node.var not in fixed for node in hidden) or len(sketch.edges) > 1
    return Select(
        tuple(sketch.nodes),
        tuple(sketch.edges),
        tuple(sketch.tests),
        columns,
        distinct=plain and repeats and bool(sketch.edges) and order is None,
        order=order,
        limit=limit,
    )


__all__ = ["PropTest", "understand"]
