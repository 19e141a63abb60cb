"""Answers for lesson 07."""

from tests.answers import Answers, Wrong

READ = "MATCH (s:Student) WHERE s.name <> 'DELETE' RETURN s.name AS name"
WRITE = "MATCH (s:Student) SET\ts.year = 9"
SLASHES = "MATCH (s:Student) WHERE '//' <> s.name SET s.year = 9"

ANSWERS = {
    "07.1": Answers(
        right=[
            ("MATCH (s:Student)\nSET\ns.year = 9", READ),
            ("MATCH (s:Student) set/**/s.year = 9", "MATCH (s:Student) RETURN s.dropped AS dropped"),
            ["MATCH (c:Club) SET\tc.founded = 1900", "MATCH (s:Student) RETURN s.name AS created"],
        ],
        wrong=[
            Wrong(("MATCH (n) DETACH DELETE n", READ), says="stops your write"),
            Wrong(("MATCH (s:Student {name: 'Nobody'}) SET\ts.year = 9", READ), says="as it was"),
            Wrong((WRITE, "MATCH (s:Student) RETURN s.name"), says="lets your read pass", status="nearly"),
            Wrong((WRITE, "MATCH (s:Student) SET s.year = 9"), says="not a harmless one", status="nearly"),
            Wrong(("MATCH (s:Student) SETs.year = 9", READ), says="engine refuses"),
            Wrong(WRITE, says="two queries"),
        ],
    ),
    "07.2": Answers(
        right=[
            (SLASHES, READ),
            ("MATCH (s:Student) WHERE s.name <> '/*' SET s.x = '*/'", "MATCH (s:Student) RETURN s.set AS x"),
            (
                'MATCH (s:Student) WHERE s.name <> "http://a" DETACH DELETE s',
                "MATCH (s:Student) RETURN s.name AS remove",
            ),
        ],
        wrong=[
            Wrong((WRITE, READ), says="stops your write"),
            Wrong(
                (SLASHES, "MATCH (s:Student) RETURN s.createdAt"), says="lets your read pass", status="nearly"
            ),
            Wrong(
                ("LOAD CSV FROM 'file:///x.csv' AS line RETURN line", READ),
                says="engine refuses",
            ),
            Wrong(("MATCH (s:Student) RETURN s.name", READ), says="as it was"),
        ],
    ),
    "07.3": Answers(
        right=[
            "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name, r.grade",
            "MATCH (:Subject {code: 'CS201'})<-[e:STUDIES]-(who:Student) RETURN who.name AS n, e.grade AS g",
            "MATCH (s:Student)-[r:STUDIES]->(c:Subject) WHERE c.name = 'DBMS'"
            " WITH s.name AS student, r.grade AS grade RETURN student, grade",
        ],
        wrong=[
            Wrong(
                "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name, r",
                says="guard still refuses",
            ),
            Wrong(
                "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name",
                says="grade was asked for",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student)-[r:STUDIES]->(:Subject) RETURN s.name, r.grade",
                says="every subject",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN collect(s)",
                says="guard still refuses",
            ),
        ],
    ),
    "07.4": Answers(
        right=[("permissions", 4), ["Permissions", 4], ("permissions", 4.0)],
        wrong=[
            Wrong(("guard", 6), says="a hole in its code"),
            Wrong(("permissions", 6), says="does not hold", status="nearly"),
            Wrong(("regex", 3), says="stops wrongly"),
        ],
    ),
}
