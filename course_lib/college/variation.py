"""Small colleges like the shipped one, in which an answer that is right by luck goes wrong.

An exercise's check runs a learner's query on a few of them. Labels, properties and the values that queries
name are the same: DBMS is DBMS, and there is a Machine Learning skill. Who has which grade, skill and club
differs, and so do the students' names, what the subjects cover and the order of the concepts. In every one of
them the cases occur that tell a right query from a lucky one; `CASES` lists them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from course_lib.college.dice import Dice
from course_lib.college.spec import COLLEGE, GRADES, LEVELS, STATUSES
from course_lib.college.tables import CollegeTables, Row, read_tables
from course_lib.college.vocabulary import BRANCHES, FIRST_NAMES, ROLES_IN_CLUB, ROLES_IN_PROJECT

_DBMS = "CS201"
_NORMAL_FORMS = ("C02", "C03", "C04", "C05")
_ATTEMPTS = 1_000
"""Draws of one part before giving up on a seed. The hardest part succeeds in one draw of ten or more."""

Tables = Mapping[str, Sequence[Row]]


def vary_college(seed: int, keep: Sequence[str] = ()) -> CollegeTables:
    """A small college that nobody has seen.

    Args:
        seed: the same seed gives the same college, on every machine.
        keep: students' names that must be there, for queries that name somebody: `keep=("Payal",)`. Each of
            them studies DBMS and something else, and somebody else studies exactly the same; each is in a
            club, and has next topics. What else they do differs from the shipped college.

    Returns:
        Tables that hold up to every check of `read_tables`, with all of `CASES` in them.

    Raises:
        ValueError: more than three names, or one twice.
    """
    if isinstance(keep, str) or len(keep) > 3 or len(set(keep)) != len(keep):
        raise ValueError("keep takes up to three different names, as a tuple")
    shipped = read_tables()
    tables: Tables = {}
    for part, draw in _PARTS.items():
        tables = _draw_until(part, draw, seed, tables, shipped, tuple(keep))
    return CollegeTables(COLLEGE, {name: tuple(rows) for name, rows in tables.items()})


# ------------------------------------------------------------------------------------------------- the draw


def _draw_until(
    part: str, draw: _Draw, seed: int, before: Tables, shipped: CollegeTables, keep: tuple[str, ...]
) -> Tables:
    """Draws one part again and again until all of its cases are in it."""
    cases = [holds for _, (of, holds) in CASES.items() if of == part]
    for attempt in range(_ATTEMPTS):
        dice = Dice(seed, f"vary/{part}/{attempt}")
        tables = {**before, **draw(dice, before, shipped, keep)}
        view = _View(tables)
        if all(holds(view) for holds in cases) and all(_kept_well(view, part, name) for name in keep):
            return tables
    raise RuntimeError(f"Seed {seed} gives no {part} with every case: the draw must be changed.")


def _draw_people(dice: Dice, _: Tables, shipped: CollegeTables, keep: tuple[str, ...]) -> Tables:
    count = dice.between(7, 9)
    others = [n for n in FIRST_NAMES if n not in keep]
    names = dice.mixed([*keep, *(others[i] for i in dice.some(len(others), count - len(keep)))])
    students: list[Row] = [
        {
            "id": f"S{number + 1:02d}",
            "name": name,
            "year": dice.between(1, 4),
            "branch": dice.pick(BRANCHES[:3]),
        }
        for number, name in enumerate(names)
    ]
    # One more club, which nobody has joined: a count of members has a zero to show. And one more project.
    clubs = dice.mixed([*(str(c["name"]) for c in shipped["Club"]), "Chess Club"])
    projects = [*shipped["Project"], {"id": "P04", "name": "Placement Portal"}]
    return {
        "Student": students,
        "Subject": [{**s, "credits": dice.between(2, 4)} for s in shipped["Subject"]],
        "Club": [{"name": name, "founded": dice.between(1995, 2022)} for name in clubs],
        "Skill": dice.mixed(list(shipped["Skill"])),
        "Project": [{**p, "status": dice.pick(STATUSES)} for p in projects],
    }


def _draw_studies(dice: Dice, tables: Tables, _: CollegeTables, keep: tuple[str, ...]) -> Tables:
    kept = [str(s["id"]) for s in tables["Student"] if s["name"] in keep]
    ids = [str(s["id"]) for s in tables["Student"]]
    subjects = [str(s["code"]) for s in tables["Subject"]]
    others = [s for s in subjects if s != _DBMS]
    # Six take DBMS, whoever must be there among them. The first few study exactly the same, the last more.
    cast = [*kept, *dice.mixed([i for i in ids if i not in kept])][:6]
    same = {_DBMS, dice.pick(others)}
    takes = {i: {dice.pick(others) for _ in range(dice.between(1, 3))} for i in ids}
    for student in cast:
        takes[student].add(_DBMS)
    for student in cast[: max(2, len(kept) + 1)]:
        takes[student] = set(same)
    takes[cast[-1]] = {*same, dice.pick([s for s in others if s not in same])}
    # Of the six, each of A+, A, B+ and no grade at least once, and some grade twice.
    grades: list[str | None] = ["A+", "A", "B+", None, dice.pick(GRADES), dice.pick(GRADES[:3])]
    in_dbms = dict(zip(dice.mixed(cast), grades, strict=True))
    rows: list[Row] = []
    for row in tables["Student"]:
        key = str(row["id"])
        for subject in sorted(takes[key]):
            usual = None if dice.chance(0.1) else dice.pick(GRADES)
            rows.append(
                {
                    "student": key,
                    "subject": subject,
                    "semester": dice.between(1, 2 * int(str(row["year"]))),
                    "grade": in_dbms[key] if subject == _DBMS else usual,
                }
            )
    order = dice.mixed(subjects)
    before_after = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if dice.chance(0.5)]
    return {
        "Student_STUDIES_Subject": dice.mixed(rows),
        "Subject_PREREQUISITE_FOR_Subject": [{"before": a, "after": b} for a, b in before_after],
    }


def _draw_clubs(dice: Dice, tables: Tables, shipped: CollegeTables, keep: tuple[str, ...]) -> Tables:
    clubs = [str(c["name"]) for c in shipped["Club"]]  # not the Chess Club
    rows: list[Row] = []
    for student in tables["Student"]:
        least = 1 if student["name"] in keep else 0
        for place in dice.some(len(clubs), max(least, dice.weighted((2, 3, 3, 1)))):
            role = ROLES_IN_CLUB[dice.weighted((1, 1, 4))]
            since = 2026 - dice.below(int(str(student["year"])))
            rows.append({"student": student["id"], "club": clubs[place], "since": since, "role": role})
    return {"Student_MEMBER_OF_Club": dice.mixed(rows)}


def _draw_skills(dice: Dice, tables: Tables, _: CollegeTables, __: tuple[str, ...]) -> Tables:
    ids = [str(s["id"]) for s in tables["Student"]]
    skills = [str(s["name"]) for s in tables["Skill"]]
    projects = [str(p["id"]) for p in tables["Project"]]
    nobodys = dice.pick([s for s in skills if s != "Machine Learning"])
    unskilled = dice.pick(ids)
    had = [
        {"student": student, "skill": skill, "level": dice.pick(LEVELS)}
        for student in ids
        for skill in skills
        if student != unskilled
        and skill != nobodys
        and dice.chance(0.6 if skill == "Machine Learning" else 0.35)
    ]
    work = [
        {"student": student, "project": projects[place], "role": dice.pick(ROLES_IN_PROJECT)}
        for student in ids
        for place in dice.some(len(projects) - 1, dice.weighted((2, 4, 1)))  # the last has nobody
    ]
    required = [
        {"project": project, "skill": skills[place]}
        for project in projects
        for place in dice.some(len(skills), dice.between(1, 3))
    ]
    return {
        "Student_HAS_SKILL_Skill": dice.mixed(had),
        "Student_WORKS_ON_Project": dice.mixed(work),
        "Project_REQUIRES_Skill": dice.mixed(required),
    }


def _draw_friends(dice: Dice, tables: Tables, _: CollegeTables, __: tuple[str, ...]) -> Tables:
    ids = dice.mixed([str(s["id"]) for s in tables["Student"]])[1:]  # one is left alone
    pairs = [(a, b) for i, a in enumerate(ids) for b in ids[i + 1 :] if dice.chance(0.3)]
    turned = [(b, a) if dice.chance(0.5) else (a, b) for a, b in pairs]
    return {"Student_FRIENDS_WITH_Student": [{"student": a, "friend": b} for a, b in turned]}


def _draw_knowledge(dice: Dice, _: Tables, shipped: CollegeTables, __: tuple[str, ...]) -> Tables:
    ids = [str(c["id"]) for c in shipped["Concept"]]
    subjects = [str(s["code"]) for s in shipped["Subject"]]
    names = {str(s["code"]): str(s["name"]) for s in shipped["Subject"]}
    covered = {str(r["concept"]): str(r["subject"]) for r in shipped["Subject_COVERS_Concept"]}
    movable = [i for i in ids if i not in ("C01", *_NORMAL_FORMS)]
    for place in dice.some(len(movable), dice.between(3, 6)):
        covered[movable[place]] = dice.pick(subjects)
    # Another way from 1NF to BCNF: over one to four concepts between them.
    between = [c for c in ("C03", "C04", "C06", "C07", "C08") if dice.chance(0.5)] or ["C04"]
    way = ["C02", *between[:4], "C05"]
    order = [c for c in dice.mixed(ids) if c not in way]
    places = sorted(dice.below(len(order) + 1) for _ in way)
    for offset, (place, concept) in enumerate(zip(places, way, strict=True)):
        order.insert(place + offset, concept)
    # From the front of the order to the back: so there is no circle. Nothing else touches BCNF.
    edges = dict.fromkeys(pairwise(way))
    while len(edges) < 25:
        a, b = sorted(dice.some(len(order), 2))
        if "C05" not in (order[a], order[b]):
            edges[order[a], order[b]] = None
    parts = [r for r in shipped["Concept_INCLUDES_Concept"] if not dice.chance(0.2)]
    explained = {r["note"]: str(r["concept"]) for r in shipped["Note_EXPLAINS_Concept"]}
    notes = [(n["text"], explained[n["id"]]) for n in dice.mixed(list(shipped["Note"]))]
    notes = notes[: dice.between(18, 23)]
    notes.append(('There\'s more: "a second note" is 100% fine, and so is a \\ in it.', dice.pick(ids)))
    numbered = [(f"N{i + 1:02d}", text, concept) for i, (text, concept) in enumerate(notes)]
    return {
        "Concept": [{**c, "area": names[covered[str(c["id"])]]} for c in shipped["Concept"]],
        "Subject_COVERS_Concept": [{"subject": covered[c], "concept": c} for c in dice.mixed(ids)],
        "Concept_PREREQUISITE_FOR_Concept": [{"before": a, "after": b} for a, b in dice.mixed(list(edges))],
        "Concept_INCLUDES_Concept": dice.mixed(parts),
        "Note": [{"id": note, "text": text} for note, text, _ in numbered],
        "Note_EXPLAINS_Concept": [{"note": note, "concept": concept} for note, _, concept in numbered],
    }


_Draw = Callable[[Dice, Tables, CollegeTables, tuple[str, ...]], Tables]
_PARTS: dict[str, _Draw] = {
    "people": _draw_people,
    "studies": _draw_studies,
    "clubs": _draw_clubs,
    "skills": _draw_skills,
    "friends": _draw_friends,
    "knowledge": _draw_knowledge,
}
"""What is drawn, in this order: a later part may look at the tables of an earlier one."""


# ------------------------------------------------------------------------------------------------ the cases


@dataclass(frozen=True)
class _View:
    """A college in the shapes in which the cases ask for it."""

    tables: Tables

    def names(self) -> dict[str, str]:
        return {str(s["id"]): str(s["name"]) for s in self.tables["Student"]}

    def ends(self, table: str) -> list[tuple[str, str]]:
        pattern = next(t for t in COLLEGE.relationships if t.name == table)
        return [(str(r[pattern.start_column]), str(r[pattern.end_column])) for r in self.tables[table]]

    def subjects_of(self) -> dict[str, frozenset[str]]:
        pairs = self.ends("Student_STUDIES_Subject")
        return {s: frozenset(b for a, b in pairs if a == s) for s in self.names()}

    def clubs_of(self) -> dict[str, set[str]]:
        pairs = self.ends("Student_MEMBER_OF_Club")
        return {s: {b for a, b in pairs if a == s} for s in self.names()}

    def dbms(self) -> dict[str, str | None]:
        """Who takes DBMS, with the grade."""
        return {
            str(r["student"]): None if r["grade"] is None else str(r["grade"])
            for r in self.tables["Student_STUDIES_Subject"]
            if r["subject"] == _DBMS
        }

    def machine_learning(self) -> dict[str, str]:
        rows = self.tables["Student_HAS_SKILL_Skill"]
        return {str(r["student"]): str(r["level"]) for r in rows if r["skill"] == "Machine Learning"}

    def next_topics(self, student: str) -> set[str]:
        """What two prerequisite hops from a subject's concepts reach outside that subject."""
        covers = self.ends("Subject_COVERS_Concept")
        steps = self.ends("Concept_PREREQUISITE_FOR_Concept")
        found: set[str] = set()
        for subject in self.subjects_of()[student]:
            inside = {c for s, c in covers if s == subject}
            once = {b for a, b in steps if a in inside}
            found |= (once | {b for a, b in steps if a in once}) - inside
        return found

    def shortest_ways(self, start: str, end: str, directed: bool) -> list[tuple[str, ...]]:
        """All shortest ways over PREREQUISITE_FOR and INCLUDES."""
        steps = self.ends("Concept_PREREQUISITE_FOR_Concept") + self.ends("Concept_INCLUDES_Concept")
        if not directed:
            steps = steps + [(b, a) for a, b in steps]
        ways: list[tuple[str, ...]] = [(start,)]
        seen = {start}
        while ways and not any(w[-1] == end for w in ways):
            ways = [(*w, b) for w in ways for a, b in steps if a == w[-1] and b not in seen]
            seen |= {w[-1] for w in ways}
        return [w for w in ways if w[-1] == end]


def _first(people: Iterable[str], key: Callable[[str], str], last: bool = False) -> str:
    return sorted(people, key=key, reverse=last)[0]


def _grade_orders_fail(view: _View) -> bool:
    grades, names = view.dbms(), view.names()
    best = {s for s, g in grades.items() if g == "A+"}
    orders = (
        _first(grades, lambda s: s),
        _first(grades, lambda s: s, last=True),
        _first(grades, lambda s: names[s]),
        _first(grades, lambda s: names[s], last=True),
        next(iter(grades)),
    )
    return not best & set(orders)


def _a_b_plus_before_an_a(view: _View) -> bool:
    grades, names = view.dbms(), view.names()
    return any(names[b] < names[a] and grades[b] == "B+" and grades[a] == "A" for b in grades for a in grades)


def _level_orders_fail(view: _View) -> bool:
    levels, names = view.machine_learning(), view.names()
    if set(levels.values()) != set(LEVELS):
        return False
    best = {s for s, level in levels.items() if level == "Advanced"}
    orders = (_first(levels, lambda s: s), _first(levels, lambda s: names[s]), next(iter(levels)))
    return not best & set(orders)


def _several_clubs(view: _View) -> bool:
    counts = {s: len(c) for s, c in view.clubs_of().items()}
    busy = [s for s, n in counts.items() if n > 1]
    return len(busy) >= 2 and "S01" not in busy and {0, 1} <= set(counts.values())


def _dbms_and_debate(view: _View) -> bool:
    dbms = set(view.dbms())
    debate = {s for s, clubs in view.clubs_of().items() if "Debate Society" in clubs}
    return len(dbms & debate) >= 2 and bool(dbms - debate) and bool(debate - dbms)


def _same_subjects(view: _View) -> bool:
    sets = list(view.subjects_of().values())
    twins = [s for s, n in Counter(sets).items() if n > 1 and _DBMS in s]
    return any(twin < other for twin in twins for other in sets)


def _one_way_to_bcnf(view: _View) -> bool:
    undirected = view.shortest_ways("C02", "C05", directed=False)
    return len(undirected) == 1 and view.shortest_ways("C02", "C05", directed=True) == undirected


def _friends(view: _View) -> bool:
    pairs = view.ends("Student_FRIENDS_WITH_Student")
    starts = Counter(a for a, _ in pairs)
    two_hops = any(b == c and a != d for a, b in pairs for c, d in pairs)
    alone = set(view.names()) - {s for pair in pairs for s in pair}
    return bool(alone) and two_hops and max(starts.values(), default=0) >= 2


def _skills_and_projects_missing(view: _View) -> bool:
    had = view.ends("Student_HAS_SKILL_Skill")
    required = {skill for _, skill in view.ends("Project_REQUIRES_Skill")}
    unskilled = set(view.names()) - {student for student, _ in had}
    idle = set(view.names()) - {student for student, _ in view.ends("Student_WORKS_ON_Project")}
    return bool(unskilled and idle and required - {skill for _, skill in had})


def _notes_missing_and_double(view: _View) -> bool:
    explained = Counter(concept for _, concept in view.ends("Note_EXPLAINS_Concept"))
    return len(explained) < len(view.tables["Concept"]) and max(explained.values()) > 1


CASES: dict[str, tuple[str, Callable[[_View], bool]]] = {
    "DBMS has an A+, an A, a B+ and somebody without a grade": (
        "studies",
        lambda v: {"A+", "A", "B+", None} <= set(v.dbms().values()),
    ),
    "two students of DBMS have the same grade": (
        "studies",
        lambda v: any(n > 1 for grade, n in Counter(v.dbms().values()).items() if grade),
    ),
    "no order of ids, names or rows puts the best in DBMS first": ("studies", _grade_orders_fail),
    "a B+ in DBMS comes before an A by name": ("studies", _a_b_plus_before_an_a),
    "two study exactly the same, DBMS among it, and somebody studies that and more": (
        "studies",
        _same_subjects,
    ),
    "two or more are in several clubs, not the first student; some are in one, some in none": (
        "clubs",
        _several_clubs,
    ),
    "two or more take DBMS and debate; some do only one of the two": ("clubs", _dbms_and_debate),
    "Machine Learning is there at all levels, and no order of ids, names or rows puts the best first": (
        "skills",
        _level_orders_fail,
    ),
    "a student has no skill, one has no project, and a required skill is nobody's": (
        "skills",
        _skills_and_projects_missing,
    ),
    "somebody has no friend, somebody has two, and there are friends of friends": ("friends", _friends),
    "one shortest way leads from 1NF to BCNF, whichever way the arrows are read": (
        "knowledge",
        _one_way_to_bcnf,
    ),
    "a concept has no note, and one has two": ("knowledge", _notes_missing_and_double),
}
"""What is the case in every college that `vary_college` makes: description -> part that it lies in, test."""


def _kept_well(view: _View, part: str, name: str) -> bool:
    student = next(s for s, n in view.names().items() if n == name)
    match part:
        case "studies":
            subjects = view.subjects_of()
            return student in view.dbms() and list(subjects.values()).count(subjects[student]) > 1
        case "clubs":
            return bool(view.clubs_of()[student])
        case "knowledge":
            return bool(view.next_topics(student))
    return True
