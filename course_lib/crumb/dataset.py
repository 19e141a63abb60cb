"""The bakery's tables in `data/crumb/`: its records, a week of chats, the truth in them, labels."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from course_lib.crumb.triples import RELATIONS, STANCES, Stance, Triple
from course_lib.errors import CourseError
from course_lib.settings import project_root

_T = TypeVar("_T")

CERTAINTIES = ("contains", "may")


class BakeryDataError(CourseError):
    """A table of the bakery cannot be used; the message names file and line."""


@dataclass(frozen=True)
class CustomerRow:
    """A customer, from the bakery's own systems."""

    id: str
    name: str


@dataclass(frozen=True)
class MemberRow:
    """A relative whom the bakery knew before the week."""

    customer: str
    id: str
    name: str
    role: str


@dataclass(frozen=True)
class ContainsRow:
    """What is in a product, or may be."""

    product: str
    allergen: str
    certainty: str


@dataclass(frozen=True)
class KnownRow:
    """An allergy that was known before the week."""

    person: str
    allergen: str


@dataclass(frozen=True)
class Bakery:
    """Everything that comes from the bakery's systems, and nothing that comes from a chat."""

    customers: tuple[CustomerRow, ...]
    households: tuple[MemberRow, ...]
    products: tuple[str, ...]
    contains: tuple[ContainsRow, ...]
    known: tuple[KnownRow, ...]


@dataclass(frozen=True)
class Chat:
    """One message of a customer. Who wrote it is what the session says, whatever the text says."""

    id: str
    date: str
    customer: str
    text: str


@dataclass(frozen=True)
class TruthRow:
    """One fact that is true: who is allergic to what, and the message that states it or hints at it."""

    person: str
    allergen: str
    message: str
    words: str
    """The words that name the person in that message."""
    how: str
    """`stated`, or `hinted` where the message leaves open what is meant."""


@dataclass(frozen=True)
class Labelled:
    """A message with the triples that a person found in it."""

    id: str
    text: str
    triples: tuple[Triple, ...]


def crumb_folder(folder: Path | str | None = None) -> Path:
    """The folder of the tables; the course's own when None."""
    return Path(folder) if folder is not None else project_root() / "data" / "crumb"


def read_bakery(folder: Path | str | None = None) -> Bakery:
    """The bakery's own records, checked against each other.

    Args:
        folder: where the tables are; the course's own when None.

    Raises:
        BakeryDataError: a table is missing or does not fit; the message names file and line.
    """
    place = crumb_folder(folder)
    customers = _rows(place / "customers.csv", ("id", "name"), lambda r: CustomerRow(*r))
    households = _rows(place / "households.csv", ("customer", "id", "name", "role"), lambda r: MemberRow(*r))
    products = _rows(place / "products.csv", ("name",), lambda r: r[0])
    contains = _rows(place / "contains.csv", ("product", "allergen", "certainty"), lambda r: ContainsRow(*r))
    known = _rows(place / "known.csv", ("person", "allergen"), lambda r: KnownRow(*r))
    ids = {row.id for row in customers}
    _unique(place / "customers.csv", [row.id for row in customers])
    _unique(place / "products.csv", list(products))
    _all_known(place / "households.csv", [row.customer for row in households], ids, "customer")
    _all_known(place / "contains.csv", [row.product for row in contains], set(products), "product")
    _all_known(place / "contains.csv", [row.certainty for row in contains], set(CERTAINTIES), "certainty")
    people = ids | {row.id for row in households}
    _all_known(place / "known.csv", [row.person for row in known], people, "person")
    return Bakery(customers, households, products, contains, known)


def read_chats(folder: Path | str | None = None) -> tuple[Chat, ...]:
    """The week's chats, oldest first.

    Args:
        folder: where the tables are; the course's own when None.

    Raises:
        BakeryDataError: the table is missing or does not fit; the message names file and line.
    """
    path = crumb_folder(folder) / "chats.csv"
    chats = _rows(path, ("id", "date", "customer", "text"), lambda r: Chat(*r))
    _unique(path, [chat.id for chat in chats])
    return tuple(sorted(chats, key=lambda chat: (chat.date, chat.id)))


def read_truth(folder: Path | str | None = None) -> tuple[TruthRow, ...]:
    """Who is allergic to what, by the messages that say so.

    Args:
        folder: where the tables are; the course's own when None.

    Raises:
        BakeryDataError: the table is missing or does not fit; the message names file and line.
    """
    path = crumb_folder(folder) / "truth.csv"
    rows = _rows(path, ("person", "allergen", "message", "words", "how"), lambda r: TruthRow(*r))
    _all_known(path, [row.message for row in rows], {chat.id for chat in read_chats(folder)}, "message")
    _all_known(path, [row.how for row in rows], {"stated", "hinted"}, "how")
    return rows


def read_labelled(folder: Path | str | None = None) -> tuple[Labelled, ...]:
    """The messages that were labelled by hand, with their triples.

    Args:
        folder: where the tables are; the course's own when None.

    Raises:
        BakeryDataError: a table is missing or does not fit; the message names file and line.
    """
    place = crumb_folder(folder)
    texts = _rows(place / "labelled.csv", ("id", "text"), lambda r: (r[0], r[1]))
    path = place / "labelled_triples.csv"
    columns = ("message", "subject", "relation", "object", "role", "stance")
    rows = _rows(path, columns, lambda r: r)
    _all_known(path, [row[0] for row in rows], {text[0] for text in texts}, "message")
    _all_known(path, [row[2] for row in rows], set(RELATIONS), "relation")
    _all_known(path, [row[5] for row in rows], set(STANCES), "stance")
    stances: dict[str, Stance] = {stance: stance for stance in STANCES}
    return tuple(
        Labelled(
            id_,
            text,
            tuple(
                Triple(subject, relation, thing, role or None, stance=stances[stance])
                for message, subject, relation, thing, role, stance in rows
                if message == id_
            ),
        )
        for id_, text in texts
    )


def _rows(path: Path, columns: tuple[str, ...], make: Callable[[tuple[str, ...]], _T]) -> tuple[_T, ...]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise BakeryDataError(
            f"{path.name} cannot be read: {error}.", f"Put it into {path.parent.name}/, as UTF-8."
        ) from error
    if not lines or tuple(lines[0]) != columns:
        raise BakeryDataError(
            f"{path.name}, line 1: the columns are {', '.join(lines[0]) if lines else 'missing'}.",
            f"They have to be {', '.join(columns)}.",
        )
    made = []
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        if len(line) != len(columns):
            raise BakeryDataError(
                f"{path.name}, line {number}: {len(line)} values for {len(columns)} columns.",
                "Put a text with a comma in it between quotation marks.",
            )
        if not line[0].strip():
            raise BakeryDataError(
                f"{path.name}, line {number}: {columns[0]} is empty.", "Give the row one, or take it out."
            )
        made.append(make(tuple(line)))
    return tuple(made)


def _unique(path: Path, keys: list[str]) -> None:
    seen: dict[str, int] = {}
    for number, key in enumerate(keys, start=2):
        if key in seen:
            raise BakeryDataError(
                f"{path.name}, line {number}: {key} stands in line {seen[key]} already.",
                "Give each row a key of its own.",
            )
        seen[key] = number


def _all_known(path: Path, values: list[str], known: set[str], column: str) -> None:
    for number, value in enumerate(values, start=2):
        if value not in known:
            raise BakeryDataError(
                f"{path.name}, line {number}: no such {column}: {value!r}.",
                f"Check the spelling, or add it where each {column} has its row.",
            )
