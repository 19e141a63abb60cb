"""What a question means: one plan for it, or the honest word that the practice model does not know the
wording.
"""

from __future__ import annotations

from collections.abc import Callable

from course_lib.models.practice.mind.intent_counts import aggregate, count
from course_lib.models.practice.mind.intent_ranks import best, most, several
from course_lib.models.practice.mind.intent_select import select
from course_lib.models.practice.mind.intent_shapes import common, explanation, next_up, path, same
from course_lib.models.practice.mind.intent_wishes import change, outside
from course_lib.models.practice.mind.linking import Mention
from course_lib.models.practice.mind.plan import Miss, Plan
from course_lib.models.practice.mind.question import Question, sort_question
from course_lib.models.practice.mind.reading_memory import Remembered
from course_lib.models.practice.mind.reading_rules import RuleBook
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
        change,
        outside,
        common,
        path,
        next_up,
        explanation,
        same,
        several,
        best,
        most,
        aggregate,
        count,
        select,
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
    if len(links.tokens[start].lower) < 2 or end - start > 3:
        return
    typed = links.text[links.tokens[start].start : links.tokens[end - 1].end]
    question.things.append(Mention(start, end, typed, "unknown"))
    links.unknown = [place for place in links.unknown if not start <= place < end]
