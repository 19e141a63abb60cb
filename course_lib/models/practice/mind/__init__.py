"""What the practice model does with a conversation: it reads the prompt, and its reply follows from that
alone.

One module, one concern. The way through them for a question about a graph:

`prompt_form` cuts the prompt into parts, `reading_*` modules understand each part (schema, values, rules,
memory, the previous attempt), `world` puts schema and values into an index, `linking` finds their words in
the question, `understanding` makes a plan of what is asked, and `writing` turns the plan into Cypher, as
well as the rules in the prompt allow.
"""
