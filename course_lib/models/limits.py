"""How long a provider that refuses wants to be left alone, read from whatever it says.

There is no one way. Some send `retry-after` in seconds, some as a date; Groq writes 'try again in 9m38.016s'
into the message; Gemini puts a `RetryInfo` among the details, and a quota's name that holds `PerDay` or
`PerMinute`; OpenRouter sends the moment of reset in milliseconds. A daily limit without any of these comes
back at the provider's midnight.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from course_lib.models.errors import LimitKind

DEFAULT_WAIT_S = 30.0
"""Seconds to rest a provider that limits by the minute and says nothing about how long."""
SHORTEST_WAIT_S = 1.0
LONGEST_WAIT_S = 48 * 3600.0
"""A wait beyond two days is a mistake in reading, or not worth believing."""
DAY_FROM_S = 120.0
"""A limit by the minute is over within a minute or two: who asks for a longer wait means the day."""

_UNITS_S = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART_TEXT = (
    r"(\d+(?:\.\d+)?)\s*(milliseconds?|ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])"
)
_PART = re.compile(_PART_TEXT, re.IGNORECASE)
_TRY_AGAIN = re.compile(
    rf"(?:try again|retry|available again|resets?)\s+(?:in|after)\s+((?:{_PART_TEXT}[\s,]*(?:and\s+)?)+)",
    re.IGNORECASE,
)
_PER_DAY = re.compile(r"per[ -_]?day|\((?:TPD|RPD|ASD)\)|daily|per[ -_]?month|monthly", re.IGNORECASE)
_LIMIT = re.compile(r"\blimit:?\s+([\d,]+)", re.IGNORECASE)
_REQUESTED = re.compile(r"\brequested:?\s+([\d,]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Limit:
    """What a refusal says about itself."""

    kind: LimitKind
    wait_s: float
    limit: int | None = None
    """Tokens or requests allowed in the window, where the message says so."""
    requested: int | None = None
    """What this one request asked for, where the message says so."""


def seconds_in(text: str) -> float | None:
    """Reads a duration such as `9m38.016s`, `20 seconds`, `1h2m`, `120ms` or a bare `34.07`; else None."""
    text = text.strip().rstrip(".")
    try:
        value = float(text)
    except ValueError:
        parts = _PART.findall(text)
        if not parts:
            return None
        value = sum(float(number) * _unit_s(unit) for number, unit in parts)
    return value if math.isfinite(value) and value >= 0 else None


def until_midnight(zone_name: str, now: float) -> float:
    """Seconds from `now` (Unix time) to the next midnight of a time zone."""
    here = datetime.fromtimestamp(now, _zone(zone_name))
    # Midnight is found on the calendar, then on the clock, so that a change to summer time comes out right.
    tomorrow = (here + timedelta(days=1)).date()
    midnight = datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=here.tzinfo)
    return midnight.timestamp() - now


def read_limit(headers: Mapping[str, str], body: Any, message: str, *, now: float, resets: str) -> Limit:
    """Reads a refusal.

    Args:
        headers: the response's headers, in any case.
        body: the decoded body, whatever its shape, or None.
        message: the error message.
        now: the present as Unix time, in seconds.
        resets: the time zone in whose midnight a daily allowance of this provider comes back.

    Returns:
        The kind of limit and how long to wait, between one second and two days.
    """
    lower = {str(name).lower(): str(value) for name, value in headers.items()}
    everything = message if body is None else f"{message} {json.dumps(body, default=str)}"
    quotas = [str(value) for value in _values(body, "quotaId")]
    # A body that names its quotas is taken at its word; the prose beside it may speak of days in general.
    says_day = any("PerDay" in quota for quota in quotas) if quotas else bool(_PER_DAY.search(everything))
    wait = _header_wait(lower, now)
    if wait is None:
        wait = _reset_in_body(body, now)
    if wait is None and (found := _TRY_AGAIN.search(everything)):
        wait = seconds_in(found.group(1))
    if wait is None and not says_day:
        # Gemini's RetryInfo speaks of the minute even where the day is what ran out.
        wait = next((s for value in _values(body, "retryDelay") if (s := seconds_in(str(value)))), None)
    if wait is None:
        wait = _window_resets(lower, now)
    kind: LimitKind = "day" if says_day or (wait is not None and wait >= DAY_FROM_S) else "minute"
    if wait is None:
        wait = until_midnight(resets, now) if kind == "day" else DEFAULT_WAIT_S
    return Limit(
        kind=kind,
        wait_s=min(max(wait, SHORTEST_WAIT_S), LONGEST_WAIT_S),
        limit=_number(_LIMIT, message),
        requested=_number(_REQUESTED, message),
    )


def _unit_s(unit: str) -> float:
    unit = unit.lower()
    return _UNITS_S["ms" if unit.startswith(("ms", "mil")) else unit[0]]


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        # Windows has no time zones of its own, and tzdata may be missing: Pacific winter time is near enough.
        return timezone(timedelta(hours=-8)) if "Los_Angeles" in name else UTC


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(found.group(1).replace(",", "")) if found else None


def _values(body: Any, name: str) -> Iterator[Any]:
    """Every value under a key, however deep it lies."""
    if isinstance(body, Mapping):
        for key, value in body.items():
            if key == name:
                yield value
            yield from _values(value, name)
    elif isinstance(body, list | tuple):
        for item in body:
            yield from _values(item, name)


def _header_wait(headers: Mapping[str, str], now: float) -> float | None:
    if (ms := headers.get("retry-after-ms")) and (value := seconds_in(ms)) is not None:
        return value / 1000
    if text := headers.get("retry-after"):
        if (value := seconds_in(text)) is not None:
            return value
        from email.utils import parsedate_to_datetime  # costs 20 ms, and dates are rare here

        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - now)
        except ValueError:
            return None
    return _until_moment(headers.get("x-ratelimit-reset"), now)


def _reset_in_body(body: Any, now: float) -> float | None:
    # OpenRouter repeats the headers that it would have sent inside error.metadata.headers.
    for name in ("X-RateLimit-Reset", "x-ratelimit-reset"):
        for value in _values(body, name):
            if (wait := _until_moment(str(value), now)) is not None:
                return wait
    return None


def _until_moment(text: str | None, now: float) -> float | None:
    """A reset given as Unix time in seconds or milliseconds, as an ISO date, or as a duration."""
    if not text:
        return None
    value = seconds_in(text)
    if value is None or re.match(r"\d{4}-\d\d-\d\d", text):
        try:
            return max(0.0, datetime.fromisoformat(text.strip().replace("Z", "+00:00")).timestamp() - now)
        except ValueError:
            return None
    if value > 1e11:
        value /= 1000
    return max(0.0, value - now) if value > 1e9 else value


def _window_resets(headers: Mapping[str, str], now: float) -> float | None:
    """The latest reset among the windows that are used up (`…-remaining-…: 0` beside `…-reset-…`)."""
    waits = []
    for name, value in headers.items():
        if "ratelimit" in name and "reset" in name:
            remaining = headers.get(name.replace("reset", "remaining"))
            if remaining is not None and remaining.strip() == "0":
                waits.append(_until_moment(value, now))
    return max((wait for wait in waits if wait is not None), default=None)
