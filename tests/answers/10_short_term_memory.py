"""Answers for lesson 10."""

import re
from collections import deque
from typing import Any

from tests.answers import Answers, Wrong


def _with_deque(turns: list[Any], new: Any, window: int) -> Any:
    kept = deque(turns, maxlen=window)
    kept.append(new)
    return kept


def _by_hand(turns: list[Any], new: Any, window: int) -> list[Any]:
    turns.append(new)
    while len(turns) > window:
        turns.pop(0)
    return turns


def _by_length(turns: list[Any], new: Any, window: int) -> list[Any]:
    every = [*turns, new]
    return every[max(0, len(every) - window) :]


def _oldest(turns: list[Any], new: Any, window: int) -> list[Any]:
    return [*turns, new][:window]


def _never_cut(turns: list[Any], new: Any, window: int) -> list[Any]:
    return [*turns, new]


def _cut_before(turns: list[Any], new: Any, window: int) -> list[Any]:
    return [*turns[-window:], new]


def _compiled(question: str, names: list[str]) -> set[str]:
    return {n for n in names if re.compile(r"(?<!\w)" + re.escape(n) + r"(?!\w)", re.I).search(question)}


def _words(question: str, names: list[str]) -> list[str]:
    text = " " + " ".join(re.findall(r"\w+", question.lower())) + " "
    return [name for name in names if f" {name.lower()} " in text]


def _lowered(question: str, names: list[str]) -> list[str]:
    found = []
    for name in names:
        if re.search(r"\b" + re.escape(name.lower()) + r"\b", question.lower()):
            found.append(name)
    return found


def _letters(question: str, names: list[str]) -> list[str]:
    small = question.lower()
    return [name for name in names if small.count(name.lower())]


def _single_words(question: str, names: list[str]) -> list[str]:
    return [name for name in names if name.lower() in re.findall(r"\w+", question.lower())]


def _exact_case(question: str, names: list[str]) -> list[str]:
    return [name for name in names if re.search(rf"\b{re.escape(name)}\b", question)]


def _only_start(question: str, names: list[str]) -> list[str]:
    return [name for name in names if re.search(rf"\b{re.escape(name)}", question, re.I)]


ANSWERS = {
    "10.1": Answers(
        right=[_with_deque, _by_hand, _by_length],
        wrong=[
            Wrong(_oldest, says="oldest has to go"),
            Wrong(_never_cut, says="oldest has to go"),
            Wrong(_cut_before, says="oldest has to go"),
        ],
    ),
    "10.2": Answers(
        right=[_compiled, _words, _lowered],
        wrong=[
            Wrong(_letters, says="inside 'planning'"),
            Wrong(_single_words, says="two words"),
            Wrong(_exact_case, says="small letters"),
            Wrong(_only_start, says="inside 'good'"),
        ],
    ),
    "10.3": Answers(
        right=[["rahul", "payal", "payal"], ("Rahul", "Payal", "Payal"), ["Rahul", "PAYAL", "payal"]],
        wrong=[
            Wrong(["Payal", "Payal", "Rahul"], says="newest"),
            Wrong(["Rahul", "Aarav", "Payal"], says="first row", status="nearly"),
            Wrong(["Payal", "Payal", "Payal"], says="somebody else", status="nearly"),
            Wrong(["Rahul", "Payal", "Rahul"], says="in a result", status="nearly"),
        ],
    ),
    "10.4": Answers(
        right=[
            lambda text: re.sub(r"\s+", " ", text).strip(),
            lambda text: " ".join(part for part in text.split()),
            lambda text: " ".join(text.replace("\r", " ").replace("\n", " ").split()),
        ],
        wrong=[
            Wrong(lambda text: text.replace("#", ""), says="line break"),
            Wrong(lambda text: text.replace("\n", " "), says="one space for all"),
            Wrong(lambda text: re.sub(r"\s+", " ", text), says="before and after"),
        ],
    ),
}
