"""The CSV files of a graph, read and checked before anything is written.

`read_tables` gives typed rows, or a `DataError` that names up to ten faults with file and line. It knows the
ways in which a spreadsheet changes a file: a byte order mark, Windows line ends, semicolons, empty cells at
the end of a line are understood; what would change a value is named instead.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.college.spec import COLLEGE, GraphSpec, NodeTable, Property, RelationshipTable, Value
from course_lib.errors import CourseError
from course_lib.settings import project_root

Row = Mapping[str, Value]
"""One line of a table: column name -> value. A column that is absent or None holds nothing."""

MOST_FAULTS = 10
"""How many faults one `DataError` spells out. Ten is about what fits on a screen."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_SPREADSHEET_ERROR = re.compile(r"#(NAME\?|REF!|VALUE!|N/A|DIV/0!|NUM!|NULL!|SPILL!)")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER_IN_DISGUISE = re.compile(r"[+-]?[0-9][0-9.,\u00a0' ]*([eE][+-]?[0-9]+)?")
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a file."""

    file: str
    line: int | None
    what: str
    next_step: str

    @property
    def place(self) -> str:
        """The file, and the line where there is one."""
        return self.file if self.line is None else f"{self.file}, line {self.line}"

    def __str__(self) -> str:
        return f"{self.place}: {self.what} {self.next_step}"


class DataError(CourseError):
    """The tables cannot be used. `faults` holds the first ten faults, `total` says how many there are."""

    def __init__(
        self,
        faults: Iterable[Fault],
        total: int | None = None,
        ending: str = "Nothing was written to the graph.",
    ) -> None:
        self.faults = tuple(faults)
        self.total = len(self.faults) if total is None else total
        if self.total == 1 and self.faults:
            fault = self.faults[0]
            super().__init__(f"{fault.place}: {fault.what}", f"{fault.next_step} {ending}")
            return
        lines = [f"{self.total} faults in the tables:", *(f"  {fault}" for fault in self.faults)]
        if self.total > len(self.faults):
            lines.append(f"  … and {self.total - len(self.faults)} more.")
        super().__init__("\n".join([*lines, ending]))


@dataclass(frozen=True)
class CollegeTables:
    """The rows of every table of a spec.

    The rows of a table are any iterable that can be walked more than once: a tuple for files, a generating
    object where a table is too large to hold.
    """

    spec: GraphSpec
    rows: Mapping[str, Iterable[Row]]

    def __post_init__(self) -> None:
        missing = [t.name for t in self.spec.tables if t.name not in self.rows]
        if missing:
            raise DataError(
                Fault(
                    f"{name}.csv", None, "there is no such table.", "Give an empty one if nothing is in it."
                )
                for name in missing
            )

    def __getitem__(self, table: str) -> Iterable[Row]:
        return self.rows[table]

    def only(self, layers: Iterable[str]) -> CollegeTables:
        """The tables of these layers alone.

        Raises:
            LayerError: no such layer, or one of them stands on a layer that is left out.
        """
        spec = self.spec.only(layers)
        return CollegeTables(spec, {t.name: self.rows[t.name] for t in spec.tables})

    def node_count(self) -> int:
        """How many nodes these tables hold."""
        return sum(_length(self.rows[t.name]) for t in self.spec.nodes)

    def relationship_count(self) -> int:
        """How many relationships these tables hold."""
        return sum(_length(self.rows[t.name]) for t in self.spec.relationships)


def _length(rows: Iterable[Row]) -> int:
    return len(rows) if isinstance(rows, tuple | list) else sum(1 for _ in rows)


def default_folder() -> Path:
    """The folder of the college's own tables, `data/college` in the course folder."""
    return project_root() / "data" / "college"


def read_tables(
    folder: str | Path | None = None,
    spec: GraphSpec = COLLEGE,
    layers: Iterable[str] | None = None,
) -> CollegeTables:
    """Reads a folder of CSV files and checks all of it.

    Args:
        folder: where the files lie; the college's own tables when None.
        spec: what tables there must be.
        layers: read only the files of these layers; all when None.

    Raises:
        DataError: something is wrong in the files. It lists the first ten faults, each with file and line.
        LayerError: no such layer, or one of them stands on a layer that is left out.
    """
    place = default_folder() if folder is None else Path(folder)
    wanted = spec if layers is None else spec.only(layers)
    faults = _Faults()
    if not place.is_dir():
        faults.add(str(folder), None, "there is no such folder.", "Give the folder that holds the CSV files.")
        raise faults.error()
    _look_for_strangers(place, spec, faults)
    rows: dict[str, tuple[Row, ...]] = {}
    # label -> key -> line. None: the file could not be read, so nobody can say who is missing from it.
    keys: dict[str, dict[str, int] | None] = {}
    for node in wanted.nodes:
        lines = _read_file(place, node, faults)
        keys[node.label] = None if lines is None else _check_keys(node, lines, faults)
        rows[node.name] = tuple(line.row for line in lines or ())
    for pattern in wanted.relationships:
        lines = _read_file(place, pattern, faults)
        _check_ends(pattern, lines or [], keys, faults)
        rows[pattern.name] = tuple(line.row for line in lines or ())
    if faults.total:
        raise faults.error()
    return CollegeTables(wanted, rows)


def write_tables(tables: CollegeTables, folder: str | Path) -> Path:
    """Writes tables as CSV files that `read_tables` reads back.

    Args:
        tables: what to write.
        folder: where to; made if it is not there. Files of the same names are replaced.

    Returns:
        The folder.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for table in tables.spec.tables:
        with (place / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table.columns)
            for row in tables[table.name]:
                writer.writerow(["" if (v := row.get(c)) is None else v for c in table.columns])
    return place


# ---------------------------------------------------------------------------------------------------- inside


@dataclass
class _Faults:
    """Collects faults: the first ten in full, the rest as a number."""

    kept: list[Fault] = field(default_factory=list)
    total: int = 0

    def add(self, file: str, line: int | None, what: str, next_step: str) -> None:
        self.total += 1
        if len(self.kept) < MOST_FAULTS:
            self.kept.append(Fault(file, line, what, next_step))

    def error(self) -> DataError:
        return DataError(self.kept, self.total)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    row: Row


Say = Callable[[int | None, str, str], None]


def _look_for_strangers(folder: Path, spec: GraphSpec, faults: _Faults) -> None:
    """A CSV file that no table is read from would be ignored without a word: say so instead."""
    known = {f"{t.name}.csv" for t in spec.tables}
    for path in sorted(folder.iterdir()):
        name = path.name
        # Spreadsheets keep lock files beside an open file: ~$Student.csv, .~lock.Student.csv#
        if path.suffix.lower() != ".csv" or name.startswith((".", "~$")) or name in known:
            continue
        faults.add(
            name,
            None,
            "no table is read from a file of this name.",
            f"{_meant(name, known)}Rename it, or move it out of the folder.",
        )


def _meant(word: str, known: Iterable[str]) -> str:
    """'Is it Student.csv? ' for what is close to a known word, or nothing."""
    by_fold = {k.casefold(): k for k in known}
    close = difflib.get_close_matches(word.strip().casefold(), by_fold, n=1, cutoff=0.7)
    return f"Is {by_fold[close[0]]!r} meant? " if close else ""


def _read_file(folder: Path, table: NodeTable | RelationshipTable, faults: _Faults) -> list[_Line] | None:
    """The checked lines of one file, without those at fault; None if the file cannot be read as a table."""
    file = f"{table.name}.csv"

    def say(line: int | None, what: str, next_step: str) -> None:
        faults.add(file, line, what, next_step)

    text = _read_text(folder / file, say)
    if text is None:
        return None
    delimiter, skip = _find_delimiter(text, table.columns)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[_Line] = []
    header: list[str] | None = None
    start = 1
    try:
        for cells in reader:
            first, start = start, reader.line_num + 1
            if first == 1 and skip:
                continue
            while cells and not cells[-1].strip():  # a spreadsheet pads lines with empty cells
                cells.pop()
            if header is None:
                if not cells:
                    continue
                header = [c.strip() for c in cells]
                if not _check_header(header, table, first, say):
                    return None
            elif (
                cells and (row := _read_row(cells, header, table, (first, reader.line_num), say)) is not None
            ):
                lines.append(_Line(first, row))
    except csv.Error as error:
        say(*_explain_csv_error(str(error), start, reader.line_num))
        return None
    if header is None:
        say(1, "the file is empty.", f"Its first line must name the columns: {','.join(table.columns)}.")
        return None
    return lines


def _read_text(path: Path, say: Say) -> str | None:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        say(
            None,
            "the file is missing.",
            "Put it back; a table with nothing in it keeps its line of column names.",
        )
        return None
    except OSError as error:
        say(
            None,
            f"the file cannot be read ({error.strerror}).",
            "Close it in other programs and check its rights.",
        )
        return None
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        say(None, "this is a spreadsheet's own format under the name of a CSV.", 'Save it as "CSV UTF-8".')
        return None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        say(1, 'this is UTF-16 (a spreadsheet calls it "Unicode Text").', 'Save it as "CSV UTF-8".')
        return None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = _line_of(raw[: error.start].decode("utf-8", "replace"))
        say(
            line,
            f"byte 0x{raw[error.start]:02x} is not UTF-8: the file was saved in another encoding.",
            'Save it as "CSV UTF-8", then look at that line again.',
        )
        return None
    control = _CONTROL.search(text)
    if control:
        name = (
            "a NUL byte" if control.group() == "\0" else f"the control character U+{ord(control.group()):04X}"
        )
        say(_line_of(text[: control.start()]), f"there is {name} in the text.", "Delete it.")
        return None
    return text


def _line_of(before: str) -> int:
    """The number of the line that comes after this text, whatever ends the lines."""
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1


def _find_delimiter(text: str, columns: tuple[str, ...]) -> tuple[str, bool]:
    """What separates the cells, and whether the first line says so (`sep=;`, as Excel writes it)."""
    lines = [line for line in re.split(r"\r\n|\r|\n", text[:10_000]) if line.strip()]
    if lines and (named := re.fullmatch(r'"?sep=([,;\t])"?', lines[0].strip(" "))):
        return named.group(1), True
    first = lines[0] if lines else ""

    def found(delimiter: str) -> int:
        return len({cell.strip(' "') for cell in first.split(delimiter)} & set(columns))

    return max(_DELIMITERS, key=found), False


def _check_header(header: list[str], table: NodeTable | RelationshipTable, line: int, say: Say) -> bool:
    missing = [c for c in table.columns if c not in header]
    surplus = [c for c in dict.fromkeys(header) if c not in table.columns]
    twice = sorted({c for c in header if header.count(c) > 1})
    for column in missing:
        say(
            line,
            f"the column {column!r} is missing.",
            f"{_meant_column(column, surplus)}The columns are: {', '.join(table.columns)}.",
        )
    for column in surplus:
        if not any(_meant_column(m, [column]) for m in missing):
            what = "a column has no name." if not column else f"the column {column!r} is surplus."
            say(line, what, f"Take it out. The columns are: {', '.join(table.columns)}.")
    for column in twice:
        if column:
            say(line, f"the column {column!r} stands twice.", "Keep one of the two.")
    return not (missing or surplus or twice)


def _meant_column(missing: str, surplus: list[str]) -> str:
    """Whether a surplus column is the missing one, misspelt."""
    by_fold = {s.casefold(): s for s in surplus if s}
    close = difflib.get_close_matches(missing.casefold(), by_fold, n=1, cutoff=0.7)
    return f"Is {by_fold[close[0]]!r} the one? " if close else ""


def _read_row(
    cells: list[str],
    header: list[str],
    table: NodeTable | RelationshipTable,
    span: tuple[int, int],
    say: Say,
) -> dict[str, Value] | None:
    """The typed row of one line, as far as it can be read; what cannot be read has been said.

    A row at fault still counts as there where its keys are readable: one slip in Student.csv must not turn
    every line about that student into a fault. None: not even the keys are there.
    """
    first, last = span
    properties = table.others
    if len(cells) > len(header):
        hint = "A text with a comma in it stands in quotation marks."
        if last > first:
            hint = f"A quotation mark in line {first} is closed only in line {last}: is one missing?"
        say(first, f"there are {len(cells)} cells for {len(header)} columns.", hint)
        properties = ()
    by_name = dict(zip(header, cells + [""] * len(header), strict=False))
    row: dict[str, Value] = {}
    for column in table.key_columns:
        if (key := _read_key(by_name[column], column, first, say)) is not None:
            row[column] = key
    for prop in properties:
        row[prop.name] = _read_property(by_name[prop.name], prop, first, say)
    return row if all(column in row for column in table.key_columns) else None


def _read_key(cell: str, column: str, line: int, say: Say) -> str | None:
    if not cell.strip():
        say(line, f"{column!r} is empty.", "It says which node is meant: fill it in, or delete the line.")
        return None
    if cell != cell.strip():
        say(line, f"{column!r} is {cell!r}, with a space or a line break around it.", "Take that out.")
        return None
    if _SPREADSHEET_ERROR.fullmatch(cell):
        say(line, f"{column!r} is {cell!r}, a spreadsheet's error.", "Put the value back.")
        return None
    return cell


def _read_property(cell: str, prop: Property, line: int, say: Say) -> Value:
    if not cell.strip():
        if prop.required:
            say(line, f"{prop.name!r} is empty.", "Fill it in.")
        return None
    if _SPREADSHEET_ERROR.fullmatch(cell.strip()):
        say(line, f"{prop.name!r} is {cell.strip()!r}, a spreadsheet's error.", "Put the value back.")
        return None
    if prop.type == "integer":
        return _read_integer(cell.strip(), prop, line, say)
    if prop.allowed and cell not in prop.allowed:
        say(
            line,
            f"{prop.name!r} is {cell!r}, which is unknown.",
            f"{_meant(cell, prop.allowed)}It is one of: {', '.join(prop.allowed)}.",
        )
        return None
    # A line break inside a cell depends on the system that saved the file; the graph's text must not.
    return cell.replace("\r\n", "\n").replace("\r", "\n")


def _read_integer(cell: str, prop: Property, line: int, say: Say) -> int | None:
    if not _WHOLE_NUMBER.fullmatch(cell):
        hint = "Write digits only."
        if _NUMBER_IN_DISGUISE.fullmatch(cell):
            hint = "A spreadsheet may have formatted it: write digits only, without points and separators."
        say(line, f"{prop.name!r} is {cell[:40]!r}, which is not a whole number.", hint)
        return None
    number = int(cell)
    if not prop.low <= number <= prop.high:
        say(line, f"{prop.name!r} is {number}.", f"It must lie between {prop.low} and {prop.high}.")
        return None
    return number


def _explain_csv_error(message: str, first: int, last: int) -> tuple[int, str, str]:
    if "unexpected end of data" in message:
        return first, "a quotation mark is opened and never closed.", "Close it at the end of the text."
    if "expected after" in message:
        return (
            last,
            "a quotation mark stands in the middle of a text.",
            'Inside a text in quotation marks, write it twice: "He said ""yes""".',
        )
    if "field larger than" in message:
        return first, "a cell is longer than 131,072 characters.", "Is a quotation mark missing before it?"
    return last, f"the line cannot be read ({message}).", "Compare it with the line above."


def _check_keys(table: NodeTable, lines: list[_Line], faults: _Faults) -> dict[str, int]:
    seen: dict[str, int] = {}
    for line in lines:
        key = str(line.row[table.key])
        if key in seen:
            faults.add(
                f"{table.name}.csv",
                line.number,
                f"the {table.key} {key!r} stands in line {seen[key]} already.",
                "Give each row a key of its own, or delete one of the two.",
            )
        else:
            seen[key] = line.number
    return seen


def _check_ends(
    table: RelationshipTable,
    lines: list[_Line],
    keys: Mapping[str, dict[str, int] | None],
    faults: _Faults,
) -> None:
    file = f"{table.name}.csv"
    seen: dict[tuple[str, str], int] = {}
    for line in lines:
        start, end = str(line.row[table.start_column]), str(line.row[table.end_column])
        for column, label, key in (
            (table.start_column, table.start, start),
            (table.end_column, table.end, end),
        ):
            known = keys[label]
            if known is not None and key not in known:
                faults.add(
                    file,
                    line.number,
                    f"{column!r} is {key!r}, and {label}.csv has nobody and nothing of that key.",
                    f"{_meant(key, known)}Add it there, or mend it here.",
                )
        if table.start == table.end and start == end:
            faults.add(file, line.number, f"{start!r} is related to itself.", "Name two different ones.")
        if (start, end) in seen:
            faults.add(
                file,
                line.number,
                f"the pair {start!r}, {end!r} stands in line {seen[start, end]} already.",
                "Delete one of the two.",
            )
        seen.setdefault((start, end), line.number)


def rows_in_batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Cuts rows into lists of at most `size`, so that a large table need never be held as a whole."""
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch
