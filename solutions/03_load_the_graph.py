# %% [markdown]
# # 03 · Load the graph
# *45 minutes, 15 of them yours. Before: 01 and 02. You need: this notebook, nothing else.*
#
# The college keeps its facts in spreadsheets, and your graph is empty. Getting them in looks like the dull part.
# It is where graphs are ruined: by duplicates, by one apostrophe, and by a note that somebody wrote on purpose.
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
college.delete()
for attempt in (1, 2):
    for row in rows_of("Student"):
        college.write(
            "CREATE (s:Student {id: $id, name: $name})",
            {"id": row["id"], "name": row["name"]},
        )
college.size()

# %% [markdown]
# Ten. Any loader is run twice some day: after a crash, after a correction, by a colleague. `MERGE` says *make sure that there is one*.
# So use that, with all we know about Aarav. A year later he is in year 3, and the loader runs again:

# %%
college.delete()
for year in (2, 3):
    college.write(
        "MERGE (s:Student {id: $id, name: $name, year: $year})",
        {"id": "S01", "name": "Aarav", "year": year},
    )
college.read("MATCH (s:Student) RETURN s.id AS id, s.name AS name, s.year AS year")

# %% [markdown]
# Two Aaravs. `MERGE` looks for *everything inside the braces*. Nobody had id S01 **and** year 3, so it made one.
#
# > **MERGE the key, SET the rest.** In the braces only what says *who it is*. What may change comes behind, in `SET`.

# %%
college.delete()
for year in (2, 3):
    college.write(
        "MERGE (s:Student {id: $id}) SET s.name = $name, s.year = $year",
        {"id": "S01", "name": "Aarav", "year": year},
    )
college.read("MATCH (s:Student) RETURN s.id AS id, s.name AS name, s.year AS year")

# %% [markdown]
# ## Everything in a CSV is text
# Look again at what came out of the file: `'year': '2'`, in quotation marks. Load it as it stands and ask for year 2.
#
# **Before you run it:** Aarav and Payal are in year 2. How many rows?

# %%
college.delete()
for row in rows_of("Student"):
    college.write("MERGE (s:Student {id: $id}) SET s.year = $year", {"id": row["id"], "year": row["year"]})
college.read("MATCH (s:Student) WHERE s.year = 2 RETURN s.id AS id")

# %% [markdown]
# None, and no error: the text '2' is not the number 2. A loader has to say what is a number.

# %%
for row in rows_of("Student"):
    college.write(
        "MERGE (s:Student {id: $id}) SET s.name = $name, s.year = $year",
        {"id": row["id"], "name": row["name"], "year": int(row["year"])},
    )
college.read("MATCH (s:Student) WHERE s.year = 2 RETURN s.name AS student ORDER BY student")

# %% [markdown]
# ## The same for relationships
# Sneha's DBMS grade is entered as a B+, and later corrected to an A.

# %%
college.write("MERGE (x:Subject {code: 'CS201'}) SET x.name = 'DBMS'")
for grade in ("B+", "A"):
    college.write(
        """
        MATCH (s:Student {id: $student}), (x:Subject {code: $subject})
        MERGE (s)-[:STUDIES {grade: $grade}]->(x)
        """,
        {"student": "S04", "subject": "CS201", "grade": grade},
    )
college.read("MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN s.name, x.name, r.grade")

# %% [markdown]
# ### Exercise 03.1 · mend (core, 5 minutes)
# Now she has two grades. Mend the query: however often it runs, there is one `STUDIES` between a student and a subject, with the latest
# grade. To try it first, run `college.write(query, {"student": "S04", "subject": "CS201", "grade": "A+"})` in a cell of your own.

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

college.read("MATCH (n) RETURN labels(n) AS labels, n.name AS name, n.text AS text")

# %% [markdown]
# The students are gone, and no error. His text closed the quotation mark, went on in Cypher (`DETACH DELETE` takes nodes away, with
# all their relationships), and made a comment of what was left of yours: that is what `//` does.
#
# It is called **injection**. Every query language has this hole where queries are glued together from text.

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
# A query per row means a trip to the server per row. `UNWIND` turns a list into rows, so that one query can carry a thousand, and
# `row.id` is what each of them has under `id`.
#
# **Before you run it:** how much faster? Twice, ten times, fifty times?

# %%
import time

many = [{"id": f"X{number:04}", "text": f"This is note number {number}"} for number in range(1000)]


def one_by_one():
    for row in many:
        college.write("MERGE (n:Note {id: $id}) SET n.text = $text", row)


def in_a_batch():
    college.write(
        "UNWIND $rows AS row MERGE (n:Note {id: row.id}) SET n.text = row.text",
        {"rows": many},
    )


def seconds(load):
    college.delete()
    start = time.perf_counter()
    load()
    return time.perf_counter() - start


slow, fast = seconds(one_by_one), seconds(in_a_batch)
assert slow >= 5 * fast
print("at least 5 times faster in a batch: yes")

# %% tags=["measured"]
print(f"1,000 notes on this machine, just now: {slow * 1000:.0f} ms one by one,")
print(f"{fast * 1000:.0f} ms in a batch. That is {slow / fast:.0f} times faster.")

# %% [markdown]
# ### Exercise 03.4 · complete (core, 5 minutes)
# Load friendships in one query. `$rows` is a list such as `[{"student": "S01", "friend": "S02"}]`, and the students are there already:
# the next cell sees to that, so that you can try `college.write(query, {"rows": rows_of("Student_FRIENDS_WITH_Student")})`. Twice must be as
# good as once.

# %%
from course_lib.college.dataset import load_college

college.delete()
load_college(college, layers=("people",))
college.write("MATCH (:Student)-[f:FRIENDS_WITH]->(:Student) DELETE f")
college.read("MATCH (s:Student) RETURN s.id AS id, s.name AS name ORDER BY id")

# %% [markdown]
# Write the query below. For each row: find both students, then make sure of the friendship.

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
# **Common mistakes:** `MERGE` with everything in the braces (duplicates); a number loaded as text; `MERGE` of a whole path with new ends (new nodes); a filter
# that looks at the beginning of a word only; half a file loaded.
#
# **Next:** 04 asks whether all this was worth it: the same facts as plain text, searched, against the graph.
