"""One module per lesson, `lesson_NN.py`: how each exercise's answer is judged.

How to add an exercise, in four places; the tests refuse one that stands in fewer:

1. `classroom/exercises.toml`: an entry with id, title, kind, minutes, `asked` (one line that stands beside
   the learner's own rows; not the answer) and three hints, from a nudge to almost the answer.
2. `solutions/NN_topic.py`: a cell `# %% exercise="02.1"` that ends with `lesson.check("02.1", query)`. The
   answer stands between `### BEGIN SOLUTION` and `### END SOLUTION`; what is left is the stub.
3. `classroom/checks/lesson_NN.py`: a function that judges:

       @judges("02.1")
       def strongest_first(answer: Any, room: Room) -> Outcome:
           return judge_query(answer, room, STRONGEST_FIRST)

   Whatever is empty or just as the stub left it is 'not attempted' before the function is asked.
4. `tests/answers/NN_topic.py`: at least three right answers that differ in style and three plausible wrong
   ones, each with a part of what must be said to it.

Most checks need no more than one of these, with data beside it:

- `judge_query` + `QueryCheck` (queries.py): a query that reads. It runs as a reader on the college and on
  unseen ones; rows are compared as a set unless `ordered`. `NearMiss` names wrong answers that are likely:
  `when=same_rows_as("…another query…")`, `differs_by("rows missing")`, `written(r"\\blimit\\b")` or any
  function of an `Attempt`. Say `where="here"` when the message speaks of rows that only the lesson's own data
  has, and `where="elsewhere"` when it is about an unseen college and says so itself; else it gets a prefix.
- `judge_change` + `ChangeCheck` (queries.py): a query that writes, by what stands in the graph afterwards.
- `judge_function` + `FunctionCheck`, `Case` (functions.py): a function, on values or on scratch graphs.
  Name the library's own part in `finished`, so that handing it in is noticed.
- `judge_prediction` + `PredictCheck`, `Misconception` (predictions.py): what the learner expects, against
  what the engine really does.
- `judge_decision` + `DecideCheck` (decisions.py): a choice and the number that speaks for it, measured again.

Rules for what a check says:

- Not right: name what is wrong in the learner's own answer, in one or two sentences, and never the answer.
- *wrong*: the idea is not there. *nearly*: the idea is right, and the message names the detail.
- The learner sees their rows on the lesson's own data. A sentence about another college says that it is.
- Right: one sentence to take along. No praise without content.
- Try what people really do: run the wrong answer on the engine first, and write the near miss from its rows.
- A message may set code in backticks. Numbers in it come from the engine or from the answer.
- `room.college()`, `room.other_college(seed)`, `room.graph()` give scratch graphs that vanish afterwards; the
  same with `_to_read` are shared and ready at once, for checks that only read. A check never touches the lesson's
  own graph, and never asks a real model.
"""
