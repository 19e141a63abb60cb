"""What the intents share: the pattern without what is negated, columns, numbers, the finished plan."""

from __future__ import annotations

from dataclasses import replace

from course_lib.models.practice.mind.linking import Mention, NumberWord
from course_lib.models.practice.mind.negation import negative_parts, negative_words
from course_lib.models.practice.mind.patterns import Pattern, Target, draw
from course_lib.models.practice.mind.plan import Column, Named, Order, Select, Sketch
from course_lib.models.practice.mind.question import Question
from course_lib.models.practice.mind.text import number_of
from course_lib.models.practice.mind.world import World


def positive_pattern(question: Question, options: list[Target]) -> Pattern | None:
    """The pattern of what must hold; what is negated stays out of it."""
    negative_things, _, negative_tests = negative_parts(question)
    tests = [
        replace(test, op="<>") if test.at in negative_tests and test.op == "=" else test
        for test in question.tests
    ]
    words = negative_words(question)
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


def top_number(question: Question) -> int | None:
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


def named(var: str, label: str, mention: Mention, world: World) -> Named:
    """A test that a node of a label is called what a mention says."""
    return Named(var, world.name_of[label], (mention,))


def name_column(pattern: Pattern, var: str, whole: bool = True) -> Column:
    """The column that shows a thing by its name."""
    label = pattern.sketch.label_of(var)
    count = sum(
        1 for node in pattern.sketch.nodes if node.label == label and node.var < var and node.var != var
    )
    alias = label.lower()
    if var != pattern.var and label == pattern.target.label:
        alias = f"{alias}_{count + 1}" if count else f"other_{alias}"
    return Column(var, pattern.question.world.name_of[label], alias, whole=whole)


def plural(label: str) -> str:
    """A column's name for several things of a label."""
    lower = label.lower()
    return lower[:-1] + "ies" if lower.endswith("y") else lower + "s"


def finished(
    sketch: Sketch, columns: tuple[Column, ...], *, order: Order | None = None, limit: int | None = None
) -> Select:
    """A plan from a finished drawing. Rows may repeat where a way is longer than one step."""
    plain = all(not column.function for column in columns)
    shown = {column.var for column in columns}
    hidden = [node for node in sketch.nodes if node.var not in shown]
    fixed = {test.var for test in sketch.tests if isinstance(test, Named) and len(test.mentions) == 1}
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
