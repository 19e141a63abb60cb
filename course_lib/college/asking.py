"""What the agent needs of the parts that are handed to it: a model, a memory, a cache, a count of failures.

A `ModelRouter` is a model, and so is anything else with these two methods: the agent never looks at which
class it is. The cache and the count are two methods and one; they come later in the course, and an agent
without them is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from course_lib.college.rows import Rows

if TYPE_CHECKING:
    from course_lib.college.events import Answer

UNUSABLE_REPLIES = frozenset({"empty reply", "unreadable reply", "cut off", "stream cut"})
"""Labels of a model's errors that say: there was a reply, and nothing to use in it. Asking again may help."""


class Usage(Protocol):
    """What a call took."""

    @property
    def tokens_in(self) -> int:
        """Tokens that were sent."""

    @property
    def tokens_out(self) -> int:
        """Tokens that came back."""


class ModelReply(Protocol):
    """What a model said, and who it was."""

    @property
    def text(self) -> str:
        """The reply."""

    @property
    def provider(self) -> str:
        """Who answered."""

    @property
    def model(self) -> str:
        """With which model."""

    @property
    def usage(self) -> Usage:
        """What it took."""


class ModelStream(Protocol):
    """A reply while it is being written: its pieces, and afterwards the whole."""

    def __iter__(self) -> Iterator[str]: ...

    @property
    def reply(self) -> ModelReply:
        """The whole reply, once the pieces are through."""

    def close(self) -> None:
        """Ends the call, also before the reply is whole."""


class Model(Protocol):
    """Whatever answers a prompt: `course_lib.models.connect()` gives one."""

    def generate(self, prompt: str, system: str | None = None) -> ModelReply:
        """Asks and waits for the whole reply."""

    def stream(self, prompt: str, system: str | None = None) -> ModelStream:
        """Asks and gives the reply's pieces as they come."""


class ConversationMemory(Protocol):
    """What was said before, as text for the prompt."""

    def to_prompt(self, question: str = "") -> str:
        """What of the conversation the next prompt should hold; nothing at its start."""

    def remember(self, question: str, cypher: str, rows: Rows, answer: str = "") -> Any:
        """Takes in one more turn."""


class AnswerCache(Protocol):
    """Answers that were given before, under everything that they depend on."""

    def get(self, parts: Mapping[str, str]) -> Answer | None:
        """The answer kept under these parts, or None. The parts name the graph and its state, the prompt,
        the conversation, the model and the question: an answer is right only where all of them are the
        same."""

    def put(self, parts: Mapping[str, str], answer: Answer) -> None:
        """Keeps an answer."""


@runtime_checkable
class FailureLog(Protocol):
    """Counts what goes wrong, attempt by attempt."""

    def record(self, kind: str, question: str, cypher: str, detail: str) -> None:
        """Notes one failure.

        Args:
            kind: one of `generation_error`, `syntax_error`, `empty_result`, `out_of_scope`, `unsafe_query`.
            question: the question.
            cypher: the query of that attempt, or nothing.
            detail: what was said about it.
        """
