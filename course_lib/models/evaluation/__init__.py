"""Putting a set of questions to a model and counting what came of it.

A question set is data and one function: its cases, and `answer(case, model) -> Verdict`, which asks the model
in whatever way the set is about and judges the answer. The frame does the rest: it counts calls, tokens, cost
and seconds, goes on when a case fails, keeps the run, and puts it beside the last run of another model.

To add a set, write a function that returns a `QuestionSet` anywhere in the course and name it in `SETS` in
`course_lib/commands/eval.py`:

    def question_set() -> QuestionSet:
        cases = (Case("nf1", "paths", "1NF se BCNF tak ka learning path batao"), ...)

        def answer(case: Case, model: Model) -> Verdict:
            agent = StudyAgent(graph, model)
            found = agent.ask(case.text)
            return Verdict(found.rows == expected[case.id], note=found.status, attempts=found.attempts)

        return QuestionSet("agent", "The study assistant", cases, answer)

`model` is a `ModelRouter` and may be used like one. What `answer` raises as a `ModelError` counts as a
failure to answer; anything else is a bug and ends the run.
"""
