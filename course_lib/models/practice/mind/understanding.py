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
from course_lib.models.practice.mind.question import Question, exclusions, sort_question
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
    """Words that nothing explains may be names that the prompt does not list."""
    links, world = question.links, question.world
    if not links.unknown or not world.values:
        return
    for run in _runs(links.unknown):
        words = links.tokens[run[0] : run[-1] + 1]
        opening = run == [0] and not _is_slot(question, 0)  # a first word has its capital for nothing
        if all(token.text[0].isupper() for token in words) and len(run) <= 3 and not opening:
            _adopt(question, run)
    if not question.things and _speaks_of_the_graph(question):
        runs = [run for run in _runs(links.unknown) if any(_is_slot(question, place) for place in run)]
        if runs and len(runs[0]) <= 3 and len(links.tokens[runs[0][0]].lower) > 1:
            _adopt(question, runs[0])
    question.things.sort(key=lambda mention: mention.start)
    exclusions(question)


def _runs(places: list[int]) -> list[list[int]]:
    """Neighbouring places, together."""
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _adopt(question: Question, run: list[int]) -> None:
    links = question.links
    typed = links.text[links.tokens[run[0]].start : links.tokens[run[-1]].end]
    question.things.append(Mention(run[0], run[-1] + 1, typed, "unknown"))
    links.unknown = [place for place in links.unknown if place not in run]


def _speaks_of_the_graph(question: Question) -> bool:
    told = question.cues or question.labels or question.asked
    return bool(told or question.has("who", "explain", "about"))


_BEFORE_NAMES = frozenset(
    ["of", "in", "for", "to", "at", "with", "about", "on", "by", "explain", "is", "does"]
)
_AFTER_NAMES = frozenset(["'s", "ka", "ke", "ki", "ko", "mein", "pe", "se", "ne", "kaun", "kya"])


def _is_slot(question: Question, place: int) -> bool:
    """Whether a name may stand here: after a verb or a noun of the graph, or beside a preposition."""
    links = question.links
    cued = {cue.end for cue in question.cues} | {word.end for word in question.labels}
    beside = links.word(place - 1) in _BEFORE_NAMES or links.word(place + 1) in _AFTER_NAMES
    return place in cued or beside
