# %% [markdown]
# # 15 · Typed extraction
# *45 minutes, 17 of them yours. Before: 14. You need: this notebook, no key.*
#
# In lesson 14 a model was free to call things as it liked, and 83 people got lost. The cure that everybody names first: *give it a
# schema*. Three relations, a form with five fields, and a library that refuses everything else.
#
# It is a good cure. By the end you will use it, know which half of the trouble it takes away, and have measured the other half.

# %%
from course_lib import lesson

lesson.start("15")

# %% [markdown]
# ## A wall in the graph
# Kuzu knows only what was declared. Here is the memory that the next lessons fill, and a fact that nobody planned for.

# %%
from course_lib.crumb.errors import QueryError
from course_lib.crumb.store import open_store

store = open_store(":memory:")
print([name for (name,) in store.read("CALL show_tables() WHERE type = 'REL' RETURN name ORDER BY name")])
try:
    store.write("CREATE (:Person {id: 'x'})-[:CANNOT_EAT]->(:Allergen {name: 'peanuts'})")
except QueryError as error:
    print(error.engine_message)

# %% [markdown]
# A relationship that was not declared cannot be stored. Lesson 14 got round this wall by declaring whatever came along.
#
# (Why Kuzu? It lives in your process, needs no server, runs on Windows, and speaks Cypher with declared tables. The honest other half:
# its repository was archived in October 2025, and 0.11.3 is its last release. *Ladybug* carries it on. The course runs on both; set
# `COURSE_GRAPH_STORE=ladybug` to try.)

# %% [markdown]
# ## A form
# The same wall, one step earlier. `pydantic` turns a class into a form that checks what is filled in.

# %%
from typing import Literal

from pydantic import BaseModel, ValidationError


class Fact(BaseModel):
    subject: str
    relation: Literal["ALLERGIC_TO", "FAMILY_OF", "LIKES"]
    object: str
    role: str | None


class Facts(BaseModel):
    triples: list[Fact]


for relation in ("ALLERGIC_TO", "CANNOT_EAT"):
    try:
        print(Fact(subject="Aarav", relation=relation, object="groundnuts", role=None))
    except ValidationError as error:
        print(error.errors()[0]["msg"])

# %% [markdown]
# Such a class can be sent along with the question. The SDK calls it *structured output*: the model's reply must have this shape, and the
# provider sees to it. Here is a plain call with the `anthropic` SDK. (Which model answers is one setting; as it stands, the practice
# model does, a simulator on your machine.)

# %%
import json

from course_lib.models.sdk import sdk_client

llm = sdk_client()


def ask(system, message):
    reply = llm.client.messages.create(
        model=llm.model,
        max_tokens=2000,
        system=system,
        messages=[{"role": "user", "content": message}],
        output_config={"format": {"type": "json_schema", "schema": Facts.model_json_schema()}},
    )
    return Facts.model_validate_json(reply.content[0].text)


prompt = "Take facts out of a customer's message to a bakery, as triples. The one who writes is called me."
message = "Rohan here! Meher, my daughter, is allergic to badam and wheat. I am fine with everything."

for fact in ask(prompt, message).triples:
    print(fact.subject, "|", fact.relation, "|", fact.object, "|", fact.role)

# %% [markdown]
# Three relations, no more. No `KO_ALLERGY_HAI`, no `User`. Everything was valid, and `model_validate_json` had nothing to say.
#
# Now read the lines as facts. **Who is whose daughter?**

# %% [markdown]
# ## Types constrain words, not truth
# `Meher FAMILY_OF me, daughter` says that Rohan is Meher's daughter, if you have agreed that the arrow goes from me to the relative.
# Have you? *You* have. Nobody has told the model, so it followed the order of the words. Say 'my daughter Meher' and it comes out right:

# %%
for text in ("Meher, my daughter, loves cake.", "My daughter Meher loves cake."):
    print(ask(prompt, text).triples[0])

# %% [markdown]
# And here is a denial. The form has a place for who and for what, and none for *not*. **Before you run it:** what will be in it?

# %%
print(ask(prompt, "I am not allergic to nuts, that was my flatmate's order.").triples)

# %% [markdown]
# It had a fact about nuts and a form without a box for 'no', so it filled in what it could. A perfectly valid row, and the opposite of
# what she wrote. Hearsay, questions and what is over go the same way.

# %% [markdown]
# ### Exercise 15.1 · mend (core, 5 minutes)
# First the arrow. Write the rule, one sentence, that goes into the prompt, so that `FAMILY_OF` always starts at the one who writes
# and ends at the relative. It is tried on families that you have not seen.

# %% exercise="15.1"
rule = ""
### BEGIN SOLUTION
rule = "FAMILY_OF goes from me to the relative's first name: (me, FAMILY_OF, Aarav), role son."
### END SOLUTION
lesson.check("15.1", rule)

# %% [markdown]
# ## Two more boxes
# For the *not* the form gets a box of its own: `stance`, with five words to choose from. And one more, the most useful of all:
# `evidence`, the words of the message that carry the fact. This is the library's form, and its prompt, a rule a line:

# %%
from course_lib.crumb.prompts import system_prompt
from course_lib.crumb.reply_schema import triple_model

print(*triple_model().model_fields, sep=", ")
print(system_prompt())

# %%
from course_lib.crumb.extraction import extract

for text in (
    "I am not allergic to nuts, that was my flatmate's order.",
    "My son Kush outgrew his egg allergy. I heard my neighbour Asha can't have milk. Is the cake okay for a nut allergy?",
):
    for triple in extract(text).triples:
        print(f"{triple.stance:9} {triple.subject} {triple.relation} {triple.object}   <- {triple.evidence!r}")

# %% [markdown]
# `extract` puts what is stated into `.stated` and the rest into `.apart`. Nothing is thrown away: 'outgrew' is no fact about an allergy,
# but it is a reason for somebody to pick up the phone.

# %% [markdown]
# ## Words that must be there
# Evidence can be checked without understanding anything: does the message contain these words? A model that makes a fact up has to
# make its evidence up as well, and then it is caught. Here the reply is a forgery, handed in as if a model had sent it.

# %%
forged = json.dumps({"triples": [
    {"subject": "me", "relation": "ALLERGIC_TO", "object": "milk", "role": None, "stance": "stated", "evidence": "allergic to milk"},
    {"subject": "me", "relation": "LIKES", "object": "kaju katli", "role": None, "stance": "stated", "evidence": "I love  Kaju Katli"},
]})
found = extract("Hi, I love kaju katli!", lambda ask: forged)
print("kept:    ", [t.object for t in found.triples])
print("in doubt:", [(d.triple.object, d.reason) for d in found.doubts])

# %% [markdown]
# ### Exercise 15.2 · write (core, 7 minutes)
# Write that check: `holds(message, evidence)` is True when the message contains the evidence. Models tidy up: they change capitals and
# blanks, so neither may matter, line breaks included. But words are whole words (*egg* is not in *eggless*), and no evidence is no
# evidence.

# %% exercise="15.2"
def holds(message, evidence):
    return evidence in message
### BEGIN SOLUTION
import re


def holds(message, evidence):
    words = evidence.lower().split()
    pattern = r"\s+".join(map(re.escape, words))
    return bool(words) and re.search(rf"(?<!\w){pattern}(?!\w)", message.lower()) is not None
### END SOLUTION
lesson.check("15.2", holds)

# %% [markdown]
# ## When the reply itself is broken
# A model may refuse, run out of tokens in the middle of the JSON, or send nothing. The SDK's own helper raises an exception then, and what
# *had* arrived is gone. For allergies that is the wrong bargain: five good facts are not worthless because the sixth was cut off.

# %%
sunita = "Hi, it's Sunita. My son Aarav reacts to groundnuts, so no chikki in the hamper please. My sister Kavita loves the walnut brownies!"
for tokens in (4000, 120, 60):
    found = extract(sunita, max_tokens=tokens)
    print(f"{tokens:4} tokens: {len(found.triples)} triples,", found.problems or "no problem")
print("empty message:", extract("   ").problems)

# %% [markdown]
# ## How good is it?
# 'Looks fine' is what everybody said in lesson 14. So somebody has sat down with 50 other messages and written out by hand what is in
# them. Two figures come out of such a comparison.
# - **Precision**: of what the model said, which share is right?
# - **Recall**: of what there was, which share has the model said?

# %% [markdown]
# ### Exercise 15.3 · write (core, 5 minutes)
# `wanted` and `found` are two sets of triples. Return both figures, precision first. What if the model says nothing at all? Then
# nothing of it is wrong: precision 1. In the same way recall is 1 where there was nothing to find.

# %% exercise="15.3"
def precision_and_recall(wanted, found):
    return 0, 0
### BEGIN SOLUTION
def precision_and_recall(wanted, found):
    both = len(wanted & found)
    return both / len(found) if found else 1, both / len(wanted) if wanted else 1
### END SOLUTION
lesson.check("15.3", precision_and_recall)

# %%
from course_lib.crumb.dataset import read_labelled
from course_lib.crumb.scoring import judge

labelled = read_labelled()
print(len(labelled), "messages,", sum(len(m.triples) for m in labelled), "triples, for instance:")
print(labelled[9].text)
for triple in labelled[9].triples:
    print("   ", triple.subject, triple.relation, triple.object)

# %% [markdown]
# First without the rule about the arrow. **Before you run it:** which relation will be worst?

# %%
system = system_prompt(without=["direction"])
before = judge(labelled, {m.id: extract(m.text, system=system) for m in labelled})
before.table()

# %% [markdown]
# Ninety-odd percent sounds like a good mark. The next table says what the mistakes *are*: each row is what the label says, each column
# what became of it.

# %%
before.confusion()

# %% [markdown]
# The commonest miss is one single habit, and it has a name: *turned round*. That is good news, since a habit can be talked about. Put
# the rule back:

# %%
after = judge(labelled, {m.id: extract(m.text) for m in labelled})
print("before:", before.misses(), " after:", after.misses())
after.table()

# %% [markdown]
# One sentence in the prompt. And what is left?

# %%
texts = {m.id: m.text for m in labelled}
for outcome in after.outcomes:
    if outcome.kind != "right":
        triple = outcome.wanted or outcome.found
        print(f"{outcome.kind}: {triple.subject} {triple.relation} {triple.object}\n      in: {texts[outcome.message]}")

# %% [markdown]
# Another script, facts that two sentences give together, a list crosswise. And one thing made up: *no chikki* read as an allergy, with
# evidence that really stands in the message! Evidence shows where a fact comes from. Whether it *follows* is another matter.
#
# (The simulator has its limits where its makers stopped. A real model has them elsewhere, and won't tell you where. That is what the
# labelled messages are for.)

# %% [markdown]
# ### Exercise 15.4 · break (extra, 6 minutes)
# Find its limit yourself. Write a message in which somebody is clearly allergic to something, so that any person would see it, and
# the extraction does not. Hand in a dict with `message`, `who` and `what`: two words that stand in your message.

# %% exercise="15.4"
missed = {"message": "", "who": "", "what": ""}
### BEGIN SOLUTION
missed = {"message": "Peanuts and my uncle Pesi do not get along: one bite, and we call the ambulance.", "who": "Pesi", "what": "Peanuts"}
### END SOLUTION
lesson.check("15.4", missed)

# %% [markdown]
# ## What to keep
# - A schema makes the words few and the shape sure. It knows nothing about the world: turned round, denied and made up are all valid.
# - Give a doubt a place in the form, or it will be filled in as a fact.
# - Evidence costs one field, and catches what was made up out of nothing.
# - Measure by relation, and look at the *kinds* of mistakes: one percentage hides one habit.
#
# **Common mistakes:** trusting `parse` because it did not raise; throwing a whole reply away for its last line; a rule in the prompt that
# nobody has tested; labelling the messages with the model's own output.
#
# **Next:** 16. The model says 'Aarav' and 'groundnuts'. Which Aarav? Which allergen? From here on no model is asked.
