"""Answers for lesson 05."""

from tests.answers import Answers, Wrong

ANSWERS = {
    "05.1": Answers(
        right=[
            "MATCH (x)-[e]->(y) RETURN DISTINCT labels(x)[0], type(e), labels(y)[0]",
            "MATCH (b)<-[r]-(a) RETURN DISTINCT labels(a)[0] AS s, type(r) AS t, labels(b)[0] AS e ORDER BY t",
            "MATCH (a)-[r]->(b) WITH labels(a)[0] AS s, type(r) AS t, labels(b)[0] AS e, count(*) AS n"
            " RETURN s, t, e",
            "MATCH (a)-[r]->(b) RETURN DISTINCT head(labels(a)) AS a1, type(r) AS t, head(labels(b)) AS b1",
        ],
        wrong=[
            Wrong(
                "MATCH (a)-[r]->(b) RETURN labels(a)[0], type(r), labels(b)[0]",
                says="every single relationship",
                status="nearly",
            ),
            Wrong(
                "MATCH (a)-[r]-(b) RETURN DISTINCT labels(a)[0], type(r), labels(b)[0]",
                says="both directions",
                status="nearly",
            ),
            Wrong(
                "MATCH (a)-[r]->(b) RETURN DISTINCT labels(b)[0], type(r), labels(a)[0]",
                says="changed places",
                status="nearly",
            ),
            Wrong("MATCH ()-[r]->() RETURN DISTINCT type(r)", says="From which label", status="nearly"),
            Wrong(
                "MATCH (a)-[r]->(b) RETURN DISTINCT labels(a), type(r), labels(b)",
                says="in a list",
                status="nearly",
            ),
        ],
    ),
    "05.2": Answers(
        right=[["i", "c"], ("c", "i"), "ci", "c, i"],
        wrong=[
            Wrong(["c"], says="and another", status="nearly"),
            Wrong(["c", "i", "j"], says="still in the prompt", status="nearly"),
            Wrong(["j"], says="finds 'python'"),
            Wrong(list("abcdefghij"), says="So many"),
        ],
    ),
    "05.3": Answers(
        right=[
            "Rank grades A+ > A > B+ > B and levels Advanced > Intermediate > Beginner. Text order is wrong.",
            "Grades are text and sort badly. Use CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3"
            " WHEN 'B' THEN 4 END. Levels: CASE r.level WHEN 'Advanced' THEN 1 WHEN 'Intermediate' THEN 2"
            " WHEN 'Beginner' THEN 3 END",
            "Order grades and levels by what they mean and not alphabetically: A+ is better than A, A is better"
            " than B+, B+ is better than B; Advanced > Intermediate > Beginner.",
        ],
        wrong=[
            Wrong("Always be helpful and correct.", says="sorts grades as text"),
            Wrong("Sort the result so that the best comes first.", says="sorts grades as text"),
            Wrong(["A+", "A"], says="as a text"),
            Wrong(
                "Grades and levels sort as text, so rank them: A+ > A > B+ > B, and Advanced > Intermediate"
                " > Beginner.",
                says="own words",
            ),
        ],
    ),
    "05.4": Answers(
        right=[("rules", 10), ("Rules", 10.0), ["rules", 10]],
        wrong=[
            Wrong(("values", 2), says="Count both"),
            Wrong(("rules", 2), says="does not hold", status="nearly"),
            Wrong("rules", says="two things"),
        ],
    ),
}
