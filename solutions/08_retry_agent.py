# %% [markdown]
# # 08 · The second attempt
# *40 minutes, 15 of them yours. Before: 05, 06 and 07. You need: this notebook, no key.*
#
# Your model knows the schema (05), its replies are cleaned (06), and nothing dangerous runs (07). And still it gets many a question
# wrong. So you ask again. But *what do you say* when you ask again? "That did not work, try again" is what most programs say.
# Today you measure what that is worth, and what it is worth to say what was wrong.

# %%
from course_lib import lesson

college = lesson.start("08")
college.size()

# %% [markdown]
# ## One attempt
# Everything from the last three lessons in one function: ask, take the query out of the reply, check it, run it.

# %%
from course_lib.college.guard import check
from course_lib.college.reply import extract_cypher
from course_lib.college.schema import read_schema
from course_lib.models import connect

model = connect()
schema = read_schema(college)
system = schema.to_prompt()


def attempt(question, earlier=""):
    reply = model.generate(f"{earlier}\n\n# Question\n{question}", system)
    cypher = extract_cypher(reply.text)
    verdict = check(cypher)
    return cypher, college.read(cypher) if verdict.ok else verdict.reason


# Who are the students of both, DBMS and the debate one?
question = "dbms and debate-ye dono ke students kaun hain?"
cypher, rows = attempt(question)
print(cypher)
rows

# %% [markdown]
# 0 rows, and no error. The schema is right, the arrows are right, names are matched loosely. Which word is it?
#
# **Before you run the next cell:** the same question again, with nothing said. Will it go better?

# %%
again, rows = attempt(question)
print("the same query:", again == cypher, "-", len(rows), "rows")

# %% [markdown]
# The practice model always does the same. A real one draws by lot, so it may do better, or worse; you don't get to choose.
#
# So tell it what came of its query. It has to stand in the prompt (a model keeps nothing from one call to the next, you saw that in 04):
# the query, and what went wrong. Four ways to say it:

# %%
def told(cypher, hint):
    return f"# Previous attempt\nQuery:\n{cypher}\nWhat went wrong: {hint}"


for hint in (
    "That did not work. Try again.",
    "0 rows. Please think harder, this is important.",
    "0 rows. Check the direction of the arrows.",
    "0 rows. Nothing is called 'debate-ye'. Did you mean 'Debate Society'?",
):
    second, rows = attempt(question, told(cypher, hint))
    print(f"rows: {len(rows)}   {hint}")

# %% [markdown]
# **A hint is worth as much as it is precise.** "Think harder" brings back the same query. Good advice about something else does, too.
# The last one names the word and what it may have meant, and Payal comes out.
#
# Where does 'Debate Society' come from? Not from the model: from the graph. Code can look which names there nearly match.

# %%
from course_lib.college.agent import listed_names
from course_lib.college.near_names import near_names

for typed in ("debate-ye", "pyhton", "ML", "comp net", "payalka", "Vikram"):
    print(f"{typed:10}", [(near.value, near.how) for near in near_names(typed, listed_names(schema))])

# %% [markdown]
# ## What the engine says
# That was a quiet failure. Now a loud one, the first of the course's six *production errors*: **a query the engine refuses**.
# Models learned most of their Cypher from Neo4j, another graph database. Its dialect is nearly the same.

# %%
import textwrap

from course_lib.college.errors import QueryError


def say(text):
    print(textwrap.fill(text, 96))


neo4j = "MATCH (s:Student WHERE s.name = 'Payal') RETURN s.year"
try:
    college.read(neo4j)
except QueryError as error:
    say(error.engine_message)

# %% [markdown]
# Not pretty, but read it aloud once, piece by piece:
#
# - `errMsg: Invalid input 'W'`: the engine met a W it had no use for; `expected …` is what it would have taken.
# - `line: 1, column: 18, offset: 17`: where. The offset counts from the start, beginning with 0 (in bytes: a letter like é counts twice).
# - `errCtx` is the line it stands in, `errCtxOffset` the place in that line.
#
# So it read happily as far as here:

# %%
print(neo4j[:17], "  <-- and then:  ", neo4j[17:22])

# %% [markdown]
# In Neo4j a node may have a WHERE inside its brackets. Here it may not: after `Student` only a label, a map, a parameter or the closing bracket
# can come. The message says so, in its own way. **Is it good enough for a model?** We give the practice model this habit on purpose
# (so from here on we ask *it*, whatever your settings say), and try. `StudyAgent` is the finished form of what you have built above.

# %%
from course_lib.college.agent import StudyAgent
from course_lib.evaluation.ablation import practice_model
from course_lib.models.practice.server import practice_server

practice = practice_model()
clubs = "Which clubs is Payal in?"
with practice_server().misbehave("neo4j_syntax", variant="where_in_node", times=None, habit=True):
    for attempts in (1, 2):
        answer = StudyAgent(college, practice, attempts=attempts).ask(clubs)
        print(f"{attempts}: {answer.status}", sorted(row[0] for row in answer.rows))
print()
say(answer.attempts[0].hint)

# %% [markdown]
# With one attempt: `failed`. With two, the message went back together with the query, and the query was mended. (`.ask` never raises, whatever
# happens: it has a `status`. The last sentence of the hint is a cure that the course knows for this habit.)
#
# ### Exercise 08.1 · predict (core, 4 minutes)
# The internet is full of advice on what this engine takes. Which of these does it **refuse**? A list of letters.
#
# - **a** `MATCH (s)-[:STUDIES]->(x) RETURN s.name`
# - **b** `MATCH (s:Student) WHERE s.name =~ 'P.*' RETURN s.name`
# - **c** `MATCH (s:Student) WHERE (s)-[:MEMBER_OF]->(:Club) RETURN s.name`
# - **d** `MATCH (s:Student) WHERE EXISTS { (s)-[:MEMBER_OF]->(:Club) } RETURN s.name`
# - **e** `MATCH (s:Person) RETURN s.name`
# - **f** `MATCH (s:Student) RETURN s.shoe_size`

# %% exercise="08.1"
prediction = ...
### BEGIN SOLUTION
prediction = ["b", "d"]
### END SOLUTION
lesson.check("08.1", prediction)

# %% [markdown]
# ## Folklore
# "FalkorDB refuses nodes without a label": you will read that in tutorials, and in prompts. Ask the engine how it would go about it.
# `explain` shows its plan, to be read from the bottom up:

# %%
for pattern in ("(s)-[:STUDIES]->(x)", "(s:Student)-[:STUDIES]->(x:Subject)"):
    query = f"MATCH {pattern} RETURN count(*) AS n"
    print(query, "->", college.read(query).scalar())
    print(college.explain(query), "\n")

# %% [markdown]
# Accepted, both, with the same count. But the first begins with an **All Node Scan**: it looks at every node of the graph, 75 here. The second
# begins at the nodes of one label, 4 subjects. On 75 nodes that is nothing; on ten million it is the difference between an answer and a timeout. So a label
# pays, and the rule stays in the prompt. Only the reason was wrong.
#
# What it does refuse are the Neo4j habits: `=~`, WHERE inside a node, `EXISTS { … }`, and one more, `shortestPath` in MATCH:

# %%
try:
    college.read("""
        MATCH p = shortestPath((a:Concept {name: '1NF'})-[:PREREQUISITE_FOR*]->(b:Concept {name: 'BCNF'}))
        RETURN length(p)
    """)
except QueryError as error:
    print(error.engine_message)

# %% [markdown]
# Now the letters **e** and **f**. A label that isn't there: 0 rows. A property that isn't there: null. An arrow that points the wrong way: 0 rows.
# No error, so no message to send back. But *you* have a schema, and can compare, before anything runs:

# %%
from course_lib.college.pattern_check import misfits

for query in (
    "MATCH (p:Person)-[:ENROLLED_IN]->(c:Subject) RETURN p.name",
    "MATCH (c:Club)-[:MEMBER_OF]->(s:Student) RETURN s.name",
    "MATCH (:Student)-[r:STUDIES]->(:Subject) RETURN r.marks",
):
    for misfit in misfits(query, schema):
        say(f"{query[slice(*misfit.span)]}  {misfit.code}: {misfit.reason}")

# %% [markdown]
# Each reason says what is wrong *and what there is in its place*. That is what makes it a hint.
#
# ## Giving up too early
# One failure looks like success. The prompt allows the model to reply `RETURN 'OUT_OF_SCOPE' AS status`, the *sentinel* of lesson 05, when a question
# is outside the graph. **What if it says so of one that isn't?**

# %%
with practice_server().misbehave("false_sentinel", times=None, habit=True):
    for attempts in (1, 2):
        answer = StudyAgent(college, practice, attempts=attempts).ask(clubs)
        say(f"{attempts}: {answer.text}")
print()
say(answer.attempts[0].hint)

# %% [markdown]
# The names give it away: Payal is in the graph. So the agent asks once more, and only once: a model that insists is believed.
#
# ### Exercise 08.2 · write (core, 6 minutes)
# Write the hint yourself. Your function is given the query that failed, the engine's message (an empty text when the query ran and gave 0 rows),
# and the names in the graph. It returns what to tell the model. The check has five failures, on this college and on one you have not seen, and a
# practice model that mends *what the hint names*.

# %% exercise="08.2"
def hint(cypher, message, names):
    return "That did not work. Try again."


### BEGIN SOLUTION
def hint(cypher, message, names):
    if message:
        return f"The engine refused the query. It said: {message}"
    return (
        "0 rows. Check the spelling: is one of these names meant? "
        + ", ".join(f"'{name}'" for name in names)
        + ". Match names loosely, with toLower and CONTAINS. Check the direction of each arrow as well."
    )
### END SOLUTION
lesson.check("08.2", hint)

# %% [markdown]
# ## Same fault, three hints
# The whole list. Each row is a habit that the practice model is given; each column is what the agent says at its second attempt: nothing,
# "That did not work. Try again.", or what was wrong.

# %%
from course_lib.college.rows import Rows

faults = (
    "neo4j_syntax", "literal_names", "wrong_direction", "invented_label", "invented_property",
    "whole_node", "no_return", "write", "false_sentinel",
)


def outcome(fault, hints):
    with practice_server().misbehave(fault, times=None, habit=True):
        return StudyAgent(college, practice, hints=hints, worded=False).ask(clubs).status


Rows(
    ("the model's habit", "nothing said", "vague", "real"),
    [(fault, outcome(fault, "none"), outcome(fault, "vague"), outcome(fault, "real")) for fault in faults],
)

# %% [markdown]
# One column mends them all. In the others, `refused` and `out_of_scope` are the same failures under a politer name.
# (The `write` row is the fourth production error, the accidental DELETE: refused, told why, and answered after all.)
#
# ## Step through one
# What the agent did, step by step. In your notebook there are two buttons; the plain way is `print(steps)`.

# %%
from course_lib.views.trace import stepper, trace

steps = trace(StudyAgent(college, model), question)
stepper(steps)

# %% [markdown]
# ## What is it worth?
# A single question proves little. So: 84 questions, a third of them Hinglish, each right only when its *rows* are those of a query written by hand.
# And a practice model that stumbles: it is given a mix of the habits above. **The mix was chosen** so that one attempt with the whole
# prompt gets about 60 of 100 right, since that is what people report who run such assistants. That one figure is made. The others are what came out.
#
# **Before you run it** (it takes some seconds): what will a second attempt with vague hints add? And with real ones?

# %% tags=["measured"]
from course_lib.evaluation.ablation import STEPS, ablate, as_table, stumbling
from course_lib.evaluation.questions import read_questions, spread

questions = spread(read_questions(), 84)
with stumbling():
    lines = ablate(college, practice, questions, STEPS)
one, vague, real = lines[-3:]
assert one.share < 0.7
assert real.share > 0.95
assert vague.right <= one.right + 3
as_table(lines)

# %% [markdown]
# Read it from the top. Lesson 05's parts first: no schema, the schema, the names, the rules. Then one line that changes *nothing but what is said when something failed*,
# and the last one, which says what was wrong. The two lines cost about the same tokens.
#
# ## How often?
# If two attempts are better than one, are three better than two?

# %% tags=["measured"]
from course_lib.evaluation.ablation import ATTEMPTS

few = spread(read_questions(), 42)
with stumbling():
    results = ablate(college, practice, few, ATTEMPTS)
assert results[2].right < results[3].right
as_table(results)

# %% [markdown]
# ### Exercise 08.3 · decide (core, 5 minutes)
# An assistant should answer at least nine of ten of these questions. Which is the **cheapest** way of `results` that does, in tokens? Hand in its name
# (`line.step.name`) and the number that speaks for it: how many tokens it spends for each *right* answer (`line.tokens`, `line.right`).

# %% exercise="08.3"
decision = ("...", 0)
### BEGIN SOLUTION
# Counted so: good = [line for line in results if line.share >= 0.9]; best = min(good, key=lambda line: line.tokens);
# best.step.name, best.tokens / best.right
decision = ("2 attempts, real hints", 1513)
### END SOLUTION
lesson.check("08.3", decision)

# %% [markdown]
# Be as strict with the table as with a stranger's:
#
# - The practice model mends exactly what a hint names, and never anything else. A real one sometimes mends more, sometimes breaks another thing. The *order* of the lines
#   is what to take along, not the figures. With a key, `course eval --set college` gives you those of your model.
# - The faults are drawn, and this is one draw. With ten others, two attempts with real hints came to between 94 and 99 of 100, one attempt to between 52 and 67.
#   Try another: `stumbling(seed=3)`.
# - Our question set is small, and we wrote it.
#
# ### Exercise 08.4 · break (extra, 5 minutes)
# The loop can only mend what it notices. Question: *What are the prerequisites of BCNF?* (right: 3NF, by `PREREQUISITE_FOR`). Write a query that
# passes every check, gives rows, and is **wrong**. No hint will ever come.

# %% exercise="08.4"
unnoticed = ""
### BEGIN SOLUTION
unnoticed = "MATCH (c:Concept {name: 'BCNF'})<-[:COVERS]-(s:Subject) RETURN s.name AS prerequisite"
### END SOLUTION
lesson.check("08.4", unnoticed)

# %% [markdown]
# ### Exercise 08.5 · write (extra, 6 minutes)
# Build `near_names` for one kind of mistake: `near(typed, names)` returns the names that `typed` may have meant when something is glued to its
# end or when letters are missing at the end ('debate-ye', 'robo', 'coding-wale'). A list, empty when nothing is near.

# %% exercise="08.5"
def near(typed, names): ...


### BEGIN SOLUTION
def near(typed, names):
    stem = typed.lower().split("-")[0].strip()
    if len(stem) < 3:
        return []
    return [name for name in names if any(word.startswith(stem) for word in name.lower().split())]
### END SOLUTION
lesson.check("08.5", near)

# %% [markdown]
# ## What to keep
# - A second attempt is worth what you say before it. "Try again" is worth next to nothing.
# - A loud failure brings its own hint: send the engine's message back, with the query. For the quiet ones *you* must look: names, labels, arrows, properties.
# - A label on every node is good advice for the wrong reason that is usually given. Ask the engine: `explain`.
# - The loop mends what it notices. Whatever runs and gives rows goes straight through.
#
# **Common mistakes:** sending the error without the query it belongs to; telling only of the last mistake, so that the first comes back; a third attempt instead of a better hint;
# taking "out of scope" at its word; counting attempts and not right answers.
#
# **Next:** the rows are right. 09 puts them into words, and catches the words that say more than the rows.
