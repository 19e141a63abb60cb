"""The course's tests."""
