# %% [markdown]
# # 02 · Ask more
# *45 minutes, 15 of them yours. Before: 01. You need: this notebook, nothing else.*
#
# A question of the kind that a college app gets every day: *who is the best person to teach me DBMS?*
#
# You have the whole college in a graph, so this should take one line. Let us see. By the end you can count, rank and walk.

# %%
from course_lib import lesson

college = lesson.start("02")
college.size()

# %% [markdown]
# ## Sort, take the first, done?
# The grade sits on `STUDIES`. `ORDER BY` sorts, `DESC` turns the order round so that the largest comes first, `LIMIT 1` takes one.
#
# Payal has an A+ in DBMS, Aarav an A, Sneha a B+. **Before you run it:** who will come out?

# %%
college.read("""
    MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'})
    RETURN s.name AS student, r.grade AS grade
    ORDER BY r.grade DESC
    LIMIT 1
""")

# %% [markdown]
# Sneha. She has the lowest grade of the three, and a chat assistant would have recommended her with a smile.
#
# What does the engine believe that a grade is? Hand it four of them, with no graph at all. (`UNWIND` makes a row of each item in a list.)

# %%
college.read("UNWIND ['A', 'A+', 'B', 'B+'] AS grade RETURN grade ORDER BY grade DESC")

# %% [markdown]
# It compares character by character: B comes after A, and what comes last is 'largest'. (Capitals come before small letters,
# too, which no phone book does.) You meant *best*, you wrote *last in the alphabet*, and you got what you wrote.
#
# That is the most expensive kind of mistake: the query that runs, returns a person, and names the wrong one.
#
# It is not about grades. **Before you run it:** which of these three strings is the smallest?

# %%
college.read("UNWIND ['9', '10', '100'] AS number RETURN number ORDER BY number")

# %% [markdown]
# ## Say what it is worth
# `CASE` turns a value into another. Give each grade a place in the queue, and sort by the place.

# %%
college.read("""
    MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'})
    RETURN s.name AS student, r.grade AS grade
    ORDER BY CASE r.grade
        WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END
""")

# %% [markdown]
# Why `ELSE 99`? A student whose grade is not in yet has no grade at all: `null`. Watch where `null` goes when you sort downwards.

# %%
college.read("UNWIND ['A', null, 'A+'] AS grade RETURN grade ORDER BY grade DESC")

# %% [markdown]
# To the top. Somebody without a grade would be the best teacher in college. With a rank, *you* decide: 99 is the end of the queue.

# %% [markdown]
# ### Exercise 02.1 · mend (core, 5 minutes)
# *Who should I learn Machine Learning from?* Levels are Beginner, Intermediate and Advanced, and they are text as well.
# Mend the query so that it lists everybody who has the skill, strongest first. It will be run on colleges that you have not seen.

# %% exercise="02.1"
query = """
    MATCH (s:Student)-[h:HAS_SKILL]->(:Skill {name: 'Machine Learning'})
    RETURN s.name AS student, h.level AS level
    ORDER BY h.level DESC
"""
### BEGIN SOLUTION
query = """
    MATCH (s:Student)-[h:HAS_SKILL]->(:Skill {name: 'Machine Learning'})
    RETURN s.name AS student, h.level AS level
    ORDER BY CASE h.level
        WHEN 'Advanced' THEN 1 WHEN 'Intermediate' THEN 2 WHEN 'Beginner' THEN 3 ELSE 99 END
"""
### END SOLUTION
lesson.check("02.1", query)

# %% [markdown]
# ## Count
# `count(s)` counts students. Whatever stands beside it in `RETURN` says what is counted *per*: here, per subject.

# %%
college.read("""
    MATCH (s:Student)-[:STUDIES]->(x:Subject)
    RETURN x.name AS subject, count(s) AS students
    ORDER BY students DESC, subject
""")

# %% [markdown]
# Now clubs per student. There are five students. **Before you run it:** how many rows?

# %%
college.read("""
    MATCH (s:Student)-[:MEMBER_OF]->(c:Club)
    RETURN s.name AS student, count(c) AS clubs
    ORDER BY student
""")

# %% [markdown]
# Four. Sneha is in no club, so the pattern fits nowhere with her in it, and what does not fit cannot be counted.
# A report on 'clubs per student' has just lost the people it should worry about.
#
# `OPTIONAL MATCH` says: fit this part if you can, and keep the row if you can't. There is another way to count, too, that you will
# see in many books: `count(*)`. Compare the two.

# %%
college.read("""
    MATCH (s:Student)
    OPTIONAL MATCH (s)-[:MEMBER_OF]->(c:Club)
    RETURN s.name AS student, count(*) AS all_rows, count(c) AS clubs
    ORDER BY student
""")

# %% [markdown]
# Look at Sneha's line. `count(*)` counts rows, and one row was kept for her: 1. `count(c)` counts clubs that are really there: 0.
# The wrong one looks just as good. Name what you count, and it is counted.

# %% [markdown]
# ### Exercise 02.2 · write (core, 6 minutes)
# For every skill that the college knows, how many students have it? Two columns, `skill` and `students`. A skill that nobody has
# belongs in the table, with its 0.

# %% exercise="02.2"
query = """
"""
### BEGIN SOLUTION
query = """
    MATCH (k:Skill)
    OPTIONAL MATCH (s:Student)-[:HAS_SKILL]->(k)
    RETURN k.name AS skill, count(s) AS students
"""
### END SOLUTION
lesson.check("02.2", query)

# %% [markdown]
# ## Two counts in one query
# Clubs *and* skills per student. Payal is in two clubs and has two skills. **Before you run it:** what will her line say?

# %%
college.read("""
    MATCH (s:Student {name: 'Payal'})
    OPTIONAL MATCH (s)-[:MEMBER_OF]->(c:Club)
    OPTIONAL MATCH (s)-[:HAS_SKILL]->(k:Skill)
    RETURN s.name AS student, count(c) AS clubs, count(k) AS skills
""")

# %% [markdown]
# Four and four. Take the counting away and you see why.

# %%
college.read("""
    MATCH (s:Student {name: 'Payal'})
    OPTIONAL MATCH (s)-[:MEMBER_OF]->(c:Club)
    OPTIONAL MATCH (s)-[:HAS_SKILL]->(k:Skill)
    RETURN c.name AS club, k.name AS skill
""")

# %% [markdown]
# Each club met each skill: two times two. `count(DISTINCT c)` counts different clubs, so it is not fooled.

# %%
college.read("""
    MATCH (s:Student {name: 'Payal'})
    OPTIONAL MATCH (s)-[:MEMBER_OF]->(c:Club)
    OPTIONAL MATCH (s)-[:HAS_SKILL]->(k:Skill)
    RETURN s.name AS student, count(DISTINCT c) AS clubs, count(DISTINCT k) AS skills
""")

# %% [markdown]
# ## Filter after counting
# `WHERE` beside `MATCH` looks at single fits, before anything is counted. To ask about a count, finish counting first, with `WITH`:
# it hands the rows on to the next part, like a `RETURN` in the middle.
#
# Who is in more than one club?

# %%
college.read("""
    MATCH (s:Student)-[:MEMBER_OF]->(c:Club)
    WITH s, count(c) AS clubs
    WHERE clubs > 1
    RETURN s.name AS student, clubs
""")

# %% [markdown]
# ## Walk further
# A star makes an arrow as long as you like: `*1..` is *one step or more*. `p =` names the whole way, so that you can ask for its
# `length`. What should you have had before Computer Networks?

# %%
college.read("""
    MATCH p = (earlier:Subject)-[:PREREQUISITE_FOR*1..]->(:Subject {name: 'Computer Networks'})
    RETURN earlier.name AS subject, length(p) AS steps
    ORDER BY steps
""")

# %% [markdown]
# DSA comes before Operating Systems, which comes before Computer Networks. Two steps, and you never said how many.
#
# Friendships have no direction that matters. Here they are once more.

# %%
friends = college.read("MATCH (a:Student)-[f:FRIENDS_WITH]->(b:Student) RETURN a, f, b")
lesson.picture(friends, title="Friendships, as they were written down")

# %% [markdown]
# **Before you run it:** a friend of a friend of Aarav's. Who will come out?

# %%
college.read("""
    MATCH (:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student)
    RETURN x.name AS student
    ORDER BY student
""")

# %% [markdown]
# Sneha and Karan, of course. And Aarav: one step to a friend, and the same step back. It is the fold of lesson 01 again. Suggest
# 'people you may know' with this query, and everybody is told to make friends with themselves.
#
# (Why not write `-[:FRIENDS_WITH*2]-`? Because on this engine a star with one exact number goes wrong where no arrowhead says which
# way: `*3` gives the rows of `*2`. See for yourself. Write the steps out, as above.)

# %%
for steps in ("*2", "*3"):
    found = college.read(f"""
        MATCH (:Student {{name: 'Aarav'}})-[:FRIENDS_WITH{steps}]-(x:Student)
        RETURN x.name AS student ORDER BY student
    """)
    print(steps, [student for (student,) in found])

# %% [markdown]
# ### Exercise 02.3 · complete (core, 4 minutes)
# Fill the gap so that *people you may know* names everybody two steps away from Aarav, once each, but neither Aarav himself nor
# anybody who is his friend already.

# %% exercise="02.3"
query = """
    MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student)
    WHERE ...
    RETURN DISTINCT x.name AS student
"""
### BEGIN SOLUTION
query = """
    MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student)
    WHERE x <> a AND NOT (a)-[:FRIENDS_WITH]-(x)
    RETURN DISTINCT x.name AS student
"""
### END SOLUTION
lesson.check("02.3", query)

# %% [markdown]
# ## The shortest way
# How is Sneha connected to Karan? Many a tutorial, written for another engine, puts `shortestPath` into `MATCH`. Let us try that, and
# then do what the engine says.

# %%
from course_lib.college.errors import QueryError

tries = {
    "in MATCH": """
        MATCH p = shortestPath((a:Student {name: 'Sneha'})-[:FRIENDS_WITH*]-(b:Student {name: 'Karan'}))
        RETURN length(p) AS steps""",
    "in WITH": """
        MATCH (a:Student {name: 'Sneha'}), (b:Student {name: 'Karan'})
        WITH shortestPath((a)-[:FRIENDS_WITH*]-(b)) AS p
        RETURN length(p) AS steps""",
    "with an arrowhead": """
        MATCH (a:Student {name: 'Sneha'}), (b:Student {name: 'Karan'})
        WITH shortestPath((a)-[:FRIENDS_WITH*]->(b)) AS p
        RETURN length(p) AS steps""",
}
for where, cypher in tries.items():
    try:
        print(f"{where}: {college.read(cypher).scalar()}")
    except QueryError as error:
        print(f"{where}: {error.engine_message}")

# %% [markdown]
# Two errors, and good ones: each says what this engine wants. Then the third try does all of it, and gives `None`: along the
# arrowheads there is no way from Sneha to Karan. (A model that learned its Cypher elsewhere will write the first of the three. Lesson 08
# hands it the error and watches.)
#
# FalkorDB brings a procedure that takes both directions. `CALL` runs a procedure, `YIELD` names what you take from it, and
# `[n IN nodes(path) | n.name]` makes a list: the name of each node on the way.

# %%
college.read("""
    MATCH (a:Student {name: 'Sneha'}), (b:Student {name: 'Karan'})
    CALL algo.SPpaths({sourceNode: a, targetNode: b, relTypes: ['FRIENDS_WITH'],
                       relDirection: 'both', pathCount: 1}) YIELD path
    RETURN [n IN nodes(path) | n.name] AS way, length(path) AS steps
""")

# %% [markdown]
# ### Exercise 02.4 · write (extra, 12 minutes)
# An app shows one tutor per subject, found with a rank and `LIMIT 1`. In a college where two have an A+ in the same subject it
# would hide one of them, and nobody would know. Write the fair version: for every subject, *everybody* who has the best grade
# that anyone has in it. Three columns: `subject`, `student`, `grade`.
#
# A way to think of it: `WITH x, min(CASE … END) AS best` keeps one line per subject, with the smallest rank in it. Then match the
# students of that `x` again, and keep those whose `CASE … END` is `best`. A `CASE` may stand in `WHERE` too.

# %% exercise="02.4"
query = """
"""
### BEGIN SOLUTION
query = """
    MATCH (:Student)-[r:STUDIES]->(x:Subject)
    WITH x, min(CASE r.grade
        WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END) AS best
    MATCH (s:Student)-[r:STUDIES]->(x)
    WHERE best = CASE r.grade
        WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END
    RETURN x.name AS subject, s.name AS student, r.grade AS grade
"""
### END SOLUTION
lesson.check("02.4", query)

# %% [markdown]
# ## What to keep
# - Engines answer what you wrote. Grades, levels, sizes and months need a rank; numbers need to be numbers.
# - What does not fit is not counted. Start from what must be in the table, then `OPTIONAL MATCH`, then `count(x)`.
# - Two optional parts multiply each other: `count(DISTINCT …)`.
# - Without arrowheads, write steps out. A walk may come back to where it began.
# - The quiet mistake costs most. Lesson 12 counts them.
#
# **Common mistakes:** `DESC` with missing values (null comes first); `LIMIT 1` where two are equally good; `count(*)` after
# `OPTIONAL MATCH`; a walk that comes back to where it began.
#
# **Next:** 03 loads the rest of the college, and a single apostrophe brings the loader down.
