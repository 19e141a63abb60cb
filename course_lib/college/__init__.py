"""Half 1: asking a college graph questions."""
