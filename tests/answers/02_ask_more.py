"""Answers for lesson 02."""

from tests.answers import Answers, Made, Wrong

_ML = "MATCH (s:Student)-[h:HAS_SKILL]->(:Skill {name: 'Machine Learning'})"
_RANK = "CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END"

ANSWERS = {
    "02.1": Answers(
        right=[
            f"{_ML} RETURN s.name, h.level ORDER BY CASE h.level WHEN 'Advanced' THEN 30 WHEN 'Intermediate' THEN 20 "
            "WHEN 'Beginner' THEN 10 ELSE 0 END DESC",
            f"{_ML} WITH s, h, CASE WHEN h.level = 'Advanced' THEN 1 WHEN h.level = 'Intermediate' THEN 2 "
            "WHEN h.level = 'Beginner' THEN 3 ELSE 4 END AS rank RETURN s.name AS who, h.level AS level, rank ORDER BY rank",
            f"{_ML} WITH s.name AS who, h.level AS level, {{Advanced: 1, Intermediate: 2, Beginner: 3}} AS worth "
            "RETURN who, level ORDER BY coalesce(worth[level], 9)",
            f"{_ML} RETURN s.name AS student, h.level AS level, s.year AS year ORDER BY h.level <> 'Advanced', "
            "h.level <> 'Intermediate', h.level <> 'Beginner'",
        ],
        wrong=[
            Wrong(f"{_ML} RETURN s.name, h.level ORDER BY h.level", says="by luck", status="nearly"),
            Wrong(f"{_ML} RETURN s.name, h.level ORDER BY h.level ASC", says="by luck", status="nearly"),
            Wrong(f"{_ML} RETURN s.name, h.level ORDER BY s.name", says="a weaker one", status="nearly"),
            Wrong(
                f"{_ML} RETURN s.name, h.level ORDER BY CASE h.level WHEN 'Advanced' THEN 1 ELSE 2 END LIMIT 1",
                says="who is next",
                status="nearly",
            ),
            Wrong(
                f"{_ML} WHERE h.level = 'Advanced' RETURN s.name, h.level",
                says="Rank people, don't filter them",
                status="nearly",
            ),
            Wrong(
                f"{_ML} RETURN s.name, h.level ORDER BY CASE h.level WHEN 'Beginner' THEN 1 WHEN 'Intermediate' THEN 2 "
                "WHEN 'Advanced' THEN 3 END DESC",
                says="no level yet",
                status="nearly",
            ),
            Wrong(
                "UNWIND [['Rahul', 'Advanced'], ['Karan', 'Intermediate']] AS row RETURN row[0], row[1]",
                says="These rows did not come from the graph",
            ),
        ],
    ),
    "02.2": Answers(
        right=[
            "MATCH (k:Skill) OPTIONAL MATCH (k)<-[h:HAS_SKILL]-(:Student) RETURN k.name, count(h) ORDER BY k.name",
            "MATCH (k:Skill) OPTIONAL MATCH (s)-[:HAS_SKILL]->(k) WITH k, collect(s) AS people "
            "RETURN k.name AS skill, size(people) AS students",
            "MATCH (k:Skill) OPTIONAL MATCH (s:Student)-[:HAS_SKILL]->(k) RETURN k.name, count(DISTINCT s.id)",
        ],
        wrong=[
            Wrong(
                "MATCH (s:Student)-[:HAS_SKILL]->(k:Skill) RETURN k.name AS skill, count(s) AS students",
                says="Which part is optional",
                status="nearly",
            ),
            Wrong(
                "MATCH (k:Skill) OPTIONAL MATCH (s:Student)-[:HAS_SKILL]->(k) RETURN k.name, count(*)",
                says="nobody knows Docker",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student) OPTIONAL MATCH (s)-[:HAS_SKILL]->(k:Skill) RETURN k.name, count(s)",
                says="You keep every *student*",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student) OPTIONAL MATCH (s)-[:HAS_SKILL]->(k:Skill) RETURN s.name, count(k)",
                says="skills per student",
            ),
            Wrong(
                "MATCH (k:Skill) OPTIONAL MATCH (s:Student)-[:HAS_SKILL]->(k) RETURN k.name, count(k)",
                says="which is not",
                status="nearly",
            ),
            Wrong(
                "MATCH (k:Skill) OPTIONAL MATCH (s:Student)-[:HAS_SKILL]->(k) WITH k, count(s) AS n WHERE n > 0 "
                "RETURN k.name, n",
                says="drops it after all",
                status="nearly",
            ),
            Wrong("MATCH (k:Skill) RETURN k.name", says="wo columns", status="nearly"),
        ],
    ),
    "02.3": Answers(
        right=[
            "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student) "
            "WHERE a.id <> x.id AND NOT (x)-[:FRIENDS_WITH]-(a) RETURN DISTINCT x.name AS student",
            "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(f)-[:FRIENDS_WITH]-(x) "
            "WHERE NOT ((a)-[:FRIENDS_WITH]-(x) OR x = a) RETURN DISTINCT x.name",
            "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH*1..1]-(m)-[:FRIENDS_WITH]-(x:Student) OPTIONAL MATCH (a)-[d:FRIENDS_WITH]-(x) "
            "WITH a, x, d WHERE d IS NULL AND x.name <> 'Aarav' RETURN DISTINCT x.name ORDER BY x.name",
        ],
        wrong=[
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student) "
                "WHERE NOT (a)-[:FRIENDS_WITH]-(x) RETURN DISTINCT x.name AS student",
                says="he may know Aarav",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student) "
                "WHERE x <> a RETURN DISTINCT x.name AS student",
                says="friends with each other",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student) "
                "WHERE x <> a AND NOT (a)-[:FRIENDS_WITH]->(x) RETURN DISTINCT x.name AS student",
                says="friends with each other",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]->(:Student)-[:FRIENDS_WITH]->(x:Student) "
                "WHERE x <> a AND NOT (a)-[:FRIENDS_WITH]-(x) AND x.year > 3 RETURN DISTINCT x.name AS student",
                says="is missing",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'}), (x:Student) WHERE x <> a AND NOT (a)-[:FRIENDS_WITH]-(x) "
                "RETURN x.name AS student",
                says="further away than two steps",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH*2..3]-(x:Student) "
                "WHERE x <> a AND NOT (a)-[:FRIENDS_WITH]-(x) RETURN DISTINCT x.name",
                says="further away than two steps",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student) WHERE RETURN DISTINCT x.name",
                says="could not run",
            ),
        ],
    ),
    "02.4": Answers(
        right=[
            f"MATCH (s:Student)-[r:STUDIES]->(x:Subject) WITH x, s, r.grade AS grade, {_RANK} AS rank "
            "WITH x, min(rank) AS best, collect([s.name, grade, rank]) AS all "
            "UNWIND [one IN all WHERE one[2] = best] AS top RETURN x.name, top[0], top[1]",
            f"MATCH (:Student)-[r:STUDIES]->(x:Subject) WITH x, max(100 - {_RANK}) AS best "
            f"MATCH (x)<-[r:STUDIES]-(s:Student) WHERE 100 - {_RANK} = best "
            "RETURN x.name AS a, s.name AS b, r.grade AS c ORDER BY a, b",
            f"MATCH (s:Student)-[r:STUDIES]->(x:Subject) WITH x, s, r.grade AS grade, {_RANK} AS rank "
            "ORDER BY rank WITH x, collect({who: s.name, grade: grade, rank: rank}) AS all "
            "UNWIND all AS one WITH x, all, one WHERE one.rank = all[0].rank RETURN x.name, one.who, one.grade",
        ],
        wrong=[
            Wrong(
                f"MATCH (s:Student)-[r:STUDIES]->(x:Subject) WITH x, s, r, {_RANK} AS rank ORDER BY rank "
                "WITH x, collect([s.name, r.grade])[0] AS top RETURN x.name, top[0], top[1]",
                says="share the best grade",
                status="nearly",
            ),
            Wrong(
                "MATCH (:Student)-[r:STUDIES]->(x:Subject) WITH x, max(r.grade) AS best "
                "MATCH (s:Student)-[r:STUDIES]->(x) WHERE r.grade = best RETURN x.name, s.name, r.grade",
                says="last in the alphabet, or ranked last",
                status="nearly",
            ),
            Wrong(
                "MATCH (:Student)-[r:STUDIES]->(x:Subject) WITH x, min(r.grade) AS best "
                "MATCH (s:Student)-[r:STUDIES]->(x) WHERE r.grade = best RETURN x.name, s.name, r.grade",
                says="first in the alphabet",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN x.name, s.name, r.grade", says="everybody"
            ),
            Wrong(
                f"MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN x.name, s.name, r.grade ORDER BY {_RANK} LIMIT 1",
                says="A limit counts rows of the whole table",
            ),
            Wrong(
                Made(
                    lambda room: (
                        "UNWIND [['DBMS', 'Payal', 'A+'], ['DSA', 'Payal', 'A'], ['Operating Systems', 'Sneha', 'A+'], "
                        "['Computer Networks', 'Karan', 'A']] AS row RETURN row[0], row[1], row[2]"
                    )
                ),
                says="These rows did not come from the graph",
            ),
        ],
    ),
}
