"""How good is it? Questions with a known answer, put to the assistant and scored by its rows.

- `questions`: the question set of the college, each question with a reference query written by hand.
- `scoring`: whether a result is the wanted one.
- `college_set`: the set in the form that `course eval` runs.
- `ablation`: the same questions with parts of the prompt and of the loop taken away.
"""
