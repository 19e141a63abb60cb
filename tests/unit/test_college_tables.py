"""Reading the college's CSV files: what is tolerated, and how each fault is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from course_lib.college.spec import COLLEGE, LayerError
from course_lib.college.tables import (
    CollegeTables,
    DataError,
    Fault,
    default_folder,
    read_tables,
    rows_in_batches,
    write_tables,
)

Edit = Callable[[str], str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped tables, to be broken."""
    return Path(shutil.copytree(default_folder(), tmp_path / "college"))


def edit(folder: Path, file: str, old: str, new: str) -> None:
    """Replaces one piece of text in a file; fails when it is not there, so that no test tests nothing."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")


def faults_of(folder: Path, **how: object) -> tuple[Fault, ...]:
    with pytest.raises(DataError) as caught:
        read_tables(folder, **how)  # type: ignore[arg-type]
    return caught.value.faults


def only_fault(folder: Path) -> Fault:
    faults = faults_of(folder)
    assert len(faults) == 1, "\n".join(map(str, faults))
    return faults[0]


def same(first: CollegeTables, second: CollegeTables) -> bool:
    names = [t.name for t in first.spec.tables]
    return all(list(first[n]) == list(second[n]) for n in names)


# ----------------------------------------------------------------------------------------- what is there


def test_the_shipped_tables_have_the_counts_of_the_course() -> None:
    tables = read_tables()
    assert (tables.node_count(), tables.relationship_count()) == (75, 132)
    people = tables.only(["people"])
    assert (people.node_count(), people.relationship_count()) == (20, 39)
    sizes = {name: len(list(tables[name])) for name in ("Concept", "Note", "Subject_COVERS_Concept")}
    assert sizes == {"Concept": 30, "Note": 25, "Subject_COVERS_Concept": 30}


def test_cells_have_the_types_that_the_spec_gives_them() -> None:
    tables = read_tables()
    assert list(tables["Student"])[1] == {"id": "S02", "name": "Payal", "year": 2, "branch": "CSE"}
    assert list(tables["Student_STUDIES_Subject"])[2] == {
        "student": "S02",
        "subject": "CS201",
        "semester": 4,
        "grade": "A+",
    }


def test_the_notes_hold_the_characters_that_break_careless_loaders() -> None:
    texts = [str(row["text"]) for row in read_tables()["Note"]]
    for character in ("'", '"', "\\", "%"):
        assert any(character in text for text in texts), character


def test_a_layer_is_read_from_its_own_files_only(folder: Path) -> None:
    (folder / "Concept.csv").write_text("broken", encoding="utf-8")
    people = read_tables(folder, layers=("people",))
    assert (people.node_count(), people.relationship_count()) == (20, 39)


@pytest.mark.parametrize("layers", [("knowledge",), ("persons",), ()])
def test_a_layer_that_cannot_stand_alone_is_named(layers: tuple[str, ...]) -> None:
    with pytest.raises(LayerError) as caught:
        read_tables(layers=layers)
    assert "'people'" in str(caught.value)


def test_written_tables_read_back_the_same(tmp_path: Path) -> None:
    tables = read_tables()
    assert same(read_tables(write_tables(tables, tmp_path / "copy")), tables)


def test_the_readme_of_the_tables_names_every_file_and_column() -> None:
    text = (default_folder() / "README.md").read_text(encoding="utf-8")
    for table in COLLEGE.tables:
        assert f"`{table.name}.csv`" in text
        for column in table.columns:
            assert f"`{column}`" in text


# ----------------------------------------------------------------------------------------- what is tolerated


def windows_line_ends(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def old_mac_line_ends(text: str) -> bytes:
    return text.replace("\n", "\r").encode()


def byte_order_mark(text: str) -> bytes:
    return b"\xef\xbb\xbf" + text.encode()


def semicolons(text: str) -> bytes:
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="\r\n").writerows(csv.reader(io.StringIO(text)))
    return out.getvalue().encode()


def semicolons_announced(text: str) -> bytes:
    return b"\xef\xbb\xbfsep=;\r\n" + semicolons(text)


def padded(text: str) -> bytes:
    import csv
    import io

    out = io.StringIO()
    rows = [[*row, "", ""] for row in csv.reader(io.StringIO(text))]
    csv.writer(out).writerows([*rows, ["", "", ""], []])
    return out.getvalue().encode()


def columns_turned_round(text: str) -> bytes:
    import csv
    import io

    out = io.StringIO()
    csv.writer(out).writerows(row[::-1] for row in csv.reader(io.StringIO(text)))
    return out.getvalue().encode()


def spaced_header(text: str) -> bytes:
    head, rest = text.split("\n", 1)
    return (head.replace(",", " , ") + "\n" + rest).encode()


def no_last_line_end(text: str) -> bytes:
    return text.rstrip("\n").encode()


@pytest.mark.parametrize(
    "change",
    [
        windows_line_ends,
        old_mac_line_ends,
        byte_order_mark,
        semicolons,
        semicolons_announced,
        padded,
        columns_turned_round,
        spaced_header,
        no_last_line_end,
    ],
)
def test_what_a_spreadsheet_does_to_a_file_changes_nothing(
    folder: Path, change: Callable[[str], bytes]
) -> None:
    for path in folder.glob("*.csv"):
        path.write_bytes(change(path.read_text(encoding="utf-8")))
    assert same(read_tables(folder), read_tables())


def test_a_line_break_inside_a_note_is_the_same_on_every_system(folder: Path) -> None:
    path = folder / "Note.csv"
    text = path.read_text(encoding="utf-8").replace("in one place. Change", "in one place.\nChange")
    for line_end in ("\n", "\r\n"):
        path.write_bytes(text.replace("\n", line_end).encode())
        assert "in one place.\nChange" in str(next(iter(read_tables(folder)["Note"]))["text"])


def test_lock_files_of_an_open_spreadsheet_are_passed_over(folder: Path) -> None:
    (folder / "~$Student.csv").write_bytes(b"\x00lock")
    (folder / ".~lock.Student.csv#").write_text("lock")
    assert same(read_tables(folder), read_tables())


def test_an_empty_grade_means_no_grade_yet(folder: Path) -> None:
    edit(folder, "Student_STUDIES_Subject.csv", "S04,CS201,4,B+", "S04,CS201,4,")
    assert {"student": "S04", "subject": "CS201", "semester": 4, "grade": None} in list(
        read_tables(folder)["Student_STUDIES_Subject"]
    )


# ----------------------------------------------------------------------------------------- what is a fault

FAULTY_EDITS = {
    # name: (file, old, new, line of the fault, words of the message)
    "missing column": ("Student.csv", "id,name,year,branch", "id,name,year", 1, ["'branch' is missing"]),
    "misspelt column": (
        "Student.csv",
        "id,name,year,branch",
        "id,Name,year,branch",
        1,
        ["'name' is missing", "Is 'Name' the one?"],
    ),
    "empty key": ("Student.csv", "S03,Rahul", ",Rahul", 4, ["'id' is empty"]),
    "space around a key": (
        "Club.csv",
        "Debate Society,2012",
        "Debate Society ,2012",
        4,
        ["'Debate Society '"],
    ),
    "id twice": ("Student.csv", "S04,Sneha", "S03,Sneha", 5, ["'S03' stands in line 4 already"]),
    "no whole number": ("Student.csv", "S01,Aarav,2,", "S01,Aarav,second,", 2, ["'second'", "whole number"]),
    "decimal by a spreadsheet": ("Club.csv", "2018", "2018.0", 3, ["'2018.0'", "spreadsheet"]),
    "thousands by a spreadsheet": ("Club.csv", "2018", '"2,018"', 3, ["'2,018'", "spreadsheet"]),
    "exponent by a spreadsheet": ("Club.csv", "2018", "2.018E+03", 3, ["'2.018E+03'", "spreadsheet"]),
    "other digits": ("Club.csv", "2018", "２０１８", 3, ["not a whole number"]),
    "underscore in a number": ("Club.csv", "2018", "2_018", 3, ["not a whole number"]),
    "a number of a thousand digits": ("Club.csv", "2018", "9" * 5000, 3, ["not a whole number"]),
    "out of range": (
        "Student.csv",
        "S05,Karan,4",
        "S05,Karan,2024",
        6,
        ["'year' is 2024", "between 1 and 5"],
    ),
    "empty name": ("Student.csv", "S02,Payal", "S02,", 3, ["'name' is empty"]),
    "unknown grade": ("Student_STUDIES_Subject.csv", "S02,CS201,4,A+", "S02,CS201,4,a+", 4, ["'a+'", "'A+'"]),
    "unknown level": ("Student_HAS_SKILL_Skill.csv", "Beginner", "Begginer", 3, ["'Beginner' meant"]),
    "spreadsheet's error in a value": ("Club.csv", "2018", "#NAME?", 3, ["'#NAME?'", "spreadsheet's error"]),
    "too many cells": (
        "Note.csv",
        '"Paging cuts memory into frames of one size and programs into pages that fit them. Any page can go',
        "Paging cuts memory, into frames of one size and programs into pages that fit them. Any page can go",
        21,
        [],
    ),
    "comma without quotes": (
        "Project.csv",
        "P02,Campus Chatbot",
        "P02,Campus, Chatbot",
        3,
        ["4 cells for 3"],
    ),
    "too few cells": ("Project.csv", "P02,Campus Chatbot,In Progress", "P02,Campus Chatbot", 3, ["'status'"]),
    "relationship to nobody": (
        "Student_MEMBER_OF_Club.csv",
        "S03,Robotics Club",
        "S03,Robotic Club",
        5,
        ["'Robotic Club'", "Club.csv", "Is 'Robotics Club' meant?"],
    ),
    "relationship from nobody": ("Student_WORKS_ON_Project.csv", "S04,P03", "S44,P03", 5, ["'S44'"]),
    "relationship twice": (
        "Student_FRIENDS_WITH_Student.csv",
        "S02,S04",
        "S01,S03",
        4,
        ["'S01', 'S03'", "line 3 already"],
    ),
    "relationship to oneself": ("Student_FRIENDS_WITH_Student.csv", "S02,S04", "S02,S02", 4, ["to itself"]),
    "NUL byte": ("Student.csv", "Rahul", "Ra\0hul", 4, ["NUL byte"]),
    "control character": ("Student.csv", "Rahul", "Ra\x07hul", 4, ["U+0007"]),
    "quote never closed": ("Project.csv", "P03,Attendance", 'P03,"Attendance', 4, ["never closed"]),
    "quote inside a text": ("Project.csv", "Campus Chatbot", '"Campus "the" Chatbot"', 3, ["write it twice"]),
}


@pytest.mark.parametrize("name", FAULTY_EDITS)
def test_a_fault_is_named_with_file_line_and_what_to_do(folder: Path, name: str) -> None:
    file, old, new, line, words = FAULTY_EDITS[name]
    edit(folder, file, old, new)
    found = faults_of(folder)
    assert (found[0].file, found[0].line) == (file, line), str(found[0])
    for word in words:
        assert word in str(found[0])
    assert found[0].next_step


CASCADING = {"too many cells", "empty key", "space around a key", "id twice"}


@pytest.mark.parametrize("name", sorted(set(FAULTY_EDITS) - CASCADING))
def test_one_slip_is_one_fault(folder: Path, name: str) -> None:
    file, old, new, *_ = FAULTY_EDITS[name]
    edit(folder, file, old, new)
    only_fault(folder)


def test_a_surplus_column(folder: Path) -> None:
    edit(folder, "Skill.csv", "name\n", "name,invented\n")
    assert "'invented' is surplus" in str(only_fault(folder))


def test_a_column_twice(folder: Path) -> None:
    edit(folder, "Club.csv", "name,founded", "name,founded,founded")
    assert "'founded' stands twice" in str(only_fault(folder))


def test_a_missing_file(folder: Path) -> None:
    (folder / "Skill.csv").unlink()
    fault = only_fault(folder)
    assert (fault.file, fault.line) == ("Skill.csv", None)
    assert "missing" in fault.what


def test_an_empty_file(folder: Path) -> None:
    (folder / "Skill.csv").write_bytes(b"")
    assert "name the columns: name" in str(only_fault(folder))


def test_a_table_with_no_rows_is_no_fault(folder: Path) -> None:
    (folder / "Student_FRIENDS_WITH_Student.csv").write_text("student,friend\n", encoding="utf-8")
    assert list(read_tables(folder)["Student_FRIENDS_WITH_Student"]) == []


def test_a_file_of_no_table(folder: Path) -> None:
    (folder / "Students.csv").write_text("id\nS01\n", encoding="utf-8")
    fault = only_fault(folder)
    assert fault.file == "Students.csv"
    assert "Is 'Student.csv' meant?" in fault.next_step


def test_a_missing_folder(tmp_path: Path) -> None:
    assert "no such folder" in str(only_fault(tmp_path / "nowhere"))


@pytest.mark.skipif("__import__('os').name == 'nt'", reason="a folder under a file's name reads otherwise")
def test_a_folder_in_place_of_a_file(folder: Path) -> None:
    (folder / "Skill.csv").unlink()
    (folder / "Skill.csv").mkdir()
    assert "cannot be read" in str(only_fault(folder))


def test_another_encoding_is_named_with_its_line(folder: Path) -> None:
    path = folder / "Note.csv"
    text = path.read_text(encoding="utf-8").replace("student's phone", "student\u2019s phone")
    text = text.replace("a student's name", "a student\u2019s name")
    path.write_bytes(text.replace("\n", "\r\n").encode("cp1252"))
    fault = only_fault(folder)
    assert (fault.file, fault.line) == ("Note.csv", 2)
    assert "0x92" in fault.what
    assert "CSV UTF-8" in fault.next_step


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_unicode_text_of_a_spreadsheet(folder: Path, encoding: str) -> None:
    path = folder / "Skill.csv"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path.write_bytes((mark + path.read_text(encoding="utf-8")).encode(encoding))
    assert "UTF-16" in str(only_fault(folder))


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
def test_a_workbook_under_the_name_of_a_csv(folder: Path, start: bytes) -> None:
    (folder / "Skill.csv").write_bytes(start + b"\x00" * 40)
    assert "spreadsheet's own format" in str(only_fault(folder))


def test_a_quote_that_swallows_lines_is_named_where_it_opens(folder: Path) -> None:
    # The stray quotation mark in line 3 ends only at the next one, in line 5.
    edit(folder, "Project.csv", "P02,Campus Chatbot,In Progress", 'P02,"Campus Chatbot,In Progress')
    edit(folder, "Project.csv", "P03,Attendance Tracker,Planned", 'P03,Attendance Tracker,"Planned"')
    fault = faults_of(folder)[0]
    assert fault.file == "Project.csv"
    assert fault.line in (3, 4)
    assert "quotation mark" in str(fault)


def test_ten_faults_are_spelt_out_and_the_rest_counted(folder: Path) -> None:
    path = folder / "Student_MEMBER_OF_Club.csv"
    path.write_text(
        "student,club,since,role\n" + "".join(f"X{i:02d},Coding Club,2025,Member\n" for i in range(25)),
        encoding="utf-8",
    )
    with pytest.raises(DataError) as caught:
        read_tables(folder)
    assert len(caught.value.faults) == 10
    assert caught.value.total == 25
    assert "and 15 more" in str(caught.value)
    assert "Nothing was written" in str(caught.value)


def test_faults_of_several_files_come_together(folder: Path) -> None:
    edit(folder, "Student.csv", "S01,Aarav,2,", "S01,Aarav,two,")
    edit(folder, "Club.csv", "2018", "long ago")
    edit(folder, "Student_HAS_SKILL_Skill.csv", "Advanced", "Expert")
    assert [f.file for f in faults_of(folder)] == ["Student.csv", "Club.csv", "Student_HAS_SKILL_Skill.csv"]


def test_a_row_at_fault_does_not_make_its_relationships_faulty(folder: Path) -> None:
    edit(folder, "Student.csv", "S02,Payal,2,", "S02,Payal,two,")
    only_fault(folder)  # and not every STUDIES of S02 as well


def test_an_unreadable_file_does_not_make_its_relationships_faulty(folder: Path) -> None:
    edit(folder, "Student.csv", "id,name", "id,given_name")
    assert {f.file for f in faults_of(folder)} == {"Student.csv"}


def test_tables_in_memory_must_be_complete() -> None:
    with pytest.raises(DataError, match=r"Club\.csv"):
        CollegeTables(COLLEGE, {"Student": ()})


def test_batches_keep_order_and_size() -> None:
    rows = [{"n": n} for n in range(7)]
    assert [len(b) for b in rows_in_batches(rows, 3)] == [3, 3, 1]
    assert [r for b in rows_in_batches(rows, 3) for r in b] == rows
    assert list(rows_in_batches([], 3)) == []
