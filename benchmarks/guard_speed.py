"""How many queries a second the guard looks at, and how its time grows with a query's length.

python benchmarks/guard_speed.py
"""

from __future__ import annotations

import time

from course_lib.college.guard import check

QUERY = (
    "MATCH (s:Student)-[r:STUDIES]->(c:Subject) WHERE toLower(c.name) CONTAINS 'dbms' AND NOT s.name IS NULL"
    " RETURN s.name AS student, r.grade AS grade"
    " ORDER BY CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 ELSE 99 END LIMIT 5"
)


def main() -> None:
    """Times it and prints."""
    rounds = 2_000
    began = time.process_time()
    for _ in range(rounds):
        check(QUERY)
    print(f"{rounds / (time.process_time() - began):,.0f} queries a second of {len(QUERY)} characters")
    times = {}
    for many in (100, 200, 400):
        query = "MATCH (n) WHERE true" + " AND n.x = [y IN n.l | y.z]" * many + " RETURN n.name"
        began = time.process_time()
        for _ in range(20):
            check(query)
        times[many] = time.process_time() - began
        print(f"{len(query):>7,} characters: {times[many] / 20 * 1000:.1f} ms")
    print(f"four times the length takes {times[400] / times[100]:.1f} times as long")


if __name__ == "__main__":
    main()
