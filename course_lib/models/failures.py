"""Turns whatever an SDK or its HTTP library raises into one of the course's own errors.

The three SDKs have classes of the same names, made by the same generator, so one reading serves all: the
status, the headers and the body of the response where there is one, the class's name where there is none. The
original exception is not kept: it holds the request, and with it the key.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from course_lib.models.catalogue import ProviderInfo
from course_lib.models.errors import (
    BadKeyError,
    BadReplyError,
    DroppedError,
    ModelError,
    OutOfCreditError,
    OverloadedError,
    ProviderDownError,
    RateLimitedError,
    RequestRefusedError,
    RetiredModelError,
    SlowReplyError,
    TooLargeError,
)
from course_lib.models.limits import read_limit

LONGEST_MESSAGE = 200
"""Characters of a provider's message that are passed on."""

_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk-|gsk_|AIza|Bearer\s+)[\w.\-]{8,}")
_CREDIT_CODES = frozenset(
    {
        "insufficient_quota",
        "credit_balance_exhausted",
        "enforced_spend_limit_reached",
        "billing_hard_limit_reached",
        "billing_error",
    }
)
_STATUS_OF_TYPE: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""An error in the middle of a stream comes with status 200: only its type tells what it is."""

_BAD_KEY = re.compile(
    r"api[ _-]?key.{0,40}(?:invalid|not valid|incorrect|missing|expired)|API_KEY_INVALID", re.I
)
_NO_MODEL = re.compile(
    r"model_(?:not_found|decommissioned)|invalid model|not a valid model|models?\b.{0,120}"
    r"(?:not found|not exist|decommissioned|deprecated|no longer|retired|unknown)",
    re.IGNORECASE | re.DOTALL,
)
_TOO_LONG = re.compile(
    r"context[ _]?(?:length|window)|maximum context|prompt is too long|too many (?:input )?tokens|"
    r"input token count.{0,40}exceeds",
    re.IGNORECASE,
)
_BY_TOKENS = re.compile(r"rate_limit_exceeded|tokens per (?:minute|day)|\((?:TPM|TPD)\)", re.IGNORECASE)
_DROPPED = (
    "RemoteProtocolError",
    "ReadError",
    "WriteError",
    "CloseError",
    "LocalProtocolError",
    "NetworkError",
)


@dataclass(frozen=True)
class Refusal:
    """What a provider said when it did not answer."""

    status: int
    headers: Mapping[str, str]
    body: Any
    message: str


class Failures:
    """Reads one provider's failures.

    Args:
        info: the provider.
        secrets: texts that must never be passed on, such as its key.
        now: gives the present as Unix time, for resets that are given as a moment.
    """

    def __init__(
        self, info: ProviderInfo, secrets: Iterable[str] = (), now: Callable[[], float] = time.time
    ) -> None:
        self._info = info
        self._now = now
        shown = {form for secret in secrets if secret for form in (secret, quote(secret, safe=""))}
        self.secrets = tuple(sorted(shown, key=len, reverse=True))
        """What is never passed on, longest first, as it is and as it stands in an address."""

    def __repr__(self) -> str:
        return f"Failures({self._info.name})"

    def clean(self, text: str) -> str:
        """A provider's message on one line, cut to length, with stars for whatever is or looks like a key."""
        text = " ".join(_LOOKS_LIKE_A_KEY.sub("***", self.hide(text)).split())
        return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"

    def hide(self, text: str) -> str:
        """A text with stars in place of this provider's key."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text

    def explain(
        self, error: Exception, *, out_of_time: bool = False, limit_s: float = 0.0
    ) -> ModelError | None:
        """The course's own error for an exception of an SDK, or None where the provider did not fail.

        Args:
            error: what was raised.
            out_of_time: the connection was cut because the time for this attempt was up.
            limit_s: how many seconds that was.
        """
        if isinstance(error, ModelError):
            return error
        if out_of_time:
            return self.too_slow(limit_s)
        if isinstance(error, UnicodeEncodeError):
            return RequestRefusedError(
                "The prompt holds half of a character, which no provider can be sent.",
                "Look for text that was cut in the middle of an emoji, or decoded with surrogates.",
                provider=self._info.name,
            )
        names = {cls.__name__ for cls in type(error).__mro__}
        if "APIResponseValidationError" in names or isinstance(
            error, json.JSONDecodeError | UnicodeDecodeError
        ):
            return self.unreadable("its body is not the JSON that it should be")
        if "APIError" in names:
            return self._of_sdk(error, names)
        return self._of_http(error, names)

    def too_slow(self, limit_s: float) -> SlowReplyError:
        """The provider did not finish in time."""
        return SlowReplyError(
            f"{self._info.name} did not finish its reply within {limit_s:.0f} seconds.",
            "Ask again, give the call a longer deadline_s, or choose another model with `course model`.",
            provider=self._info.name,
        )

    def unreadable(self, why: str, text: str = "") -> BadReplyError:
        """The provider answered, in a form that cannot be used."""
        return BadReplyError(
            f"The reply of {self._info.name} cannot be read: {why}.",
            "Ask again; if it stays so, choose another model with `course model`.",
            provider=self._info.name,
            text=self.hide(text),
        )

    def dropped(self) -> DroppedError:
        """The connection ended before the reply did."""
        return DroppedError(
            f"The connection to {self._info.name} broke off in the middle of a reply.",
            "Ask again.",
            provider=self._info.name,
        )

    def refused(self, refusal: Refusal) -> ModelError:
        """The course's own error for a status, with what the provider said beside it."""
        status, text = refusal.status, self._everything(refusal)
        said = f" ({status}: {self.clean(refusal.message)})" if refusal.message else f" ({status})"
        if status == 402 or self._is_about_credit(refusal, text):
            return self._out_of_credit(refusal, said)
        if status == 401 or (status == 400 and _BAD_KEY.search(text)):
            return self._bad_key(refusal, said)
        if status in (404, 410) or (status in (400, 403, 422) and _NO_MODEL.search(text)):
            return self._retired(refusal, said)
        if status == 403:
            return self._bad_key(refusal, said)
        if status == 429 or (status == 413 and _BY_TOKENS.search(text)):
            return self._rate_limited(refusal, said)
        if status == 413 or (status == 400 and _TOO_LONG.search(text)):
            return TooLargeError(
                f"The prompt is too long for {self._info.name}{said}.",
                "Send less: a shorter schema, fewer examples, fewer turns of the conversation.",
                **self._common(refusal),
            )
        if status in (408, 409, 425, 498) or status >= 500:
            return self._down(refusal, text, said)
        if 300 <= status < 400:
            return RequestRefusedError(
                f"The address of {self._info.name} points elsewhere ({status}), and a key is not sent there.",
                f"Set {self._info.url_variable} to the address that it points to, if you trust it.",
                **self._common(refusal),
            )
        if failed := _first(refusal.body, "failed_generation"):
            return self.unreadable("it is not of the form that was asked for", str(failed))
        return RequestRefusedError(
            f"{self._info.name} refused the request itself{said}.",
            f"Its model {self._info.model} may not take a setting of this call: leave out what is special "
            f"about it, or set {self._info.model_variable} to another model.",
            **self._common(refusal),
        )

    def _common(self, refusal: Refusal) -> dict[str, Any]:
        return {"provider": self._info.name, "status": refusal.status}

    @staticmethod
    def _everything(refusal: Refusal) -> str:
        body = "" if refusal.body is None else json.dumps(refusal.body, default=str)
        return f"{refusal.message} {body}"

    def _is_about_credit(self, refusal: Refusal, text: str) -> bool:
        codes = {str(_first(refusal.body, name)) for name in ("code", "type", "error_code")}
        low = refusal.status == 400 and "credit balance is too low" in text
        return low or (refusal.status in (400, 403, 429) and bool(codes & _CREDIT_CODES))

    def _out_of_credit(self, refusal: Refusal, said: str) -> OutOfCreditError:
        return OutOfCreditError(
            f"The account behind {self._info.key_variable} has no credit left at {self._info.name}{said}.",
            "Add credit there, raise the spending limit, or choose another model with `course model`.",
            **self._common(refusal),
        )

    def _bad_key(self, refusal: Refusal, said: str) -> BadKeyError:
        where = f" (a key comes from {self._info.key_page})" if self._info.key_page else ""
        return BadKeyError(
            f"{self._info.name} does not accept the key in {self._info.key_variable}{said}.",
            f"Put a working key into {self._info.key_variable}{where}, "
            "or choose another model with `course model`.",
            **self._common(refusal),
        )

    def _retired(self, refusal: Refusal, said: str) -> RetiredModelError:
        is_elsewhere = refusal.status == 404 and bool(self._info.base_url)
        return RetiredModelError(
            f"{self._info.name} has no model {self._info.model!r}{said}.",
            f"Set {self._info.model_variable} to a model that it offers"
            + (f", or check the address in {self._info.url_variable}." if is_elsewhere else "."),
            **self._common(refusal),
        )

    def _rate_limited(self, refusal: Refusal, said: str) -> RateLimitedError:
        limit = read_limit(
            refusal.headers, refusal.body, refusal.message, now=self._now(), resets=self._info.resets
        )
        wait = f"{limit.wait_s:.0f} seconds" if limit.wait_s < 120 else f"{limit.wait_s / 60:.0f} minutes"
        window = "daily" if limit.kind == "day" else "per-minute"
        error = RateLimitedError(
            f"{self._info.name} has reached its {window} limit{said}.",
            f"It can be asked again in {wait}.",
            kind=limit.kind,
            retry_after_s=limit.wait_s,
            limit=limit.limit,
            requested=limit.requested,
            **self._common(refusal),
        )
        if not error.waiting_helps:
            error = RateLimitedError(
                f"This request asks for more tokens than {self._info.name} allows in a whole minute{said}.",
                "Send a shorter prompt or a smaller max_tokens; waiting does not help.",
                kind=limit.kind,
                retry_after_s=limit.wait_s,
                limit=limit.limit,
                requested=limit.requested,
                **self._common(refusal),
            )
        return error

    def _down(self, refusal: Refusal, text: str, said: str) -> ProviderDownError:
        overloaded = refusal.status in (498, 529) or re.search(r"overload|over capacity", text, re.IGNORECASE)
        wait = None
        if any(str(name).lower().startswith("retry-after") for name in refusal.headers):
            wait = read_limit(refusal.headers, None, "", now=self._now(), resets="UTC").wait_s
        if overloaded:
            return OverloadedError(
                f"{self._info.name} has too much to do at the moment{said}.",
                "Ask again in a minute.",
                retry_after_s=wait,
                **self._common(refusal),
            )
        return ProviderDownError(
            f"{self._info.name} answered with an error of its own{said}.",
            "Ask again in a minute.",
            retry_after_s=wait,
            **self._common(refusal),
        )

    def _of_sdk(self, error: Exception, names: set[str]) -> ModelError:
        response = getattr(error, "response", None)
        body = getattr(error, "body", None)
        status = getattr(error, "status_code", None)
        if response is not None and isinstance(status, int):
            if status < 300:
                status = _status_in(body)
            return self.refused(Refusal(status, dict(response.headers), body, _message_in(body, str(error))))
        cause = error.__cause__ or error.__context__
        if "APITimeoutError" in names:
            return (
                self._unreachable() if type(cause).__name__ == "ConnectTimeout" else self.too_slow_to_read()
            )
        if "APIConnectionError" in names:
            found = self._of_http(cause, {cls.__name__ for cls in type(cause).__mro__}) if cause else None
            return found or self._unreachable()
        # An error event in the middle of a stream: no response of its own, only a body.
        return self.refused(Refusal(_status_in(body), {}, body, _message_in(body, str(error))))

    def too_slow_to_read(self) -> SlowReplyError:
        """The provider was connected and then silent."""
        return SlowReplyError(
            f"{self._info.name} was reached and then said nothing for too long.",
            "Ask again, give the call a longer deadline_s, or choose another model with `course model`.",
            provider=self._info.name,
        )

    def _of_http(self, error: BaseException | None, names: set[str]) -> ModelError | None:
        if names & {"ReadTimeout", "WriteTimeout", "PoolTimeout"}:
            return self.too_slow_to_read()
        if names & {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol"}:
            return self._unreachable()
        if names & {"DecodingError"}:
            return self.unreadable("its body is damaged")
        if names & set(_DROPPED) or isinstance(error, ConnectionError):
            return self.dropped()
        return None

    def _unreachable(self) -> ProviderDownError:
        return ProviderDownError(
            f"There is no connection to {self._info.name}.",
            f"Check the network (and {self._info.url_variable}, if you set it), then ask again.",
            provider=self._info.name,
        )


def _first(body: Any, name: str) -> Any:
    """The first value under a key, in the body or one level down in its `error`."""
    if isinstance(body, list | tuple):
        return next((found for item in body if (found := _first(item, name)) is not None), None)
    if not isinstance(body, Mapping):
        return None
    if body.get(name) is not None:
        return body[name]
    for inner in ("error", "details"):
        if (found := _first(body.get(inner), name)) is not None:
            return found
    return None


def _message_in(body: Any, otherwise: str) -> str:
    found = _first(body, "message")
    return str(found) if found else otherwise


def _status_in(body: Any) -> int:
    """The status that an error inside a reply of status 200 amounts to: by its code or its type, or 500."""
    code = _first(body, "code")
    if isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600:
        return code
    if isinstance(code, str) and code.isdigit() and 400 <= int(code) < 600:
        return int(code)
    for value in (_first(_first(body, "error"), "type"), _first(body, "type"), code):
        if str(value) in _STATUS_OF_TYPE:
            return _STATUS_OF_TYPE[str(value)]
    return 500


def refusal_in(body: Any) -> Refusal | None:
    """The refusal that hides in a reply of status 200: an `error` where there should be an answer, or None.

    OpenRouter answers so when the provider behind it limits or fails.
    """
    if not isinstance(body, Mapping) or not body:
        return None
    return Refusal(_status_in(body), {}, dict(body), _message_in(body, "an error inside the reply"))
