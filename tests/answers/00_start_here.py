"""Answers for lesson 00."""

from tests.answers import Answers, Made, Wrong


def clubs() -> str:
    return "MATCH (c:Club) RETURN c.name, c.founded"


ANSWERS = {
    "00.1": Answers(
        right=[4, "4", 4.0, [4]],
        wrong=[
            Wrong(1, says="began from nothing"),
            Wrong(3, says="How much was it before them?", status="nearly"),
            Wrong(0, says="where it began"),
            Wrong(7, says="Count the runs of the second cell"),
            Wrong("four", says="Hand in a number"),
        ],
    ),
    "00.2": Answers(
        right=[
            "MATCH (c:Club) RETURN c.name, c.founded",
            "match (k:Club) where k.name <> '' return k.name as club, k.founded as since order by since desc",
            "MATCH (n) WHERE n:Club RETURN n.name AS name, n.founded AS founded;",
            "MATCH (club:Club) WITH club.name AS a, club.founded AS b RETURN a, b",
            "// students? no, clubs\nMATCH (s:Club) RETURN s.name AS student, s.founded AS year",
        ],
        wrong=[
            Wrong("MATCH (s:Student) RETURN s.name AS student, s.year AS year", says="These are students"),
            Wrong("MATCH (s:Student) RETURN s.name, s.founded", says="These are students"),
            Wrong(
                "MATCH (s:Student)-[:MEMBER_OF]->(c:Club) RETURN DISTINCT c.name, c.founded",
                says="On another one a club has no members",
                status="nearly",
            ),
            Wrong(
                "MATCH (s:Student)-[:MEMBER_OF]->(c:Club) RETURN c.name, c.founded",
                says="each once for every member",
                status="nearly",
            ),
            Wrong("MATCH (c:Club) RETURN c.name", says="the year is not among yours", status="nearly"),
            Wrong("MATCH (c:Club) RETURN c", says="put a dot", status="nearly"),
            Wrong(
                "MATCH (c:Club) RETURN c.founded, c.name", says="the columns came swapped", status="nearly"
            ),
            Wrong("MATCH (c:Club) RETURN c.name, c.year", says="no club has a property", status="nearly"),
            Wrong(
                "MATCH (c:Club) RETURN c.name, c.founded LIMIT 1",
                says="Some clubs are missing",
                status="nearly",
            ),
            Wrong("MATCH (c:club) RETURN c.name, c.founded", says="no label `club`", status="nearly"),
            Wrong("MATCH (c:Clubs) RETURN c.name, c.founded", says="no label `Clubs`", status="nearly"),
            Wrong("MATCH (c:Society) RETURN c.name, c.founded", says="no label `Society`"),
            Wrong("MATCH (c:Club) RETURN c.name, c.fouded", says="a property `fouded`", status="nearly"),
            Wrong("MATCH (c:Club) WHERE c.name != '' RETURN c.name, c.founded", says="is written `<>`"),
            Wrong("MATCH (c:Club RETURN c.name, c.founded", says="The engine could not run your query"),
            Wrong(
                Made(lambda room: room.college().read("MATCH (c:Club) RETURN c.name, c.founded")),
                says="You handed in the rows",
            ),
            Wrong(
                Made(
                    lambda room: (
                        "UNWIND ["
                        + ", ".join(
                            f"['{name}', {founded}]"
                            for name, founded in room.college().read(
                                "MATCH (c:Club) RETURN c.name, c.founded"
                            )
                        )
                        + "] AS row RETURN row[0], row[1]"
                    )
                ),
                says="These rows did not come from the graph",
            ),
            Wrong("MATCH (c:Club) SET c.founded = 2000 RETURN c.name, c.founded", says="Your query writes"),
            Wrong(clubs, says="You handed in a function"),
        ],
    ),
    "00.3": Answers(
        right=["RETURN 5 AS students", "return 2 + 3", "WITH 5 AS n RETURN n", "UNWIND [5] AS x RETURN x;"],
        wrong=[
            Wrong("RETURN 4 AS students", says="would not be fooled"),
            Wrong("RETURN '5' AS students", says="would not be fooled", status="nearly"),
            Wrong("MATCH (s:Student) RETURN count(s) AS students", says="by honest work", status="nearly"),
            Wrong("MATCH (s:Student) RETURN 5", says="would not be fooled"),
            Wrong("5", says="The engine could not run your query"),
            Wrong(5, says="Hand in a query"),
        ],
    ),
}
