"""Language models: providers, the router over them, and the practice model."""
