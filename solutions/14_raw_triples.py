# %% [markdown]
# # 14 · Raw triples
# *40 minutes, 15 of them yours. Before: 00 to 02. You need: this notebook, no key.*
#
# A new place: **Crumb**, a bakery that sells online. A support agent chats with its customers, and Lata on the staff decides what no
# program may. For a week customers have written in. Many of them said what somebody in the family must not eat, and a wrong answer
# here does not annoy people: it puts them into hospital.
#
# The plan is a good one, and thousands of products are built on it: let a model turn each message into facts, put the facts into a graph,
# ask the graph. By the end you will have built it, seen it lose 83 people without a single error, and found out where each of them went.

# %%
from course_lib import lesson

lesson.start("14")

# %% [markdown]
# ## If you come straight from lesson 02
# Three things that lessons 03 to 13 explain at length, in one line each.
# - A **language model** is a function from text to text. What is not in the prompt it does not know, and it keeps nothing.
# - In this course the **practice model** stands in: a simulator on your own machine, made for teaching. With a key, one setting puts a
#   real model in its place, and the cells below stay as they are.
# - Half 1 used FalkorDB. Half 2 uses **Kuzu**, a graph engine that lives inside your Python process, like SQLite. It speaks Cypher too.
#   Its one peculiarity: it takes no relationship of a type that was not *declared* first. Keep that in mind for the end.

# %% [markdown]
# ## The week
# The messages were written for this course and *staged*: put together so that the failure you are about to see comes out clearly. You
# may change them at the end, and watch the figures move.

# %%
from course_lib.crumb.dataset import read_chats, read_truth

chats = read_chats()
print(len(chats), "messages")
for chat in chats[:4]:
    print(f"\n{chat.id}, customer {chat.customer}: {chat.text}")

# %% [markdown]
# (*badam* are almonds.) Who wrote a message is not a guess: the customer was logged in.
#
# Lata has read all of them with a pencil. Her list says who is allergic to what, and which message says so. It is our truth.

# %%
truth = [row for row in read_truth() if row.allergen == "peanuts"]
people = {row.person for row in truth}
print(len(people), "people with a peanut allergy, among them", sorted(people)[:3])

# %% [markdown]
# ## Let the model do it
# A fact with two ends fits into three words: subject, relation, object. That is a **triple**. Here is all that the model is told:

# %%
from course_lib.crumb.free_form import FREE_PROMPT, free_triples

print(FREE_PROMPT)

# %% [markdown]
# And what it makes of Sunita's message, the first one above. **Before you run it:** she never says that she is allergic to anything.
# What will the model say?

# %%
for triple in free_triples(chats[0].text):
    print(triple.subject, "|", triple.relation, "|", triple.object)

# %% [markdown]
# Not bad at all. Aarav and the groundnuts are there. *AVOIDS* was read out of 'no chikki' (chikki is peanut brittle), and as it happens
# Sunita is allergic. The first line is silly. Would you have stopped the project here? Hardly anybody does.
#
# So: all 140 messages. A node for each name, an edge for each triple, and each edge knows its message.

# %%
from course_lib.crumb.raw import load_raw, raw_store

store = raw_store()
edges = load_raw(chats, store, free_triples)
store.size()

# %% [markdown]
# ## The obvious question
# Somebody orders a box for a party. Who must not have peanuts?

# %%
recalled = store.read("""
    MATCH (person:Thing)-[r]->(:Thing {name: 'peanuts'})
    RETURN person.name AS person, label(r) AS relation, r.message AS message
    ORDER BY message
""")
recalled

# %% [markdown]
# No type on the arrow, so any relation counts: we have been generous. Names, messages, a tidy table. Now hold it against Lata's list.

# %%
print(f"{len(recalled)} of {len(people)}: {len(recalled) / len(people):.0%}")

# %% [markdown]
# **More than half of the people are not in the answer.** No error, no warning. If this table fed an agent, it would tell 83 people
# that there is nothing on file, and the chikki is on its way.
#
# Where are they?

# %% [markdown]
# ### Exercise 14.1 · write (core, 6 minutes)
# Write the query that shows what went wrong: every node that something points to and whose name has `nut` or `moong` in it, upper
# or lower case, with the number of arrows that point to it. Two columns, `name` and `arrows`, most arrows first.
# It will be run on another bakery's week too.

# %% exercise="14.1"
query = """
"""
### BEGIN SOLUTION
query = """
    MATCH (:Thing)-[r]->(thing:Thing)
    WHERE lower(thing.name) CONTAINS 'nut' OR lower(thing.name) CONTAINS 'moong'
    RETURN thing.name AS name, count(r) AS arrows
    ORDER BY arrows DESC
"""
### END SOLUTION
lesson.check("14.1", query)

# %% [markdown]
# ## One allergen, six nodes
# Here are the ones that mean the same. (*Moongphali* is Hindi for peanut.) The library's part does what your query does, and leaves out
# what only looks alike.

# %%
from course_lib.crumb.raw import spellings

peanut_words = ["peanut", "peanuts", "groundnut", "groundnuts", "moongphali"]
same = spellings(edges, peanut_words, loose=["nuts"])
same

# %% [markdown]
# A few arrows of each, as a picture. Nothing connects the six: to a graph, two spellings are two things.

# %%
from course_lib.crumb.raw import near_duplicates

messages = [edge.message for edge in near_duplicates(edges, same, each=3)]
rows = store.read(
    "MATCH (p:Thing)-[r]->(a:Thing) WHERE a.name IN $names AND r.message IN $messages RETURN p, r, a",
    {"names": list(same), "messages": messages},
)
lesson.picture(rows, title="One allergen, as the model wrote it down", highlight=list(same))

# %% [markdown]
# Look at the arrows as well. How many names has the model found for *is allergic to*?

# %%
types = sorted({edge.type for edge in edges if edge.object in same})
print(len(types), "types:", ", ".join(types))

# %% [markdown]
# A query that names a type would have found a fraction of the fraction.

# %% [markdown]
# ### Exercise 14.2 · predict (core, 3 minutes)
# 'Then match loosely', says a colleague: `WHERE lower(thing.name) CONTAINS 'nut'`. Which of these nodes would that bring?
#
# - `a` groundnut
# - `b` walnut brownies
# - `c` moongphali
# - `d` nut-free household
# - `e` Peanut
#
# Put the letters into a list.

# %% exercise="14.2"
comes = []
### BEGIN SOLUTION
comes = ["a", "b", "d", "e"]
### END SOLUTION
lesson.check("14.2", comes)

# %% [markdown]
# ## The other end of the arrow
# Allergens were one half of it. What about people? Sunita is customer C001. **Before you run it:** how many nodes is she?

# %%
mine = [chat.id for chat in chats if chat.customer == "C001"]
store.read(
    "MATCH (p:Thing)-[r]->(x:Thing) WHERE r.message IN $mine "
    "RETURN p.name AS node, label(r) AS relation, x.name AS thing ORDER BY node, thing",
    {"mine": mine},
)

# %% [markdown]
# Four: her first name, her full name, `User` and `me`. What she likes hangs on one, what she avoids on another.
#
# That is a person torn apart. The opposite is worse.

# %%
from course_lib.crumb.raw import customers_of_node

used = customers_of_node(edges, chats)
for name in ("my son", "Rohan"):
    print(f"{name!r} is one node, for customers {', '.join(sorted(used[name]))}")

store.read("MATCH (:Thing {name: 'Rohan'})-[r]->(x:Thing) RETURN label(r) AS relation, x.name AS thing, r.message AS message ORDER BY message")

# %% [markdown]
# Every unnamed son is the same boy. And two customers called Rohan are one man: Rohan Mehta, who is 'fine with everything', now has a
# stranger's cashew allergy. Tearing apart loses people. Merging makes up facts about them.

# %% [markdown]
# ### Exercise 14.3 · write (core, 6 minutes)
# So even the 58 flatters us: some of those 58 names stand for several families at once. How many of the people found sit on a node
# that only *one* customer uses? Write `alone(found, uses)`: `found` is the list of node names that the recall gave, `uses` a dict from a
# node's name to the set of customers who use it. Return the number.

# %% exercise="14.3"
def alone(found, uses):
    return len(found)
### BEGIN SOLUTION
def alone(found, uses):
    return sum(len(uses[name]) == 1 for name in found)
### END SOLUTION
lesson.check("14.3", alone)

# %%
found_names = [person for person, _, _ in recalled]
by_library = [name for name in found_names if len(used[name]) == 1]
print(f"of {len(found_names)} that were found, {len(by_library)} are on a node of their own")

# %% [markdown]
# ## Where each of them went
# A person counts as found when an arrow to `peanuts` has their message and the name by which that message calls them. For all others we
# can follow the message into the graph and see what is there instead.

# %%
from collections import Counter

from course_lib.crumb.raw import fates

what_became = fates(edges, truth, "peanuts", same)
for kind, count in Counter(fate.kind for fate in what_became).most_common():
    print(f"{count:4}  {kind}")

# %% [markdown]
# Another spelling: 69. The last three kinds are few, and each of them is a different disease. One example of each:

# %%
texts = {chat.id: chat.text for chat in chats}
for kind in ("turned round", "another thing", "left out"):
    fate = next(f for f in what_became if f.kind == kind and f.fact.how == "stated")
    print(f"{kind}: {texts[fate.fact.message]}")
    for edge in edges:
        if edge.message == fate.fact.message:
            print(f"      {edge.subject} | {edge.type} | {edge.object}")

# %% [markdown]
# The model followed the order of the words. It wrote down the sweet in place of what is in it. And it overlooked what came after the
# *PS*, as it does with brackets. None of this is stupid: it was asked for 'the facts', and it was told nothing about what we would do with them.
#
# There is one more group. For these even Lata had to think. (*hum nut-free ghar hain*: we are a nut-free home. *mere bete ko nuts se
# allergy hai*: my son is allergic to nuts.)

# %%
for fate in what_became:
    if fate.fact.how == "hinted":
        print(fate.nodes, "-", texts[fate.fact.message])

# %% [markdown]
# Is a nut-free household allergic to peanuts? Are 'nuts' peanuts, or cashews, or both? No list and no model can know that. Somebody has to
# ask. A design that cannot say *I am not sure* has to guess.

# %% [markdown]
# ## Now disturb it
# Take ten messages that say groundnuts and make them say peanuts. **Before you run it:** what will the recall find?

# %%
from dataclasses import replace


def recalled_after(change):
    """How many the recall finds when every message goes through `change` first."""
    other = raw_store()
    load_raw([replace(chat, text=change(chat)) for chat in chats], other, free_triples)
    return len(other.read("MATCH (p:Thing)-[r]->(:Thing {name: 'peanuts'}) RETURN p.name"))


lost_to_spelling = [f.fact.message for f in what_became if f.nodes == ("groundnuts",) and f.kind == "another spelling"]
once = [m for m in lost_to_spelling if lost_to_spelling.count(m) == 1][:10]
print(recalled_after(lambda chat: chat.text.replace("groundnuts", "peanuts") if chat.id in once else chat.text))

# %% [markdown]
# Ten more. Nothing about the people has changed, only a word in their messages. What your safety depends on is how customers spell.

# %% [markdown]
# ### Exercise 14.4 · break (extra, 8 minutes)
# Or is it that simple? Write `respell(text)`, which changes a message before the model sees it, so that the recall finds at least 120
# people. Other words must stay as they are: whoever is allergic to *walnuts* stays so.

# %% exercise="14.4"
def respell(text):
    return text
### BEGIN SOLUTION
import re


def respell(text):
    return re.sub(r"\b(?:groundnuts?|peanut|moongphali)\b", "peanuts", text)
### END SOLUTION
lesson.check("14.4", respell)

# %% [markdown]
# A list of words, made by people, did what no cleverness of the model could. Keep that thought: it comes back in lesson 16 as a closed
# list with a name and a date beside each entry. What it cannot do you have seen too: the two Rohans, the sons, the hints.

# %% [markdown]
# ## What to keep
# - The model did what it was told. Nobody had told it what a name, a type or a direction means here.
# - In a graph two spellings are two things, and the same spelling is one thing. Both are wrong about people.
# - Lost facts raise no error. You saw them because somebody had a list: without a truth to hold it against, 58 looks fine.
# - *Found* is not the same as *safe to use*: most of the 58 share their node with strangers.
#
# **Common mistakes:** counting names instead of people; matching loosely and calling it solved; trusting a picture because it is full.
#
# **Next:** 15 takes the freedom away. Three relations, declared, with a form to fill in. The model will fill it in correctly, and it will
# still be wrong.
