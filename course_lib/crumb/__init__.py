"""Half 2: a bakery's graph memory."""
