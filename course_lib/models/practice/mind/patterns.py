"""From a sorted question to a pattern: choose what is asked for, find the ways to what is named, draw it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from course_lib.models.practice.mind.linking import LabelWord, Mention, RelCue
from course_lib.models.practice.mind.plan import Branch, Differs, Edge, Holds, Named, NotNamed, Sketch
from course_lib.models.practice.mind.question import PropTest, Question, is_owner, is_relative
from course_lib.models.practice.mind.walks import Anchor, LoopSense, Route, Walk, find_route


@dataclass(frozen=True)
class Target:
    """A label that may be what is asked for."""

    label: str
    prior: float
    """How unlikely it is, before the rest of the question is looked at."""
    word: LabelWord | None = None
    itself: bool = False
    """The question is about a named thing itself: 'is 2NF a prerequisite for 3NF?'"""


@dataclass
class Pattern:
    """A drawn pattern and where its parts are."""

    question: Question
    target: Target
    sketch: Sketch
    var: str
    """The variable of what is asked for."""
    ends: dict[int, str] = field(default_factory=dict)
    """Start of a mention -> the variable of the thing."""
    by_label: dict[str, str] = field(default_factory=dict)
    """Label -> the variable of the first node of that label, the target first."""
    cost: float = 0.0

    def edge_of(self, type_name: str) -> int | None:
        """The place of an edge of a type."""
        return next((i for i, edge in enumerate(self.sketch.edges) if edge.type == type_name), None)


def thing_groups(question: Question) -> list[list[Mention]]:
    """Named things; those joined by 'or' stand together."""
    groups: list[list[Mention]] = []
    ors = [
        hit.start for hit in question.links.ops.get("or", ()) if question.links.word(hit.start) != "either"
    ]
    for mention in question.things:
        last = groups[-1][-1] if groups else None
        if last is not None and any(last.end <= place < mention.start for place in ors):
            same = set(last.owners) & set(mention.owners) or not last.owners or not mention.owners
            if same:
                groups[-1].append(mention)
                continue
        groups.append([mention])
    return groups


def targets(question: Question) -> list[Target]:
    """What the question may ask for, likeliest first."""
    links, world = question.links, question.world
    found: list[Target] = []
    asking: list[LabelWord] = []
    openers = [*links.ops.get("which", ()), *links.ops.get("count", ()), *links.ops.get("list", ())]
    for hit in sorted(openers, key=lambda hit: hit.start):
        for word in question.labels:
            gap = word.start - hit.end
            if 0 <= gap <= 3 and not any(hit.end <= m.start < word.start for m in links.mentions):
                # 'which club's members', 'kin concepts ke notes': the word with 'which' is asked for.
                marked = hit.name == "which" and gap <= 1
                owner = is_owner(links, word.end) and not marked
                if owner or word in asking:
                    continue
                asking.append(word)
                prior = 0.0 if hit.name in ("which", "count") else 0.1
                found.append(Target(word.label, prior + 0.05 * gap, word))
                break
    # Labels that share one word ('prerequisites' of subjects or of concepts) are all possible.
    for target in list(found):
        for word in question.labels:
            if target.word is not None and word is not target.word and word.start == target.word.start:
                found.append(Target(word.label, target.prior + (0.02 if word.noun_of else 0.1), word))
    for hit in links.ops.get("who", ()):
        if any(target.word is not None and target.word.start == hit.end for target in found):
            continue
        if not is_relative(links, hit, question.labels) and links.word(hit.start) not in (
            "log",
            "logon",
            "someone",
            "somebody",
            "anyone",
            "anybody",
            "whose",
        ):
            found.append(Target(world.agent, 0.05 if not asking else 0.3))
        elif links.word(hit.start) == "whose" and hit.start == 0:
            found.append(Target(world.agent, 0.0))
        elif links.word(hit.start) in ("log", "logon") or not question.labels:
            found.append(Target(world.agent, 0.2))
    for test in question.tests:
        # 'the president of the club': the value of a role stands for the one who has it.
        holder = next((rel for rel in world.rels if rel.type == test.owner), None)
        if holder is not None and not question.labels and test.mention is not None:
            found.append(Target(holder.start, 0.15))
            break
    free = [w for w in question.labels if w not in asking]
    heads = [w for w in free if not is_owner(links, w.end)] or free
    for place, word in enumerate(heads):
        prior = 0.25 if place == 0 else 0.55
        if (
            links.word(word.end) in ("mein", "me", "pe", "par", "ke", "ki", "ka", "se", "ko")
            and question.hinglish
        ):
            prior += 0.3
        found.append(Target(word.label, prior if not found else prior + 0.5, word))
    first = question.things[0] if question.things else None
    if first is not None:
        for label, penalty in question.label_choices(first)[:2]:
            asked = any(t.label != label and t.prior < 0.3 for t in found)
            found.append(
                Target(label, (1.5 if asked else 0.8 if heads else 0.45 if found else 0.2) + penalty)
            )
    if not found or (links.has("which") and not asking):
        for label in world.labels:
            mentioned = any(label in m.owners for m in question.things)
            found.append(
                Target(label, 0.5 + 0.3 * mentioned + 0.2 * (label == world.agent and not mentioned))
            )
    return found


def asked_target(question: Question) -> Target | None:
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


def draw(
    question: Question,
    options: list[Target],
    *,
    leave_out: frozenset[int] = frozenset(),
    tests: list[PropTest] | None = None,
    reach: tuple[str, ...] = (),
    needed: frozenset[str] = frozenset(),
    waypoints: bool = True,
    skip_words: frozenset[int] = frozenset(),
) -> Pattern | None:
    """The cheapest pattern for any of the targets.

    Args:
        question: the sorted question.
        options: what may be asked for.
        leave_out: starts of mentions that the pattern must not reach.
        tests: property tests to put in; the question's own when None.
        reach: labels to reach though nothing of them is named.
        needed: relationship types that must be part of it.
        waypoints: whether label words on the way have to be passed.
        skip_words: starts of label words and cues that are spoken for otherwise.
    """
    best: tuple[float, Target, Route] | None = None
    tests = question.tests if tests is None else tests
    groups = [[m for m in group if m.start not in leave_out] for group in thing_groups(question)]
    groups = [group for group in groups if group]
    for target in options:
        route = _route(question, target, groups, tests, reach, needed, waypoints, skip_words)
        if route is None:
            continue
        cost = route.cost + target.prior
        if best is None or cost < best[0] - 1e-9:
            best = (cost, target, route)
    if best is None:
        return None
    return _drawing(question, best[1], best[2], groups, tests, best[0])


def _route(
    question: Question,
    target: Target,
    groups: list[list[Mention]],
    tests: list[PropTest],
    reach: tuple[str, ...],
    needed: frozenset[str],
    waypoints: bool,
    skip_words: frozenset[int],
) -> Route | None:
    world = question.world
    own = target.word.start if target.word is not None else -1
    cues = [_softened(cue, question) for cue in question.cues if cue.start not in skip_words]
    words = [
        word
        for word in question.labels
        if waypoints
        and word.start != own
        and word.start not in skip_words
        and not (word.label == target.label and not word.noun_of)
    ]
    # One word may name several labels: any of them will do, the one asked for before others.
    words.sort(key=lambda w: (w.start, w.label != target.label))
    words = [w for i, w in enumerate(words) if not any(o.start == w.start for o in words[:i])]
    anchors: list[list[Anchor]] = []
    for group in groups:
        here = target.itself and group is groups[0]
        choices = question.label_choices(group[0])
        anchors.append(
            [
                Anchor(label, group[0], penalty, here=here and label == target.label)
                for label, penalty in choices
            ]
        )
    for label in reach:
        anchors.append([Anchor(label, apart=True)])
    types = set(needed)
    for test in tests:
        if world.is_label(test.owner):
            anchors.append([Anchor(test.owner)])
        else:
            types.add(test.owner)
    if types:
        # A name that the prompt does not list is most likely at an end of what the question is about.
        ends = {end for rel in world.rels if rel.type in types for end in (rel.start, rel.end)} - {
            target.label
        }
        anchors = [
            [a for a in choices if a.mention is None or a.mention.owners or a.label in ends] or choices
            for choices in anchors
        ]
    sides = {label for choices in anchors for anchor in choices[:1] for label in (anchor.label,)}
    for type_name in types:
        rels = [rel for rel in world.rels if rel.type == type_name]
        ends = {label for rel in rels for label in (rel.start, rel.end)}
        if rels and not (ends - {target.label}) & sides:
            rel = rels[0]
            anchors.append(
                [Anchor(rel.end if rel.start == target.label or rel.end != target.label else rel.start)]
            )
    direction = LoopSense(question.links, world, question.cues, own)
    itself = 0.0
    nouns = [
        w
        for w in question.labels
        if w.label == target.label and any(world.rels[p].is_loop for p in w.noun_of)
    ]
    if (target.word is not None and target.word.noun_of) or (target.word is None and nouns):
        itself = 0.6
    elif len(anchors) > 1 and target.word is not None:
        itself = 0.35
    if question.has("both") and len(groups) > 1:
        itself = max(itself, 0.9)
    guessed = any(not m.owners for group in groups for m in group)
    lookup = any(asked.owner == target.label for options in question.asked for asked in options)
    if lookup:
        guessed = False
    if guessed and (target.word is not None or target.prior < 0.1) and (cues or words or len(anchors) > 1):
        itself = max(itself, 1.2)  # 'which clubs is payal in' asks for clubs and names none
    elif guessed and target.word is not None:
        itself = max(itself, 0.9)
    if target.itself:
        itself = 0.0
    route = find_route(world, target.label, anchors, cues, words, direction, frozenset(types), itself)
    if route is None:
        return None
    covered = {target.label}
    used: set[int] = set()
    for _, walk in route.walks:
        covered.update(walk.labels(world, target.label))
        used.update(place for place, _ in walk.steps)
    missing: list[list[Anchor]] = []
    for word in words:
        loop = any(world.rels[place].is_loop for place in word.noun_of)
        told = any(c.start <= word.start < c.end and any(p in used for p, _ in c.rels) for c in cues)
        if word.label not in covered or (loop and not told and not used & set(word.noun_of)):
            missing.append([Anchor(word.label, apart=loop)])
    if not missing and not route.walks:
        # 'Which clubs have members', 'who studies something': the relationship alone is asked for.
        for cue in _unused(cues, used):
            if any(w.start <= cue.start < w.end for w in question.labels):
                continue  # the noun 'skill' in 'every skill' names a thing, not what somebody has
            others = [
                rel.end if rel.start == target.label else rel.start
                for rel in (world.rels[place] for place, strength in cue.rels if strength >= 0.8)
                if target.label in (rel.start, rel.end)
            ]
            if others:
                missing.append([Anchor(other) for other in dict.fromkeys(others)])
                break
    if missing:
        again = find_route(
            world, target.label, anchors + missing, cues, words, direction, frozenset(types), itself
        )
        # Reaching for a label costs a step; that it was missed cost as much before.
        route = again or route
    return route


def _softened(cue: RelCue, question: Question) -> RelCue:
    """'skills' names things before it suggests HAS_SKILL."""
    if any(w.start == cue.start and not w.noun_of and w.strength >= 0.9 for w in question.labels):
        return replace(cue, rels=tuple((place, 0.6 * s) for place, s in cue.rels), optional=True)
    return cue


def _unused(cues: list[RelCue], used: set[int]) -> list[RelCue]:
    return [cue for cue in cues if not any(place in used for place, _ in cue.rels)]


def _drawing(
    question: Question,
    target: Target,
    route: Route,
    groups: list[list[Mention]],
    tests: list[PropTest],
    cost: float,
) -> Pattern:
    world = question.world
    sketch = Sketch()
    var = sketch.add(target.label)
    pattern = Pattern(question, target, sketch, var, cost=cost)
    laid: dict[tuple[str, int, bool], str] = {}
    named: dict[str, list[Mention]] = {}
    for anchor, walk in sorted(route.walks, key=lambda item: (item[0].mention is None, 0)):
        end = lay(pattern, var, walk, laid, named, anchor.mention)
        if anchor.mention is not None:
            group = next(group for group in groups if group[0] is anchor.mention)
            named.setdefault(end, []).extend(group)
            for mention in group:
                pattern.ends[mention.start] = end
    for node, mentions in named.items():
        prop = world.name_of[sketch.label_of(node)]
        sketch.tests.append(Named(node, prop, tuple(mentions)))
    for node_var in [node.var for node in sketch.nodes]:
        pattern.by_label.setdefault(sketch.label_of(node_var), node_var)
    for test in tests:
        place_test(pattern, test)
    for mention in question.excluded:
        label = question.label_choices(mention)[0][0]
        left_out = pattern.by_label.get(label)
        if left_out is not None:
            sketch.tests.append(NotNamed(left_out, world.name_of[label], mention))
    same = [node.var for node in sketch.nodes if node.label == target.label and node.var != var]
    for other in same:
        between = [e for e in sketch.edges if {e.left, e.right} == {var, other}]
        if not between and other in named:
            sketch.tests.append(Differs(var, other))
    return pattern


def lay(
    pattern: Pattern,
    start: str,
    walk: Walk,
    laid: dict[tuple[str, int, bool], str],
    named: dict[str, list[Mention]],
    mention: Mention | None,
) -> str:
    """Draws a walk from a node; steps that are already drawn are shared. Returns the variable at its end."""
    world, sketch = pattern.question.world, pattern.sketch
    here = start
    for place, (index, forward) in enumerate(walk.steps):
        last = place == len(walk.steps) - 1
        key = (here, index, forward)
        there = laid.get(key)
        # Two names at the end of the same step are two things: 'both DBMS and DSA'.
        if there is not None and last and mention is not None and there in named:
            there = None
        if there is None:
            rel = world.rels[index]
            there = sketch.add(rel.end if forward else rel.start)
            sketch.edges.append(Edge(here, there, rel.type, forward, directed=not world.is_symmetric(index)))
            laid.setdefault(key, there)
        here = there
    return here


def place_test(pattern: Pattern, test: PropTest) -> None:
    """Puts a property test on the node or the relationship that it belongs to."""
    sketch, world = pattern.sketch, pattern.question.world
    if world.is_label(test.owner):
        var = pattern.by_label.get(test.owner)
        if var is not None:
            sketch.tests.append(Holds(var, test.prop, test.op, test.value, test.mention, test.others))
        return
    place = pattern.edge_of(test.owner)
    if place is None:
        # The property is known on several relationships (a role in a club, a role in a project).
        for i, edge in enumerate(sketch.edges):
            if any(prop.name == test.prop for prop in world.props_of(edge.type)):
                place = i
                break
    if place is not None:
        sketch.tests.append(
            Holds(sketch.name_edge(place), test.prop, test.op, test.value, test.mention, test.others)
        )


def branch_to(
    question: Question,
    pattern: Pattern,
    mention: Mention | None,
    labels: list[str],
    cues: list[RelCue],
) -> Branch | None:
    """A piece of pattern from the target to something that must not be there."""
    world = question.world
    own = pattern.target.word.start if pattern.target.word is not None else -1
    choices = (
        [Anchor(label, mention, penalty) for label, penalty in question.label_choices(mention)]
        if mention is not None
        else [Anchor(label, apart=True) for label in labels]
    )
    direction = LoopSense(question.links, world, question.cues, own)
    route = find_route(world, pattern.target.label, [choices], cues, [], direction)
    if route is None or not route.walks or not route.walks[0][1].steps:
        return None
    before = (len(pattern.sketch.nodes), len(pattern.sketch.edges))
    scratch = Sketch(list(pattern.sketch.nodes), list(pattern.sketch.edges))
    copy = Pattern(question, pattern.target, scratch, pattern.var)
    anchor, walk = route.walks[0]
    end = lay(copy, pattern.var, walk, {}, {}, mention)
    tests = (Named(end, world.name_of[anchor.label], (mention,)),) if mention is not None else ()
    return Branch(tuple(scratch.nodes[before[0] :]), tuple(scratch.edges[before[1] :]), tests)
