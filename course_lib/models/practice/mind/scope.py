"""The range of questions that the practice model covers, told by kind, with an example from the graph at
hand.
"""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.models.practice.mind.reading_schema import Rel
from course_lib.models.practice.mind.text import name_words
from course_lib.models.practice.mind.world import World


@dataclass(frozen=True)
class Kind:
    """One kind of question: what it is, and examples in English and Hinglish."""

    name: str
    what: str
    english: str
    hinglish: str


KINDS: tuple[Kind, ...] = (
    Kind(
        "look-up",
        "a property of a named thing, or all of them",
        "What {prop} is {name}?",
        "{name} ka {prop} kya hai?",
    ),
    Kind(
        "who or which",
        "things reached from a named one, over one to four relationships",
        "Which {others} is {name} linked to by {verb}?",
        "{name} ke {others} kaunse hain?",
    ),
    Kind(
        "list",
        "all things of a kind, with filters on their properties",
        "List all {others}",
        "saare {others} dikhao",
    ),
    Kind(
        "count",
        "how many, in all, of a named thing, or for each",
        "How many {others} are there?",
        "kitne {others} hain?",
    ),
    Kind(
        "best of",
        "who ranks highest by a grade or a level",
        "Who is the best at {other}?",
        "{other} mein sabse accha kaun hai?",
    ),
    Kind(
        "most and least",
        "who has the most or the fewest",
        "Which {thing} has the most {others}?",
        "kis {thing} ke paas sabse zyada {others} hain?",
    ),
    Kind(
        "both of",
        "what holds for two named things at once",
        "Who is linked to both {other} and {other2}?",
        "{other} aur {other2} dono mein kaun hai?",
    ),
    Kind(
        "none of",
        "who is without something",
        "Which {things} have no {others}?",
        "kis {thing} ke paas koi {others} nahi hai?",
    ),
    Kind(
        "more than",
        "who has more than a number of something",
        "Which {things} have more than one {others}?",
        "kaun ek se zyada {others} mein hai?",
    ),
    Kind(
        "same as",
        "who shares something with a named one",
        "Who has the same {others} as {name}?",
        "{name} ke saath kaun same {others} mein hai?",
    ),
    Kind(
        "path",
        "the shortest way between two things",
        "What is the path from {item} to {item2}?",
        "{item} se {item2} tak ka path batao",
    ),
    Kind(
        "before and after",
        "what comes before a thing, or after it",
        "What comes before {item}?",
        "{item} se pehle kya aata hai?",
    ),
    Kind(
        "next topics",
        "what opens up for someone",
        "What should {name} learn next?",
        "{name} ke next topics kya hain?",
    ),
    Kind("explanation", "the text that explains a thing", "Explain {item}", "{item} kya hota hai?"),
    Kind(
        "common to all",
        "who belongs to more than one of a kind",
        "What is common in all the {others}?",
        "saare {others} mein common kya hai?",
    ),
    Kind(
        "follow-up",
        "a pronoun that the memory in the prompt resolves",
        "Which {others} is she in?",
        "uska {prop} kya hai?",
    ),
)
"""Every kind of question that the practice model means to understand."""


def published_range() -> tuple[Kind, ...]:
    """The kinds of questions that the practice model covers, with placeholders for a graph's own words."""
    return KINDS


def examples(world: World) -> list[str]:
    """The range in the words of one graph."""
    words = _words(world)
    found = []
    for kind in KINDS:
        for pattern in (kind.english, kind.hinglish):
            found.append(pattern.format_map(words))
    return found


class _Words(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "…"


def _words(world: World) -> _Words:
    words = _Words()
    agent = world.agent
    words["thing"], words["things"] = agent.lower(), agent.lower() + "s"
    props = [p.name for p in world.props_of(agent) if p.name != world.name_of.get(agent) and p.name != "id"]
    words["prop"] = props[0] if props else "name"
    rel: Rel | None = next((rel for rel in world.rels if rel.start == agent and not rel.is_loop), None)
    names = world.values_of(agent, world.name_of.get(agent, "name"))
    words["name"] = names[0] if names else f"this {agent.lower()}"
    if rel is not None:
        words["others"] = rel.end.lower() + "s"
        words["verb"] = " ".join(name_words(rel.type))
        others = world.values_of(rel.end, world.name_of[rel.end])
        words["other"] = others[0] if others else f"this {rel.end.lower()}"
        words["other2"] = others[1] if len(others) > 1 else f"that {rel.end.lower()}"
    loop = next(
        (
            rel
            for i, rel in reversed(list(enumerate(world.rels)))
            if rel.is_loop and not world.is_symmetric(i)
        ),
        None,
    )
    if loop is not None:
        items = world.values_of(loop.start, world.name_of[loop.start])
        words["item"] = items[0] if items else f"this {loop.start.lower()}"
        words["item2"] = items[1] if len(items) > 1 else f"that {loop.start.lower()}"
    return words
