"""What can go wrong when the college is searched as text."""

from __future__ import annotations

from course_lib.errors import CourseError


class SearchError(CourseError):
    """A search cannot be done as asked."""


class NoVectorError(SearchError):
    """A text has no vector: none was computed beforehand, and no embedding model is installed."""


class VectorFileError(SearchError):
    """The file of vectors cannot be read."""


class QuestionFileError(SearchError):
    """The file of questions, or the one of sentences, cannot be read."""
