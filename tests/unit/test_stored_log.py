"""Which writes the engine's log can hold, and what is taken out of it before it is played back."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_lib.college.stored_log import StoredLog, needs_base


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE (:A {day: date('2026-11-30')})",
        "CREATE (:A {day: DATE ()})",
        "CREATE (:A {now: localdatetime()})",
        "CREATE (:A {now: localtime.transaction()})",
        "MATCH (n) SET n.at = timestamp()",
        "MATCH (n) SET n.x = rand() * 2",
        "CREATE (:A {id: randomUUID()})",
        "LOAD CSV FROM 'file://x.csv' AS row CREATE (:A {x: row[0]})",
        "load\n  csv WITH HEADERS FROM $url AS row CREATE (:A)",
    ],
)
def test_queries_that_the_log_cannot_hold(cypher: str) -> None:
    assert needs_base(cypher)


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE (:A {date: $date, timestamp: 5})",
        "MATCH (n) SET n.update = toUpper('x')",
        "MATCH (n) WHERE n.date = 'x' SET n.validate = 1",
        "UNWIND $rows AS row MERGE (n:A {id: row.id})",
        "CREATE (:LoadCsv)",
    ],
)
def test_queries_that_it_can_hold(cypher: str) -> None:
    assert not needs_base(cypher)


def command(*parts: bytes) -> bytes:
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


QUERY = command(b"GRAPH.QUERY", b"college", b"CREATE (:A {text: 'GRAPH.EFFECT\r\n*3'})" + b"x" * 100)
EFFECT = command(b"GRAPH.EFFECT", b"college", b"\x01\x00\r\n*9\r\n$7\xff")
SELECT = command(b"SELECT", b"0")


@pytest.fixture
def stored(tmp_path: Path) -> StoredLog:
    """An empty folder of stored files."""
    (tmp_path / "data" / "appendonlydir").mkdir(parents=True)
    return StoredLog(tmp_path / "data")


def test_changes_by_number_are_left_out_and_a_copy_is_kept(stored: StoredLog, tmp_path: Path) -> None:
    log = stored.folder / "appendonly.aof.3.incr.aof"
    whole = SELECT + QUERY + EFFECT + b"#TS:1796000000\r\n" + QUERY + EFFECT + QUERY[:-9]
    log.write_bytes(whole)

    aside = stored.leave_out_changes(tmp_path)
    assert log.read_bytes() == SELECT + QUERY + b"#TS:1796000000\r\n" + QUERY + QUERY[:-9]
    assert aside is not None
    assert (aside / log.name).read_bytes() == whole
    assert stored.leave_out_changes(tmp_path) is None


@pytest.mark.parametrize("content", [b"", SELECT + QUERY, QUERY + b"\x00garbage", b"REDIS0012"])
def test_a_log_without_them_stays_as_it_is(stored: StoredLog, tmp_path: Path, content: bytes) -> None:
    log = stored.folder / "appendonly.aof.1.incr.aof"
    log.write_bytes(content)
    assert stored.leave_out_changes(tmp_path) is None
    assert log.read_bytes() == content
    assert list(tmp_path.iterdir()) == [tmp_path / "data"]


def test_the_newest_files_are_found_by_their_number(stored: StoredLog) -> None:
    assert (stored.newest(), stored.base(), stored.has_grown()) == (("", 0), "", False)
    for number, size in ((9, 5), (10, 0)):
        (stored.folder / f"appendonly.aof.{number}.incr.aof").write_bytes(b"x" * size)
        (stored.folder / f"appendonly.aof.{number}.base.rdb").write_bytes(b"REDIS")
    assert stored.newest() == ("appendonly.aof.10.incr.aof", 0)
    assert stored.base() == "appendonly.aof.10.base.rdb"
    assert stored.has_grown()  # the older log counts for as long as it is there
    (stored.folder / "appendonly.aof.9.incr.aof").unlink()
    assert not stored.has_grown()


def test_emptying_and_putting_aside(stored: StoredLog, tmp_path: Path) -> None:
    log = stored.folder / "appendonly.aof.1.incr.aof"
    log.write_bytes(QUERY)
    copies = {stored.put_aside(tmp_path), stored.put_aside(tmp_path), stored.put_aside(tmp_path)}
    assert len(copies) == 3
    assert stored.empty()
    assert log.read_bytes() == b""
    assert not stored.empty()
    assert all((copy / log.name).read_bytes() == QUERY for copy in copies)
