"""The practice model: a simulator made for teaching, not a language model."""
