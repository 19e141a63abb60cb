"""Plain conversation: the practice model says what it is, and does not pretend to know things."""

from __future__ import annotations

from course_lib.models.practice.mind.lexicon import is_hinglish
from course_lib.models.practice.mind.prompt_form import PromptParts

_ENGLISH = (
    "I am the practice model: a simulator made for teaching, not a language model. "
    "I know only what a prompt tells me. Give me a graph's schema and a question and I write Cypher; "
    "give me rows and I word them; give me a message and I take facts out of it."
)
_HINGLISH = (
    "Main practice model hoon: seekhne ke liye bana ek simulator, language model nahi. "
    "Mujhe bas wahi pata hai jo prompt mein likha hai. Schema aur question do to main Cypher likhta hoon; "
    "rows do to unhe shabdon mein batata hoon; message do to usme se facts nikalta hoon."
)


def small_talk(parts: PromptParts) -> str:
    """The reply to a message that sets no task this simulator knows."""
    return _HINGLISH if is_hinglish(parts.question or parts.message) else _ENGLISH
