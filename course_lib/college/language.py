"""English or Hinglish: which of the two a text is written in, and the sentences that need no rows.

Hinglish is Hindi in Latin letters with English words in it, as people type it. Hindi in its own script counts
as Hinglish too: an answer in Hinglish can be read by whoever asks in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from course_lib.college.answer_text import answer_words

if TYPE_CHECKING:
    from course_lib.college.schema import Schema

Language = Literal["en", "hi"]
"""`en` is English, `hi` is Hinglish."""

_WORD = re.compile(r"[a-z']+")
_OWN_SCRIPT = re.compile(r"[\u0900-\u097f]")
_LONGEST = 4_000
"""Characters that are looked at: a text that long has long shown its language."""


def language_of(text: str) -> Language:
    """The language of a text: `hi` for Hinglish (and Hindi), else `en`.

    One telling word is enough in a short text; in a longer one, one that might be part of a name is not.

    Args:
        text: a question or an answer.
    """
    looked_at = text[:_LONGEST].lower()
    if _OWN_SCRIPT.search(looked_at):
        return "hi"
    words, known = _WORD.findall(looked_at), answer_words()
    sure = sum(word in known.surely_hinglish for word in words)
    english = sum(word in known.surely_english for word in words)
    maybe = sum(word in known.maybe_hinglish and word not in known.surely_english for word in words)
    if sure >= 2:
        return "hi" if sure * 2 >= english else "en"
    if sure == 1:
        return "hi" if (maybe and english <= maybe + 1) or (len(words) <= 6 and english < 2) else "en"
    return "hi" if maybe >= 2 and not english else "en"


TEXTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "outside": "That lies outside this graph, so I cannot answer it from the data. I can help with"
        " {things}.",
        "examples": "You could ask: {questions}",
        "nothing": "I found nothing in the graph for this question. Check how the names are spelled, or ask"
        " it in "
        "another way.",
        "refused": "I can only read this graph, so I have not done that. Nothing was changed. Ask me about"
        " what is "
        "in it.",
        "failed": "I did not manage to turn this question into a query that runs, so I have no answer to"
        " it. Try to "
        "ask it more simply.",
        "nothing_known": "what the graph holds",
        "and": " and ",
        "or": " or ",
    },
    "hi": {
        "outside": "Yeh is graph ke bahar ki baat hai, isliye data se iska jawab nahi de sakta. Main"
        " {things} ke "
        "baare mein madad kar sakta hoon.",
        "examples": "Aise poochh sakte ho: {questions}",
        "nothing": "Is sawaal ke liye graph mein kuch nahi mila. Naam ki spelling dekh lo, ya dusre shabdon"
        " mein "
        "poochho.",
        "refused": "Main is graph ko sirf padh sakta hoon, isliye yeh nahi kiya. Kuch bhi badla nahi gaya."
        " Jo graph "
        "mein hai, uske baare mein poochho.",
        "failed": "Is sawaal se chalne wali query nahi ban payi, isliye mere paas iska jawab nahi hai."
        " Thoda seedhe "
        "shabdon mein poochho.",
        "nothing_known": "graph mein jo hai us",
        "and": " aur ",
        "or": " ya ",
    },
}
"""Sentences by language and purpose."""

_MOST_THINGS = 8


def out_of_scope_text(question: str, schema: Schema | None = None) -> str:
    """The answer to a question that this graph cannot answer: friendly, in the question's language, with
    what it can help with.

    Args:
        question: the question, for its language.
        schema: what the graph holds; its labels are what is listed, so that it follows any graph.
    """
    language = language_of(question)
    texts = TEXTS[language]
    labels = [node.label for node in schema.labels if node.count] if schema is not None else []
    things = [plural(words_of(label)) for label in labels[:_MOST_THINGS]]
    said = texts["outside"].format(things=listed(things, texts["and"]) or texts["nothing_known"])
    asked = _examples(language, schema)
    if asked:
        said += " " + texts["examples"].format(questions=listed([f"'{one}'" for one in asked], texts["or"]))
        said += "."
    return said


def _examples(language: Language, schema: Schema | None) -> list[str]:
    """One or two questions that this graph can answer, made of names that it holds."""
    if schema is None:
        return []
    asked: list[str] = []
    for values in schema.values:
        if not values.listed or schema.name_of(values.owner) != values.property:
            continue
        name, label = values.listed[0], words_of(values.owner)
        if language == "hi":
            asked.append(f"{name} ke baare mein batao" if not asked else f"saare {plural(label)} batao")
        else:
            asked.append(f"Tell me about {name}" if not asked else f"List all the {plural(label)}")
        if len(asked) == 2:
            break
    return asked


def nothing_found_text(question: str) -> str:
    """The answer to a question that has no rows. No model is asked to word it."""
    return TEXTS[language_of(question)]["nothing"]


def refused_text(question: str) -> str:
    """The answer to a question whose query was refused, because it would have changed the graph, say."""
    return TEXTS[language_of(question)]["refused"]


def failed_text(question: str) -> str:
    """The answer when no query came about that could be run."""
    return TEXTS[language_of(question)]["failed"]


def words_of(name: str) -> str:
    """A label, type or column as words: `OperatingSystem` and `operating_system` are `operating system`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.split(".")[-1])
    return " ".join(re.sub(r"[^\w+]+|_", " ", spaced).lower().split())


def plural(noun: str) -> str:
    """The plural of an English noun, as far as a label or a column needs it."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    if re.search(r"(?:[sxz]|ch|sh)$", noun):
        return noun if noun.endswith("ss") is False and noun.endswith("s") else noun + "es"
    return noun + "s"


def listed(texts: Sequence[str], last: str) -> str:
    """Texts as one, with commas and a word before the last."""
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + last + texts[-1] if texts else ""
