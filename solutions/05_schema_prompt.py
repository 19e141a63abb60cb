# %% [markdown]
# # 05 · The schema prompt
# *40 minutes, 15 of them yours. Before: 01, 02, 04. You need: this notebook, no key.*
#
# In lesson 04 a model wrote a query for a college that doesn't exist: `Person`, `Society`, `BELONGS_TO`. It knew no better.
#
# Today you tell it, part by part, and take every part away again. The one thing to discover: **a model knows your graph only from the
# prompt**, so each question that comes out wrong has a line that was missing.

# %%
from course_lib import lesson
from course_lib.models import connect

college = lesson.start("05")
model = connect()
college.size()

# %% [markdown]
# `connect()` gives the model that your settings name: the practice model, a simulator, unless you chose another. Two small helpers: ask for
# a query, and run it as a reader who can change nothing.

# %%
from course_lib.college.errors import QueryError


def write_query(question, system):
    return model.generate(f"# Question\n{question}", system).text


def run(cypher):
    try:
        return college.read(cypher)
    except QueryError as error:
        return f"refused: {error.engine_message[:60]}"


bare = "You write Cypher for FalkorDB. Reply with the query alone."
cypher = write_query("Which clubs is Payal in?", bare)
print(cypher)
run(cypher)

# %% [markdown]
# `Society`, `BELONGS_TO`: invented. And the engine doesn't mind. A label that nobody has is no error, it is **0 rows**. Ask something that
# no college graph could know, and the invention gets a name of its own:

# %%
cypher = write_query("Should I do a Masters in CSE or Electronics?", bare)
print(cypher)
run(cypher)

# %% [markdown]
# A `Program` node. Whoever sees '0 rows' tells the student *there are no such programs*. This is one of the six classic accidents of such
# assistants, **the invented node**, and it makes no sound.

# %% [markdown]
# ## Tell it what there is
# What does a model need to know? Which labels, with which properties; and which relationships, from what to what. All of it is in the graph
# already, so ask the graph. First the labels and their properties.

# %%
college.read("""
    MATCH (n)
    UNWIND keys(n) AS property
    RETURN labels(n)[0] AS label, collect(DISTINCT property) AS properties
    ORDER BY label
""")

# %% [markdown]
# ### Exercise 05.1 · write (core, 5 minutes)
# Now the relationships. Three columns, `start`, `type` and `end`: from which label, by which type, to which label. One row for each kind,
# however many relationships there are of it. (`type(r)` is the type of a relationship, `labels(n)[0]` the label of a node.)

# %% exercise="05.1"
query = """
"""
### BEGIN SOLUTION
query = """
    MATCH (a)-[r]->(b)
    RETURN DISTINCT labels(a)[0] AS start, type(r) AS type, labels(b)[0] AS end
"""
### END SOLUTION
lesson.check("05.1", query)

# %% [markdown]
# Put such rows into lines of text and you have a **schema**. `read_schema` does that, with types, keys and counts. Never type a schema by
# hand: you would type it once, and the graph goes on changing.

# %%
from course_lib.college.schema import read_schema

schema = read_schema(college)
print(schema.to_prompt(values=False, rules=[]))

# %% [markdown]
# **Before you run it:** the same question, with this text as the system prompt. Better?

# %%
cypher = write_query("Which clubs is Payal in?", schema.to_prompt(values=False, rules=[]))
print(cypher)
run(cypher)

# %% [markdown]
# Real labels now, and the right clubs. (As whole nodes, with everything that is in them. A rule will see to that.) But try a student who
# does not type like a database:

# %%
cypher = write_query("who knows python", schema.to_prompt(values=False, rules=[]))
print(cypher)
run(cypher)

# %% [markdown]
# The model can't know that the college writes `Python`, with a capital. It has seen the *structure* and not one *value*.

# %% [markdown]
# ## Values, and rules
# So the prompt gets two more parts: the **values** of names, as the graph spells them, and **rules**, each with a BAD and a GOOD example. An
# example says more than a sentence: models copy what they see.

# %%
from course_lib.college.prompt_rules import RULES

for rule in RULES[:5]:
    print(f"{rule.name}: {rule.text}\n   BAD  {rule.bad}\n   GOOD {rule.good}\n")
print("and", ", ".join(rule.name for rule in RULES[5:]))

# %% [markdown]
# The whole prompt, then. Is it long?

# %%
from course_lib.college.estimate import count_tokens

full = schema.to_prompt()
print(count_tokens(full), "tokens, about")
cypher = write_query("Who should I learn ML from?", full)
print(cypher)
run(cypher)

# %% [markdown]
# 'ML' stands in no name of the graph, and still: `machine learning`, and the levels in the order that people mean. Every piece of that query
# comes from a line of the prompt. Which line? **Take it away and look.**

# %% [markdown]
# ## Take it apart
# Ten questions, asked with the full prompt first. Then the same ten without one part, and we note which answers are no longer the same.
# (*kaun padhta hai*: who studies. *ke next topics kya hain*: what are the next topics of. *se … tak ka learning path batao*: tell me the path
# from … to.)

# %%
questions = {
    "a": "How many credits does DBMS have?",
    "b": "Which clubs is Payal in?",
    "c": "Who should I learn ML from?",
    "d": "Who is the best person to teach me DBMS?",
    "e": "What is common in all the clubs?",
    "f": "Aarav ke next topics kya hain?",
    "g": "Should I do a Masters in CSE or Electronics?",
    "h": "1NF se BCNF tak ka learning path batao",
    "i": "os kaun padhta hai?",
    "j": "who knows python",
}


def answers(system):
    return {letter: run(write_query(question, system)) for letter, question in questions.items()}


def flipped(system):
    given = answers(system)
    return [letter for letter in questions if str(given[letter]) != str(right[letter])]


right = answers(full)
for letter, rows in right.items():
    first = list(rows[0]) if len(rows) else []
    print(letter, questions[letter], "->", *first)

# %% [markdown]
# ### Exercise 05.2 · predict (core, 5 minutes)
# Leave out the **values** and keep all the rules: `schema.to_prompt(values=False)`. The rules still say to match loosely and to write
# abbreviations out *as they stand in the values*. Which of the ten questions come out differently? Hand in their letters, as in `["a", "b"]`.
#
# (You may try it after you have written down what you expect: `flipped(schema.to_prompt(values=False))`.)

# %% exercise="05.2"
letters = []
### BEGIN SOLUTION
letters = ["c", "i"]
### END SOLUTION
lesson.check("05.2", letters)

# %% [markdown]
# Now one rule at a time. **Before you run it:** without the rule `ranks`, which two will change? You met them in lesson 02.

# %%
from course_lib.college.prompt_rules import ALL

for name in ALL:
    without = [other for other in ALL if other != name]
    print(f"without {name:14}", *flipped(schema.to_prompt(rules=without)))

# %% [markdown]
# Read it as a map from lines to questions. Take `ranks` away, and c and d name the wrong teacher, without an error. Take `sentinel` away,
# and g is back at `Program`.
#
# `common` and `next` are no grammar, they settle a **meaning**. 'What is common in all the clubs?' can be read as *who is in every single
# one*; here it means *who is in more than one*. 'Next topics' has two readings as well, and one of them gives Aarav an empty list. No engine
# can tell which one you want. The prompt can, and the answer should say so (lesson 09).
#
# Some rules flip nothing: the practice model labels its nodes, or the next lesson takes the prose off, or the database refuses a write
# anyway. Other models need them. Don't take this table for theirs: it was measured on a simulator.

# %%
if "practice" in repr(model):  # with a model of your own, read your own table
    assert flipped(schema.to_prompt(rules=[name for name in ALL if name != "ranks"])) == ["c", "d"]
    assert "g" in flipped(schema.to_prompt(rules=[name for name in ALL if name != "sentinel"]))

# %% [markdown]
# A playground: tick and untick, and see what flips. Without a widget it is the line `flipped(schema.to_prompt(rules=[...]))`.

# %%
from course_lib.views.prompt_playground import prompt_playground

prompt_playground(schema, flipped)

# %% [markdown]
# ### Exercise 05.3 · write (core, 6 minutes)
# Your college writes grades as A+, A, B+, B, and levels as Advanced, Intermediate, Beginner. The prompt below has every rule but the one
# about ranks. Write that rule in **your own words**: one or two sentences that make a model order both as people mean them. It will be asked
# for the best in a subject and in a skill, on a college that you have not seen.

# %% exercise="05.3"
my_rule = """
"""
### BEGIN SOLUTION
my_rule = """
Never sort grades or levels by the alphabet. From best to worst: A+, A, B+, B. And Advanced, Intermediate, Beginner, best first.
"""
### END SOLUTION
lesson.check("05.3", my_rule)

# %% [markdown]
# ## The prompt follows the graph
# The college opens a hostel. **Before you run it:** who has to be told?

# %%
college.write("CREATE (:Hostel {name: 'North Hostel', beds: 120})")
college.write("MATCH (s:Student {name: 'Payal'}), (h:Hostel) CREATE (s)-[:LIVES_IN {room: 'N-12'}]->(h)")

system = read_schema(college).to_prompt()
cypher = write_query("Who lives in North Hostel?", system)
print(cypher)
run(cypher)

# %% [markdown]
# Nobody. The schema was read again, and the model has a new word. Ask it with yesterday's prompt and it must guess:

# %%
cypher = write_query("Who lives in North Hostel?", full)
print(cypher)
print("version yesterday", schema.version != read_schema(college).version and "is not the version today")

# %% [markdown]
# `version` is a short mark of all that the prompt depends on. A cache of answers will want to know it (lesson 11).

# %% [markdown]
# ## When it does not fit
# Thirty concepts fit into a prompt. A hundred thousand students don't, and you pay for every one of them at every question. So values are
# listed up to a limit; of a property that has more, the ones near the question's words are **looked up**.

# %%
college.write(
    "UNWIND $names AS name CREATE (:Student {name: name})",
    {"names": [f"Student {number:03}" for number in range(200)] + ["Nandini Saxena"]},
)
from course_lib.college.values import find_values

large = read_schema(college)
found = find_values(college, large, "nandini saxsena ka year kya hai?")
print([one.value for one in found])
print(next(line for line in large.to_prompt(found=found).splitlines() if "Student.name" in line))

# %% [markdown]
# Spelled wrongly, and found. The prompt names her, and two hundred others are not in it.

# %% [markdown]
# ### Exercise 05.4 · decide (extra, 4 minutes)
# You must save tokens, and one part of the prompt has to go for good: the `"values"` or the `"rules"`. Count for both how many of the ten
# questions flip, on the college as it was. Hand in the part that you would rather **keep**, and how many questions flip without it.

# %%
college = lesson.start("05")

# %% exercise="05.4"
keep, flips = None, None
### BEGIN SOLUTION
# len(flipped(schema.to_prompt(rules=[]))) is 10, len(flipped(schema.to_prompt(values=False))) is 2
keep, flips = "rules", 10
### END SOLUTION
lesson.check("05.4", (keep, flips))

# %% [markdown]
# ## Common mistakes
# - **A schema typed by hand.** It was right on the day it was typed. Read it off the graph.
# - **All the values, or none.** None, and 'os' finds nothing; all of them, and every question costs a fortune.
# - **Rules without examples.** BAD and GOOD, side by side, in the graph's own words.
# - **One more rule for everything.** Each costs tokens at each question. Take it out and see whether anything flips.
#
# ## What you take along
# - A model knows your graph only from the prompt: structure, values, rules.
# - A wrong answer points to a missing line. Taking parts away shows which one.
# - Where a question has two readings, the prompt decides, and somebody should say so.
#
# **Next:** the query came back clean today. In lesson 06 the model starts to think aloud.
