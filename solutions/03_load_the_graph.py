# %% [markdown]
# # 03 · Load the graph
# *40 minutes, 15 of them yours. Before: 01 and 02. You need: this notebook, nothing else.*
#
# The college keeps its facts in spreadsheets, and your graph is empty. Getting them in looks like the dull part.
# It is where graphs are ruined: by doubles, by one apostrophe, and by a note that somebody wrote on purpose.
# By the end you have loaded 75 nodes, can do it again without harm, and know the one habit that keeps data from turning into code.

# %%
from course_lib import lesson

college = lesson.start("03")
college.size()

# %% [markdown]
# Empty, and yours. The spreadsheets are plain CSV files, one for each label and each kind of relationship.

# %%
import csv

from course_lib.college.tables import default_folder

folder = default_folder()


def rows_of(name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


rows_of("Student")[:2]

# %% [markdown]
# ## Run it twice
# `CREATE` makes what you draw. The words behind the `$` are **parameters**: the values travel beside the query.
#
# **Before you run it:** the loop runs twice over five students. How many nodes?

# %%
for attempt in (1, 2):
    for row in rows_of("Student"):
        college.write("CREATE (s:Student {id: $id, name: $name})", {"id": row["id"], "name": row["name"]})
college.size()

# %% [markdown]
# Ten. Any loader is run twice some day: after a crash, after a correction, by a colleague. `MERGE` says *make sure that there is one*.
# So use that, with all we know about Aarav. A year later he is in year 3, and the loader runs again:

# %%
college.delete()
for year in (2, 3):
    college.write("MERGE (s:Student {id: $id, name: $name, year: $year})", {"id": "S01", "name": "Aarav", "year": year})
college.read("MATCH (s:Student) RETURN s.id AS id, s.name AS name, s.year AS year")

# %% [markdown]
# Two Aaravs. `MERGE` looks for *everything inside the brackets*. Nobody had id S01 **and** year 3, so it made one.
#
# > **MERGE the key, SET the rest.** In the brackets only what says *who it is*; what may change comes behind.

# %%
college.delete()
for year in (2, 3):
    college.write(
        "MERGE (s:Student {id: $id}) SET s.name = $name, s.year = $year", {"id": "S01", "name": "Aarav", "year": year}
    )
college.read("MATCH (s:Student) RETURN s.id AS id, s.name AS name, s.year AS year")

# %% [markdown]
# ### Exercise 03.1 · mend (core, 5 minutes)
# The same goes for a relationship. Sneha's DBMS grade was first entered as B+ and then corrected to A, and now she has two grades.
# Mend the query: however often it runs, there is one `STUDIES` between her and a subject, with the latest grade.

# %% exercise="03.1"
query = """
    MATCH (s:Student {id: $student}), (x:Subject {code: $subject})
    MERGE (s)-[:STUDIES {grade: $grade}]->(x)
"""
### BEGIN SOLUTION
query = """
    MATCH (s:Student {id: $student}), (x:Subject {code: $subject})
    MERGE (s)-[r:STUDIES]->(x)
    SET r.grade = $grade
"""
### END SOLUTION
lesson.check("03.1", query)

# %% [markdown]
# ## One apostrophe
# Why all those `$`? A Python f-string would be shorter. Here are the 25 notes of the college, loaded the short way.

# %%
from course_lib.college.errors import QueryError

college.delete()
loaded = 0
try:
    for note in rows_of("Note"):
        college.write(f"CREATE (n:Note {{id: '{note['id']}', text: '{note['text']}'}})")
        loaded += 1
except QueryError as error:
    print(f"{loaded} notes loaded, then:")
    print(error.engine_message)

# %% [markdown]
# The very first note says *Change a student's phone number*, and the engine took that apostrophe for the end of the text.
# Read the message again: it complains about a blank in line 1, as if *you* had made a slip in your Cypher.
#
# Well then, skip the notes that break? Look at what else can be in a note. This one is from a student with time on his hands.
#
# **Before you run it:** what will the graph hold afterwards?

# %%
college.delete()
college.write("CREATE (:Student {id: 'S01', name: 'Aarav'}), (:Student {id: 'S02', name: 'Payal'})")

note = {"id": "N99", "text": "Nice!'}) WITH n MATCH (s:Student) DETACH DELETE s //"}
college.write(f"CREATE (n:Note {{id: '{note['id']}', text: '{note['text']}'}})")

college.read("MATCH (n) RETURN labels(n)[0] AS label, n.name AS name, n.text AS text")

# %% [markdown]
# The students are gone, and no error. His text closed the quotation mark, went on in Cypher, and turned what was left of yours
# into a comment. It is called **injection**, and where queries are glued together from text it works in every database there is.

# %% [markdown]
# ### Exercise 03.2 · mend (core, 5 minutes)
# Mend the function. Any text at all may come in, and must be in the graph afterwards, letter by letter.
# Running it twice for one id leaves one note.

# %% exercise="03.2"
def add_note(graph, note):
    graph.write(f"CREATE (n:Note {{id: '{note['id']}', text: '{note['text']}'}})")


### BEGIN SOLUTION
def add_note(graph, note):
    graph.write("MERGE (n:Note {id: $id}) SET n.text = $text", {"id": note["id"], "text": note["text"]})
### END SOLUTION
lesson.check("03.2", add_note)

# %% [markdown]
# ## What a parameter can't be
# Values are parameters, always. It is tempting to go on: one loader for every label, with the label as a parameter.

# %%
for cypher, params in [
    ("MERGE (n:$label {id: 'S01'})", {"label": "Student"}),
    ("MATCH (a:Student), (b:Student) MERGE (a)-[:$type]->(b)", {"type": "FRIENDS_WITH"}),
]:
    try:
        college.write(cypher, params)
    except QueryError as error:
        print(error.engine_message)

# %% [markdown]
# Labels and types are part of the *question*, so the engine must know them before it sees any value. If a label comes out of a
# file name, it has to go into the text of the query after all, and there is one safe way: it must be on **your own list**.

# %% [markdown]
# ### Exercise 03.3 · break (extra, 6 minutes)
# After loading, somebody counts what has arrived. The label is checked, but only how it begins. Find a `label` that this
# function accepts and that leaves no student in the graph.

# %%
def count_label(graph, label):
    if not label.startswith(("Student", "Subject", "Club")):
        raise ValueError(f"I don't know the label {label!r}")
    return graph.write(f"MATCH (n:{label}) RETURN count(n) AS nodes")


# %% exercise="03.3"
label = ""
### BEGIN SOLUTION
label = "Student) DETACH DELETE n //"
### END SOLUTION
lesson.check("03.3", label)

# %% [markdown]
# The cure is shorter than the attack: `if label not in {"Student", "Subject", "Club"}`. And what only counts has no business
# with `write`: through `read`, the server itself would have said no. Lesson 07 is about that wall.

# %% [markdown]
# ## In batches
# A query per row means a trip to the server per row. `UNWIND` turns a list into rows, so that one query can carry a thousand.
#
# **Before you run it:** how much faster? Twice, five times, ten times?

# %%
import time

many = [{"id": f"X{number:04}", "text": f"This is note number {number}"} for number in range(1000)]


def one_by_one():
    for row in many:
        college.write("MERGE (n:Note {id: $id}) SET n.text = $text", row)


def in_a_batch():
    college.write("UNWIND $rows AS row MERGE (n:Note {id: row.id}) SET n.text = row.text", {"rows": many})


def seconds(load):
    college.delete()
    start = time.perf_counter()
    load()
    return time.perf_counter() - start


slow, fast = seconds(one_by_one), seconds(in_a_batch)
assert slow >= 5 * fast
print("at least 5 times faster in a batch: yes")

# %% tags=["measured"]
print(f"1,000 notes, measured just now: {slow * 1000:.0f} ms one by one, {fast * 1000:.0f} ms in a batch, {slow / fast:.0f} times faster")

# %% [markdown]
# ### Exercise 03.4 · complete (core, 5 minutes)
# Load friendships in one query. `$rows` is a list of `{student, friend}`, both of them ids. All the students are there already.
# Twice must be as good as once.

# %% exercise="03.4"
query = """
    UNWIND $rows AS row
    ...
"""
### BEGIN SOLUTION
query = """
    UNWIND $rows AS row
    MATCH (a:Student {id: row.student}), (b:Student {id: row.friend})
    MERGE (a)-[:FRIENDS_WITH]->(b)
"""
### END SOLUTION
lesson.check("03.4", query)

# %% [markdown]
# ## The whole college
# You have built the parts of a loader: keys by `MERGE`, values as parameters, labels from a fixed list, rows in batches. The course's own is
# made of the same. First the people, then what they learn.

# %%
from course_lib.college.dataset import load_college

college.delete()
print("people:          ", load_college(college, layers=("people",)))
print("and knowledge:   ", load_college(college))
print("and once more:   ", load_college(college))

# %% [markdown]
# And the files? People edit them, in spreadsheets, late at night. What should a loader do with half a broken file: load the other half?

# %%
import shutil
import tempfile
from pathlib import Path

from course_lib.college.tables import DataError

broken = Path(tempfile.mkdtemp()) / "college"
shutil.copytree(folder, broken)
studies = broken / "Student_STUDIES_Subject.csv"
studies.write_text(studies.read_text(encoding="utf-8") + "S77,CS201,4,A\n", encoding="utf-8")

before = college.checksum()
try:
    load_college(college, folder=broken)
except DataError as error:
    print(error)
print("the graph is as it was:", college.checksum() == before)
shutil.rmtree(broken.parent)

# %% [markdown]
# It names the file and the line, says what to do, and has touched nothing: everything is checked before the first row is written.
#
# Here is a part of what you have now, the road through DBMS that half the questions in this course will walk.

# %%
road = college.read("""
    MATCH (:Subject {name: 'DBMS'})-[:COVERS]->(a:Concept)-[r:PREREQUISITE_FOR]->(b:Concept)
    RETURN a, r, b
""")
lesson.picture(road, title="What comes before what in DBMS")

# %% [markdown]
# ## What to keep
# - MERGE the key, SET the rest: for nodes and for relationships.
# - Values are parameters, always. An f-string makes code of them.
# - Labels and types can't be parameters: take them from a list of your own, compared whole.
# - Rows go in batches, after all of them were checked.
#
# **Common mistakes:** `MERGE` with everything in the brackets (doubles); `MERGE` of a whole path with new ends (new nodes); a filter
# that looks at the beginning of a word only; half a file loaded.
#
# **Next:** 04 asks whether all this was worth it: the same facts as plain text, searched, against the graph.
