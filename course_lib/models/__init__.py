"""Language models: providers, the router over them, and the practice model.

`connect()` gives the router that the settings ask for; `router.generate("...")` asks a model.
"""

# Imported here and not inside a function: the package's name `connect` must be the function from the start,
# since the import of a submodule of the same name would take its place. No SDK is imported by it.
from course_lib.models.connect import connect

__all__ = ["connect"]
