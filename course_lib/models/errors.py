"""What can go wrong between a question and a model's reply, one named class for each.

Each error names the provider and says what to do next. None holds a key: the SDK's own exception, which
carries the request with its headers, is not kept and not chained.

Every class says with `then` what a router does about it:

- `retry`: the same provider may well answer a moment later.
- `rest`: this provider rests for a while, the next one is asked.
- `next`: the next provider is asked, this one does not rest.
- `stop`: the caller is told. The provider did answer, and a different provider would only hide that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course_lib.models.calls import Attempt
    from course_lib.models.tables import Table

Then = Literal["retry", "rest", "next", "stop"]
LimitKind = Literal["minute", "day"]


class ModelError(CourseError):
    """A model could not be asked, or its answer could not be used.

    Args:
        what: one sentence about what happened.
        next_step: one sentence that says what to do now.
        provider: the provider's name, as in `providers.toml`.
        status: the HTTP status, where there was one.
        retry_after_s: seconds that the provider asks to wait, where it said so.
    """

    then: ClassVar[Then] = "stop"
    label: str = "failed"
    """Two or three words for a table."""

    def __init__(
        self,
        what: str,
        next_step: str = "",
        *,
        provider: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(what, next_step)
        self.provider = provider
        self.status = status
        self.retry_after_s = retry_after_s
        self.tried: tuple[Attempt, ...] = ()
        """What the router had tried when it gave up, this failure included."""

    @property
    def waiting_helps(self) -> bool:
        """Whether the same request might succeed at the same provider later."""
        return self.then in ("retry", "rest")


class ModelChoiceError(ModelError):
    """The settings name a model or provider that does not exist, or one that is not set up."""

    label = "not set up"


class ProviderDownError(ModelError):
    """No connection, or a server error (500, 502, 503, 504)."""

    then: ClassVar[Then] = "retry"
    label = "down"


class OverloadedError(ProviderDownError):
    """The provider has too much to do for everybody (529, or 503 that says so). Not a limit of this key."""

    label = "overloaded"


class DroppedError(ProviderDownError):
    """The connection broke off before the reply was complete."""

    label = "connection dropped"


class StreamCutError(DroppedError):
    """A stream broke off after its first piece: what had come is in `.partial`."""

    then = "stop"
    label = "stream cut"

    def __init__(self, what: str, next_step: str = "", *, partial: str = "", **more: Any) -> None:
        super().__init__(what, next_step, **more)
        self.partial = partial


class SlowReplyError(ModelError):
    """The provider was connected and then said nothing for too long."""

    then = "next"
    label = "too slow"


class RateLimitedError(ModelError):
    """The provider refuses for now, because this key asked too much.

    `kind` is `minute` (wait some seconds) or `day` (wait for the reset): two different walls.
    """

    then = "rest"

    def __init__(
        self,
        what: str,
        next_step: str = "",
        *,
        kind: LimitKind = "minute",
        limit: int | None = None,
        requested: int | None = None,
        **more: Any,
    ) -> None:
        super().__init__(what, next_step, **more)
        self.kind: LimitKind = kind
        self.label = "daily limit" if kind == "day" else "rate limited"
        self.limit = limit
        self.requested = requested

    @property
    def waiting_helps(self) -> bool:
        """False when this one request asks for more than the whole window allows: then no wait is enough."""
        return self.limit is None or self.requested is None or self.requested <= self.limit


class OutOfCreditError(ModelError):
    """The account's money or spending limit is used up (402, or a 429 that says so)."""

    then = "rest"
    label = "out of credit"


class BadKeyError(ModelError):
    """The provider does not accept the key (401, 403)."""

    then = "rest"
    label = "key refused"


class RetiredModelError(ModelError):
    """The provider does not know the model, or offers it no longer (404, 410)."""

    then = "rest"
    label = "model unknown"


class RequestRefusedError(ModelError):
    """The provider calls the request itself wrong (400, 422): a field that its model does not take."""

    then = "next"
    label = "request refused"


class TooLargeError(ModelError):
    """The prompt is longer than the model or the server takes."""

    label = "too large"


class EmptyReplyError(ModelError):
    """A reply came, and there was nothing in it."""

    label = "empty reply"


class BadReplyError(ModelError):
    """A reply came that cannot be read: no JSON where JSON was asked for, or a body of another shape.

    `.text` holds what the model said, where it said something.
    """

    label = "unreadable reply"

    def __init__(self, what: str, next_step: str = "", *, text: str = "", **more: Any) -> None:
        super().__init__(what, next_step, **more)
        self.text = text


class CutOffError(BadReplyError):
    """JSON was asked for, and the token limit cut it off in the middle. `.text` holds the part that came."""

    label = "cut off"


class NotSavedError(ModelError):
    """Replies are being replayed from a file, and this question is not in it."""

    label = "not saved"


class AllProvidersFailedError(ModelError):
    """Nobody answered. `.tried` and the message say who was asked and what each said.

    Args:
        what: the report, one line a provider.
        next_step: what to do now.
        causes: the last error of each provider.
    """

    label = "nobody answered"

    @property
    def report(self) -> Table:
        """Who was asked and what each said, as a table."""
        from course_lib.models.tables import Table, duration

        rows = [
            (line.provider, line.model, line.outcome, duration(line.seconds), line.detail)
            for line in self.tried
        ]
        return Table(("provider", "model", "outcome", "took", "what it said"), rows)

    def __init__(
        self, what: str, next_step: str = "", *, causes: tuple[ModelError, ...] = (), **more: Any
    ) -> None:
        super().__init__(what, next_step, **more)
        self.args = (f"{what}\n{next_step}".strip(),)  # the advice on a line of its own, below the report
        self.causes = causes


class DeadlineError(AllProvidersFailedError):
    """The time for the whole call ran out. `.partial` holds what a stream had brought by then."""

    label = "out of time"

    def __init__(self, what: str, next_step: str = "", *, partial: str = "", **more: Any) -> None:
        super().__init__(what, next_step, **more)
        self.partial = partial
