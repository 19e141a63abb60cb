"""How long a provider wants to rest, read from its own words, as its users have reported them."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from course_lib.models.limits import DEFAULT_WAIT_S, LONGEST_WAIT_S, read_limit, seconds_in, until_midnight
from tests.models_help import NOON

GROQ_DAY = (
    "Rate limit reached for model `some-70b` in organization `org_x` service tier `on_demand` on "
    "tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s. Need "
    "more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing"
)
GROQ_MINUTE = (
    "Rate limit reached for model `some-70b` in organization `org_x` service tier `on_demand` on "
    "tokens per minute (TPM): Limit 12000, Used 2542, Requested 9855. Please try again in 1.984999999s. Need"
)
GROQ_413 = (
    "Request too large for model `some-70b` in organization `org_x` service tier `on_demand` on "
    "tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again."
)


def gemini(span: str, delay: str) -> list[Any]:
    google = "type.googleapis.com/google.rpc"
    violation = {"quotaId": f"GenerateRequestsPer{span}PerProjectPerModel-FreeTier", "quotaValue": "250"}
    details = [
        {"@type": f"{google}.QuotaFailure", "violations": [violation]},
        {"@type": f"{google}.RetryInfo", "retryDelay": delay},
    ]
    message = "You exceeded your current quota, please check your plan and billing details."
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": message, "details": details}
    return [{"error": error}]


def read(headers: dict[str, str], body: Any = None, message: str = "", resets: str = "UTC"):  # type: ignore[no-untyped-def]
    return read_limit(headers, body, message, now=NOON, resets=resets)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("9m38.016s", 578.016),
        ("34.074824224s", 34.074824224),
        ("34", 34.0),
        ("1h2m3s", 3723.0),
        ("120ms", 0.12),
        ("500 milliseconds", 0.5),
        ("20 seconds", 20.0),
        ("2 minutes", 120.0),
        ("1d", 86400.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("2026-11-30T12:00:00Z", None),
    ],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert seconds_in(text) == (None if seconds is None else pytest.approx(seconds))


def test_retry_after_in_seconds() -> None:
    limit = read({"Retry-After": "17"})
    assert (limit.kind, limit.wait_s) == ("minute", 17)


def test_retry_after_in_milliseconds() -> None:
    assert read({"retry-after-ms": "2500"}).wait_s == 2.5


def test_retry_after_as_a_date() -> None:
    when = datetime.fromtimestamp(NOON + 40, UTC)
    assert read({"retry-after": format_datetime(when, usegmt=True)}).wait_s == pytest.approx(40)


def test_retry_after_as_nonsense_is_not_believed() -> None:
    assert read({"retry-after": "whenever"}).wait_s == DEFAULT_WAIT_S


def test_groq_names_the_day_and_the_wait_in_its_message() -> None:
    limit = read({}, {"error": {"message": GROQ_DAY}}, GROQ_DAY)
    assert (limit.kind, limit.limit, limit.requested) == ("day", 100_000, 3_619)
    assert limit.wait_s == pytest.approx(578.016)


def test_groq_by_the_minute() -> None:
    limit = read({}, {"error": {"message": GROQ_MINUTE}}, GROQ_MINUTE)
    assert limit.kind == "minute"
    assert limit.wait_s == pytest.approx(1.985, abs=0.001)


def test_groqs_413_says_that_one_request_is_more_than_a_minute_allows() -> None:
    limit = read({}, None, GROQ_413)
    assert (limit.kind, limit.limit, limit.requested) == ("minute", 12_000, 14_137)


def test_gemini_by_the_minute_takes_its_retry_info() -> None:
    limit = read({}, gemini("Minute", "34s"), "You exceeded your current quota", "America/Los_Angeles")
    assert (limit.kind, limit.wait_s) == ("minute", 34)


def test_gemini_by_the_day_rests_until_midnight_in_california_whatever_its_retry_info_says() -> None:
    limit = read({}, gemini("Day", "34s"), "You exceeded your current quota", "America/Los_Angeles")
    assert limit.kind == "day"
    # Noon UTC on 30 November is four in the morning there: twenty hours to go.
    assert limit.wait_s == 20 * 3600


def test_openrouter_gives_the_moment_of_reset_in_milliseconds_inside_the_body() -> None:
    reset = str(int((NOON + 3_600 * 12) * 1000))
    body = {
        "error": {
            "message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 requests",
            "code": 429,
            "metadata": {"headers": {"X-RateLimit-Limit": "50", "X-RateLimit-Reset": reset}},
        }
    }
    limit = read({}, body, "Rate limit exceeded: free-models-per-day.")
    assert limit.kind == "day"
    assert limit.wait_s == pytest.approx(12 * 3600, abs=1)


def test_openrouter_by_the_minute_in_its_headers() -> None:
    limit = read({"X-RateLimit-Reset": str(int((NOON + 25) * 1000))}, None, "free-models-per-min")
    assert limit.kind == "minute"
    assert limit.wait_s == pytest.approx(25, abs=1)


def test_anthropic_tells_the_reset_of_the_window_that_is_used_up() -> None:
    headers = {
        "anthropic-ratelimit-requests-remaining": "12",
        "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:50Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-30T12:00:20Z",
    }
    assert read(headers, None, "rate limit of 50,000 input tokens per minute").wait_s == pytest.approx(20)


def test_a_daily_limit_without_a_time_ends_at_the_providers_midnight() -> None:
    limit = read({}, None, "Daily request limit reached.")
    assert (limit.kind, limit.wait_s) == ("day", 12 * 3600)


def test_a_wait_of_hours_is_a_daily_limit_in_all_but_name() -> None:
    assert read({"retry-after": "5400"}).kind == "day"


def test_no_word_about_how_long() -> None:
    limit = read({}, None, "Too many requests")
    assert (limit.kind, limit.wait_s) == ("minute", DEFAULT_WAIT_S)


@pytest.mark.parametrize("text", ["0", "0.0"])
def test_a_wait_of_nothing_becomes_a_second(text: str) -> None:
    assert read({"retry-after": text}).wait_s == 1


def test_a_wait_of_years_is_cut_to_two_days() -> None:
    assert read({"retry-after": "99999999"}).wait_s == LONGEST_WAIT_S


@pytest.mark.parametrize("body", ["plain text", 42, [], {}, {"error": None}, [None, "x"]])
def test_bodies_of_any_shape_are_survived(body: Any) -> None:
    assert read({}, body, "").kind == "minute"


def test_midnight_when_the_clocks_change() -> None:
    # 1 November 2026 has 25 hours in California. Two in the morning UTC is seven in the evening before.
    evening = datetime(2026, 11, 1, 2, 0, tzinfo=UTC).timestamp()
    assert until_midnight("America/Los_Angeles", evening) == 5 * 3600
    after = datetime(2026, 11, 1, 7, 30, tzinfo=UTC).timestamp()
    assert until_midnight("America/Los_Angeles", after) == 24.5 * 3600


def test_an_unknown_time_zone_is_taken_for_utc() -> None:
    assert until_midnight("Nowhere/Atall", NOON) == 12 * 3600
