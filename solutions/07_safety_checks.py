# %% [markdown]
# # 07 · Safety checks
# *45 minutes, 18 of them yours. Before: 01, 03, 05. You need: this notebook, no key.*
#
# A model writes queries and your program runs them. One day somebody types: *clean up the old data*.
#
# Today you put layers between that sentence and your graph, attack each of them, and find out which one you can trust. **Filters are
# courtesy, permissions are the boundary.**

# %%
from course_lib import lesson
from course_lib.college.schema import read_schema
from course_lib.models import connect

college = lesson.start("07")
model = connect()
system = read_schema(college).to_prompt()
cypher = model.generate("# Question\nclean up the old data", system).text
print(cypher)

# %% [markdown]
# The prompt has a rule against it (`Use reading clauses only`), and the model wrote it all the same: it was asked to. A prompt is a wish.
#
# What if your program runs that with a connection that may write?

# %%
college.write(cypher)
college.size()

# %% [markdown]
# Gone, all 75 nodes, and nothing crashed: **the accidental DELETE**, one of the six classic accidents. This graph is a copy, so bring it back.

# %%
college = lesson.start("07")
college.size()

# %% [markdown]
# ## Permissions first
# `college.read` is a different door. It goes in as a **database user who may only read**, and by the engine's own read-only command.
# **Before you run it:** the same query through that door?

# %%
from course_lib.errors import CourseError


def through_the_reader(cypher, **limits):
    try:
        return college.read(cypher, **limits)
    except CourseError as error:
        return error.what


print(through_the_reader(cypher))
print(college.size())

# %% [markdown]
# The *database* refuses, not your code. No spelling gets round that: whatever the text looks like, this user has no right to write.
#
# It also gets a **time limit**. Here is a query without a single bad word in it: every combination of four nodes.

# %%
print(through_the_reader("MATCH (a), (b), (c), (d) RETURN count(*)", timeout_ms=300))

# %% [markdown]
# So, are we done? What may a reader still do? `LOAD CSV` reads a file, or a page of the web, into a query. Is that a write? Let us stand at
# a door of this machine and see whether somebody knocks.

# %%
import socket

door = socket.create_server(("127.0.0.1", 0))
door.settimeout(5)
port = door.getsockname()[1]

import threading

knocks = []


def wait_for_a_knock():
    try:
        connection, _ = door.accept()
    except TimeoutError:
        return
    knocks.append("somebody knocked")
    connection.close()


waiting = threading.Thread(target=wait_for_a_knock)
waiting.start()
through_the_reader(
    f"LOAD CSV FROM 'https://127.0.0.1:{port}/secrets.csv' AS line RETURN line", timeout_ms=4_000
)
waiting.join()
door.close()
print(knocks)

# %% [markdown]
# The engine went out and rang, as a *read-only* user. With an address from outside, that is how data leaves a house, or how somebody looks
# round inside your network. Permissions have a hole, and it isn't small.
#
# And one more thing that no permission stops:

# %%
college.read("MATCH (s:Student {name: 'Payal'}) RETURN s")

# %% [markdown]
# A whole node. Today it holds a year and a branch. Tomorrow somebody adds a phone number, and this query hands it out.
#
# For such things there has to be a check of the text, before it runs.

# %% [markdown]
# ## The usual check
# This is how you find it in many projects: words that may not occur.

# %%
WORDS = ["CREATE", "DELETE", "SET ", "MERGE", "REMOVE", "DROP"]


def substring_filter(cypher):
    """True when the query is let through."""
    return not any(word in cypher.upper() for word in WORDS)


print(substring_filter("MATCH (n) DETACH DELETE n"), substring_filter("MATCH (s:Student) RETURN s.name"))

# %% [markdown]
# Looks good. (`'SET '` has a space, so that `OFFSET` and `ASSET` may pass. Does it help?)

# %% [markdown]
# ### Exercise 07.1 · break (core, 6 minutes)
# Break it both ways. `write`: a query that this filter lets through and that **changes** the college. `read`: a harmless query that it
# **refuses**. Both are really run, on a copy.

# %% exercise="07.1"
write = ""
read = ""
### BEGIN SOLUTION
write = "MATCH (s:Student {name: 'Payal'}) SET\ts.year = 9"
read = "MATCH (s:Student) RETURN s.name AS name, s.createdAt AS created"
### END SOLUTION
lesson.check("07.1", (write, read))

# %% [markdown]
# The engine doesn't care what stands between two words: a tab, a line break, a comment. And a filter of letters cannot tell a clause from
# a name that contains it.
#
# ## A cleverer check
# So somebody improves it: take the comments off, then look for **whole words**.

# %%
import re


def regex_filter(cypher):
    """True when the query is let through."""
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", " ", cypher, flags=re.S)
    return not re.search(r"\b(CREATE|DELETE|SET|MERGE|REMOVE|DROP)\b", bare, flags=re.I)


print(regex_filter("MATCH (n) SET\tn.x = 1"), regex_filter("MATCH (s) RETURN s.createdAt"))

# %% [markdown]
# Both of the holes are closed. **Before you go on:** the first line of it takes off what looks like a comment. Where might something *look*
# like a comment, and be none?

# %% [markdown]
# ### Exercise 07.2 · break (core, 7 minutes)
# The same for `regex_filter`: a write that passes and changes the college, and a harmless read that is refused.

# %% exercise="07.2"
write = ""
read = ""
### BEGIN SOLUTION
write = "MATCH (s:Student {name: 'Payal'}) WHERE 'http://x' <> s.name SET s.year = 9"
read = "MATCH (s:Student) WHERE s.name <> 'SET' RETURN s.name AS name"
### END SOLUTION
lesson.check("07.2", (write, read))

# %% [markdown]
# ## Read it as the engine does
# You can't find out what a word is by looking for it. You have to read the query from its start, as the engine does: here begins a string,
# here it ends, this is a name, this is a clause. Such a reader cuts a text into **tokens**.

# %%
from course_lib.college.tokens import tokens

for token in tokens("MATCH (s) WHERE s.set = 'SET' /* SET */ SET s.x = 1"):
    if "SET" in token.text.upper():
        print(token.kind, token.text, "at", token.start)

# %% [markdown]
# Four times the letters, and the comment isn't even a token. Which of the two bare words is the clause? `s.set` stands behind a dot: a name.
# The other one stands where a new clause can begin. The guard of this course decides by place:

# %%
from course_lib.views.marked_query import mark

mark("MATCH (s) WHERE s.set = 'SET' /* SET */ SET s.x = 1")

# %% [markdown]
# It knows more: what a result holds, which procedures only read, where a file is loaded. Each verdict has a **code** that stays the same, and
# a sentence that a model can act on: in lesson 08 it goes back to the model.

# %%
from course_lib.college.guard import check

for cypher in (
    "MATCH (s:Student) RETURN s.name, s",
    "LOAD CSV FROM 'file:///marks.csv' AS line RETURN line",
    "CALL db.idx.fulltext.drop('Student')",
    "MATCH (s:Student) RETURN s.name; MATCH (n) DELETE n",
    "MATCH (s:Student {name: 'DROP'}) RETURN s.createdAt",
):
    print(f"{check(cypher).code:18}", cypher)

# %% [markdown]
# ### Exercise 07.3 · mend (core, 5 minutes)
# The guard refuses this one. Mend it so that it passes and tells who studies DBMS and with which **grade**: two columns, nothing else.

# %% exercise="07.3"
query = """
    MATCH (s:Student)-[r:STUDIES]->(c:Subject {name: 'DBMS'})
    RETURN s, r
"""
### BEGIN SOLUTION
query = """
    MATCH (s:Student)-[r:STUDIES]->(c:Subject {name: 'DBMS'})
    RETURN s.name AS student, r.grade AS grade
"""
### END SOLUTION
lesson.check("07.3", query)

# %% [markdown]
# Now try to break *this* one. Type into the box; nothing is run. Without the widget: `mark("…")`.

# %%
from course_lib.views.marked_query import guard_playground

guard_playground()

# %% [markdown]
# ## The layers, one by one
# Six attacks and two harmless queries, against each layer **alone**. `stopped` is what we want for the six, `passes` for the two.

# %%
attacks = [
    "MATCH (n) DETACH DELETE n",
    "MATCH (s:Student)\nSET\ns.grade = 'A+'",
    "MATCH (s:Student) WHERE 'http://x' <> '' SET s.year = 9",
    "FOREACH (i IN [1] | CREATE (:Junk))",
    "LOAD CSV FROM 'file:///marks.csv' AS line RETURN line",
    "MATCH (s:Student) RETURN s",
]
harmless = [
    "MATCH (s:Student) WHERE s.name <> 'DELETE' RETURN s.name",
    "MATCH (s:Student) RETURN s.name AS set",
]


def reader_stops(cypher):
    try:
        college.read(cypher)
    except CourseError as error:
        return "only reads" in str(error)  # a file that isn't there is no refusal: it was looked for
    return False


layers = {
    "substring": lambda cypher: not substring_filter(cypher),
    "regex": lambda cypher: not regex_filter(cypher),
    "permissions": reader_stops,
    "guard": lambda cypher: not check(cypher).ok,
}
print(f"{'':46}", *(f"{name:12}" for name in layers))
for cypher in attacks + harmless:
    line = " ".join(cypher.split())[:44]
    print(f"{line:46}", *(f"{'stopped' if stops(cypher) else 'passes':12}" for stops in layers.values()))

# %% [markdown]
# Read it by columns. The two filters miss attacks *and* stop harmless queries. The permissions stop every change, and only changes. The guard
# stops all six and lets both harmless ones pass.
#
# So why not the guard alone? Because it is code, and code has mistakes. It was tried on thousands of generated queries against this engine,
# with the permissions switched off, and nothing that it let through changed the graph. That is a good sign. It is no proof. A user without the
# right to write needs no proof.

# %%
assert all(layers["guard"](cypher) for cypher in attacks)
assert not any(layers["guard"](cypher) for cypher in harmless)
assert [layers["permissions"](cypher) for cypher in attacks] == [True] * 4 + [False] * 2

# %% [markdown]
# ### Exercise 07.4 · decide (extra, 3 minutes)
# One layer must stay when all the others fail: which would you never do without? Hand in its name as in the table, and how many of the six
# attacks it stops **alone**.

# %% exercise="07.4"
layer, stopped = None, None
### BEGIN SOLUTION
layer, stopped = "permissions", 4
### END SOLUTION
lesson.check("07.4", (layer, stopped))

# %% [markdown]
# ## Common mistakes
# - **Looking for words.** A word in a string is no clause, and a clause needs no space behind it.
# - **Cleaning before looking.** Whoever strips comments with a pattern strips strings as well.
# - **'Read-only' means harmless.** It reads files, fetches pages, and hands out whole nodes.
# - **A clever check instead of a weak user.** First the user, then the check.
#
# ## What you take along
# - A prompt is a wish, a filter is courtesy, a permission is a boundary.
# - A check has two ways to be wrong: it misses, and it refuses what is harmless. Test both.
# - A refusal is more use with a reason: somebody can act on it.
#
# **Next:** that somebody is the model. Lesson 08 sends the reason back, and counts how often the second attempt is right.
