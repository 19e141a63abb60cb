"""What the providers that are asked through an SDK have in common.

An SDK is imported and its client built when the provider is first asked: importing `anthropic` alone takes
seconds, and `groq.Groq()` refuses to be made without a key. The SDKs' own retries are off: the router
retries, and it alone knows who else could answer.
"""

from __future__ import annotations

import base64
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from course_lib.models.calls import CallRequest, Reply, StopReason, ToolCall
from course_lib.models.catalogue import ProviderInfo
from course_lib.models.errors import BadReplyError, CutOffError, EmptyReplyError, ModelError
from course_lib.models.failures import Failures, refusal_in
from course_lib.models.prices import count_usage
from course_lib.models.quiet_logs import keep_out_of_logs
from course_lib.models.wire import CONNECT_TIMEOUT_S, TimeLimit, client_options, limited_by
from course_lib.settings import Secret

NO_KEY = "no-key-needed"
"""Sent where a server needs no key: the SDKs refuse to be made without any."""


@dataclass
class Draft:
    """A reply while it is being put together from what the wire brings."""

    text: str = ""
    tool_calls: list[dict[str, str]] = field(default_factory=list)
    """Per call: id, name, and the JSON of its arguments as text."""
    finish: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    estimated: bool = False


_STOPS: Mapping[str, StopReason] = {
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "tool_use": "tool_use",
    "content_filter": "refusal",
    "refusal": "refusal",
}
"""Why a reply ended, in the words of the providers and in the course's own. Anything else is a normal end."""


class SdkProvider(ABC):
    """A provider that is asked through its SDK.

    Args:
        info: the provider's entry in the catalogue.
        key: its key, or None where none is needed.
        address: gives the endpoint when it is first needed, for a server that has to be started; None takes
            the one in `info`.
    """

    sdk_name: str

    def __init__(
        self, info: ProviderInfo, key: Secret | None = None, address: Callable[[], str] | None = None
    ) -> None:
        self.info = info
        self._key = key
        self._address = address
        secrets = [secret.reveal() for secret in (key, info.login) if secret is not None]
        if info.login is not None:
            secrets.append(info.login.reveal().partition(":")[2])
        self._failures = Failures(info, secrets)
        self._lock = threading.Lock()
        self._client: Any = None

    @property
    def name(self) -> str:
        """The provider's name."""
        return self.info.name

    @property
    def model(self) -> str:
        """The model that it asks."""
        return self.info.model

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}: {self.model}, key {'set' if self._key else 'not set'})"

    @property
    def client(self) -> Any:
        """The SDK's client, made when it is first needed."""
        with self._lock:
            if self._client is None:
                self._client = self._make_client()
            return self._client

    def complete(self, request: CallRequest, limit: TimeLimit) -> Reply:
        """Asks once and waits for the whole reply.

        Args:
            request: what to ask.
            limit: how long it may take.

        Raises:
            ModelError: there is no usable reply; the class says why.
        """
        client = self.client
        with limit:
            outcome = self._outcome(client, request, limit)
        if isinstance(outcome, ModelError):
            # Raised out here and without the way it came: the SDK's exception and the frames in between hold
            # the request, with the key in it, and the answer, in which a server may have repeated the key.
            raise outcome.with_traceback(None)
        return self._finish(outcome, request)

    def stream(self, request: CallRequest, limit: TimeLimit) -> Generator[str, None, Reply]:
        """Asks once and yields the reply's text as it comes.

        Args:
            request: what to ask.
            limit: how long it may take, to the last piece.

        Returns:
            The whole reply.

        Raises:
            ModelError: no usable reply, or the stream broke off; the class says why.
        """
        client = self.client
        draft = Draft()
        raw: Any = None
        pieces: Iterator[str] | None = None
        with limit:
            try:
                while True:
                    failure: ModelError | None = None
                    piece: str | None = None
                    try:
                        if pieces is None:
                            with limited_by(limit):
                                raw = self._ask(client, request, limit, stream=True)
                            pieces = self._read_stream(raw, draft)
                        piece = next(pieces, None)
                    except Exception as error:
                        failure = self._explain(error, limit)
                        if failure is None:
                            raise
                    if failure is not None:
                        raise failure.with_traceback(None)
                    if piece is None:
                        break
                    if piece:
                        draft.text += piece
                        yield piece
            finally:
                if raw is not None and hasattr(raw, "close"):
                    raw.close()
        if draft.finish is None:
            # A server that closes the connection politely in the middle looks like the end of the stream.
            raise self._failures.too_slow(limit.seconds) if limit.was_cut else self._failures.dropped()
        return self._finish(draft, request)

    def _outcome(self, client: Any, request: CallRequest, limit: TimeLimit) -> Draft | ModelError:
        """What came of one call: the reply as it was read, or why there is none."""
        try:
            with limited_by(limit):
                raw = self._ask(client, request, limit, stream=False)
            return self._read(raw)
        except Exception as error:
            failure = self._explain(error, limit)
            if failure is None:
                raise
            return failure

    def _explain(self, error: Exception, limit: TimeLimit) -> ModelError | None:
        return self._failures.explain(error, out_of_time=limit.was_cut, limit_s=limit.seconds)

    def _make_client(self) -> Any:
        sdk = import_module(self.sdk_name)
        keep_out_of_logs(self._failures.secrets)
        url = self._address() if self._address is not None else self.info.base_url
        headers = {}
        if self.info.login is not None:
            # User and password of the address go into the header, where no log of addresses shows them.
            login = base64.b64encode(self.info.login.reveal().encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        return self._new_client(
            sdk,
            api_key=self._key.reveal() if self._key is not None else NO_KEY,
            base_url=url,
            max_retries=0,
            default_headers=headers,
            http_client=sdk.DefaultHttpxClient(**client_options(url)),
        )

    def _timeout(self, limit: TimeLimit) -> Any:
        sdk = import_module(self.sdk_name)
        return sdk.Timeout(limit.silence(), connect=min(CONNECT_TIMEOUT_S, limit.left()))

    def _extra(self) -> dict[str, Any]:
        # What the file says of its own model need not hold for another one that the learner has set.
        return dict(self.info.extra) if self.info.model == self.info.listed_model else {}

    @abstractmethod
    def _new_client(self, sdk: Any, **options: Any) -> Any:
        """Makes the SDK's client."""

    @abstractmethod
    def _ask(self, client: Any, request: CallRequest, limit: TimeLimit, *, stream: bool) -> Any:
        """Sends the request and gives the SDK's answer, or its stream."""

    @abstractmethod
    def _read(self, raw: Any) -> Draft:
        """Reads the SDK's answer."""

    @abstractmethod
    def _read_stream(self, raw: Any, draft: Draft) -> Iterator[str]:
        """Yields the texts of the SDK's stream and notes everything else in the draft."""

    def _raise_hidden_refusal(self, raw: Any) -> None:
        """Raises what a reply of status 200 says where it holds an error, or no JSON, and no answer."""
        if isinstance(raw, str | bytes) or raw is None:
            raise self._failures.unreadable("it is no JSON", str(raw or ""))
        refusal = refusal_in((getattr(raw, "model_extra", None) or {}).get("error"))
        if refusal is not None:
            raise self._failures.refused(refusal)

    def _finish(self, draft: Draft, request: CallRequest) -> Reply:
        stop = _STOPS.get(draft.finish or "", "end")
        calls = tuple(self._tool_call(call) for call in draft.tool_calls)
        if not draft.text.strip() and not calls:
            raise self._empty(stop, request)
        usage = count_usage(
            request,
            draft.text,
            calls,
            price=self.info.price_of_model,
            tokens_in=draft.tokens_in,
            tokens_out=draft.tokens_out,
            estimated=draft.estimated,
        )
        data = None
        if request.output_schema is not None and not calls:
            data = self._parsed(draft.text, stop, request)
        return Reply(
            text=draft.text,
            provider=self.name,
            model=draft.model or self.model,
            usage=usage,
            stop=stop,
            tool_calls=calls,
            data=data,
        )

    def _tool_call(self, call: Mapping[str, str]) -> ToolCall:
        try:
            arguments = json.loads(call["arguments"] or "{}")
        except json.JSONDecodeError:
            arguments = None
        if not isinstance(arguments, dict):
            raise self._failures.unreadable(
                f"the arguments of its tool call {call['name']!r} are no JSON object", call["arguments"]
            )
        return ToolCall(id=call["id"], name=call["name"], arguments=arguments)

    def _empty(self, stop: StopReason, request: CallRequest) -> EmptyReplyError:
        if stop == "max_tokens":
            return EmptyReplyError(
                f"{self.name} used up all {request.max_tokens} tokens before it wrote any text.",
                "Give it more with max_tokens: a reasoning model thinks on the same account.",
                provider=self.name,
            )
        if stop == "refusal":
            return EmptyReplyError(
                f"{self.name} declined to answer and said nothing.",
                "Word the question differently.",
                provider=self.name,
            )
        return EmptyReplyError(
            f"{self.name} sent an empty reply.",
            "Ask again; if it stays so, choose another model with `course model`.",
            provider=self.name,
        )

    def _parsed(self, text: str, stop: StopReason, request: CallRequest) -> Any:
        problem = ""
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            problem = f"line {error.lineno}, column {error.colno}"
        if stop == "max_tokens":
            raise CutOffError(
                f"The JSON of {self.name} was cut off after {request.max_tokens} tokens.",
                "Give it more with max_tokens, or ask for less at a time.",
                provider=self.name,
                text=text,
            )
        raise BadReplyError(
            f"{self.name} was asked for JSON, and its reply is none (at {problem}).",
            "Ask again; if it stays so, choose another model with `course model`.",
            provider=self.name,
            text=text,
        )


def is_estimate(usage: Any) -> bool:
    """Whether a provider says that its counts are estimates, as the practice model does."""
    return "estimate" in str(getattr(usage, "model_extra", None) or "")
