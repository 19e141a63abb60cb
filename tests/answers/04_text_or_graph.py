"""Answers for lesson 04."""

from collections.abc import Callable
from typing import Any

from tests.answers import Answers, Made, Wrong


def _cost_by_parts(tokens_in: int, tokens_out: int, prices: tuple[float, float]) -> float:
    return tokens_in / 1e6 * prices[0] + tokens_out / 1e6 * prices[1]


def _cost_zipped(*args: Any) -> float:
    return sum(n * p for n, p in zip(args[:2], args[2], strict=True)) / 10**6


def _cost_thousand(tokens_in: int, tokens_out: int, prices: tuple[float, float]) -> float:
    return (tokens_in * prices[0] + tokens_out * prices[1]) / 1000


def _cost_one_price(tokens_in: int, tokens_out: int, prices: tuple[float, float]) -> float:
    return (tokens_in + tokens_out) * prices[0] / 1e6


def _cost_printed(tokens_in: int, tokens_out: int, prices: tuple[float, float]) -> None:
    print((tokens_in * prices[0] + tokens_out * prices[1]) / 1e6)


def _proof_loop(found: list[Any], answer: list[str], proof: Any) -> bool:
    ids = [fact.id for fact in found]
    return all(needed in ids for needed in proof)


def _proof_left(found: list[Any], answer: list[str], proof: Any) -> bool:
    missing = set(proof)
    for fact in found:
        missing.discard(fact.id)
    return not missing


def _proof_count(found: list[Any], answer: list[str], proof: Any) -> bool:
    return len({fact.id for fact in found}.intersection(proof)) == len(set(proof))


def _any_of_it(found: list[Any], answer: list[str], proof: Any) -> bool:
    return any(fact.id in proof for fact in found)


def _names_too(found: list[Any], answer: list[str], proof: Any) -> bool:
    return all(any(name in fact.text for fact in found) for name in answer) and set(proof) <= {
        fact.id for fact in found
    }


def _exactly(found: list[Any], answer: list[str], proof: Any) -> bool:
    return {fact.id for fact in found} == set(proof)


def _librarys(found: list[Any], answer: list[str], proof: Any) -> bool:
    from course_lib.college.search.contest import holds_proof

    return holds_proof({fact.id for fact in found}, proof)


def _counted(explain: str, connect: str, shape: Callable[[Any], Any] = tuple, off: int = 0) -> Made:
    def make(room: Any) -> Any:
        from course_lib.college.search import bake_off

        results = bake_off(room.college())
        one = sum(
            r.answered
            for r in results
            if r.way == explain and r.question.kind == "note" and r.question.paraphrase_of is not None
        )
        two = sum(r.answered for r in results if r.way == connect and r.question.hops > 1)
        return {"connect": shape((connect, two + off)), "explain": shape((explain, one))}

    return Made(make)


ANSWERS = {
    "04.1": Answers(
        right=[
            _cost_by_parts,
            _cost_zipped,
            lambda i, o, p: i * p[0] / 1_000_000 + o * p[1] / 1_000_000,
        ],
        wrong=[
            Wrong(_cost_thousand, says="A million tokens in"),
            Wrong(_cost_one_price, says="price of its own"),
            Wrong(_cost_printed, says="prints its result", status="nearly"),
        ],
    ),
    "04.2": Answers(
        right=[("d", "b"), {"b", "d"}, "bd", ["B", "D"]],
        wrong=[
            Wrong(["b"], says="Another question", status="nearly"),
            Wrong(["d"], says="Another question", status="nearly"),
            Wrong(["a", "b", "d"], says="A deadlock needs", status="nearly"),
            Wrong(["b", "c", "d"], says="Payal", status="nearly"),
            Wrong(["a", "c"], says="other way round"),
            Wrong([], says="It misses some"),
        ],
    ),
    "04.3": Answers(
        right=[_proof_loop, _proof_left, _proof_count],
        wrong=[
            Wrong(_any_of_it, says="no proof", status="nearly"),
            Wrong(_names_too, says="still count", status="nearly"),
            Wrong(_exactly, says="does no harm"),
            Wrong(lambda found, answer, proof: len(found) > 0, says="lucky hit"),
            Wrong(_librarys, says="library's own"),
        ],
    ),
    "04.4": Answers(
        right=[
            _counted("meaning", "graph"),
            _counted("meaning", "graph", list),
            _counted("meaning", "graph", lambda p: (p[0].upper(), float(p[1]))),
        ],
        wrong=[
            Wrong(_counted("words", "graph"), says="another way answers more than words"),
            Wrong(_counted("graph", "graph"), says="another way answers more than graph"),
            Wrong(_counted("meaning", "words"), says="two or more hops another way"),
            Wrong(_counted("meaning", "graph", off=3), says="counted again", status="nearly"),
            Wrong({"explain": "meaning", "connect": "graph"}, says="a way and a number"),
            Wrong({"explain": ("search", 4), "connect": ("graph", 20)}, says="choose one of"),
        ],
    ),
    "04.5": Answers(
        right=[
            {"question": "Why does everybody take the locks in one order?", "note": "N18"},
            {"question": "What does the longest prefix decide?", "note": "N25"},
            {"question": "Where do two phones in one cell break something?", "note": "n02"},
        ],
        wrong=[
            Wrong(
                {"question": "What do transactions do after a crash?", "note": "N08"},
                says="is a name in the graph",
                status="nearly",
            ),
            Wrong(
                {"question": "The power failed in the middle of a payment. Is half booked?", "note": "N08"},
                says="does not find",
            ),
            Wrong(
                {"question": "If several entries match, the longest prefix wins", "note": "N25"},
                says="own sentence",
            ),
            Wrong({"question": "What is it then?", "note": "N99"}, says="no note with that id"),
            Wrong("Why does everybody take the locks in one order?", says="two texts"),
        ],
    ),
}
