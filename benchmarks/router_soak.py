"""The router's full soak: 2,000 calls from eight threads, nearly half of all requests failing.

`python -m benchmarks.router_soak [calls] [seed]` prints what came of them; it fails if one was lost or hung.
"""

from __future__ import annotations

import sys

from tests.models_soak import soak


def main() -> int:
    """Runs the soak. 0 when every call was answered, or refused with a report."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    tally = soak(calls, seed=seed)
    print(f"{tally.calls} calls in {tally.seconds:.0f} s, {tally.requests} requests to the server")
    print(f"answered {tally.answered}: {dict(tally.by_provider.most_common())}")
    print(f"refused with a report {tally.refused}: {dict(tally.by_error.most_common())}")
    print(f"hung {tally.hung}, lost {calls - tally.answered - tally.refused}, other {tally.other[:3]}")
    print(f"requests in reports {tally.attempts}, at the server {tally.requests}")
    fine = not tally.hung and not tally.other and tally.answered + tally.refused == calls
    return 0 if fine and tally.attempts == tally.requests else 1


if __name__ == "__main__":
    sys.exit(main())
