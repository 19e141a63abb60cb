"""One module per lesson: how each exercise's answer is judged."""
