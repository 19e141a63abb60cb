"""The queue between chat and memory: safe on the disk, in order, and open about how far behind it is."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from course_lib.crumb.queue import MOST_ATTEMPTS, Lag, MemoryQueue, QueueError, Waiting, into_memory
from course_lib.crumb.tools import household_allergies
from course_lib.crumb.triples import Extraction
from tests.conftest import wait_until
from tests.support.small_bakery import DAY, FIRST, SECOND, allergic, bakery, said

ROOT = Path(__file__).parents[2]


@pytest.fixture
def queue(tmp_path: Path) -> MemoryQueue:
    return MemoryQueue(tmp_path / "queue.sqlite3")


def test_messages_wait_in_the_order_in_which_each_customer_wrote_them(queue: MemoryQueue) -> None:
    for number, customer in enumerate(["C001", "C002", "C001", "C002", "C003"]):
        queue.put(customer, f"text {number}", f"m{number}")
    taken: list[str] = []

    def handle(message: Waiting) -> None:
        taken.append(message.message_id)
        if message.message_id == "m0" and taken.count("m0") == 1:
            raise RuntimeError("the model is away")

    assert queue.work(handle) == 5
    assert [m for m in taken if m in ("m0", "m2")] == ["m0", "m0", "m2"], "m2 waits for m0"
    assert taken.index("m1") < taken.index("m3")
    assert queue.lag() == Lag(0, 0, 0.0, 0)
    assert str(queue.lag()) == "up to date"


def test_a_message_is_put_once(queue: MemoryQueue) -> None:
    for _ in range(3):
        queue.put("C001", "hello", "m1")
    queue.put("C002", "hello", "m1")
    assert queue.lag().waiting == 2
    queue.work(lambda message: None)
    queue.put("C001", "hello", "m1")
    assert queue.lag().waiting == 0, "also after it has been written"
    with pytest.raises(QueueError):
        queue.put("", "hello", "m1")


def test_how_far_behind_it_is(queue: MemoryQueue) -> None:
    queue.put("C001", "a", "m1")
    queue.put("C001", "b", "m2")
    queue.put("C002", "c", "m3")
    lag = queue.lag()
    assert (lag.waiting, lag.customers, lag.set_aside) == (3, 2, 0)
    assert 0 <= lag.seconds < 60
    assert queue.lag("C002").waiting == 1
    assert str(lag).startswith("3 waiting of 2 customers, the oldest for ")
    assert queue.work(lambda message: None, limit=2) == 2
    assert queue.lag().waiting == 1


def test_what_waits_survives_a_restart(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom course_lib.crumb.queue import MemoryQueue\n"
        "queue = MemoryQueue(sys.argv[1])\n"
        "for n in range(5): queue.put('C001', f'text {n}', f'm{n}')\n"
        "queue.work(lambda m: os._exit(9) if m.message_id == 'm2' else None)\n"
    )
    path = tmp_path / "queue.sqlite3"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 9
    taken: list[str] = []
    assert MemoryQueue(path).work(lambda message: taken.append(message.text)) == 3
    assert taken == ["text 2", "text 3", "text 4"], "the one that was being written comes again"


def test_a_message_that_nobody_can_read_goes_to_a_person(queue: MemoryQueue) -> None:
    def extract(text: str) -> Extraction:
        if "poison" in text:
            raise ValueError("no reply that can be read")
        return said(allergic("me", "egg"), message=text)

    with bakery() as store:
        queue.put("C002", "poison: I am allergic to …", "m1", DAY)
        queue.put("C002", "I am allergic to eggs", "m2", DAY)
        assert queue.work(into_memory(store, extract)) == 1
        assert [(m.message_id, m.attempts) for m in queue.set_aside()] == [("m1", MOST_ATTEMPTS)]
        assert "no reply" in queue.set_aside()[0].problem
        assert queue.lag().set_aside == 1
        assert str(queue.lag()) == "up to date; 1 set aside"
        found = household_allergies("C002", store)
        assert [a.allergen for a in found.known] == ["egg"]
        assert len(found.in_doubt) == 1, "an allergy may be in it, and the tools say so"
        queue.retry(queue.set_aside()[0])
        assert queue.lag().waiting == 1


def test_reply_first_and_write_after(queue: MemoryQueue) -> None:
    may_read = threading.Event()
    extractions = {"first": FIRST, "second": SECOND}

    def slow(text: str) -> Extraction:
        assert may_read.wait(30)
        return extractions[text]

    with bakery() as store:
        worker = queue.start(into_memory(store, slow), pause=0.01)
        queue.put("C001", "first", "m1", DAY)
        queue.put("C002", "second", "m2", DAY)
        assert queue.lag().waiting == 2, "put has returned, and nothing is written yet"
        assert store.read("MATCH (p:Person {id: 'C001:aarav'}) RETURN p") == []
        may_read.set()
        wait_until(lambda: queue.lag().waiting == 0, "the queue is empty")
        worker.stop()
        assert [a.name for a in household_allergies("C001", store).known] == ["Sunita Kulkarni", "Aarav"]


def test_a_crash_between_writing_and_taking_out_writes_nothing_twice(queue: MemoryQueue) -> None:
    with bakery() as store:
        queue.put("C001", "first", "m1", DAY)
        handle = into_memory(store, lambda text: FIRST)
        message = queue.next()
        assert message is not None
        handle(message)  # written, and then the process ends before `done`
        before = store.checksum()
        assert queue.work(handle) == 1
        assert store.checksum() == before
