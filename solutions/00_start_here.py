# %% [markdown]
# # 00 · Start here
# *25 minutes, 13 of them yours. Before: a little Python, no graphs. You need: this notebook. No key, no account.*
#
# Two people ask a computer for help.
#
# - Aarav is a student. He asks: *who could teach me DBMS?* (That is a subject: database management systems.)
#   The answer lies in who studied what, and with which grade.
# - Lata works in a bakery. She asks: *may this family have the hamper?* The answer lies in what a customer once
#   wrote in a chat about her son.
#
# Both answers sit in *connections* between things. So both are kept in a **graph**: things, with named arrows
# between them. Both are asked for in plain language, so a language model stands in between. In this course you
# build both machines, and you take them apart again where they go wrong.
#
# | | half 1: a study assistant | half 2: a memory for an agent |
# |---|---|---|
# | lessons | 01 to 13 | 14 to 21 |
# | the graph holds | a college: students, subjects, clubs, skills | a bakery: customers, allergies, products |
# | the model turns | a question into a query | a chat into facts |
# | the quiet failure | a query that runs, and answers something else | a fact that is stored, and never found again |
#
# By the end of this notebook you have put a question to a real graph engine, you have been wrong on purpose, and
# you have seen what the course does with a wrong answer.

# %% [markdown]
# ## A notebook remembers
# The boxes below are **cells**. Click into the first one and press **Shift + Enter**: it runs, and the next one is
# chosen. Run all three.

# %%
from course_lib import lesson

# %%
visits = 0

# %%
visits = visits + 1
visits

# %% [markdown]
# The value of the last line is shown below the cell.
#
# ### Exercise 00.1 · predict (core, 3 minutes)
# Say you begin afresh: you run `visits = 0` once and the cell after it once. Then you run that last cell **three
# more times**. What does `visits` hold then? Put your number in the place of the dots and run the cell. Try it out
# afterwards, not before: a prediction that turns out wrong teaches more than a number read off.

# %% exercise="00.1"
prediction = ...
### BEGIN SOLUTION
prediction = 4
### END SOLUTION
lesson.check("00.1", prediction)

# %% [markdown]
# Now try it: click into the cell with `visits + 1` and press **Ctrl + Enter** three times (that runs a cell and
# stays there). The number in brackets at its left grows too: it says in which order cells ran. Memory follows that
# order, not the order on the page. Most riddles in a notebook come from there. Two buttons help:
#
# - **Restart**, in the menu *Kernel*: the memory is empty again. Then run the cells from the top.
# - **Interrupt**, the square button: stops a cell that does not end. While it runs, its bracket holds a star.
#
# Each lesson puts its own graph in order when it starts, so you cannot harm the data.

# %% [markdown]
# ## What your machine can do
# The next cell looks at everything that the course stands on. Where something is missing, the remedy stands beside
# it. A terminal inside JupyterLab says the same when you type `course doctor`; any other one in the course's folder,
# when you type `python3 course.py doctor`.

# %%
lesson.machine()

# %% [markdown]
# ## A first question
# FalkorDB is a graph database: a program that keeps a graph and answers questions about it. It runs on your own
# machine. `lesson.start` gives you a graph of your own in it, and makes it whole again, whatever you did to it
# before.

# %%
college = lesson.start("00")

# %% [markdown]
# A question to it is a **query**, written in a language called Cypher. Read this one aloud: *match every student,
# call it s, and return its name and its year*.
#
# **Before you run it:** how many columns will come back, and what will they be called?

# %%
college.read("MATCH (s:Student) RETURN s.name AS student, s.year AS year")

# %% [markdown]
# The engine is real; the college is made up. Lesson 01 takes such a line apart. Here you need only this much: the word
# after the colon says *what kind of thing*, and what stands after `RETURN` becomes the columns.
#
# ## A wrong answer earns help
# Every exercise ends in a check, and the check knows four words. Let us make it say them, on an exercise that
# comes further down: *return every club, its name first, then the year it was founded*. A club is a thing of the
# kind `Club`, and it has two properties: `name` and `founded`.
#
# `lesson.rehearse` shows what a check would say, and counts nothing. First we hand in an empty text.
# **What would be fair to say to that?**

# %%
lesson.rehearse("00.2", "")

# %% [markdown]
# Not wrong: **not attempted**. Now the query about students, as it stands.

# %%
lesson.rehearse("00.2", "MATCH (s:Student) RETURN s.name AS student, s.year AS year")

# %% [markdown]
# **Wrong**, and look at what came with it: what was asked, your own rows beside it, and one sentence about *your*
# rows. It does not give the answer away. It does say which way to look, so let us look that way.

# %%
lesson.rehearse("00.2", "MATCH (c:Club) RETURN c.name AS club")

# %% [markdown]
# **Nearly**: the idea is right, a detail is not, and it says which. A wrong query got us here faster than thinking
# about a perfect one would have.
#
# If a verdict is not enough, ask for a hint. There are three to each exercise, from a nudge to almost the answer.

# %%
lesson.hint("00.2")

# %% [markdown]
# A hint costs nothing; it is only remembered that you saw it, and so the next call gives the second one. An exercise
# can be started over too, with its hints: that is `lesson.reset("00.2")`. It forgets your attempts, also a right
# one, and your cell keeps what you wrote.
#
# The fourth word you will get yourself.
#
# ### Exercise 00.2 · write (core, 6 minutes)
# Write a query that returns every club: its `name` first, then the year it was `founded`. Copy one from above and
# change it. Be wrong once or twice on the way; you have seen that it pays.

# %% exercise="00.2"
clubs_query = ""
### BEGIN SOLUTION
clubs_query = """
    MATCH (c:Club) RETURN c.name AS club, c.founded AS founded
"""
### END SOLUTION
lesson.check("00.2", clubs_query)  # stuck? lesson.hint("00.2")

# %% [markdown]
# If you would rather press buttons than type, they do the same: check, hint, start over.

# %%
lesson.panel("00.2", lambda: clubs_query)

# %% [markdown]
# ## Can a check be fooled?
# Ask the engine how many students there are.

# %%
college.read("MATCH (s:Student) RETURN count(s) AS students")

# %% [markdown]
# One row, one number. Suppose a check looked at nothing but that. A query does not have to look anything up:

# %%
college.read("RETURN 1 + 1 AS two")

# %% [markdown]
# ### Exercise 00.3 · break (core, 4 minutes)
# Play the cheat. Write a query that gives the same row as the count of the students, and never looks at the graph.

# %% exercise="00.3"
cheat = ""
### BEGIN SOLUTION
cheat = "RETURN 5 AS students"
### END SOLUTION
lesson.check("00.3", cheat)

# %% [markdown]
# Would that work on exercise 00.2? Its rows are few, so somebody could type them in. **What do you expect?**

# %%
lesson.rehearse(
    "00.2",
    """
    UNWIND [['Coding Club', 2015], ['Robotics Club', 2018], ['Debate Society', 2012]] AS club
    RETURN club[0] AS club, club[1] AS founded
""",
)

# %% [markdown]
# The right rows, and still not right. The check also ran the query on a college that you have not seen, with other
# clubs in it. Right rows are no proof that a query is right. You will need that thought again: in lesson 02 a query
# will be right by luck, and at the end of the course you will test whole machines this way.

# %% [markdown]
# ## Who answers when you have no key
# From lesson 04 on a language model takes part. A **practice model** comes with the course and runs on your machine,
# so you need no key and no network. It is a simulator, and it says so: it follows rules that we wrote, where a real
# model follows what it learnt from text. That is good for one thing above all: it makes the mistakes that real
# models make, and makes them when the lesson needs them. Everything round it is real, the engine and the programs
# that talk to a model included. With a key of your own, the same cells talk to a real one.
#
# Here you can see which models there are, try one with a short question, and choose. You need not: the practice model is set. (On the
# command line the same is `course model`.)

# %%
lesson.models()

# %% [markdown]
# ## How far you are

# %%
lesson.progress()

# %% [markdown]
# ## What to keep
# - A notebook remembers what ran, in the order in which it ran. Restart, and run from the top, when in doubt.
# - Four words: not attempted, wrong, nearly, right. The two in the middle tell you something about your own rows.
# - Rows that look right are not yet proof. Ask on data that nobody has seen.
#
# **Common mistakes:** running cells out of order; handing in the rows instead of the query; not daring a wrong
# answer, and so missing the help.
#
# **Next:** 01 draws questions as pictures, and one arrow turned round makes the rows vanish without an error.
