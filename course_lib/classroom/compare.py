"""Compares two results, and says in words how they differ without giving the answer away.

Two results are the same when they hold the same rows, as often, in the same columns by position. What the
columns are called does not count, nor does the order of the rows unless the question asks for one. Where rows
tie, any order among them is right.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Row = tuple[Any, ...]
Rule = Literal[
    "same",
    "no rows",
    "no rows asked",
    "too few columns",
    "too many columns",
    "columns swapped",
    "order",
    "too many ties",
    "duplicates",
    "duplicates lost",
    "case",
    "text for number",
    "whole nodes",
    "nulls",
    "one column wrong",
    "rows missing",
    "rows too many",
    "rows differ",
    "all differ",
]
_TOLERANCE = 1e-6
"""Relative difference up to which two numbers count as the same: averages come out that close anywhere."""
_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_COLUMNS_TO_SWAP = 5


@dataclass(frozen=True)
class Table:
    """A result as plain values: column names and rows."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Difference:
    """How a result differs from the one that was asked for."""

    rule: Rule
    """What kind of difference; a check can act on it."""
    summary: str
    """One sentence for the learner. It holds none of the asked values."""
    near: bool = False
    """Whether the idea is right and a detail is wrong."""
    missing: tuple[Row, ...] = field(default=(), repr=False)
    """Rows that were asked for and are not there. Never shown."""
    surplus: tuple[Row, ...] = field(default=(), repr=False)
    """Rows that are there and were not asked for."""

    @property
    def same(self) -> bool:
        """Whether there is no difference."""
        return self.rule == "same"


SAME = Difference("same", "The same rows.")


def as_table(result: Any) -> Table:
    """A `Rows`, or a list or tuple of rows, as plain values that can be compared.

    Args:
        result: `Rows`, or a sequence of tuples, lists or dicts; a value that is no row makes a row of one.
    """
    columns = tuple(getattr(result, "columns", ()))
    rows = []
    for row in result:
        if isinstance(row, Mapping):
            columns = columns or tuple(str(key) for key in row)
            rows.append(tuple(plain(value) for value in row.values()))
        elif isinstance(row, tuple | list):
            rows.append(tuple(plain(value) for value in row))
        else:
            rows.append((plain(row),))
    if not columns and rows:
        columns = tuple(f"column {n}" for n in range(1, max(map(len, rows)) + 1))
    return Table(columns, tuple(rows))


def plain(value: Any) -> Any:
    """A cell as something that can be compared and hashed; nodes, edges and paths by their content."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return ("map", *sorted((str(key), plain(item)) for key, item in value.items()))
    if isinstance(value, tuple | list):
        return ("list", *(plain(item) for item in value))
    if isinstance(value, set | frozenset):
        return ("set", *sorted((plain(item) for item in value), key=repr))
    kind = type(value).__name__
    if hasattr(value, "labels") and hasattr(value, "properties"):
        return ("node", *sorted(map(str, value.labels)), plain(value.properties))
    if hasattr(value, "type") and hasattr(value, "properties"):
        return ("edge", str(value.type), plain(value.properties))
    if hasattr(value, "nodes"):
        return ("path", *(plain(node) for node in value.nodes))
    return (kind, repr(value))


def same_value(one: Any, other: Any) -> bool:
    """Whether two plain cells are the same; numbers may differ by rounding, true is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        try:
            return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=1e-9)
        except OverflowError:  # a whole number too large to be compared with a fraction
            return one == other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    return type(one) is type(other) and bool(one == other)


def count_words(number: int, what: str, plural: str | None = None) -> str:
    """A count in words, as in "two rows"."""
    word = _NUMBER_WORDS[number] if 0 <= number < len(_NUMBER_WORDS) else str(number)
    return f"{word} {what if number == 1 else plural or what + 's'}"


def compare_results(
    yours: Any,
    asked: Any,
    *,
    ordered: bool = False,
    extra_columns: bool = False,
    limit: int | None = None,
    ignore_case: bool = False,
) -> Difference:
    """Compares a learner's result with the one that was asked for.

    Args:
        yours: the learner's `Rows` (or any sequence of rows).
        asked: the rows that the reference query gives. Columns whose name starts with `_` are not asked for:
            they hold the sort key, so that rows that tie in it may come in any order.
        ordered: whether the order of the rows was asked for.
        extra_columns: whether columns after those asked for are allowed.
        limit: how many rows were asked for, when the reference gives them all: the best `limit`, where any of
            those that tie at the edge is right.
        ignore_case: whether upper and lower case make no difference in texts.
    """
    mine, full = as_table(yours), as_table(asked)
    hidden = [i for i, name in enumerate(full.columns) if name.startswith("_")]
    shown = [i for i in range(len(full.columns)) if i not in hidden]
    keys = [tuple(row[i] for i in hidden) for row in full.rows]
    reference = Table(
        tuple(full.columns[i] for i in shown), tuple(tuple(row[i] for i in shown) for row in full.rows)
    )
    if ignore_case:
        mine, reference = _fold_table(mine), _fold_table(reference)
    # The rows in blocks: within a block they tie, so any order is right. Without an order all is one block;
    # with an order and no key each row is a block of its own.
    blocks = _blocks(reference.rows, keys, ordered, bool(hidden), limit)
    wanted = sum(len(rows) for rows in blocks) if limit is None else min(limit, len(reference.rows))

    if not mine.rows:
        return SAME if wanted == 0 else Difference("no rows", "Your answer has no rows at all.")
    if wanted == 0:
        return Difference("no rows asked", f"No rows were asked for, and yours has {len(mine.rows)}.")
    width, asked_width = len(mine.rows[0]), len(reference.columns)
    columns_asked = f"{count_words(asked_width, 'column')} {'was' if asked_width == 1 else 'were'} asked for"
    if width < asked_width:
        fit = any(
            _same_bag([_pick(row, pick) for row in reference.rows], mine.rows)
            for pick in itertools.combinations(range(asked_width), width)
        )
        return Difference(
            "too few columns",
            _capital(
                f"{'what is there is right, but ' if fit else ''}{columns_asked}, and yours has {width}."
            ),
            near=fit,
        )
    cut = [row[:asked_width] for row in mine.rows]
    if width > asked_width and not extra_columns:
        inner = any(
            _fits([_pick(row, pick) for row in mine.rows], blocks, wanted, ordered)
            for pick in itertools.islice(itertools.permutations(range(width), asked_width), 500)
        )
        return Difference(
            "too many columns",
            _capital(
                f"{'the right values are in there, but ' if inner else ''}{columns_asked}, "
                f"and yours has {width}."
            ),
            near=inner,
        )
    if _fits(cut, blocks, wanted, ordered):
        return SAME
    return _describe(cut, blocks, wanted, ordered, limit, reference.columns)


def _blocks(
    rows: Sequence[Row], keys: Sequence[Row], ordered: bool, has_keys: bool, limit: int | None
) -> list[list[Row]]:
    if not rows:
        return []
    if not has_keys:
        # Without a key, `limit` rows of an unordered result may be any of them.
        split = [[row] for row in rows] if ordered else [list(rows)]
        return split[:limit] if ordered else split
    blocks: list[list[Row]] = []
    for index, row in enumerate(rows):
        if index and len(keys[index]) == len(keys[index - 1]) and same_value(keys[index], keys[index - 1]):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    if limit is not None:
        kept, count = [], 0
        for block in blocks:
            if count >= limit:
                break
            kept.append(block)
            count += len(block)
        blocks = kept
    if ordered:
        return blocks
    # The order does not count, but of the last block perhaps only some are wanted.
    if limit is not None and len(blocks) > 1:
        return [[row for block in blocks[:-1] for row in block], blocks[-1]]
    return [[row for block in blocks for row in block]]


def _fits(rows: Sequence[Row], blocks: Sequence[Sequence[Row]], wanted: int, ordered: bool) -> bool:
    """Whether the rows are these blocks (any order within one); the last may be cut by a limit."""
    if len(rows) != wanted:
        return False
    if not ordered:
        everything = [row for block in blocks for row in block]
        inner = [row for block in blocks[:-1] for row in block]
        return not _bag_difference(rows, everything)[1] and not _bag_difference(rows, inner)[0]
    start = 0
    for block in blocks:
        piece = rows[start : start + len(block)]
        missing, surplus = _bag_difference(piece, block)
        if surplus or (missing and start + len(block) <= wanted):
            return False
        start += len(block)
    return True


def _describe(
    cut: list[Row],
    blocks: list[list[Row]],
    wanted: int,
    ordered: bool,
    limit: int | None,
    columns: tuple[str, ...],
) -> Difference:
    reference = [row for block in blocks for row in block]
    missing, surplus = _bag_difference(cut, reference)

    def differ(rule: Rule, summary: str, near: bool = False) -> Difference:
        return Difference(rule, summary, near, tuple(missing), tuple(surplus))

    if ordered and not surplus and len(cut) == wanted:
        return differ("order", "The right rows, in the wrong order.", near=True)
    if limit is not None and not surplus and len(cut) > wanted:
        return differ(
            "too many ties", f"{_capital(count_words(wanted, 'row'))} were asked for, not {len(cut)}.", True
        )
    width = len(columns)
    if 1 < width <= _MOST_COLUMNS_TO_SWAP:
        for pick in itertools.permutations(range(width)):
            if list(pick) != sorted(pick) and _same_bag([_pick(row, pick) for row in cut], reference):
                named = ", then ".join(columns)
                return differ(
                    "columns swapped",
                    f"The right values, but the columns came swapped. Asked for: {named}.",
                    True,
                )
    if _same_bag(_distinct(cut), _distinct(reference)):
        if len(cut) > len(reference):
            return differ("duplicates", "The right rows, but some come more than once.", near=True)
        return differ(
            "duplicates lost", "The right rows, but some should come more than once: each time counts.", True
        )
    if _same_bag([_fold(row) for row in cut], [_fold(row) for row in reference]):
        return differ("case", "The same words but for upper and lower case.", near=True)
    if _same_bag([_loosen(row) for row in cut], [_loosen(row) for row in reference]):
        return differ(
            "text for number", "The values look right, but a number came as text, or the other way.", True
        )
    if _has_nodes(cut) and not _has_nodes(reference):
        return differ(
            "whole nodes", "A column holds whole nodes; the question asks for one of their properties.", True
        )
    nulls = sum(any(cell is None for cell in row) for row in surplus)
    if nulls and nulls == len(surplus) and not missing:
        rows_text = count_words(nulls, "row")
        return differ("nulls", f"The right rows, and {rows_text} with null (nothing) in it.", near=True)
    asked_nulls = sum(any(cell is None for cell in row) for row in missing)
    if asked_nulls and asked_nulls == len(missing) and not surplus:
        verb = "is" if asked_nulls == 1 else "are"
        return differ(
            "nulls",
            f"{_capital(count_words(asked_nulls, 'row'))} in which something is null {verb} missing.",
            True,
        )
    if missing and not surplus:
        verb = "is" if len(missing) == 1 else "are"
        return differ(
            "rows missing",
            f"What is there is right, but {count_words(len(missing), 'row')} {verb} missing.",
            near=True,
        )
    if surplus and not missing:
        return differ("rows too many", f"{_capital(count_words(len(surplus), 'row'))} too many.", near=True)
    if width > 1 and len(cut) == len(reference):
        for index, name in enumerate(columns):
            others = [i for i in range(width) if i != index]
            if _same_bag([_pick(r, others) for r in cut], [_pick(r, others) for r in reference]):
                return differ(
                    "one column wrong",
                    f"All is right but for column {index + 1}: asked was {name}.",
                    near=True,
                )
    right = len(cut) - len(surplus)
    if right == 0:
        return differ("all differ", "None of your rows is among those that were asked for.")
    return differ(
        "rows differ",
        f"{_capital(count_words(right, 'row'))} right, {count_words(len(missing), 'row')} missing, "
        f"{count_words(len(surplus), 'row')} that do{'es' if len(surplus) == 1 else ''} not belong.",
    )


def _bag_difference(rows: Sequence[Row], reference: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows of the reference that are missing, and rows that are too many; duplicates count."""
    exact_rows, exact_reference = Counter(map(_key, rows)), Counter(map(_key, reference))
    common = exact_rows & exact_reference
    left = _without(rows, common)
    missing = _without(reference, common)
    surplus = []
    for row in left:  # what is left may still match within the tolerance for numbers
        for index, other in enumerate(missing):
            if same_value(row, other):
                del missing[index]
                break
        else:
            surplus.append(row)
    return missing, surplus


def _key(row: Row) -> Any:
    # 1 and True are equal to Python and different to a learner's question.
    return tuple((type(cell).__name__ == "bool", cell) for cell in row)


def _without(rows: Sequence[Row], common: Counter[Any]) -> list[Row]:
    left, rest = Counter(common), []
    for row in rows:
        if left[_key(row)]:
            left[_key(row)] -= 1
        else:
            rest.append(row)
    return rest


def _same_bag(one: Sequence[Row], other: Sequence[Row]) -> bool:
    return len(one) == len(other) and _bag_difference(one, other) == ([], [])


def _distinct(rows: Sequence[Row]) -> list[Row]:
    return list({_key(row): row for row in rows}.values())


def _pick(row: Row, indexes: Sequence[int]) -> Row:
    return tuple(row[i] for i in indexes)


def _map_cells(change: Callable[[Any], Any], cell: Any) -> Any:
    if isinstance(cell, tuple):
        return tuple(_map_cells(change, item) for item in cell)
    return change(cell)


def _fold(row: Row) -> Row:
    return tuple(
        _map_cells(lambda c: c.casefold().strip() if isinstance(c, str) else c, cell) for cell in row
    )


def _fold_table(table: Table) -> Table:
    return Table(table.columns, tuple(_fold(row) for row in table.rows))


def _loosen(row: Row) -> Row:
    def loosen(cell: Any) -> Any:
        if isinstance(cell, str):
            try:
                return plain(float(cell))
            except ValueError:
                return cell
        return cell

    return tuple(_map_cells(loosen, cell) for cell in row)


def _has_nodes(rows: Sequence[Row]) -> bool:
    return any(isinstance(cell, tuple) and cell and cell[0] == "node" for row in rows for cell in row)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
