"""Answers for lesson 03."""

import json
from typing import Any

from tests.answers import Answers, Wrong

_ENDS = "MATCH (s:Student {id: $student}), (x:Subject {code: $subject})"
_FRIENDS = "UNWIND $rows AS row MATCH (a:Student {id: row.student}), (b:Student {id: row.friend})"


def merge_and_set(graph: Any, note: Any) -> None:
    graph.write("MERGE (n:Note {id: $id}) SET n.text = $text", note)


def with_a_map(graph: Any, note: Any) -> None:
    graph.write("MERGE (n:Note {id: $note.id}) SET n += $note", {"note": dict(note)})


def on_create_and_on_match(graph: Any, note: Any) -> None:
    query = "MERGE (n:Note {id: $key}) ON CREATE SET n.text = $words ON MATCH SET n.text = $words"
    graph.write(query, {"key": note["id"], "words": note["text"]})


def by_unwind(graph: Any, note: Any) -> None:
    graph.write(
        "UNWIND $rows AS row MERGE (n:Note {id: row.id}) SET n.text = row.text", {"rows": [dict(note)]}
    )


def glued_with_merge(graph: Any, note: Any) -> None:
    graph.write(f"MERGE (n:Note {{id: '{note['id']}'}}) SET n.text = '{note['text']}'")


def in_double_quotes(graph: Any, note: Any) -> None:
    graph.write(f'MERGE (n:Note {{id: "{note["id"]}"}}) SET n.text = "{note["text"]}"')


def apostrophes_escaped(graph: Any, note: Any) -> None:
    text = note["text"].replace("'", "\\'")
    graph.write(f"MERGE (n:Note {{id: '{note['id']}'}}) SET n.text = '{text}'")


def apostrophes_dropped(graph: Any, note: Any) -> None:
    graph.write(
        "MERGE (n:Note {id: $id}) SET n.text = $text",
        {"id": note["id"], "text": note["text"].replace("'", "")},
    )


def created(graph: Any, note: Any) -> None:
    graph.write("CREATE (n:Note {id: $id, text: $text})", {"id": note["id"], "text": note["text"]})


def only_on_create(graph: Any, note: Any) -> None:
    graph.write(
        "MERGE (n:Note {id: $id}) ON CREATE SET n.text = $text", {"id": note["id"], "text": note["text"]}
    )


def glued_as_json(graph: Any, note: Any) -> None:
    graph.write(f"MERGE (n:Note {{id: {json.dumps(note['id'])}}}) SET n.text = {json.dumps(note['text'])}")


def glued_id(graph: Any, note: Any) -> None:
    graph.write(f"MERGE (n:Note {{id: '{note['id']}'}}) SET n.text = $text", {"text": note["text"]})


def nothing_written(graph: Any, note: Any) -> None:
    graph.read("MATCH (n:Note {id: $id}) RETURN n.text", {"id": note["id"]})


ANSWERS = {
    "03.1": Answers(
        right=[
            f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) SET r.grade = $grade",
            f"{_ENDS} MERGE (x)<-[r:STUDIES]-(s) ON CREATE SET r.grade = $grade ON MATCH SET r.grade = $grade",
            f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) SET r += {{grade: $grade}} RETURN r.grade",
            "MATCH (s:Student) WHERE s.id = $student MATCH (x:Subject) WHERE x.code = $subject "
            "MERGE (s)-[studies:STUDIES]->(x) SET studies.grade = $grade",
        ],
        wrong=[
            Wrong(f"{_ENDS} CREATE (s)-[:STUDIES {{grade: $grade}}]->(x)", says="two grades"),
            Wrong(
                f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) ON CREATE SET r.grade = $grade",
                says="the latest grade is not on it",
                status="nearly",
            ),
            Wrong(
                f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) SET r = {{grade: $grade}}",
                says="the semester has gone",
                status="nearly",
            ),
            Wrong(
                "MERGE (:Student {id: $student})-[r:STUDIES]->(:Subject {code: $subject}) SET r.grade = $grade",
                says="nodes now that were not there before",
            ),
            Wrong(
                "MATCH (s:Student {id: $student})-[r:STUDIES]->(x:Subject {code: $subject}) SET r.grade = $grade",
                says="MATCH finds only what is there",
            ),
            Wrong(f"{_ENDS} MERGE (x)-[r:STUDIES]->(s) SET r.grade = $grade", says="the other way round"),
            Wrong(f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) SET s.grade = $grade", says="stands on the student"),
            Wrong(f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) SET x.grade = $grade", says="stands on the subject"),
            Wrong(
                f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) SET r.Grade = $grade",
                says="Compare the spelling",
                status="nearly",
            ),
            Wrong(
                f"{_ENDS} MERGE (s)-[r:STUDIES]->(x) SET r.grade = $grade, s.year = 9",
                says="changed something besides",
                status="nearly",
            ),
        ],
    ),
    "03.2": Answers(
        right=[merge_and_set, with_a_map, on_create_and_on_match, by_unwind],
        wrong=[
            Wrong(glued_with_merge, says="broke on a note"),
            Wrong(in_double_quotes, says="a backslash does not", status="nearly"),
            Wrong(apostrophes_escaped, says="was read as Cypher"),
            Wrong(apostrophes_dropped, says="An apostrophe did not arrive as it was", status="nearly"),
            Wrong(created, says="twice", status="nearly"),
            Wrong(only_on_create, says="the latest text", status="nearly"),
            Wrong(glued_as_json, says="arrived changed", status="nearly"),
            Wrong(glued_id, says="broke on a note"),
            Wrong(nothing_written, says="did not arrive"),
            Wrong("MERGE (n:Note {id: $id}) SET n.text = $text", says="function"),
        ],
    ),
    "03.3": Answers(
        right=[
            "Student) DETACH DELETE n //",
            "Student) DETACH DELETE n RETURN 1 AS x //",
            "Club) MATCH (s:Student) DETACH DELETE s //",
            "Subject) WITH count(n) AS c MATCH (s:Student) DETACH DELETE s RETURN c AS nodes //",
        ],
        wrong=[
            Wrong("DETACH DELETE n", says="How must a label begin"),
            Wrong("Student", says="still there"),
            Wrong("Student) DETACH DELETE n", says="What stands behind your text", status="nearly"),
            Wrong("Student) DETACH DELETE s //", says="as you meant it", status="nearly"),
            Wrong("Student {name: 'Aarav'}) DETACH DELETE n //", says="not all of them", status="nearly"),
            Wrong(["Student"], says="Hand in the label itself"),
        ],
    ),
    "03.4": Answers(
        right=[
            f"{_FRIENDS} MERGE (a)-[:FRIENDS_WITH]->(b)",
            "UNWIND $rows AS r MATCH (a:Student), (b:Student) WHERE a.id = r.student AND b.id = r.friend "
            "MERGE (a)-[f:FRIENDS_WITH]->(b) RETURN count(f)",
            "UNWIND $rows AS row MATCH (a:Student {id: row.student}) MATCH (b:Student {id: row['friend']}) "
            "MERGE (b)<-[:FRIENDS_WITH]-(a)",
        ],
        wrong=[
            Wrong(f"{_FRIENDS} CREATE (a)-[:FRIENDS_WITH]->(b)", says="there twice", status="nearly"),
            Wrong(
                "UNWIND $rows AS row MERGE (a:Student {id: row.student})-[:FRIENDS_WITH]->(b:Student {id: row.friend})",
                says="no name",
            ),
            Wrong(f"{_FRIENDS} MERGE (b)-[:FRIENDS_WITH]->(a)", says="the wrong way round"),
            Wrong(f"{_FRIENDS} MERGE (a)-[:FRIEND_WITH]->(b)", says="Compare the spelling", status="nearly"),
            Wrong(
                "MATCH (a:Student {id: $student}), (b:Student {id: $friend}) MERGE (a)-[:FRIENDS_WITH]->(b)",
                says="$rows",
            ),
        ],
    ),
}
