# %% [markdown]
# # 01 · A first graph
# *40 minutes, 12 of them yours. Before: 00. You need: this notebook, nothing else.*
#
# Five students, four subjects, three clubs, five skills, three projects. You could keep them in a spreadsheet, and
# then somebody asks: *who works on a project that needs a skill they don't have?* Try that with VLOOKUP.
#
# In a graph you draw the question and the engine finds every place where the drawing fits.
# By the end you can draw such questions yourself, and you will have seen one small mark turn
# a right question into a wrong one without a word of complaint.

# %%
from course_lib import lesson

college = lesson.start("01")
college.size()

# %% [markdown]
# ## What is in there
# Look before you ask. Here is Payal and everything that she touches.

# %%
payal = college.read("MATCH (s:Student {name: 'Payal'})-[r]->(x) RETURN s, r, x")
lesson.picture(payal, title="Payal and what she touches")

# %% [markdown]
# Two kinds of thing are in the picture, and a third is under *Nodes and relationships as tables*. Open it.
#
# - A **node** is a thing: a student, a subject. Its **label** says what kind (`Student`).
# - A **relationship** joins two nodes. It has a **type** (`STUDIES`) and a **direction**: the arrow.
# - **Properties** are the facts written on either: a student's `year`, the `grade` on a `STUDIES`.
#
# (DBMS, databases, and DSA, data structures and algorithms, are two of the four subjects.)
#
# Where would you put the grade: on the student, on the subject, or on the arrow between them? Payal has one grade in
# DBMS and may have another in DSA, so it belongs to neither end. It belongs to the arrow.

# %% [markdown]
# ## The first question
# The language is **Cypher**, and in it you draw what you are looking for, in letters. What stands between `MATCH` and `RETURN`
# is such a drawing: a **pattern**.

# %%
college.read("""
    MATCH (s:Student)
    RETURN s.name AS student, s.year AS year, s.branch AS branch
""")

# %% [markdown]
# One row for each place where the pattern fits. Piece by piece:
#
# - Brackets `( )` are a node. Behind the colon stands its label.
# - `s` is only a name that you gave the node, so that you can speak of it: `s.year` is its property `year`.
# - `RETURN` says what you want to see, and `AS` names a column.
#
# Square brackets `[ ]` are a relationship, and braces `{ }` hold properties that must be equal. Read this one aloud:
# *a student called Payal studies a subject*.

# %%
college.read("""
    MATCH (s:Student {name: 'Payal'})-[r:STUDIES]->(x:Subject)
    RETURN x.name AS subject, r.grade AS grade
""")

# %% [markdown]
# ## Turn the arrow round
# Every word is the same. Only the arrowhead has moved: `<-[r:STUDIES]-`.
#
# **Before you run it:** an error, the same two rows, or something else?

# %%
college.read("""
    MATCH (s:Student {name: 'Payal'})<-[r:STUDIES]-(x:Subject)
    RETURN x.name AS subject, r.grade AS grade
""")

# %% [markdown]
# Nothing. No error, no warning, and a table that looks as if Payal had dropped out.
#
# The engine did not misunderstand. You asked *which subjects study Payal?* and no subject does.
# **A pattern is a question. No rows means that the question, as you drew it,
# has no answer.**
#
# Three more ways to get the same polite nothing:

# %%
questions = {
    "a label with a typo": "MATCH (s:Studnet) RETURN s.name",
    "a type in the singular": "MATCH (s:Student)-[:STUDY]->(x) RETURN x.name",
    "a name in small letters": "MATCH (s:Student {name: 'payal'}) RETURN s.year",
}
for what, cypher in questions.items():
    print(f"{what:25} -> {len(college.read(cypher))} rows")

# %% [markdown]
# A property with a typo is sneakier still. You get your five rows, and each of them says *nothing is known here*.

# %%
college.read("MATCH (s:Student) RETURN s.name AS student, s.yaer AS year")

# %% [markdown]
# ### Exercise 01.1 · predict (core, 4 minutes)
# A friendship has an arrow too, since in a graph every relationship has one: it only tells who was written down first.

# %%
friends = college.read("MATCH (a:Student)-[f:FRIENDS_WITH]->(b:Student) RETURN a, f, b")
lesson.picture(friends, title="Who wrote whom down as a friend")

# %% [markdown]
# Look at Karan. How many rows will each of these three patterns give? The last one has no arrowhead at all: either direction will do.
#
# 1. `(k:Student {name: 'Karan'})-[:FRIENDS_WITH]->(x:Student)`
# 2. `(k:Student {name: 'Karan'})<-[:FRIENDS_WITH]-(x:Student)`
# 3. `(k:Student {name: 'Karan'})-[:FRIENDS_WITH]-(x:Student)`
#
# Put a number in place of each `...`, from the picture, before you ask the engine. A wrong guess costs nothing.

# %% exercise="01.1"
forwards = ...
backwards = ...
either_way = ...
### BEGIN SOLUTION
forwards = 0
backwards = 1
either_way = 1
### END SOLUTION
lesson.check("01.1", (forwards, backwards, either_way))

# %% [markdown]
# ### Exercise 01.2 · mend (core, 4 minutes)
# Somebody wrote this to list Sneha's friends, and told her that she has none. Mend the pattern, so that it finds a
# friendship whoever was written down first. It will also be run on a college that you have not seen.

# %% exercise="01.2"
query = """
    MATCH (s:Student {name: 'Sneha'})-[:FRIENDS_WITH]->(x:Student)
    RETURN x.name AS friend
"""
### BEGIN SOLUTION
query = """
    MATCH (s:Student {name: 'Sneha'})-[:FRIENDS_WITH]-(x:Student)
    RETURN x.name AS friend
"""
### END SOLUTION
lesson.check("01.2", query)

# %% [markdown]
# ## Narrow it down
# `WHERE` keeps the places where something holds. These two cells ask the same thing.

# %%
college.read("MATCH (s:Student {year: 2}) RETURN s.name AS student")

# %%
college.read("MATCH (s:Student) WHERE s.year = 2 RETURN s.name AS student")

# %% [markdown]
# Braces can only say *equals*. `WHERE` can say more: `>`, `<>` (is not), `AND`, `OR`, `NOT`, `IN` (is one of these).

# %%
college.read("""
    MATCH (s:Student)-[r:STUDIES]->(x:Subject)
    WHERE s.year > 2 AND NOT r.grade IN ['A+', 'A']
    RETURN s.name AS student, x.name AS subject, r.grade AS grade
""")

# %% [markdown]
# ## Keep walking
# A pattern may go on, node after node. Here is Rahul, his project, and what the project requires.

# %%
rahul = college.read("""
    MATCH (s:Student {name: 'Rahul'})-[w:WORKS_ON]->(p:Project)-[q:REQUIRES]->(k:Skill)
    RETURN s, w, p, q, k
""")
lesson.picture(rahul, title="What Rahul's project requires")

# %% [markdown]
# Now the same for everybody, as a table. **Before you run it:** Rahul works on one project. How many rows will he get?

# %%
college.read("""
    MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(k:Skill)
    RETURN s.name AS student, p.name AS project, k.name AS skill
""")

# %% [markdown]
# Three, one for each skill: a row is one fit of the *whole* pattern, not one student.
#
# The question from the top needs one thing more: that an arrow is **not** there. A pattern inside `WHERE NOT` says that.

# %%
college.read("""
    MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(k:Skill)
    WHERE NOT (s)-[:HAS_SKILL]->(k)
    RETURN s.name AS student, p.name AS project, k.name AS missing_skill
""")

# %% [markdown]
# Four lines, and nobody had to say the word *join*.

# %% [markdown]
# ### Exercise 01.3 · write (core, 4 minutes)
# Which students work on a project that requires SQL? Two columns: `student` and `project`. The engine will run it on your
# college and on others.

# %% exercise="01.3"
query = """
"""
### BEGIN SOLUTION
query = """
    MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(:Skill {name: 'SQL'})
    RETURN s.name AS student, p.name AS project
"""
### END SOLUTION
lesson.check("01.3", query)

# %% [markdown]
# ## When are two results the same?
# From here on your answers are compared with right ones, so it had better be clear when two tables say the same.
#
# Only students point at clubs with `MEMBER_OF`, so the second pattern may leave the label `Club` out. Same question, same answer?

# %%
one = college.read("""
    MATCH (s:Student)-[:MEMBER_OF]->(c:Club)
    RETURN s.name AS student, c.name AS club
""")
other = college.read("""
    MATCH (s:Student)-[:MEMBER_OF]->(c)
    RETURN s.name AS student, c.name AS club
""")
print("the same order:", list(one) == list(other))
print("the same rows: ", sorted(one) == sorted(other))
assert sorted(one) == sorted(other)

# %% [markdown]
# **Order counts only if you asked for it**, with `ORDER BY`. Without it the engine hands the rows out as it finds them. A small
# change of the query, and it finds them in another order.
#
# How often a row occurs does count, though. Who is in a club?

# %%
college.read("""
    MATCH (s:Student)-[:MEMBER_OF]->(:Club)
    RETURN s.name AS student
    ORDER BY student
""")

# %% [markdown]
# Payal twice: with her the pattern fits in two places. If you want each student once, say `DISTINCT`.

# %%
college.read("""
    MATCH (s:Student)-[:MEMBER_OF]->(:Club)
    RETURN DISTINCT s.name AS student
    ORDER BY student
""")

# %% [markdown]
# ## A pattern can fold
# Aarav and Payal are in the Coding Club, Payal and Karan in the Debate Society. Who shares a club with Payal? Draw a V: from her to
# a club, and from somebody to the same club.
#
# **Before you run it:** how many different names?

# %%
college.read("""
    MATCH (p:Student {name: 'Payal'})-[:MEMBER_OF]->(:Club)<-[:MEMBER_OF]-(other:Student)
    RETURN DISTINCT other.name AS student
    ORDER BY student
""")

# %% [markdown]
# Three, since Payal shares a club with Payal. Nobody told the engine that the two ends must be different people, so it folds the V
# together and finds that this fits as well. (Some other graph engines forbid using one arrow twice. This one doesn't.)
#
# `WHERE other <> p` says it: `<>` means *is not*.

# %% [markdown]
# ## A middle that nobody uses
# Who shares a subject with Aarav, and which?

# %%
college.read("""
    MATCH (a:Student {name: 'Aarav'})-[:STUDIES]->(x:Subject)<-[:STUDIES]-(other:Student)
    WHERE other <> a
    RETURN other.name AS student, x.name AS subject
    ORDER BY student, subject
""")

# %% [markdown]
# Payal twice, once for each subject. The next query is the same but for the `RETURN`, which leaves the subject out.
#
# **Before you run it:** Payal twice, or once?

# %%
college.read("""
    MATCH (a:Student {name: 'Aarav'})-[:STUDIES]->(x:Subject)<-[:STUDIES]-(other:Student)
    WHERE other <> a
    RETURN other.name AS student
    ORDER BY student
""")

# %% [markdown]
# Once. Two ways lead from Aarav to Payal, and they differ only in a node in the *middle* that nothing in the query uses.
# FalkorDB then keeps one of them. (The clubs above stood at the *end* of the pattern, so Payal came twice.) Other engines keep both, and
# most books say so.
#
# Don't lean on either. If you want each person once, say `DISTINCT`. If you count something, name what you count.

# %% [markdown]
# ### Exercise 01.4 · write (extra, 6 minutes)
# Who shares a project with Aarav, and which project? Two columns, `student` and `project`. Mind the fold.

# %% exercise="01.4"
query = """
"""
### BEGIN SOLUTION
query = """
    MATCH (a:Student {name: 'Aarav'})-[:WORKS_ON]->(p:Project)<-[:WORKS_ON]-(other:Student)
    WHERE other <> a
    RETURN other.name AS student, p.name AS project
"""
### END SOLUTION
lesson.check("01.4", query)

# %% [markdown]
# ## What to keep
# - A pattern is a question. A row is one fit of the whole pattern; a middle that you never use may be left out.
# - The arrow is part of the question. Turned round, it asks something else, and the engine answers *that*.
# - No rows is not an error. It is the answer to what you drew.
# - Same rows, any order: the same result. A row more or less: another one.
#
# **Common mistakes:** a label, a type or a name that is spelled differently in the graph (0 rows, no error); a property that is
# misspelled (all null, no error); an arrow on a friendship; forgetting that two fits make two rows; a V that
# folds.
#
# **Next:** 02 counts, ranks and walks.
