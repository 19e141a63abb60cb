"""When a new base is asked for: soon after a burst, during a long one, and not all the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_lib.college.base_writer import BaseWriter
from course_lib.college.stored_log import StoredLog


class Stage:
    """Stored files and a clock that the test moves, and the asks that were made."""

    def __init__(self, folder: Path) -> None:
        self.files = folder / "appendonlydir"
        self.files.mkdir(parents=True)
        self.now = 0.0
        self.asks: list[float] = []
        self.number = 0
        self.new_base()
        stored = StoredLog(folder)
        self.writer = BaseWriter(stored, lambda: self.asks.append(self.now), lambda: self.now)

    def new_base(self) -> None:
        for old in self.files.iterdir():
            old.unlink()
        self.number += 1
        (self.files / f"appendonly.aof.{self.number}.base.rdb").touch()
        (self.files / f"appendonly.aof.{self.number}.incr.aof").touch()

    def write(self) -> None:
        with (self.files / f"appendonly.aof.{self.number}.incr.aof").open("ab") as log:
            log.write(b"x" * 100)

    def seconds(self, count: int, writing: bool = False) -> None:
        for _ in range(count):
            self.now += 1
            if writing:
                self.write()
            self.writer.tend()


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Fresh files and a clock at 0."""
    return Stage(tmp_path)


def test_nothing_written_nothing_asked(stage: Stage) -> None:
    stage.seconds(30)
    assert stage.asks == []


def test_a_quiet_second_after_a_burst(stage: Stage) -> None:
    stage.seconds(2, writing=True)
    stage.seconds(3)
    assert stage.asks == [3.0]


def test_a_long_burst_is_not_waited_out(stage: Stage) -> None:
    stage.seconds(20, writing=True)
    assert stage.asks == [7.0]  # it began in second 1; no second base while this one is being written


def test_a_slow_base_makes_the_next_one_wait(stage: Stage) -> None:
    stage.seconds(1, writing=True)
    stage.seconds(4)  # asked in second 2
    stage.new_base()
    stage.seconds(1)  # seen in second 6: it took 4 seconds, so the next one waits 80
    stage.seconds(79, writing=True)
    assert stage.asks == [2.0]
    stage.seconds(2, writing=True)
    assert len(stage.asks) == 2


def test_a_base_that_never_comes_is_asked_for_again(stage: Stage) -> None:
    stage.seconds(1, writing=True)
    stage.seconds(300)
    assert len(stage.asks) == 2


def test_an_end_waits_for_a_base_that_holds_everything(stage: Stage) -> None:
    stage.write()
    stage.writer = BaseWriter(StoredLog(stage.files.parent), stage.new_base, lambda: stage.now)
    stage.writer.finish(lambda: True, 10)
    assert stage.number == 2


def test_an_end_does_not_wait_for_a_dead_server_or_for_ever(stage: Stage) -> None:
    stage.write()
    stage.writer.finish(lambda: False, 10)
    assert stage.asks == []

    def alive() -> bool:
        stage.now += 1
        return True

    stage.writer.finish(alive, 10)
    assert len(stage.asks) == 1
