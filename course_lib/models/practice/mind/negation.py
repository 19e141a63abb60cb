"""What must not be: 'not in any club', 'DSA but not DBMS', 'DBMS nahi padhta'."""

from __future__ import annotations

from course_lib.models.practice.mind.patterns import Pattern, asked_target, branch_to
from course_lib.models.practice.mind.plan import Branch
from course_lib.models.practice.mind.question import Question


def negative_parts(question: Question) -> tuple[set[int], bool, set[int]]:
    """Starts of things that must not be reached, whether anything is negated, starts of tests that are
    negated.
    """
    links = question.links
    hits = links.ops.get("no", ())
    if not hits:
        return set(), False, set()
    hindi = {"nahi", "nahin", "nahee", "nhi", "bina"}
    things: set[int] = set()
    tests: set[int] = set()
    buts = _buts(question)
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


def _buts(question: Question) -> list[int]:
    """Where a clause ends that says something else than the next one."""
    links = question.links
    apart = ("yet", "while") if question.hinglish else ("yet", "while", "par")
    return [hit.start for hit in links.ops.get("but", ()) if links.word(hit.start) not in apart]


def _negated_clause(question: Question) -> range:
    """The words of the clause that is negated."""
    links = question.links
    hit = links.ops["no"][0].start
    buts = _buts(question)
    start = max((b for b in buts if b <= hit), default=0)
    end = min((b for b in buts if b > hit), default=len(links.tokens))
    return range(start, end)


def negative_words(question: Question) -> frozenset[int]:
    """Label words and cues that belong to what must not be: 'not in any club'."""
    things, negated, tests = negative_parts(question)
    if not negated or tests:
        return frozenset()
    if things:
        # The verb of the negated part suggests the way there, not the rest: it is used by both.
        positive = [m for m in question.things if m.start not in things]
        if positive:
            return frozenset()
        return frozenset(c.start for c in question.cues)
    wanted = asked_target(question)
    own = wanted.word.start if wanted is not None and wanted.word is not None else -1
    clause = _negated_clause(question)
    words = {w.start for w in question.labels if w.start != own} | {c.start for c in question.cues}
    return frozenset(place for place in words if place in clause)


def negated_branches(question: Question, pattern: Pattern) -> tuple[Branch, ...]:
    """The pieces of pattern that must not be there."""
    world = question.world
    things, negated, tests = negative_parts(question)
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
    clause = _negated_clause(question)
    cues = [cue for cue in question.cues if cue.start in clause]
    words = [w for w in question.labels if w.start != own and w.start in clause]
    labels = [w.label for w in words]
    if not labels:
        labels = [
            rel.end if rel.start == pattern.target.label else rel.start
            for cue in cues
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
        branch = branch_to(question, pattern, None, labels, cues)
        if branch is not None:
            found.append(branch)
    return tuple(found)
