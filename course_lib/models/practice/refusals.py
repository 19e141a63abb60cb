"""How each provider says no: status, headers and body, as their users report them.

A router has to tell a limit per minute from a limit per day, a retired model from a bad key, a 413 that means
'too many tokens a minute' from one that means 'too long'. No two providers word these alike, so a practice
server with one wording for all would teach a router that fails on the first real day. The bodies follow what
users of each provider have posted in public issue trackers up to 2026; numbers in them are made up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from course_lib.models.practice.http_wire import HttpResponse, json_bytes

Dialect = Literal["anthropic", "openai"]
ProblemKind = Literal[
    "invalid",
    "unknown_model",
    "unknown_path",
    "wrong_method",
    "bad_key",
    "too_large",
    "rate_minute",
    "rate_day",
    "server_error",
    "overloaded",
    "retired",
    "decommissioned",
    "thread",
]

RATE_MINUTE_S = 7.645
"""How long a limit per minute asks to wait, in seconds, unless a test says otherwise."""
RATE_DAY_S = 578.016
"""How long a limit per day asks to wait: the 9m38.016s of a public report."""

MISSING = "Field required"
"""How the readers of bodies say that a field is not there; OpenAI and Groq have their own words for it."""


@dataclass(frozen=True)
class Provider:
    """One virtual provider of the server: who it plays, and where it answers."""

    name: str
    dialect: Dialect
    prefix: str
    """The path before `/messages`, `/chat/completions` and `/models`."""
    client_path: str
    """What an SDK is given as `base_url` after the server's address; some SDKs add a part of their own."""


PROVIDERS: Mapping[str, Provider] = {
    p.name: p
    for p in (
        Provider("anthropic", "anthropic", "/anthropic/v1", "/anthropic"),
        Provider("openai", "openai", "/openai/v1", "/openai/v1"),
        Provider("groq", "openai", "/groq/openai/v1", "/groq"),
        Provider("groq-small", "openai", "/groq-small/openai/v1", "/groq-small"),
        Provider("gemini", "openai", "/gemini/v1beta/openai", "/gemini/v1beta/openai"),
        Provider("mistral", "openai", "/mistral/v1", "/mistral/v1"),
        Provider("openrouter", "openai", "/openrouter/api/v1", "/openrouter/api/v1"),
        Provider("local", "openai", "/local/v1", "/local/v1"),
        Provider("practice", "anthropic", "/v1", ""),
    )
}
"""The virtual providers. `practice` sits at the root and speaks both dialects."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a call, before a provider puts it into its own words."""

    kind: ProblemKind
    message: str = ""
    """For `invalid` and `thread`: the provider's sentence, already in its dialect."""
    model: str = "practice-1"
    seconds: float | None = None
    """For limits: how long to wait."""
    param: str | None = None
    code: str | None = None
    tokens: int = 0
    """For limits and 413: how many tokens the request asked for, by the practice model's estimate."""


class RefusedError(Exception):
    """A request that a provider would refuse; the server answers with the provider's words.

    Args:
        problem: what is wrong.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message or problem.kind)


@dataclass(frozen=True)
class _Answer:
    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


def wait_text(seconds: float) -> str:
    """A wait the way Groq and OpenAI write it: `7.645s`, `9m38.016s`, `1h2m3s`."""
    whole, rest = divmod(round(seconds, 3), 60)
    seconds_text = f"{rest:.3f}".rstrip("0").rstrip(".") + "s"
    hours, minutes = divmod(int(whole), 60)
    if hours:
        return f"{hours}h{minutes}m{seconds_text}"
    return f"{minutes}m{seconds_text}" if minutes else seconds_text


def _wait(problem: Problem) -> float:
    if problem.seconds is not None:
        return problem.seconds
    return RATE_DAY_S if problem.kind == "rate_day" else RATE_MINUTE_S


def _retry_after(problem: Problem) -> str:
    return str(math.ceil(_wait(problem)))


# -- Anthropic ---------------------------------------------------------------------------------------------


def _anthropic(problem: Problem) -> _Answer:
    def error(
        status: int,
        kind: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        code: str | None = None,
    ) -> _Answer:
        inner: dict[str, Any] = {"type": kind, "message": message}
        if code is not None:
            inner["details"] = {"error_code": code}
        return _Answer(status, {"type": "error", "error": inner}, headers or {})

    match problem.kind:
        case "invalid":
            return error(400, "invalid_request_error", problem.message)
        case "thread":
            missing = problem.code == "thread_not_found"
            kind = "not_found_error" if missing else "invalid_request_error"
            return error(404 if missing else 400, kind, problem.message, code=problem.code)
        case "unknown_model" | "retired" | "decommissioned":
            return error(404, "not_found_error", f"model: {problem.model}")
        case "unknown_path":
            return error(404, "not_found_error", "Not Found")
        case "wrong_method":
            return error(405, "invalid_request_error", "Method Not Allowed")
        case "bad_key":
            return error(401, "authentication_error", "invalid x-api-key")
        case "too_large":
            return error(413, "request_too_large", "Request exceeds the maximum size")
        case "server_error":
            return error(500, "api_error", "Internal server error")
        case "overloaded":
            return error(529, "overloaded_error", "Overloaded")
        case "rate_minute" | "rate_day":
            reset = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + _wait(problem)))
            headers = {
                "retry-after": _retry_after(problem),
                "anthropic-ratelimit-input-tokens-limit": "30000",
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-input-tokens-reset": reset,
            }
            ending = (
                "see the response headers for current usage. Please reduce the prompt length or the maximum "
                "tokens requested, or try again later."
            )
            if problem.kind == "rate_day":
                text = f"Number of request tokens has exceeded your daily rate limit; {ending}"
            else:
                text = (
                    "This request would exceed the rate limit for your organization of 30,000 input tokens "
                    f"per minute; {ending}"
                )
            return error(429, "rate_limit_error", text, headers)


# -- OpenAI and those that copy its errors ------------------------------------------------------------------


def _openai_error(
    status: int, message: str, kind: str, code: Any = None, param: str | None = None, **headers: str
) -> _Answer:
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return _Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def _openai(problem: Problem) -> _Answer:
    match problem.kind:
        case "invalid" | "thread":
            text, code = problem.message, problem.code
            if text.endswith(MISSING):
                text, code = f"Missing required parameter: '{problem.param}'.", "missing_required_parameter"
            return _openai_error(400, text, "invalid_request_error", code, problem.param)
        case "unknown_model":
            text = f"The model `{problem.model}` does not exist or you do not have access to it."
            return _openai_error(404, text, "invalid_request_error", "model_not_found")
        case "retired" | "decommissioned":
            text = (
                f"The model `{problem.model}` has been deprecated; see the provider's list of deprecations."
            )
            return _openai_error(404, text, "invalid_request_error", "model_not_found")
        case "unknown_path":
            return _openai_error(404, "Invalid URL", "invalid_request_error")
        case "wrong_method":
            return _openai_error(405, "Not allowed to use this method on this URL.", "invalid_request_error")
        case "bad_key":
            return _openai_error(
                401, "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
            )
        case "too_large":
            return _openai_error(413, "Request body too large.", "invalid_request_error", "request_too_large")
        case "server_error":
            text = "The server had an error while processing your request. Sorry about that!"
            return _openai_error(500, text, "server_error")
        case "overloaded":
            text = "The engine is currently overloaded, please try again later."
            return _openai_error(503, text, "server_error", "engine_overloaded")
        case "rate_minute" | "rate_day":
            day = problem.kind == "rate_day"
            what, limit = ("requests per day (RPD)", 200) if day else ("tokens per min (TPM)", 30_000)
            used, asked = (limit, 1) if day else (limit - 2, problem.tokens)
            text = (
                f"Rate limit reached for {problem.model} in organization org-practice on {what}: "
                f"Limit {limit}, Used {used}, Requested {asked}. "
                f"Please try again in {wait_text(_wait(problem))}."
            )
            kind = "requests" if day else "tokens"
            return _openai_error(429, text, kind, "rate_limit_exceeded", retry_after=_retry_after(problem))


def _groq(problem: Problem) -> _Answer:
    def error(status: int, message: str, kind: str, code: str | None = None, **headers: str) -> _Answer:
        inner = {"message": message, "type": kind}
        if code is not None:
            inner["code"] = code
        if problem.param is not None:
            inner["param"] = problem.param
        return _Answer(
            status, {"error": inner}, {name.replace("_", "-"): value for name, value in headers.items()}
        )

    where = f"model `{problem.model}` in organization `org_practice` service tier `on_demand`"
    more = "Need more tokens? Upgrade to Dev Tier today in the console's billing settings"
    match problem.kind:
        case "invalid" | "thread":
            text = problem.message
            if text.endswith(MISSING):
                text = f"'{problem.param}' : property '{problem.param}' is missing"
            return error(400, text, "invalid_request_error", problem.code)
        case "unknown_model" | "retired":
            text = f"The model `{problem.model}` does not exist or you do not have access to it."
            return error(404, text, "invalid_request_error", "model_not_found")
        case "decommissioned":
            text = (
                f"The model `{problem.model}` has been decommissioned and is no longer supported. Please "
                "refer to the console's list of deprecations for a recommendation on which model to use "
                "instead."
            )
            return error(400, text, "invalid_request_error", "model_decommissioned")
        case "unknown_path":
            return error(404, "Unknown request URL.", "invalid_request_error", "unknown_url")
        case "wrong_method":
            return error(405, "Method not allowed.", "invalid_request_error")
        case "bad_key":
            return error(401, "Invalid API Key", "invalid_request_error", "invalid_api_key")
        case "too_large":
            text = (
                f"Request too large for {where} on tokens per minute (TPM): Limit 8000, Requested "
                f"{max(problem.tokens, 8001)}, please reduce your message size and try again. {more}"
            )
            return error(413, text, "tokens", "rate_limit_exceeded")
        case "server_error":
            return error(500, "Internal Server Error", "internal_server_error")
        case "overloaded":
            return error(503, "Service Unavailable", "internal_server_error")
        case "rate_minute" | "rate_day":
            day = problem.kind == "rate_day"
            what, limit = ("tokens per day (TPD)", 200_000) if day else ("tokens per minute (TPM)", 8_000)
            used = max(limit - problem.tokens + 1, 0)
            text = (
                f"Rate limit reached for {where} on {what}: Limit {limit}, Used {used}, Requested "
                f"{problem.tokens}. Please try again in {wait_text(_wait(problem))}. {more}"
            )
            return error(
                429,
                text,
                "tokens",
                "rate_limit_exceeded",
                retry_after=_retry_after(problem),
                x_ratelimit_limit_tokens="8000",
                x_ratelimit_remaining_tokens="8000" if day else "0",
                x_ratelimit_reset_tokens=wait_text(_wait(problem)),
            )


def _gemini(problem: Problem) -> _Answer:
    def error(status: int, message: str, name: str, details: list[Any] | None = None) -> _Answer:
        inner: dict[str, Any] = {"code": status, "message": message, "status": name}
        if details:
            inner["details"] = details
        # Gemini's OpenAI-compatible endpoint puts the error object into a list.
        return _Answer(status, [{"error": inner}])

    google = "type.googleapis.com/google.rpc"
    match problem.kind:
        case "invalid" | "thread":
            return error(400, problem.message, "INVALID_ARGUMENT")
        case "unknown_model" | "retired" | "decommissioned":
            text = (
                f"models/{problem.model} is not found for API version v1main, or is not supported for "
                "generateContent. Call ListModels to see the list of available models and their supported "
                "methods."
            )
            return error(404, text, "NOT_FOUND")
        case "unknown_path":
            return error(404, "Requested entity was not found.", "NOT_FOUND")
        case "wrong_method":
            return error(405, "Method not allowed.", "UNIMPLEMENTED")
        case "bad_key":
            details = [
                {"@type": f"{google}.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
            ]
            return error(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", details)
        case "too_large":
            return error(413, "Request payload size exceeds the limit: 20971520 bytes.", "INVALID_ARGUMENT")
        case "server_error":
            return error(500, "An internal error has occurred. Please retry.", "INTERNAL")
        case "overloaded":
            return error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")
        case "rate_minute" | "rate_day":
            span, limit = ("Day", "250") if problem.kind == "rate_day" else ("Minute", "10")
            metric = "generativelanguage.googleapis.com/generate_content_free_tier_requests"
            text = (
                "You exceeded your current quota, please check your plan and billing details.\n* Quota "
                f"exceeded for metric: {metric}, limit: {limit}, model: {problem.model}\n"
                f"Please retry in {_wait(problem)}s."
            )
            quota: list[Any] = [
                {
                    "@type": f"{google}.QuotaFailure",
                    "violations": [
                        {
                            "quotaMetric": metric,
                            "quotaId": f"GenerateRequestsPer{span}PerProjectPerModel-FreeTier",
                            "quotaDimensions": {"location": "global", "model": problem.model},
                            "quotaValue": limit,
                        }
                    ],
                },
                {"@type": f"{google}.RetryInfo", "retryDelay": f"{int(_wait(problem))}s"},
            ]
            return error(429, text, "RESOURCE_EXHAUSTED", quota)


def _mistral(problem: Problem) -> _Answer:
    def error(status: int, message: str, kind: str, code: str, **headers: str) -> _Answer:
        body = {"object": "error", "message": message, "type": kind, "param": None, "code": code}
        return _Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})

    match problem.kind:
        case "invalid" | "thread":
            where = ["body", *(problem.param.split(".") if problem.param else [])]
            return _Answer(422, {"detail": [{"type": "value_error", "loc": where, "msg": problem.message}]})
        case "unknown_model" | "decommissioned":
            return error(400, f"Invalid model: {problem.model}", "invalid_model", "1500")
        case "retired":
            return error(404, f"Invalid model: {problem.model}", "invalid_model", "1500")
        case "unknown_path":
            return _Answer(404, {"detail": "Not Found"})
        case "wrong_method":
            return _Answer(405, {"detail": "Method Not Allowed"})
        case "bad_key":
            return _Answer(401, {"detail": "Unauthorized"})
        case "too_large":
            return error(413, "Request entity too large.", "request_too_large", "3000")
        case "server_error":
            return error(500, "Internal server error.", "internal_server_error", "1000")
        case "overloaded":
            return error(503, "Service unavailable.", "internal_server_error", "1000")
        case "rate_minute" | "rate_day":
            # The body is the same for both; only the wait that the header asks for tells them apart.
            return error(
                429, "Rate limit exceeded", "rate_limited", "1300", retry_after=_retry_after(problem)
            )


def _openrouter(problem: Problem) -> _Answer:
    def error(status: int, message: str, metadata: dict[str, Any] | None = None) -> _Answer:
        inner: dict[str, Any] = {"message": message, "code": status}
        if metadata:
            inner["metadata"] = metadata
        return _Answer(status, {"error": inner})

    match problem.kind:
        case "invalid" | "thread":
            return error(400, problem.message)
        case "unknown_model":
            return error(400, f"{problem.model} is not a valid model ID")
        case "retired" | "decommissioned":
            return error(404, f"No endpoints found for {problem.model}.")
        case "unknown_path":
            return error(404, "Not Found")
        case "wrong_method":
            return error(405, "Method Not Allowed")
        case "bad_key":
            return error(401, "No auth credentials found")
        case "too_large":
            return error(413, "Request Entity Too Large")
        case "server_error":
            return error(500, "Internal Server Error")
        case "overloaded":
            return error(503, "Provider returned error", {"provider_name": "practice", "raw": "overloaded"})
        case "rate_minute" | "rate_day":
            day = problem.kind == "rate_day"
            reset_ms = str(int((time.time() + _wait(problem)) * 1000))
            metadata = {
                "headers": {
                    "X-RateLimit-Limit": "50" if day else "20",
                    "X-RateLimit-Remaining": "0",
                    "X-RateLimit-Reset": reset_ms,
                },
                "limit_source": f"openrouter_free_tier_{'daily' if day else 'minute'}",
            }
            more = "day. Add 10 credits to unlock 1000 free model requests per day" if day else "min. "
            return error(429, f"Rate limit exceeded: free-models-per-{more}", metadata)


def _local(problem: Problem) -> _Answer:
    if problem.kind in ("unknown_model", "retired", "decommissioned"):
        text = f'model "{problem.model}" not found, try pulling it first'
        return _openai_error(404, text, "not_found_error")
    return _openai(problem)


_VOICES: Mapping[str, Callable[[Problem], _Answer]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "groq": _groq,
    "groq-small": _groq,
    "gemini": _gemini,
    "mistral": _mistral,
    "openrouter": _openrouter,
    "local": _local,
}


def refuse(provider: Provider, dialect: Dialect, problem: Problem, request_id: str) -> HttpResponse:
    """A provider's own no.

    Args:
        provider: who says it.
        dialect: the API it was asked through; only `practice` has two.
        problem: what is wrong.
        request_id: goes where the provider puts it.
    """
    voice = _VOICES.get(provider.name) or (_anthropic if dialect == "anthropic" else _openai)
    answer = voice(problem)
    body = answer.body
    if voice is _anthropic:
        body = {**body, "request_id": request_id}
    return HttpResponse(answer.status, json_bytes(body), answer.headers)


def error_event(dialect: Dialect, problem: Problem, request_id: str) -> tuple[str | None, Any]:
    """An error in the middle of a stream, after the 200 is out: event name and data."""
    if dialect == "anthropic":
        return "error", {**_anthropic(problem).body, "request_id": request_id}
    return None, _openai(problem).body
