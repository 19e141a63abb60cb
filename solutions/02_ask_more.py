# %% [markdown]
# # 02 · Ask more
# *35 minutes, 15 of them yours. Before: 01. You need: this notebook, nothing else.*
#
# A question of the kind that a college app gets every day: *who is the best person to teach me DBMS?*
# By the end you can count, rank and walk paths, so you can answer it. You will also have met
# the most expensive kind of mistake: the query that runs, returns a person, and names the wrong one.

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
# It compares letters, as a phone book does: B comes after A, and what comes last is 'largest'.
# You meant *best*, you wrote *last in the alphabet*, and you got what you wrote.
#
# It is not about grades. **Before you run it:** which of these three strings is the smallest?

# %%
college.read("UNWIND ['9', '10', '100'] AS number RETURN number ORDER BY number")

# %% [markdown]
# ## Say what it is worth
# `CASE` turns a value into another. Give each grade a place in the queue, and sort by the place.

# %%
by_rank = """
    MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'})
    RETURN s.name AS student, r.grade AS grade
    ORDER BY CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END
"""
college.read(by_rank)

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
    ORDER BY CASE h.level WHEN 'Advanced' THEN 1 WHEN 'Intermediate' THEN 2 WHEN 'Beginner' THEN 3 ELSE 99 END
"""
### END SOLUTION
lesson.check("02.1", query)

# %% [markdown]
# ## Count
# `count(*)` counts rows. Whatever stands beside it in `RETURN` says what is counted *per*: here, per subject.

# %%
college.read("""
    MATCH (s:Student)-[:STUDIES]->(x:Subject)
    RETURN x.name AS subject, count(*) AS students
    ORDER BY students DESC, subject
""")

# %% [markdown]
# Now clubs per student. There are five students. **Before you run it:** how many rows?

# %%
college.read("""
    MATCH (s:Student)-[:MEMBER_OF]->(c:Club)
    RETURN s.name AS student, count(*) AS clubs
    ORDER BY student
""")

# %% [markdown]
# Four. Sneha is in no club, so the drawing fits nowhere with her in it, and what does not fit cannot be counted.
# A report on 'clubs per student' has just lost the people it should worry about.
#
# `OPTIONAL MATCH` says: draw this part if you can, and keep the row if you can't.

# %%
college.read("""
    MATCH (s:Student)
    OPTIONAL MATCH (s)-[:MEMBER_OF]->(c:Club)
    RETURN s.name AS student, count(*) AS all_rows, count(c) AS clubs
    ORDER BY student
""")

# %% [markdown]
# Look at Sneha's line. `count(*)` counts the row that was kept for her: 1. `count(c)` counts clubs that are really there: 0.
# One of the two is right, and the wrong one looks just as good.

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
# A star makes an arrow as long as you like: `*1..` is *one step or more*. What should you have had before Computer Networks?

# %%
college.read("""
    MATCH p = (earlier:Subject)-[:PREREQUISITE_FOR*1..]->(:Subject {name: 'Computer Networks'})
    RETURN earlier.name AS subject, length(p) AS steps
    ORDER BY steps
""")

# %% [markdown]
# DSA comes before Operating Systems, which comes before Computer Networks. Two steps, and you never said how many.
#
# With friendships, where either direction will do, there is a surprise in it. Who is exactly two steps away from Aarav?

# %%
friends = college.read("MATCH (a:Student)-[f:FRIENDS_WITH]->(b:Student) RETURN a, f, b")
lesson.picture(friends, title="Friendships, as they were written down")

# %%
college.read("""
    MATCH (:Student {name: 'Aarav'})-[:FRIENDS_WITH*2]-(x:Student)
    RETURN x.name AS student
    ORDER BY student
""")

# %% [markdown]
# Sneha and Karan, of course. And Aarav: one step to a friend, and the same step back. Suggest 'friends of friends'
# to people with this query and some will be told to make friends with themselves.

# %% [markdown]
# ### Exercise 02.3 · complete (core, 4 minutes)
# Fill the gap so that *people you may know* names everybody two steps away from Aarav, once each, but neither Aarav himself nor
# anybody who is his friend already.

# %% exercise="02.3"
query = """
    MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH*2]-(x:Student)
    WHERE ...
    RETURN DISTINCT x.name AS student
"""
### BEGIN SOLUTION
query = """
    MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH*2]-(x:Student)
    WHERE x <> a AND NOT (a)-[:FRIENDS_WITH]-(x)
    RETURN DISTINCT x.name AS student
"""
### END SOLUTION
lesson.check("02.3", query)

# %% [markdown]
# ## The shortest way
# How is Sneha connected to Karan? Many a tutorial, written for another engine, puts `shortestPath` into `MATCH`.

# %%
from course_lib.college.errors import QueryError

try:
    college.read("""
        MATCH p = shortestPath((a:Student {name: 'Sneha'})-[:FRIENDS_WITH*]-(b:Student {name: 'Karan'}))
        RETURN length(p) AS steps
    """)
except QueryError as error:
    print(error.engine_message)

# %% [markdown]
# At last an error, and a good one: it says what this engine wants. (A model that learned its Cypher elsewhere
# will write exactly this. Lesson 08 hands it the error and watches it mend its query.)
#
# FalkorDB brings a procedure for it. `CALL` runs a procedure, `YIELD` names what you take from it.

# %%
college.read("""
    MATCH (a:Student {name: 'Sneha'}), (b:Student {name: 'Karan'})
    CALL algo.SPpaths({sourceNode: a, targetNode: b, relTypes: ['FRIENDS_WITH'],
                       relDirection: 'both', pathCount: 1}) YIELD path
    RETURN [n IN nodes(path) | n.name] AS way, length(path) AS steps
""")

# %% [markdown]
# ### Exercise 02.4 · write (extra, 8 minutes)
# An app shows one tutor per subject, found with a rank and `LIMIT 1`. In a college where two have an A+ in the same subject it
# would hide one of them, and nobody would know. Write the fair version: for every subject, *everybody* who has the best grade
# that anyone has in it. Three columns: `subject`, `student`, `grade`.
#
# A way to think of it: first find the best rank per subject with `WITH` and `min`, then match the students again.

# %% exercise="02.4"
query = """
"""
### BEGIN SOLUTION
query = """
    MATCH (:Student)-[r:STUDIES]->(x:Subject)
    WITH x, min(CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END) AS best
    MATCH (s:Student)-[r:STUDIES]->(x)
    WHERE CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END = best
    RETURN x.name AS subject, s.name AS student, r.grade AS grade
"""
### END SOLUTION
lesson.check("02.4", query)

# %% [markdown]
# ## What to keep
# - Engines answer what you wrote. Grades, levels, sizes and months need a rank; numbers need to be numbers.
# - What does not fit is not counted. Start from what must be in the table, then `OPTIONAL MATCH`, then `count(x)`.
# - Two optional parts multiply each other: `count(DISTINCT …)`.
# - The quiet mistake is the dear one. Lesson 12 counts them.
#
# **Common mistakes:** `DESC` with missing values (null comes first); `LIMIT 1` where two are equally good; `count(*)` after
# `OPTIONAL MATCH`; a walk that comes back to where it began.
#
# **Next:** 03 loads the rest of the college, and a single apostrophe brings the loader down.
