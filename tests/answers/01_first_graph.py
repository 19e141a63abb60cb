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
            "MATCH (a:Student {name: 'Aarav'})-[:WORKS_ON]->(x)<-[:WORKS_ON]-(b:Student) WHERE a <> b "
            "RETURN b.name, x.name ORDER BY b.name",
            "MATCH (b:Student)-[:WORKS_ON]->(x:Project)<-[:WORKS_ON]-(:Student {name: 'Aarav'}) "
            "WHERE b.name <> 'Aarav' RETURN DISTINCT b.name AS student, x.name AS project",
            "MATCH (a:Student {name: 'Aarav'})-[:WORKS_ON]->(x:Project) MATCH (b:Student)-[:WORKS_ON]->(x) "
            "WHERE NOT b.id = a.id RETURN b.name, x.name",
        ],
        wrong=[
            Wrong(
                "MATCH (:Student {name: 'Aarav'})-[:WORKS_ON]->(x:Project)<-[:WORKS_ON]-(o:Student) "
                "RETURN o.name, x.name",
                says="with himself",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:WORKS_ON]->(x:Project)<--(o:Student) WHERE o <> a "
                "RETURN o.name, x.name",
                says="a type on both arrows",
                status="nearly",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:WORKS_ON]->(x:Project)-[:WORKS_ON]->(o:Student) "
                "WHERE o <> a RETURN o.name, x.name",
                says="both arrows point",
            ),
            Wrong(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project) WHERE s.name <> 'Aarav' RETURN s.name, p.name",
                says="everybody with a project",
            ),
            Wrong(
                "MATCH (a:Student {name: 'Aarav'})-[:WORKS_ON]->(:Project)<-[:WORKS_ON]-(o:Student) "
                "WHERE o <> a RETURN o.name",
                says="two columns were asked for",
                status="nearly",
            ),
        ],
    ),
}
