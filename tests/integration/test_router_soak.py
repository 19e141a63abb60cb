"""A soak of 300 calls, nearly half of all requests failing. `python -m benchmarks.router_soak` makes more."""

from __future__ import annotations

import pytest

from tests.models_soak import PROVIDERS, soak


@pytest.mark.timeout(300)
def test_every_call_is_answered_or_refused_with_a_report_none_hangs_and_none_is_lost() -> None:
    tally = soak(300, seed=11)
    assert tally.hung == 0
    assert tally.other == []
    assert tally.answered + tally.refused == 300
    # Nearly half of the requests failed, and still nearly every question was answered.
    assert tally.answered > 240
    # What the replies and reports tell is what the server saw: no request is hidden, none is made up.
    assert tally.attempts == tally.requests
    # No provider is spent for good: at the end each of them still answers.
    assert set(tally.last_answers) == set(PROVIDERS)
    assert tally.server_mistakes == 0
