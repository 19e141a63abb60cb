"""Wishes to change the graph, and topics that it holds nothing about."""

from __future__ import annotations

from course_lib.models.practice.mind.lexicon import lexicon
from course_lib.models.practice.mind.plan import Change, Named, Outside, Plan
from course_lib.models.practice.mind.question import Question
from course_lib.models.practice.mind.reading_rules import RuleBook


def change(question: Question, rules: RuleBook) -> Plan | None:
    """A wish to delete, add or change something."""
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
        closing = question.hinglish and hit.end >= len(links.tokens) - 2 and _is_order(question, hit.end)
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


_ORDERS = frozenset(
    ("karo", "do", "de", "dena", "dijiye", "hatao", "mitao", "badlo", "jodo", "kardo", "karna")
)


def _is_order(question: Question, end: int) -> bool:
    """Whether a Hinglish wish is one: 'saaf kar do' is, 'clear hone chahiye' is not."""
    links = question.links
    return links.word(end - 1) in _ORDERS or links.word(len(links.tokens) - 1) in _ORDERS


def outside(question: Question, rules: RuleBook) -> Plan | None:
    """A topic that the graph holds nothing about."""
    links, world = question.links, question.world
    spans = [(word.start, word.end) for word in links.labels]
    spans += [(cue.start, cue.end) for cue in links.rels]
    spans += [(mention.start, mention.end) for mention in links.mentions if mention.candidates]
    spans += [(word.start, word.end) for word in links.props if word.owners[0][2] >= 1.0]
    spoken = {place for start, end in spans for place in range(start, end)}
    for hit in links.outside:
        if any(place in spoken for place in range(hit.start, hit.end)):
            continue
        topic = lexicon().topics[hit.name]
        typed = " ".join(token.text for token in links.tokens[hit.start : hit.end])
        thing = question.things[0] if question.things else None
        if topic.property is not None:
            if any(a.at not in range(hit.start, hit.end) for owners in question.asked for a in owners):
                continue  # 'which city does she live in' asks for a property that there is
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
