"""The library behind the course. Lessons start with `from course_lib import lesson`."""

__version__ = "0.1.0"
