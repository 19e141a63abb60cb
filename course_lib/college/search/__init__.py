"""The college as text, and three ways to look something up in it: by words, by meaning, by the graph.

`written_facts` writes every node and every relationship of a live graph out as a text. `search_words` finds
texts that share words with a question, `search_meaning` texts whose embedding lies close to the question's.
`bake_off` puts both beside hand-written Cypher, on one set of questions and with one rule for what counts.
"""

from course_lib.college.search.contest import Result, bake_off, by_hops, holds_proof
from course_lib.college.search.embedder import can_embed, embed
from course_lib.college.search.facts import Fact, written_facts
from course_lib.college.search.meaning import MeaningIndex, index_meanings, search_meaning
from course_lib.college.search.questions import Question, read_questions
from course_lib.college.search.vectors import StoredVectors, read_vectors
from course_lib.college.search.words import search_words

__all__ = [
    "Fact",
    "MeaningIndex",
    "Question",
    "Result",
    "StoredVectors",
    "bake_off",
    "by_hops",
    "can_embed",
    "embed",
    "holds_proof",
    "index_meanings",
    "read_questions",
    "read_vectors",
    "search_meaning",
    "search_words",
    "written_facts",
]
