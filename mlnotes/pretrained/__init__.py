"""Models that others trained: their weights and tokenizers, read from packages."""
