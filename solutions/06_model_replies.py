# %% [markdown]
# # 06 · Model replies
# *35 minutes, 14 of them yours. Before: 04, 05. You need: this notebook, no key.*
#
# In lesson 05 the model replied with a query and nothing else. It was asked to, and it was in a good mood.
#
# Real replies come in wrappings: politeness, markdown, thinking aloud. **A reply is not a query.** Today you take the query out, and meet the
# reply that fools the usual way of doing it.

# %%
from course_lib import lesson
from course_lib.college.schema import read_schema
from course_lib.errors import CourseError
from course_lib.models import connect
from course_lib.models.practice.server import practice_server

college = lesson.start("06")
system = read_schema(college).to_prompt()
question = "Which clubs is Payal in?"


def run(cypher):
    try:
        return college.read(cypher)
    except CourseError as error:
        return error.what[:90]


# %% [markdown]
# A real model wraps its replies when *it* likes. The practice model does it on request, so that we can look: `misbehave` puts one fault on its
# next reply. **Staged**, that is, and staged faults are the ones that people report of real models.

# %%
from dataclasses import replace

from course_lib.settings import load_settings

model = connect(replace(load_settings(), model="practice"))  # today this one, whatever you have chosen


def reply_with(fault):
    practice_server().misbehave(fault)
    return model.generate(f"# Question\n{question}", system).text


polite = reply_with("preamble")
print(polite)

# %% [markdown]
# **Before you run it:** what does the engine say to that?

# %%
run(polite)

# %% [markdown]
# The engine reads Cypher, and 'Here is' is none. This is one of the six classic accidents in its mildest form. Now with a fence, as models like
# it in a chat:

# %%
fenced = reply_with("fences")
print(fenced)
run(fenced)

# %% [markdown]
# ## The usual way
# Half of all projects do this: look for a fence, take what is in it; no fence, take everything.

# %%
import re


def usual(reply):
    fence = re.search(r"```(?:\w+)?\n(.*?)```", reply, flags=re.S)
    return fence.group(1).strip() if fence else reply.strip()


run(usual(fenced))

# %% [markdown]
# Works. Then come the models that **reason**: they write down what they think, in a `<think>` tag, before they answer.

# %%
thinking = reply_with("think_closed")
print(thinking)
run(usual(thinking))

# %% [markdown]
# **Reasoning tags**, another of the six. They are easy to take off, aren't they?

# %% [markdown]
# ### Exercise 06.1 · mend (core, 5 minutes)
# Write `without_thinking(reply)`: the reply without everything from `<think>` to `</think>`, tags included, however they are written
# (`<THINK>`), however many of them, over as many lines as they like. What is left has no space at its ends.


# %% exercise="06.1"
def without_thinking(reply):
    return reply.replace("<think>", "").replace("</think>", "")
    ### BEGIN SOLUTION


def without_thinking(reply):
    return re.sub(r"<think>.*?</think>", "", reply, flags=re.S | re.I).strip()
    ### END SOLUTION


lesson.check("06.1", without_thinking)

# %% [markdown]
# ## The decoy
# Sometimes a model forgets to close its tag. And while thinking it tries things out, in a fence, and throws them away again.

# %%
decoy = reply_with("think_decoy")
print(decoy)

# %% [markdown]
# **Before you run it:** take the thinking off with a pattern like yours, then take the fence. Which query will run?


# %%
def cleaned(reply):
    return usual(re.sub(r"<think>.*?</think>", "", reply, flags=re.S | re.I))


print(cleaned(decoy))
run(cleaned(decoy))

# %% [markdown]
# The one that the model itself had thrown away: its tag never closes, so the pattern finds nothing to take off, and the first fence wins. And
# nothing crashed! It ran, it came back with 0 rows, and a student is told that Payal is in no club at all.

# %% [markdown]
# ### Exercise 06.2 · predict (core, 4 minutes)
# Five replies. For which of them does `cleaned` give back **something else** than the model's query? Hand in the letters. (Q stands for a query.)
#
# - a: `<think>hm</think>`, then Q
# - b: `<think>`, thoughts, `</think>`, then Q in a fence
# - c: `<think>`, a fenced draft, `</think>`, then Q without a fence
# - d: *Matching students are found like this:*, then Q without a fence
# - e: `<think>`, thoughts, never closed, then Q in a fence

# %% exercise="06.2"
letters = []
### BEGIN SOLUTION
letters = ["d"]
### END SOLUTION
lesson.check("06.2", letters)

# %% [markdown]
# c goes well: the draft leaves together with the thinking. e goes well too, by luck: the only fence is the right one. And d doesn't, since there
# is neither tag nor fence, so 'everything' is taken, prose and all.
#
# ## Prose that looks like Cypher
# So look for the line where the query begins: it has to start with a word such as `MATCH`, `WITH`, `RETURN` or `CALL`. Does it?

# %%
STARTS = ("MATCH", "OPTIONAL MATCH", "WITH", "RETURN", "UNWIND", "CALL")
for line in (
    "MATCH (s:Student) RETURN s.name",
    "Matching students are found like this:",
    "With this query you find them:",
    "Return to the list of names:",
    "WITH 1 AS one RETURN one",
):
    print(line.upper().startswith(STARTS), "", line)

# %% [markdown]
# English is full of Cypher. You can tell the two apart all the same. How? Look at what *follows* the first word.

# %% [markdown]
# ### Exercise 06.3 · write (core, 5 minutes)
# Write `begins_a_query(line)` for the word `MATCH` alone: True when the line begins with it, in capitals or not, **and** a pattern follows: an
# opening bracket, or a name with `=` and a bracket, as in `MATCH p = (a)-->(b)`. Spaces are allowed where Cypher allows them.


# %% exercise="06.3"
def begins_a_query(line):
    ...
    ### BEGIN SOLUTION
    return bool(re.match(r"\s*MATCH\s*(\w+\s*=\s*)?\(", line, flags=re.I))
    ### END SOLUTION


lesson.check("06.3", begins_a_query)

# %% [markdown]
# ## The finished part
# `extract_cypher` does all of it: tags that are closed, not closed, nested or called otherwise; fences of all kinds; prose before and behind;
# JSON; end-of-text marks; curly quotes. Of an unclosed reasoning it takes the **last** block, and only if that is a query.

# %%
from course_lib.college.reply import NoCypherError, extract_cypher

for name, reply in {"polite": polite, "fenced": fenced, "thinking": thinking, "decoy": decoy}.items():
    print(f"{name:9}", len(run(extract_cypher(reply))), "rows,", " ".join(extract_cypher(reply).split())[:72])

# %% [markdown]
# Where in the decoy does it look? The mark shows it. Change the reply, close the tag, add a fence, and watch. Without the widget: `look_at("…")`.

# %%
from course_lib.views.reply_view import look_at, reply_playground

print(look_at(decoy))
reply_playground(decoy)

# %% [markdown]
# Inside of a string, a tag is text. Somebody may have a project called so:

# %%
print(extract_cypher("MATCH (p:Project) WHERE p.name = '<think>' RETURN p.name"))

# %% [markdown]
# And when there is no query, it says so, and what it saw. It never makes one up.

# %%
try:
    extract_cypher(reply_with("think_only"))
except NoCypherError as error:
    print(error.what[:100])
    print(error.next_step)

# %% [markdown]
# One more thing it never does: **choose**. Two different queries in a reply, one harmless and one not?

# %%
from course_lib.college.guard import check

two = "Either\n```cypher\nMATCH (s:Student) RETURN s.name\n```\nor\n```cypher\nMATCH (n) DETACH DELETE n\n```"
print(extract_cypher(two))
print(check(extract_cypher(two)).code)

# %% [markdown]
# Both are handed on, and the guard of lesson 07 refuses the pair. Cleaning must not make a dangerous reply look safe.

# %% [markdown]
# ### Exercise 06.4 · break (extra, 4 minutes)
# Find a good query that `cleaned` **damages** and `extract_cypher` leaves as it is. It has to run on the college, and it needs no reply
# around it. (What do patterns take for a tag?)

# %% exercise="06.4"
query = """
"""
### BEGIN SOLUTION
query = "MATCH (s:Student) WHERE s.name <> '<think>x</think>' RETURN s.name AS name"
### END SOLUTION
lesson.check("06.4", query)

# %% [markdown]
# ## Common mistakes
# - **The first fence wins.** It may be a draft. Reasoning goes first, and closed isn't the only way it comes.
# - **Everything up to `</think>`.** Sometimes the tag never closes.
# - **A list of first words.** 'Matching', 'With this', 'Return to': English begins like Cypher.
# - **Choosing.** Of two queries you would have to guess, and hide one.
#
# ## What you take along
# - A reply is text with perhaps a query in it.
# - Failing loudly is the lucky case. The decoy ran.
# - Taking out and judging are two jobs: this part never decides what is safe.
#
# **Next:** judging. Somebody asks the assistant to *clean up the old data*.
