"""Larger colleges of the same shape, from a seed.

The same numbers give the same college everywhere. Tables are generated while they are walked and never held,
so a million nodes can be loaded in a few megabytes. `vary_college` makes small ones for checking queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from course_lib.college.dice import Dice
from course_lib.college.spec import COLLEGE, GRADES, LEVELS, STATUSES
from course_lib.college.tables import CollegeTables, Row, read_tables
from course_lib.college.variation import vary_college
from course_lib.college.vocabulary import (
    BRANCHES,
    CLUB_TOPICS,
    CONCEPT_PARTS,
    FIRST_NAMES,
    MORE_SKILLS,
    MORE_SUBJECTS,
    PROJECT_PLACES,
    PROJECT_THINGS,
    ROLES_IN_CLUB,
    ROLES_IN_PROJECT,
    SURNAMES,
)

__all__ = ["GeneratedRows", "generate_college", "vary_college"]

_SUBJECTS = (
    ("CS201", "DBMS"),
    ("CS202", "DSA"),
    ("CS301", "Operating Systems"),
    ("CS302", "Computer Networks"),
)
_CLUBS = ("Coding Club", "Robotics Club", "Debate Society")
_MORE_CLUBS = tuple(f"{topic} Club" for topic in CLUB_TOPICS)
_SKILLS = ("Python", "React", "SQL", "Machine Learning", "Docker")
_SHIPPED_CONCEPTS, _SHIPPED_NOTES = 30, 25

THIS_YEAR = 2026
"""The year that students' memberships count back from. Fixed, so that a college is the same next year."""


@dataclass(frozen=True)
class GeneratedRows:
    """Rows that are made anew, and the same, each time they are walked."""

    make: Callable[[], Iterator[Row]]

    def __iter__(self) -> Iterator[Row]:
        return self.make()


def generate_college(
    students: int,
    seed: int,
    *,
    subjects: int | None = None,
    clubs: int | None = None,
    skills: int | None = None,
    projects: int | None = None,
    ungraded: float = 0.05,
) -> CollegeTables:
    """A college with this many students, of the shape of the shipped one.

    The four subjects, three clubs, five skills and 30 concepts of the shipped college are in it, so that
    queries that name them find something; students, memberships, grades and everything beyond is made up.
    About 1.6 nodes and 7 relationships come with each student, fewer in colleges of many thousands.

    Args:
        students: how many students, 1 or more.
        seed: the same seed gives the same college.
        subjects: how many subjects, at least the four; by default one for each 50 students, at most 400.
        clubs: how many clubs, at least the three; by default one for each 40 students, at most 1,000.
        skills: how many skills, at least the five; by default one for each 10 students, at most 25.
        projects: how many projects; by default one for each 5 students, at least three.
        ungraded: the share of subjects taken that have no grade yet, 0 to 1.

    Raises:
        ValueError: a number is out of its range.
    """
    if students < 1:
        raise ValueError("students must be 1 or more")
    if not 0 <= ungraded <= 1:
        raise ValueError("ungraded must lie between 0 and 1")
    plan = _Plan(
        seed=seed,
        students=students,
        subjects=_number("subjects", subjects, 4, min(400, students // 50)),
        clubs=_number("clubs", clubs, 3, min(1_000, students // 40)),
        skills=_number("skills", skills, 5, min(25, students // 10)),
        projects=_number("projects", projects, 1, max(3, students // 5)),
        ungraded=ungraded,
        shipped=read_tables(),
    )
    return CollegeTables(COLLEGE, {name: GeneratedRows(make) for name, make in plan.tables().items()})


def _number(name: str, asked: int | None, least: int, usual: int) -> int:
    if asked is None:
        return max(least, usual)
    if asked < least:
        raise ValueError(f"{name} must be {least} or more")
    return asked


def _numbered(words: Sequence[str], number: int) -> str:
    """The word of that number; when they are used up, they begin again as 'Word 2', 'Word 3'."""
    again, place = divmod(number, len(words))
    return words[place] if again == 0 else f"{words[place]} {again + 1}"


def _key(letter: str, number: int, of: int) -> str:
    """A key such as S007: as many digits as the largest needs, and at least two."""
    return f"{letter}{number + 1:0{max(2, len(str(of)))}d}"


@dataclass(frozen=True)
class _Plan:
    """How large each part is, and a method for each table.

    Keys are computed from a number and never looked up, and each table has dice of its own: so every table
    can be walked alone, as often as one likes, and none has to be held.
    """

    seed: int
    students: int
    subjects: int
    clubs: int
    skills: int
    projects: int
    ungraded: float
    shipped: CollegeTables

    def tables(self) -> dict[str, Callable[[], Iterator[Row]]]:
        return {
            "Student": self._students,
            "Subject": self._subjects,
            "Club": self._clubs,
            "Skill": self._skills,
            "Project": self._projects,
            "Concept": self._concepts,
            "Note": self._notes,
            "Student_STUDIES_Subject": self._studies,
            "Student_MEMBER_OF_Club": self._memberships,
            "Student_HAS_SKILL_Skill": self._skills_had,
            "Student_WORKS_ON_Project": self._work,
            "Student_FRIENDS_WITH_Student": self._friends,
            "Subject_PREREQUISITE_FOR_Subject": self._subject_order,
            "Project_REQUIRES_Skill": self._skills_required,
            "Subject_COVERS_Concept": self._covers,
            "Note_EXPLAINS_Concept": self._explains,
            "Concept_PREREQUISITE_FOR_Concept": self._concept_order,
            "Concept_INCLUDES_Concept": self._parts,
        }

    # -- keys ---------------------------------------------------------------------------------------------

    def _student(self, number: int) -> str:
        return _key("S", number, self.students)

    def _subject(self, number: int) -> str:
        return _SUBJECTS[number][0] if number < len(_SUBJECTS) else f"CS{1_000 + number}"

    def _subject_name(self, number: int) -> str:
        more = number - len(_SUBJECTS)
        return _numbered(MORE_SUBJECTS, more) if more >= 0 else _SUBJECTS[number][1]

    def _club(self, number: int) -> str:
        return _CLUBS[number] if number < len(_CLUBS) else _numbered(_MORE_CLUBS, number - len(_CLUBS))

    def _skill(self, number: int) -> str:
        return _SKILLS[number] if number < len(_SKILLS) else _numbered(MORE_SKILLS, number - len(_SKILLS))

    def _project(self, number: int) -> str:
        return _key("P", number, self.projects)

    def _concept(self, number: int) -> str:
        return _key("C", number, self._concept_count)

    def _note(self, number: int) -> str:
        return _key("N", number, self._concept_count)

    @property
    def _concept_count(self) -> int:
        return _SHIPPED_CONCEPTS + len(CONCEPT_PARTS) * (self.subjects - len(_SUBJECTS))

    def _made_up(self) -> Iterator[tuple[int, int]]:
        """The number of each made-up subject, and the number of its first concept."""
        for more in range(self.subjects - len(_SUBJECTS)):
            yield len(_SUBJECTS) + more, _SHIPPED_CONCEPTS + more * len(CONCEPT_PARTS)

    def _from_shipped(self, table: str, **columns: Callable[[int], str]) -> Iterator[Row]:
        """Rows of a shipped table, with the keys in these columns written as they are here."""
        for row in self.shipped[table]:
            yield {**row, **{name: key(int(str(row[name])[1:]) - 1) for name, key in columns.items()}}

    # -- nodes --------------------------------------------------------------------------------------------

    def _students(self) -> Iterator[Row]:
        dice = Dice(self.seed, "Student")
        for number in range(self.students):
            yield {
                "id": self._student(number),
                "name": f"{dice.pick(FIRST_NAMES)} {dice.pick(SURNAMES)}",
                "year": dice.between(1, 4),
                "branch": BRANCHES[dice.weighted((5, 3, 3, 2, 1, 1))],
            }

    def _subjects(self) -> Iterator[Row]:
        dice = Dice(self.seed, "Subject")
        for number in range(self.subjects):
            name = self._subject_name(number)
            yield {"code": self._subject(number), "name": name, "credits": dice.between(2, 4)}

    def _clubs(self) -> Iterator[Row]:
        dice = Dice(self.seed, "Club")
        for number in range(self.clubs):
            yield {"name": self._club(number), "founded": dice.between(1995, THIS_YEAR - 4)}

    def _skills(self) -> Iterator[Row]:
        for number in range(self.skills):
            yield {"name": self._skill(number)}

    def _projects(self) -> Iterator[Row]:
        dice = Dice(self.seed, "Project")
        for number in range(self.projects):
            name = f"{dice.pick(PROJECT_PLACES)} {dice.pick(PROJECT_THINGS)} {number + 1}"
            yield {"id": self._project(number), "name": name, "status": dice.pick(STATUSES)}

    def _concepts(self) -> Iterator[Row]:
        yield from self._from_shipped("Concept", id=self._concept)
        for subject, first in self._made_up():
            name = self._subject_name(subject)
            for place, part in enumerate(CONCEPT_PARTS):
                yield {"id": self._concept(first + place), "name": f"{name}: {part}", "area": name}

    def _notes(self) -> Iterator[Row]:
        yield from self._from_shipped("Note", id=self._note)
        for note, _, text in self._made_up_notes():
            yield {"id": self._note(note), "text": text}

    def _made_up_notes(self) -> Iterator[tuple[int, int, str]]:
        """A note for five of six concepts, as in the shipped college: its number, its concept's, its text."""
        note = _SHIPPED_NOTES
        for subject, first in self._made_up():
            name = self._subject_name(subject)
            for place, part in enumerate(CONCEPT_PARTS):
                if (first + place) % 6 != 5:
                    text = f'"{part}" is lecture {place + 1} of {name}. It\'s a placeholder, not a real note.'
                    yield note, first + place, text
                    note += 1

    # -- relationships ------------------------------------------------------------------------------------

    def _studies(self) -> Iterator[Row]:
        # The year is drawn again from the students' own dice, so that nobody is in semester 8 of year 1.
        dice = Dice(self.seed, "STUDIES")
        for student in self._students():
            count = 1 + dice.weighted((2, 5, 3, 1))
            for subject in dice.some(self.subjects, count):
                yield {
                    "student": student["id"],
                    "subject": self._subject(subject),
                    "semester": dice.between(1, 2 * int(str(student["year"]))),
                    "grade": None if dice.chance(self.ungraded) else GRADES[dice.weighted((2, 4, 4, 3))],
                }

    def _memberships(self) -> Iterator[Row]:
        dice = Dice(self.seed, "MEMBER_OF")
        for student in self._students():
            for club in dice.some(self.clubs, dice.weighted((4, 5, 2))):
                yield {
                    "student": student["id"],
                    "club": self._club(club),
                    "since": THIS_YEAR - dice.below(int(str(student["year"]))),
                    "role": ROLES_IN_CLUB[dice.weighted((1, 1, 18))],
                }

    def _skills_had(self) -> Iterator[Row]:
        dice = Dice(self.seed, "HAS_SKILL")
        for student in range(self.students):
            for skill in dice.some(self.skills, dice.weighted((1, 4, 3, 2))):
                yield {
                    "student": self._student(student),
                    "skill": self._skill(skill),
                    "level": LEVELS[dice.weighted((2, 4, 4))],
                }

    def _work(self) -> Iterator[Row]:
        dice = Dice(self.seed, "WORKS_ON")
        for student in range(self.students):
            for project in dice.some(self.projects, dice.weighted((4, 5, 1))):
                yield {
                    "student": self._student(student),
                    "project": self._project(project),
                    "role": ROLES_IN_PROJECT[dice.weighted((1, 4, 2))],
                }

    def _friends(self) -> Iterator[Row]:
        dice = Dice(self.seed, "FRIENDS_WITH")
        for student in range(self.students):
            # Only with those who came before: so no friendship stands twice, once from each side.
            for friend in dice.some(student, min(student, dice.weighted((3, 4, 2, 1)))):
                yield {"student": self._student(student), "friend": self._student(friend)}

    def _subject_order(self) -> Iterator[Row]:
        yield from self.shipped["Subject_PREREQUISITE_FOR_Subject"]
        dice = Dice(self.seed, "Subject_PREREQUISITE_FOR")
        for subject, _ in self._made_up():
            for before in dice.some(subject, dice.weighted((1, 3, 2))):
                yield {"before": self._subject(before), "after": self._subject(subject)}

    def _skills_required(self) -> Iterator[Row]:
        dice = Dice(self.seed, "REQUIRES")
        for project in range(self.projects):
            for skill in dice.some(self.skills, 1 + dice.weighted((3, 3, 1))):
                yield {"project": self._project(project), "skill": self._skill(skill)}

    def _covers(self) -> Iterator[Row]:
        yield from self._from_shipped("Subject_COVERS_Concept", concept=self._concept)
        for subject, first in self._made_up():
            for place in range(len(CONCEPT_PARTS)):
                yield {"subject": self._subject(subject), "concept": self._concept(first + place)}

    def _explains(self) -> Iterator[Row]:
        yield from self._from_shipped("Note_EXPLAINS_Concept", note=self._note, concept=self._concept)
        for note, concept, _ in self._made_up_notes():
            yield {"note": self._note(note), "concept": self._concept(concept)}

    def _concept_order(self) -> Iterator[Row]:
        shipped = self._from_shipped(
            "Concept_PREREQUISITE_FOR_Concept", before=self._concept, after=self._concept
        )
        yield from shipped
        dice = Dice(self.seed, "Concept_PREREQUISITE_FOR")
        for _, first in self._made_up():
            # Always from a smaller number to a larger one: so there is no circle.
            for concept in range(first + 1, first + len(CONCEPT_PARTS)):
                if dice.chance(0.7):
                    before = first + dice.below(concept - first)
                    yield {"before": self._concept(before), "after": self._concept(concept)}
            if dice.chance(0.7):  # what an earlier subject taught
                after = first + dice.below(len(CONCEPT_PARTS))
                yield {"before": self._concept(dice.below(first)), "after": self._concept(after)}

    def _parts(self) -> Iterator[Row]:
        yield from self._from_shipped("Concept_INCLUDES_Concept", whole=self._concept, part=self._concept)
        dice = Dice(self.seed, "INCLUDES")
        for _, first in self._made_up():
            for part in dice.some(len(CONCEPT_PARTS) - 1, 3):
                yield {"whole": self._concept(first), "part": self._concept(first + 1 + part)}
