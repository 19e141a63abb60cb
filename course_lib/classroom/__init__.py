"""Exercises, checks, hints, progress, and the build of the notebooks."""
