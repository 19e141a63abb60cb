"""How fast the practice model answers on one core, and whether its memory stays flat.

    python benchmarks/practice_server.py [--requests 20000] [--behaviour]

The server runs in this process; a bare HTTP client on one kept connection asks from a process of its own.
Both are held to the same core, so the figure counts the client's work too. Without `--behaviour` a reply is
fixed, which measures the server alone; with it the practice model's own behaviour answers a question on a
schema prompt. The mix is what lessons send: whole answers and streams in both dialects, and held
conversations. The rate that counts is taken from the processor time of both processes, since the clock also
counts what else the machine is doing. Exits with 1 when that rate is below 200 requests a second, or when
memory grew by more than 8 MB after the first fifth.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import sys
import time
from typing import Any

from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.server import PracticeServer

WANTED_PER_S = 200
MAX_GROWTH_MB = 8.0
REPLY = Reply(
    "MATCH (s:Student)-[r:STUDIES]->(c:Subject {name: 'DBMS'}) RETURN s.name AS student, r.grade AS grade"
)
PROMPT = """You translate questions about a graph into Cypher for FalkorDB.

# Schema
Nodes:
- Student {id: string, name: string, year: integer, branch: string}
- Subject {code: string, name: string, credits: integer}
Relationships:
- (Student)-[:STUDIES {semester: integer, grade: string}]->(Subject)

# Values
- Student.name: Aarav, Payal, Rahul, Sneha, Karan
- Subject.name: DBMS, DSA, Operating Systems, Computer Networks

# Rules
1. Match names loosely: WHERE toLower(s.name) CONTAINS 'dbms'.
2. Reply with Cypher alone.
"""


def fixed(request: Request) -> Reply:
    """The reply of a model that does not think."""
    return REPLY


def hold_to_one_core() -> str:
    """Holds this process to one core where the system can, and says which."""
    if not hasattr(os, "sched_setaffinity"):
        return "not held to a core (this system cannot)"
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return f"held to core {core}"


def resident_mb() -> float:
    """This process's resident memory, in MB."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def ask(port: int, requests: int, results: Any) -> None:
    """The client's process: sends the requests one after the other and reports the rate of each fifth."""
    hold_to_one_core()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    previous = None
    started = time.perf_counter()
    for n in range(requests):
        question = f"# Question\nWho studies DBMS with Student number {n}?"
        messages = [{"role": "user", "content": question}]
        body: dict[str, Any] = {"model": "practice-1", "messages": messages, "max_tokens": 500}
        kind = n % 5
        if kind < 2:
            path = "/v1/chat/completions"
            body["messages"] = [{"role": "system", "content": PROMPT}, *messages]
            body["stream"] = kind == 1
        else:
            path = "/anthropic/v1/messages"
            body["stream"] = kind == 3
            if kind == 4 and previous is not None and n % 50 != 4:
                body["thread"] = {"type": "continue", "previous_message_id": previous}
            else:
                body["system"] = PROMPT
                body["thread"] = {"type": "create"}
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise SystemExit(f"{response.status}: {answer[:300]!r}")
        if kind in (2, 4):
            previous = json.loads(answer)["id"]
        if (n + 1) % (requests // 5) == 0:
            results.put((n + 1, (requests // 5) / (time.perf_counter() - started)))
            started = time.perf_counter()
    connection.close()
    results.put((0, time.process_time()))


def main() -> int:
    """Runs the benchmark and prints what it found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--behaviour", action="store_true", help="let the practice model itself answer")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, server and client {hold_to_one_core()}")
    spawn = multiprocessing.get_context("spawn")
    with PracticeServer(None if options.behaviour else fixed) as server:
        results = spawn.Queue()
        client = spawn.Process(target=ask, args=(server.port, options.requests, results), daemon=True)
        client.start()
        rates, memory = [], []
        busy = time.process_time()
        for _ in range(5):
            done, rate = results.get()
            rates.append(rate)
            memory.append(resident_mb())
            print(
                f"{done:>7,} requests: {rate:6.0f}/s, {memory[-1]:6.1f} MB resident, "
                f"{len(server.threads)} held conversations of {server.threads.bytes_held / 1e3:.0f} kB, "
                f"{len(server.log)} log entries"
            )
        busy = time.process_time() - busy
        _, client_busy = results.get()
        client.join()
        failures = list(server.failures)
    growth = memory[-1] - memory[0]
    server_ms, client_ms = (1e3 * spent / options.requests for spent in (busy, client_busy))
    rate = 1e3 / (server_ms + client_ms)
    print(f"processor time a request: server {server_ms:.2f} ms, client {client_ms:.2f} ms")
    print(f"so on a core of their own {rate:.0f}/s (wanted: {WANTED_PER_S}); by the clock {min(rates):.0f}/s")
    print(f"memory grew by {growth:.1f} MB after the first fifth")
    for failure in failures:
        print(failure)
    return 1 if failures or rate < WANTED_PER_S or growth > MAX_GROWTH_MB else 0


if __name__ == "__main__":
    sys.exit(main())
