"""Answers for lesson 01."""

from tests.answers import Answers, Made, Wrong

_ARROW = "MATCH (s:Student {name: 'Sneha'})"

ANSWERS = {
    "01.1": Answers(
        right=[(0, 1, 1), [0, 1, 1], (0.0, 1.0, 1.0)],
        wrong=[
            Wrong((1, 1, 1), says="no notice of arrowheads"),
            Wrong((1, 0, 1), says="the other way round", status="nearly"),
            Wrong((0, 1, 0), says="it means *either*", status="nearly"),
            Wrong((0, 1, 2), says="in all", status="nearly"),
            Wrong((0, 0, 0), says="at the end of an arrow"),
            Wrong((2, 2, 4), says="Put a finger on Karan"),
        ],
    ),
    "01.2": Answers(
        right=[
            f"{_ARROW}-[:FRIENDS_WITH]-(x:Student) RETURN x.name",
            "MATCH (x:Student)-[:FRIENDS_WITH]-(:Student {name: 'Sneha'}) RETURN x.name AS pal ORDER BY pal",
            "MATCH (s:Student)-[f:FRIENDS_WITH]-(x) WHERE s.name = 'Sneha' RETURN DISTINCT x.name",
            "MATCH (x:Student) WHERE (x)-[:FRIENDS_WITH]->(:Student {name: 'Sneha'}) "
            "OR (:Student {name: 'Sneha'})-[:FRIENDS_WITH]->(x) RETURN x.name",
        ],
        wrong=[
            Wrong(
                f"{_ARROW}<-[:FRIENDS_WITH]-(x:Student) RETURN x.name",
                says="Right on this college, by luck",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student {name: 'sneha'})-[:FRIENDS_WITH]-(x) RETURN x.name", says="Still no friends"
            ),
            Wrong(f"{_ARROW}-[:FRIENDS_WITH]-(x:Student) RETURN s.name", says="not her friends"),
            Wrong(f"{_ARROW}--(x) RETURN x.name", says="not her friends"),
            Wrong("RETURN 'Payal' AS friend", says="These rows did not come from the graph"),
        ],
    ),
    "01.3": Answers(
        right=[
            "MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(k:Skill) WHERE k.name = 'SQL' "
            "RETURN s.name, p.name",
            "MATCH (k:Skill {name: 'SQL'})<-[:REQUIRES]-(p)<-[:WORKS_ON]-(who) RETURN who.name, p.name ORDER BY who.name",
            "MATCH (p:Project)-[:REQUIRES]->(:Skill {name: 'SQL'}) MATCH (s:Student)-[:WORKS_ON]->(p) "
            "RETURN DISTINCT s.name AS a, p.name AS b",
            "MATCH (s:Student)-[:WORKS_ON]->(p:Project), (p)-[:REQUIRES]->(:Skill {name: 'SQL'}) RETURN s.name, p.name",
        ],
        wrong=[
            Wrong(
                "MATCH (s:Student)-[:HAS_SKILL]->(:Skill {name: 'SQL'}) RETURN s.name AS student",
                says="These people *have* the skill",
            ),
            Wrong(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(k:Skill {name: 'SQL'}) "
                "WHERE (s)-[:HAS_SKILL]->(k) RETURN s.name, p.name",
                says="without it",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project) RETURN s.name, p.name",
                says="Everybody with a project",
            ),
            Wrong(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(:Skill) RETURN s.name, p.name",
                says="Any skill will do",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project)<-[:REQUIRES]-(:Skill {name: 'SQL'}) RETURN s.name, p.name",
                says="No rows",
            ),
            Wrong(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(:Skill {name: 'SQL'}) RETURN p.name, s.name",
                says="swapped",
                status="nearly",
            ),
            Wrong(
                Made(
                    lambda room: (
                        "UNWIND ["
                        + ", ".join(
                            f"['{student}', '{project}']"
                            for student, project in room.college().read(
                                "MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(:Skill {name: 'SQL'}) "
                                "RETURN s.name, p.name"
                            )
                        )
                        + "] AS row RETURN row[0], row[1]"
                    )
                ),
                says="These rows did not come from the graph",
            ),
        ],
    ),
    "01.4": Answers(
        right=[
            "MATCH (a:Student {name: 'Aarav'})-[:STUDIES]->(x)<-[:STUDIES]-(b:Student) WHERE a <> b "
            "RETURN DISTINCT b.name ORDER BY b.name",
            "MATCH (b:Student)-[:STUDIES]->(:Subject)<-[:STUDIES]-(:Student {name: 'Aarav'}) "
            "WHERE b.name <> 'Aarav' RETURN DISTINCT b.name AS student",
            "MATCH (a:Student {name: 'Aarav'})-[:STUDIES]->(x:Subject) MATCH (b:Student)-[:STUDIES]->(x) "
            "WHERE NOT b.id = a.id WITH DISTINCT b RETURN b.name",
        ],
        wrong=[
            Wrong(
                "MATCH (:Student {name: 'Aarav'})-[:STUDIES]->(:Subject)<-[:STUDIES]-(o:Student) "
                "RETURN DISTINCT o.name",
                says="with himself",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:STUDIES]->(x:Subject)<-[:STUDIES]-(o:Student) "
                "WHERE o <> a AND x.credits > 0 RETURN o.name",
                says="some of them once for each subject",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:STUDIES]->(:Subject)-[:STUDIES]->(o:Student) "
                "WHERE o <> a RETURN DISTINCT o.name",
                says="both arrows point",
            ),
            Wrong("MATCH (s:Student) WHERE s.name <> 'Aarav' RETURN s.name", says="everybody but Aarav"),
        ],
    ),
}
