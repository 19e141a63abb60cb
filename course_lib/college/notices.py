"""What the assistant says when it cannot even begin, in the language of the question."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.college.language import language_of

_NOTICES: Mapping[str, Mapping[str, str]] = {
    "no_question": {
        "en": "There is no question yet. Ask me something about the graph.",
        "hi": "Abhi koi sawaal nahi hai. Graph ke baare mein kuch poochho.",
    },
    "too_long": {
        "en": "That is too long for one question. Ask it in a few sentences.",
        "hi": "Ek sawaal ke liye yeh bahut lamba hai. Do-teen lines mein poochho.",
    },
    "model_down": {
        "en": "No model could be reached just now, so I cannot answer. Please try again in a moment.",
        "hi": "Abhi koi model nahi mil raha, isliye jawab nahi hai. Thodi der mein phir koshish karo.",
    },
    "engine_down": {
        "en": "The graph could not be reached just now, so I cannot answer. Please try again in a moment.",
        "hi": "Abhi graph nahi mil raha, isliye jawab nahi hai. Thodi der mein phir koshish karo.",
    },
    "bug": {
        "en": "Something unexpected went wrong on my side, so I have no answer to this.",
        "hi": "Meri taraf kuch gadbad ho gayi, isliye iska jawab nahi hai.",
    },
    "capped": {
        "en": "There are {total} rows; these are the first {shown}.",
        "hi": "Kul {total} rows hain; yeh pehli {shown} hain.",
    },
}


def notice(kind: str, question: str, **values: int) -> str:
    """A sentence for one of the things that can be in the way.

    Args:
        kind: `no_question`, `too_long`, `model_down`, `engine_down`, `bug` or `capped`.
        question: the question, for its language.
        values: what stands in the sentence's gaps.
    """
    texts = _NOTICES[kind]
    return texts.get(language_of(question), texts["en"]).format(**values)
